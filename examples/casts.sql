-- Casts that hide an index, over the tables of a shop: each query finds its rows by the index once
-- the bare column is compared. `./dev demo` prints the plans before and after.

create table orders(
    id int primary key,
    customer_id int not null,
    store_id smallint not null,
    status smallint,
    total numeric(10,2),
    weight real,
    note text
);
create index orders_customer on orders(customer_id);
create index orders_store on orders(store_id);
create index orders_status on orders(status);
create index orders_total on orders(total);

-- The application thinks that keys are bigint.
select note from orders where id::bigint = 5;

-- An integer meets a decimal: PostgreSQL itself casts the column.
select note from orders where id = 5.0;

-- No integer is 5.5: no row at all.
select note from orders where id = 5.5;

-- Beyond what a smallint can hold: only the rows without a status drop out.
select id from orders where status::int < 40000;

-- Of a list, what no smallint can be goes.
select id from orders where cast(store_id as int) in (7, 12, 70000);

-- Half a cent: totals have two digits.
select id from orders where total::numeric(12,4) >= 99999.995;

-- The cast stands in a join's condition, on the side of a constant.
select o.id from orders o join orders p on o.customer_id = p.customer_id where p.id::bigint = 42;
