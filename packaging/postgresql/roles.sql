-- Roles of a database of results, for `psql -f roles.sql -d DATABASE` by its administrator, once. No password is
-- given here: `\password ridgewatt_writer` in psql asks for one and sends it scrambled.
--
--   ridgewatt_owner   makes the tables and brings them up to date: by hand, `ridgewatt store upgrade URL`, once and
--                     after each new version of Ridgewatt that says so
--   ridgewatt_writer  what boards use: adds runs and points and reads them; changes and deletes none
--   ridgewatt_reader  what people and reports use
--
-- A board that is stolen or gone wild can add wrong points under its own serial, no more.
create role ridgewatt_owner login;
create role ridgewatt_writer login;
create role ridgewatt_reader login;

select current_database() as database \gset
revoke all on database :"database" from public;
grant connect, create on database :"database" to ridgewatt_owner;
grant connect on database :"database" to ridgewatt_writer, ridgewatt_reader;

create schema ridgewatt authorization ridgewatt_owner;
grant usage on schema ridgewatt to ridgewatt_writer, ridgewatt_reader;
-- Of all tables that the owner will make.
alter default privileges for role ridgewatt_owner in schema ridgewatt
  grant select, insert on tables to ridgewatt_writer;
alter default privileges for role ridgewatt_owner in schema ridgewatt
  grant usage on sequences to ridgewatt_writer;
alter default privileges for role ridgewatt_owner in schema ridgewatt
  grant select on tables to ridgewatt_reader;
