-- Outer joins that are inner joins: a row whose t2 side is all NULL never passes the WHERE.
-- `./dev demo` prints the plans before and after.

create table t1(id int primary key, a int, b int);
create table t2(id int primary key, a int, b int);

-- t1.b = t2.b is not true where t2 is NULL. With t1.b = 2 it also says that t2.b is 2.
select * from t1 left join t2 on t1.a = t2.a where t1.b = t2.b and t1.b = 2;

-- The ON holds for each row that is left, and t2.a takes its constant.
select * from t1 left join t2 on t1.a = 1 where t1.a = t2.a;

-- A range goes the same way as a constant.
select * from t1 left join t2 on t1.a = t2.a where t1.b = t2.b and t1.b > 1;

-- And so does a range in the ON.
select * from t1 left join t2 on t1.a > 1 where t1.a = t2.a;
