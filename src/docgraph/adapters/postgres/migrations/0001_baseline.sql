-- All tables: the store's, as in the embedded store, the audit log, and what servers share. They
-- belong to the login that migrates. Text is compared byte by byte (COLLATE "C"), so that ids sort
-- here as they do everywhere else. A text that may be longer than an index entry (names, terms, ids
-- of nodes) is found by its hash and then compared.
--
-- A row with `valid_from` and `valid_to` is part of the snapshots of its branch from `valid_from`
-- up to, not including, `valid_to`. No reader sees a row of a snapshot that is not published yet.
-- What a `checksum` covers is in adapters/sql/queries/checksums.sql; only `docgraph verify` and
-- writers read it.

-- Changes of each tenant, counted. `access_changes` counts changed access classes and removed
-- snapshots: then versions are read anew. `tokens` are those of the last 64 changes, the newest
-- first, 32 random characters each: a cached copy is of this state if its token is the first.
CREATE TABLE change_counts (
    tenant         text COLLATE "C" PRIMARY KEY,
    all_changes    bigint NOT NULL,
    access_changes bigint NOT NULL DEFAULT 0,
    tokens         text NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '')
);

CREATE TABLE branches (
    id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant          text COLLATE "C" NOT NULL,
    repository      text COLLATE "C" NOT NULL,
    name            text COLLATE "C" NOT NULL,
    newest_snapshot integer NOT NULL DEFAULT 0,
    oldest_snapshot integer NOT NULL DEFAULT 1,
    checksum        bigint NOT NULL,
    UNIQUE (tenant, repository, name)
);

-- References count in a snapshot if one of its `miners` (JSON) made them; `ref` and `revision` name
-- the commit that it was made from. A snapshot has the vectors of `document_embeddings` up to its
-- `last_embedding`; `content` is the first snapshot with the same documents, edges and rules.
CREATE TABLE snapshots (
    branch          integer NOT NULL REFERENCES branches (id),
    number          integer NOT NULL,
    embedder_name   text NOT NULL,
    embedder_digest text NOT NULL,
    dimensions      integer NOT NULL,
    created         text NOT NULL,
    miners          text NOT NULL,
    ref             text NOT NULL,
    revision        text NOT NULL,
    last_embedding  bigint NOT NULL,
    content         integer NOT NULL,
    checksum        bigint NOT NULL,
    PRIMARY KEY (branch, number)
);

-- The source that a branch was filled from, and is filled from until a person with the right
-- `access` names another: the location of a folder, file or repository, or an address. `ref` is the
-- git branch, tag or commit.
CREATE TABLE branch_sources (
    branch   integer PRIMARY KEY REFERENCES branches (id),
    location text COLLATE "C" NOT NULL,
    ref      text COLLATE "C" NOT NULL,
    checksum bigint NOT NULL
);

-- Every distinct access rule, stored once and never changed. Documents refer to it, and a changed
-- rule counts at once, for old snapshots too.
CREATE TABLE access_classes (
    id       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    rule     text COLLATE "C" NOT NULL,
    digest   text COLLATE "C" GENERATED ALWAYS AS (md5(rule)) STORED UNIQUE,
    checksum bigint NOT NULL
);

-- `statements` (JSON) are those of the branch on the path.
CREATE TABLE document_access (
    branch     integer NOT NULL REFERENCES branches (id),
    path       text COLLATE "C" NOT NULL,
    statements text COLLATE "C" NOT NULL,
    checksum   bigint NOT NULL,
    PRIMARY KEY (branch, path)
);

-- The statements (JSON) of new paths of a branch that no file states anything of.
CREATE TABLE default_statements (
    branch     integer PRIMARY KEY REFERENCES branches (id),
    statements text COLLATE "C" NOT NULL,
    checksum   bigint NOT NULL
);

-- The rules of a branch's access.yaml, as JSON.
CREATE TABLE access_file_rules (
    branch   integer PRIMARY KEY REFERENCES branches (id),
    rules    text NOT NULL,
    checksum bigint NOT NULL
);

