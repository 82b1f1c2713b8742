CREATE TABLE routes (
  id integer,
  depot integer REFERENCES depots (id)
);
SELECT release_parcel(1);
