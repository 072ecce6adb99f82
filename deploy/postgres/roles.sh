#!/bin/sh
# Runs once, when compose makes the database: the role of the application owns its database and
# nothing else. It is no superuser and creates no roles; the role that requests take is made here.
set -eu
psql --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
    --set role="${APPLICATION_ROLE:-pileup}" --set password="$APPLICATION_PASSWORD" \
    --set database="$POSTGRES_DB" <<'SQL'
create role :"role" login nosuperuser nocreatedb nocreaterole noreplication password :'password';
select 'create role pileup_people nologin'
 where not exists (select from pg_roles where rolname = 'pileup_people') \gexec
grant pileup_people to :"role";
alter database :"database" owner to :"role";
revoke connect on database postgres from public;
SQL
