-- External vector indexes that have every row of the tenant; a change that one of them does not get
-- takes it out.
CREATE TABLE complete_indexes (
    tenant text COLLATE "C" NOT NULL,
    name   text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, name)
);

-- What an external index has still to do, after the catalogue has committed; `versions` is JSON.
CREATE TABLE index_outbox (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant    text COLLATE "C" NOT NULL,
    name      text COLLATE "C" NOT NULL,
    operation text NOT NULL,
    versions  text NOT NULL,
    argument  bigint NOT NULL,
    due       double precision NOT NULL
);
