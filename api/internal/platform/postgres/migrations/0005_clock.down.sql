CREATE OR REPLACE FUNCTION nightbell_now() RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT pg_catalog.clock_timestamp() $$;