-- The branch whose access statements count on every other branch of its repository.
CREATE TABLE default_branches (
    tenant     text COLLATE "C" NOT NULL,
    repository text COLLATE "C" NOT NULL,
    branch     integer NOT NULL REFERENCES branches (id),
    checksum   bigint NOT NULL,
    PRIMARY KEY (tenant, repository)
);

-- Rules that an administrator set on a path, as JSON.
CREATE TABLE manual_access_rules (
    tenant     text COLLATE "C" NOT NULL,
    repository text COLLATE "C" NOT NULL,
    path       text COLLATE "C" NOT NULL,
    rule       text NOT NULL,
    checksum   bigint NOT NULL,
    PRIMARY KEY (tenant, repository, path)
);

-- People and programs that may be authenticated; `groups`, `labels` and `rights` are JSON lists.
CREATE TABLE principals (
    tenant    text COLLATE "C" NOT NULL,
    id        text COLLATE "C" NOT NULL,
    groups    text NOT NULL,
    labels    text NOT NULL,
    clearance integer NOT NULL,
    rights    text NOT NULL,
    checksum  bigint NOT NULL,
    PRIMARY KEY (tenant, id)
);

-- Texts of documents, and vectors of chunk texts: each stored once in a tenant, whatever branches use
-- it.
CREATE TABLE contents (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    hash   text COLLATE "C" NOT NULL,
    text   text NOT NULL,
    UNIQUE (tenant, hash)
);

CREATE TABLE vector_spaces (
    id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant          text COLLATE "C" NOT NULL,
    embedder_digest text COLLATE "C" NOT NULL,
    checksum        bigint NOT NULL,
    UNIQUE (tenant, embedder_digest)
);

CREATE TABLE vectors (
    id       bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    space    integer NOT NULL REFERENCES vector_spaces (id),
    hash     bytea NOT NULL,
    vector   vector NOT NULL,
    checksum bigint NOT NULL,
    UNIQUE (space, hash)
);

-- One row for each version of a document; `version` identifies it in all tables. `unresolved_calls`
-- counts calls in code whose target its file does not name; documents with a lower
-- `embedding_priority` are embedded first. `stated_class` follows from the statements on the path, on its branch and on the default one; it never becomes wider once the
-- version has ended. `access_class` follows from it and from a manual rule, and decides who may
-- read; every table whose rows row-level security filters has a copy of it.
CREATE TABLE documents (
    version          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    branch           integer NOT NULL REFERENCES branches (id),
    path             text COLLATE "C" NOT NULL,
    id               text COLLATE "C" NOT NULL,
    content          bigint NOT NULL REFERENCES contents (id),
    fingerprint      text NOT NULL,
    unresolved_calls integer NOT NULL,
    source_lines     text NOT NULL,
    embedding_priority integer NOT NULL,
    valid_from       integer NOT NULL,
    valid_to         bigint NOT NULL,
    stated_class     integer NOT NULL REFERENCES access_classes (id),
    access_class     integer NOT NULL REFERENCES access_classes (id),
    checksum         bigint NOT NULL,
    state_checksum   bigint NOT NULL
);
CREATE INDEX documents_by_path ON documents (branch, path, valid_to);
CREATE INDEX documents_by_validity ON documents (branch, valid_to, valid_from);
CREATE INDEX documents_by_content ON documents (content);

-- `handle` is a number that no other node ever has; that of a document is less than those of its
-- parts. Offsets count characters in the version's text. A summary begins with the node's
-- signature, of `signature_length` characters.
CREATE TABLE document_nodes (
    handle       bigint PRIMARY KEY,
    version      bigint NOT NULL REFERENCES documents (version),
    access_class integer NOT NULL,
    id           text COLLATE "C" NOT NULL,
    kind         text COLLATE "C" NOT NULL,
    title        text NOT NULL,
    summary      text NOT NULL,
    parent       text COLLATE "C",
    first_line   integer NOT NULL,
    last_line    integer NOT NULL,
    start_offset integer NOT NULL,
    end_offset   integer NOT NULL,
    page         integer,
    signature_length integer NOT NULL
);
CREATE SEQUENCE node_handles OWNED BY document_nodes.handle;
CREATE INDEX document_nodes_by_id ON document_nodes USING hash (id);
CREATE INDEX document_nodes_by_version ON document_nodes (version);

