CREATE FUNCTION release_parcel(which integer) RETURNS integer AS $$
BEGIN
  INSERT INTO audit_rows VALUES (1, 'released');
  UPDATE parcels SET depot = NULL WHERE id = which;
  RETURN (SELECT count(*) FROM waiting);
END;
$$ LANGUAGE plpgsql;
