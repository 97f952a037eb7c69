-- Every transaction asks the clock first. clock_timestamp() is volatile, so that PostgreSQL
-- could not put it in the place of a call to this stable function, which then cost as much as
-- a small statement: 25 us of processor time against none.
CREATE OR REPLACE FUNCTION nightbell_now() RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT pg_catalog.statement_timestamp() $$;
