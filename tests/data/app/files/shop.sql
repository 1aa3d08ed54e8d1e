-- A shop.
create table customers(
    id int primary key,
    name text not null,
    region smallint
);
create table orders(
    id int primary key,
    customer_id int not null references customers(id),
    status smallint
);
create index orders_status on orders(status);