-- The two ends of a mined edge, joined by key at query time: a definition says that a node has a
-- key, a reference that characters of a text mean the node with a key. A node's id is its
-- document's id and `node_suffix`. `inner_suffix` is a node inside the one with the key; if it is
-- missing, the reference means the node with the key, or nothing if it is `strict`. A folder
-- between the two files adds `distance_weight` to the rank. With `report_unresolved`, a reference
-- without a definition is shown to users.
CREATE TABLE definitions (
    branch       integer NOT NULL REFERENCES branches (id),
    key          text COLLATE "C" NOT NULL,
    version      bigint NOT NULL REFERENCES documents (version),
    access_class integer NOT NULL,
    node_suffix  text COLLATE "C" NOT NULL,
    rank         integer NOT NULL,
    key_hash     bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(key, 0)) STORED
);
CREATE INDEX definitions_by_key ON definitions (branch, key_hash);
CREATE INDEX definitions_by_version ON definitions (version);

CREATE TABLE node_references (
    version           bigint NOT NULL REFERENCES documents (version),
    access_class      integer NOT NULL,
    relation          text COLLATE "C" NOT NULL,
    start_offset      integer NOT NULL,
    key               text COLLATE "C" NOT NULL,
    inner_suffix      text COLLATE "C" NOT NULL,
    node_suffix       text COLLATE "C" NOT NULL,
    branch            integer NOT NULL REFERENCES branches (id),
    end_offset        integer NOT NULL,
    line              integer NOT NULL,
    text              text COLLATE "C" NOT NULL,
    miner             text COLLATE "C" NOT NULL,
    strict            integer NOT NULL,
    rank              integer NOT NULL,
    distance_weight   integer NOT NULL,
    report_unresolved integer NOT NULL,
    key_hash          bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(key, 0)) STORED
);
CREATE UNIQUE INDEX node_references_unique ON node_references
    (version, relation, start_offset, miner,
     md5(key || E'\x1f' || inner_suffix || E'\x1f' || node_suffix));
CREATE INDEX node_references_by_key ON node_references (branch, key_hash, relation);

CREATE TABLE vector_chunks (
    version      bigint NOT NULL REFERENCES documents (version),
    position     integer NOT NULL,
    access_class integer NOT NULL,
    id           text COLLATE "C" NOT NULL,
    node         text COLLATE "C" NOT NULL,
    heading_path text NOT NULL,
    first_line   integer NOT NULL,
    last_line    integer NOT NULL,
    start_offset integer NOT NULL,
    end_offset   integer NOT NULL,
    page         integer,
    PRIMARY KEY (version, position)
);

-- What is embedded, in the order in which it was: a row with `is_complete` 0 when the summary of a
-- document got its vector, one with 1 when all of its nodes and chunks did. Rows are added, and
-- never changed. A checksum covers the rows of the vectors as well.
CREATE TABLE document_embeddings (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    version      bigint NOT NULL REFERENCES documents (version),
    access_class integer NOT NULL,
    is_complete  integer NOT NULL,
    checksum     bigint NOT NULL,
    UNIQUE (version, is_complete)
);

-- The vector of a document's summary alone, which counts until the document is completely embedded.
CREATE TABLE summary_vectors (
    version      bigint PRIMARY KEY REFERENCES documents (version),
    access_class integer NOT NULL,
    handle       bigint NOT NULL REFERENCES document_nodes (handle),
    vector       vector NOT NULL
);

-- A node's vector joins that of its summary with those of all chunks in it.
CREATE TABLE node_vectors (
    handle       bigint PRIMARY KEY REFERENCES document_nodes (handle),
    version      bigint NOT NULL REFERENCES documents (version),
    access_class integer NOT NULL,
    vector       vector NOT NULL
);
CREATE INDEX node_vectors_by_version ON node_vectors (version);

