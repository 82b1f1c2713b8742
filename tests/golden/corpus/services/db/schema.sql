-- The tables of Parcel; ADR-6.
CREATE TABLE depots (id integer PRIMARY KEY, name text);

CREATE TABLE parcels (
  id integer PRIMARY KEY,
  price integer,
  depot integer REFERENCES depots (id)
);

CREATE TABLE audit_rows (number integer, event text);

CREATE VIEW waiting AS SELECT id FROM parcels WHERE depot IS NOT NULL;
