-- Tells whether a master key is the one that this database was filled under. It says nothing about the key itself.
create table identity.key_check (
  only_one boolean primary key default true constraint key_check_only_one check (only_one),
  digest bytea not null
);
grant select, insert on identity.key_check to saunter_identity;
grant select on identity.key_check to saunter_clerk;