CREATE TABLE chunk_vectors (
    version      bigint NOT NULL REFERENCES documents (version),
    position     integer NOT NULL,
    access_class integer NOT NULL,
    vector_id    bigint NOT NULL REFERENCES vectors (id),
    PRIMARY KEY (version, position)
);
CREATE INDEX chunk_vectors_by_vector ON chunk_vectors (vector_id);

-- Edges between ids: added by a user (`manual` = 1), imported with a corpus, or of relations.yaml.
CREATE TABLE stated_relationships (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    branch          integer NOT NULL REFERENCES branches (id),
    source          text COLLATE "C" NOT NULL,
    source_document text COLLATE "C" NOT NULL,
    relation        text COLLATE "C" NOT NULL,
    target          text COLLATE "C" NOT NULL,
    target_document text COLLATE "C" NOT NULL,
    manual          integer NOT NULL,
    origins         text NOT NULL,
    evidence        text NOT NULL,
    valid_from      integer NOT NULL,
    valid_to        bigint NOT NULL,
    checksum        bigint NOT NULL
);
CREATE UNIQUE INDEX stated_relationships_unique ON stated_relationships
    (branch, md5(source || E'\x1f' || relation || E'\x1f' || target), manual, valid_to);
CREATE INDEX stated_relationships_out ON stated_relationships USING hash (source_document);
CREATE INDEX stated_relationships_in ON stated_relationships USING hash (target_document);

-- A segment packs the chunks of versions of one access class: arrays, and posting lists
-- by term. Its versions were published with `snapshot` or before. It is never changed; when a
-- document's class changes, new segments replace the ones that contain it.
CREATE TABLE segments (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    branch       integer NOT NULL REFERENCES branches (id),
    access_class integer NOT NULL REFERENCES access_classes (id),
    snapshot     integer NOT NULL,
    chunk_count  integer NOT NULL,
    versions     bigint[] NOT NULL,
    checksum     bigint NOT NULL,
    arrays       bytea NOT NULL
);
ALTER TABLE segments ALTER COLUMN arrays SET STORAGE EXTERNAL;
CREATE INDEX segments_of_branch ON segments (branch);

-- Numbers take one, two or four bytes each, as the first byte of a list says.
CREATE TABLE postings (
    term        text COLLATE "C" NOT NULL,
    segment     bigint NOT NULL REFERENCES segments (id),
    chunks      bytea NOT NULL,
    frequencies bytea NOT NULL,
    term_hash   bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(term, 0)) STORED
);
CREATE INDEX postings_by_term ON postings (term_hash, segment);
CREATE INDEX postings_of_segment ON postings (segment);

-- The audit log. A tenant's rows are numbered from 1; no row is ever changed. audit.py lists what
-- is made here, for `audit verify`. `authenticated_by` is the principal's credential, or the user
-- who impersonates them; `snapshots` is JSON: [[repository, branch, number], …]. `checksum` finds
-- damage of rows that no seal covers yet.
CREATE TABLE audit_entries (
    tenant           text COLLATE "C" NOT NULL,
    number           bigint NOT NULL,
    time             text NOT NULL,
    principal        text NOT NULL,
    authenticated_by text NOT NULL,
    action           text NOT NULL,
    outcome          text NOT NULL CHECK (outcome IN ('succeeded', 'started', 'denied', 'failed')),
    plan             text NOT NULL,
    snapshots        text NOT NULL,
    detail           text NOT NULL,
    checksum         bigint NOT NULL,
    PRIMARY KEY (tenant, number)
);

-- A seal covers the rows `first` to `last`; `previous_digest` is that of the seal before it.
CREATE TABLE audit_seals (
    tenant          text COLLATE "C" NOT NULL,
    first           bigint NOT NULL,
    last            bigint NOT NULL,
    previous_digest text NOT NULL,
    digest          text NOT NULL,
    PRIMARY KEY (tenant, last)
);

