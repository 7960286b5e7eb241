-- The shop of the golden cases. Private tables are empty: nothing but schema, policy and public rows decides a case.

CREATE TABLE regions (city VARCHAR PRIMARY KEY, country VARCHAR);
INSERT INTO regions VALUES ('Berlin', 'Germany'), ('Bonn', 'Germany'), ('Paris', 'France');

CREATE TABLE products (product VARCHAR PRIMARY KEY, category VARCHAR, list_price DECIMAL(10, 2));
INSERT INTO products VALUES ('chair', 'home', 119.00), ('lamp', 'home', 49.00), ('novel', 'books', 12.90);

-- Two carriers deliver to Berlin: a join with this table can double a row.
CREATE TABLE carriers (city VARCHAR, carrier VARCHAR);
INSERT INTO carriers VALUES ('Berlin', 'post'), ('Berlin', 'bike'), ('Paris', 'post');

CREATE TABLE users (user_id INTEGER PRIMARY KEY, age INTEGER, city VARCHAR, signup DATE, email VARCHAR, active BOOLEAN);
CREATE TABLE orders (
    order_id INTEGER, user_id INTEGER, amount DOUBLE, weight DOUBLE, channel VARCHAR, ordered_at TIMESTAMP,
    note VARCHAR, "Ship To" VARCHAR
);
CREATE TABLE items (item_id INTEGER PRIMARY KEY, order_id INTEGER, product VARCHAR, quantity INTEGER, price DECIMAL(10, 2));
CREATE TABLE memberships (user_id INTEGER, club VARCHAR, fee INTEGER);
CREATE TABLE trips (user_id INTEGER, kind VARCHAR, fare DECIMAL(10, 2), metres DOUBLE, seats INTEGER);
CREATE TABLE visits (page VARCHAR, city VARCHAR, seconds INTEGER, seen_at TIMESTAMP);
