-- Cut off.
create table customers(id int,