-- The search path is fixed, so that no other table can take the place of the one that is read.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql
SET search_path = docgraph, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'rows of the audit log cannot be changed or removed'
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE FUNCTION require_next_entry() RETURNS trigger LANGUAGE plpgsql
SET search_path = docgraph, pg_temp AS $$
BEGIN
    IF NEW.number IS DISTINCT FROM
        (SELECT coalesce(max(number), 0) + 1 FROM audit_entries WHERE tenant = NEW.tenant)
    THEN
        RAISE EXCEPTION 'a row of the audit log can only be added at its end'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION require_next_seal() RETURNS trigger LANGUAGE plpgsql
SET search_path = docgraph, pg_temp AS $$
BEGIN
    IF NEW.last < NEW.first OR NEW.first IS DISTINCT FROM
        (SELECT coalesce(max(last), 0) + 1 FROM audit_seals WHERE tenant = NEW.tenant)
    THEN
        RAISE EXCEPTION 'a seal of the audit log can only be added at its end'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER entries_are_permanent BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER entries_are_consecutive BEFORE INSERT ON audit_entries
FOR EACH ROW EXECUTE FUNCTION require_next_entry();
CREATE TRIGGER seals_are_permanent BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals
FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER seals_are_consecutive BEFORE INSERT ON audit_seals
FOR EACH ROW EXECUTE FUNCTION require_next_seal();

-- Also in a session that applies replicated rows, where triggers do not fire otherwise.
ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER entries_are_permanent;
ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER entries_are_consecutive;
ALTER TABLE audit_seals ENABLE ALWAYS TRIGGER seals_are_permanent;
ALTER TABLE audit_seals ENABLE ALWAYS TRIGGER seals_are_consecutive;

-- What servers share: API keys and ingest jobs. A reader of a tenant reads both as docgraph_reader,
-- under row_security.sql. Where no tenant is known yet (a key is looked up by its id, the next job
-- by its turn) the owner of the tables reads them. So no function has more rights than its caller.

-- `secret_hash` is SHA-256 of at least 256 random bits. No reader is granted that column.
CREATE TABLE api_keys (
    id          text COLLATE "C" PRIMARY KEY,
    tenant      text COLLATE "C" NOT NULL,
    principal   text COLLATE "C" NOT NULL,
    created     text COLLATE "C" NOT NULL,
    expires     text,
    note        text NOT NULL,
    secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
    checksum    bigint NOT NULL
);
CREATE INDEX api_keys_by_tenant ON api_keys (tenant, created, id);

-- `requester` and `request` are JSON; `authenticated_by` is the requester's credential, and
-- `credential_kind` its kind. The server `worker` runs the job until `lease_expires`.
CREATE TABLE ingest_jobs (
    number           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id               text COLLATE "C" NOT NULL UNIQUE,
    tenant           text COLLATE "C" NOT NULL,
    principal        text COLLATE "C" NOT NULL,
    credential_kind  text COLLATE "C" NOT NULL,
    requester        text NOT NULL,
    authenticated_by text NOT NULL,
    request          text NOT NULL,
    state            text NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed')),
    attempts         integer NOT NULL,
    created          text NOT NULL,
    updated          text NOT NULL,
    progress         text NOT NULL,
    result           text NOT NULL,
    error            text NOT NULL,
    checksum         bigint NOT NULL,
    worker           text COLLATE "C" NOT NULL DEFAULT '',
    lease_expires    timestamptz,
    last_started     timestamptz
);
CREATE INDEX ingest_jobs_by_owner ON ingest_jobs (tenant, principal, credential_kind, number);
CREATE INDEX ingest_jobs_by_last_start 
    ON ingest_jobs (tenant, principal, credential_kind, last_started);
CREATE INDEX ingest_jobs_by_tenant ON ingest_jobs (tenant, last_started);
CREATE INDEX ingest_jobs_pending ON ingest_jobs (number) WHERE state IN ('queued', 'running');

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
    due       double precision NOT NULL,
    checksum  bigint NOT NULL
);
