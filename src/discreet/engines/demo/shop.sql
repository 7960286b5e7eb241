-- A shop, made from nothing but a seed: every value is a hash of its row's number, so that the same
-- seed gives the same shop however many threads DuckDB runs.

CREATE TEMP MACRO chance(i, salt) AS hash(i, salt, getvariable('seed')) / 18446744073709551616.0;
CREATE TEMP MACRO pick(options, i, salt) AS options[1 + floor(len(options) * chance(i, salt))::INTEGER];

-- Public: where the shop delivers and what it sells.

CREATE TABLE regions (city VARCHAR PRIMARY KEY, country VARCHAR NOT NULL, region VARCHAR NOT NULL, share DOUBLE);
INSERT INTO regions VALUES
    ('Amsterdam', 'Netherlands', 'West', 0.14), ('Berlin', 'Germany', 'Centre', 0.16), ('Bern', 'Switzerland', 'Centre', 0.04),
    ('Brussels', 'Belgium', 'West', 0.08), ('Copenhagen', 'Denmark', 'North', 0.07), ('Lisbon', 'Portugal', 'South', 0.07),
    ('Madrid', 'Spain', 'South', 0.12), ('Oslo', 'Norway', 'North', 0.05), ('Paris', 'France', 'West', 0.15),
    ('Rome', 'Italy', 'South', 0.09), ('Tallinn', 'Estonia', 'North', 0.01), ('Vienna', 'Austria', 'Centre', 0.02);

CREATE TABLE products (product VARCHAR PRIMARY KEY, category VARCHAR NOT NULL, price DECIMAL(10, 2) NOT NULL);
INSERT INTO products VALUES
    ('atlas', 'books', 38.00), ('cookbook', 'books', 24.50), ('novel', 'books', 12.90), ('poems', 'books', 9.80),
    ('chair', 'home', 119.00), ('kettle', 'home', 34.90), ('lamp', 'home', 49.00), ('rug', 'home', 89.00), ('towel', 'home', 14.90),
    ('coat', 'clothes', 129.00), ('jumper', 'clothes', 54.90), ('scarf', 'clothes', 19.90), ('socks', 'clothes', 7.50),
    ('ball', 'sport', 22.00), ('racket', 'sport', 79.00), ('tent', 'sport', 149.00),
    ('bread', 'food', 4.20), ('cheese', 'food', 8.90), ('coffee', 'food', 11.50), ('honey', 'food', 6.80),
    ('blocks', 'toys', 29.90), ('kite', 'toys', 17.50), ('puzzle', 'toys', 15.90), ('train', 'toys', 64.00);

-- 20,000 people; some ages are missing or were typed as 999, some cities are missing or unknown.

CREATE TEMP TABLE shares AS
    SELECT city, sum(share) OVER (ORDER BY city) - share AS low, sum(share) OVER (ORDER BY city) AS high FROM regions;
ALTER TABLE regions DROP COLUMN share;

CREATE TABLE users (user_id INTEGER PRIMARY KEY, age INTEGER, city VARCHAR, signup DATE);
INSERT INTO users
    SELECT i,
        CASE WHEN chance(i, 'no age') < 0.02 THEN NULL WHEN chance(i, 'bad age') < 0.004 THEN 999
             ELSE 18 + floor(19 * (chance(i, 'a') + chance(i, 'b') + chance(i, 'c')))::INTEGER END,
        CASE WHEN chance(i, 'no city') < 0.01 THEN NULL WHEN chance(i, 'bad city') < 0.003 THEN 'Atlantis' ELSE shares.city END,
        DATE '2021-01-01' + floor(1095 * chance(i, 'signup'))::INTEGER
    FROM range(1, 20001) AS people(i)
    LEFT JOIN shares ON chance(i, 'city') >= shares.low AND chance(i, 'city') < shares.high
    ORDER BY i;

-- 100,000 orders: most people have a few, some have dozens, and user 4242 resells. Some orders name
-- nobody, some name people who are gone, and a few order numbers were given twice.

CREATE TEMP TABLE drafts AS
    SELECT i,
        CASE WHEN i % 1999 = 0 THEN i - 1 ELSE i END AS order_id,
        CASE WHEN chance(i, 'nobody') < 0.01 THEN NULL
             WHEN chance(i, 'gone') < 0.005 THEN 900000 + i
             WHEN chance(i, 'reseller') < 0.03 THEN 4242
             ELSE 1 + (floor(20000 * power(chance(i, 'buyer'), 1.5))::INTEGER * 7919) % 20000 END::INTEGER AS user_id,
        1 + floor(4 * power(chance(i, 'lines'), 1.6))::INTEGER AS lines
    FROM range(1, 100001) AS numbers(i);

CREATE TABLE items (
    item_id INTEGER PRIMARY KEY, order_id INTEGER, product VARCHAR, category VARCHAR, quantity INTEGER, price DECIMAL(10, 2)
);
INSERT INTO items
    WITH lines AS (SELECT order_id, i * 8 + unnest(range(lines)) AS n FROM drafts),
         sold AS (SELECT n, order_id, pick((SELECT list(product ORDER BY product) FROM products), n, 'product') AS product FROM lines)
    SELECT n, CASE WHEN chance(n, 'lost') < 0.002 THEN 900000 + n ELSE order_id END, product, category,
        1 + floor(3 * power(chance(n, 'quantity'), 4))::INTEGER, price
    FROM sold JOIN products USING (product)
    ORDER BY n;

CREATE TABLE orders (order_id INTEGER, user_id INTEGER, amount DOUBLE, ordered_at DATE, channel VARCHAR);
INSERT INTO orders
    WITH totals AS (SELECT item_id // 8 AS i, sum(quantity * price) AS total FROM items GROUP BY 1)
    SELECT order_id, user_id,
        CASE WHEN chance(i, 'nan') < 0.002 THEN 'NaN'::DOUBLE
             WHEN chance(i, 'typo') < 0.0005 THEN 1e6 * total
             WHEN chance(i, 'infinite') < 0.0001 THEN 'Infinity'::DOUBLE
             WHEN chance(i, 'refund') < 0.01 THEN -total
             WHEN chance(i, 'no amount') < 0.005 THEN NULL
             ELSE total END,
        DATE '2024-01-01' + floor(731 * power(chance(i, 'day'), 0.8))::INTEGER,
        CASE WHEN chance(i, 'no channel') < 0.01 THEN NULL
             ELSE pick(['web', 'web', 'web', 'app', 'app', 'app', 'app', 'store', 'store', 'phone'], i, 'channel') END
    FROM drafts JOIN totals USING (i)
    ORDER BY i;
