create table customers(id int primary key);
create table orders(
    id int,
    id text
);
