-- What an administrator of PostgreSQL runs once, before Nightbell starts over it.
-- #region roles
CREATE ROLE nightbell LOGIN NOINHERIT PASSWORD 'choose-one';
CREATE ROLE nightbell_tenant NOLOGIN NOINHERIT;
CREATE ROLE nightbell_system NOLOGIN NOINHERIT;
GRANT nightbell_tenant, nightbell_system TO nightbell;
CREATE DATABASE nightbell OWNER nightbell;
-- #endregion
