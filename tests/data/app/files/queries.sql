create table t(name text);
select name from t where upper(lower(name)) = 'ADA';
