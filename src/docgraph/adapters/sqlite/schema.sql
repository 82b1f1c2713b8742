-- The embedded store. A row with `valid_from` and `valid_to` is part of the snapshots of its branch
-- from `valid_from` up to, not including, `valid_to`. No reader sees a row of a snapshot that is
-- not published yet. What a `checksum` covers is in adapters/sql/queries/checksums.sql; only
-- `docgraph verify` and writers read it.

-- Changes of each tenant, counted. `access_changes` counts changed access classes and removed
-- snapshots: then versions are read anew. `tokens` are those of the last 64 changes, the newest
-- first, 32 random characters each: a cached copy is of this state if its token is the first.
CREATE TABLE change_counts (
    tenant         TEXT PRIMARY KEY,
    all_changes    INTEGER NOT NULL,
    access_changes INTEGER NOT NULL DEFAULT 0,
    tokens         TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE branches (
    id              INTEGER PRIMARY KEY,
    tenant          TEXT NOT NULL,
    repository      TEXT NOT NULL,
    name            TEXT NOT NULL,
    newest_snapshot INTEGER NOT NULL DEFAULT 0,
    oldest_snapshot INTEGER NOT NULL DEFAULT 1,
    checksum        INTEGER NOT NULL,
    UNIQUE (tenant, repository, name)
) STRICT;

-- References count in a snapshot if one of its `miners` (JSON) made them; `ref` and `revision` name
-- the commit that it was made from. A snapshot has the vectors of `document_embeddings` up to its
-- `last_embedding`; `content` is the first snapshot with the same documents, edges and rules.
CREATE TABLE snapshots (
    branch          INTEGER NOT NULL REFERENCES branches (id),
    number          INTEGER NOT NULL,
    embedder_name   TEXT NOT NULL,
    embedder_digest TEXT NOT NULL,
    dimensions      INTEGER NOT NULL,
    created         TEXT NOT NULL,
    miners          TEXT NOT NULL,
    ref             TEXT NOT NULL,
    revision        TEXT NOT NULL,
    last_embedding  INTEGER NOT NULL,
    content         INTEGER NOT NULL,
    checksum        INTEGER NOT NULL,
    PRIMARY KEY (branch, number)
) STRICT, WITHOUT ROWID;

-- The source that a branch was filled from, and is filled from until a person with the right
-- `access` names another: the location of a folder, file or repository, or an address. `ref` is the
-- git branch, tag or commit.
CREATE TABLE branch_sources (
    branch   INTEGER PRIMARY KEY REFERENCES branches (id),
    location TEXT NOT NULL,
    ref      TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;

-- Every distinct access rule, stored once and never changed. Documents refer to it, and a changed
-- rule counts at once, for old snapshots too.
CREATE TABLE access_classes (
    id       INTEGER PRIMARY KEY,
    rule     TEXT NOT NULL UNIQUE,
    checksum INTEGER NOT NULL
) STRICT;

-- `statements` (JSON) are those of the branch on the path.
CREATE TABLE document_access (
    branch     INTEGER NOT NULL REFERENCES branches (id),
    path       TEXT NOT NULL,
    statements TEXT NOT NULL,
    checksum   INTEGER NOT NULL,
    PRIMARY KEY (branch, path)
) STRICT, WITHOUT ROWID;

-- The statements (JSON) of new paths of a branch that no file states anything of.
CREATE TABLE default_statements (
    branch     INTEGER PRIMARY KEY REFERENCES branches (id),
    statements TEXT NOT NULL,
    checksum   INTEGER NOT NULL
) STRICT;

-- The rules of a branch's access.yaml, as JSON.
CREATE TABLE access_file_rules (
    branch   INTEGER PRIMARY KEY REFERENCES branches (id),
    rules    TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;

-- The branch whose access statements count on every other branch of its repository.
CREATE TABLE default_branches (
    tenant     TEXT NOT NULL,
    repository TEXT NOT NULL,
    branch     INTEGER NOT NULL REFERENCES branches (id),
    checksum   INTEGER NOT NULL,
    PRIMARY KEY (tenant, repository)
) STRICT, WITHOUT ROWID;

-- Rules that an administrator set on a path, as JSON.
CREATE TABLE manual_access_rules (
    tenant     TEXT NOT NULL,
    repository TEXT NOT NULL,
    path       TEXT NOT NULL,
    rule       TEXT NOT NULL,
    checksum   INTEGER NOT NULL,
    PRIMARY KEY (tenant, repository, path)
) STRICT, WITHOUT ROWID;

-- People and programs that may be authenticated; `groups`, `labels` and `rights` are JSON lists.
CREATE TABLE principals (
    tenant    TEXT NOT NULL,
    id        TEXT NOT NULL,
    groups    TEXT NOT NULL,
    labels    TEXT NOT NULL,
    clearance INTEGER NOT NULL,
    rights    TEXT NOT NULL,
    checksum  INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

-- Texts of documents, and vectors of chunk texts: each stored once in a tenant, whatever branches use
-- it. A text is compressed (zlib); the functions `compress` and `decompress` are docgraph's own.
CREATE TABLE contents (
    id     INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    hash   TEXT NOT NULL,
    text   BLOB NOT NULL,
    UNIQUE (tenant, hash)
) STRICT;

CREATE TABLE vector_spaces (
    id              INTEGER PRIMARY KEY,
    tenant          TEXT NOT NULL,
    embedder_digest TEXT NOT NULL,
    checksum        INTEGER NOT NULL,
    UNIQUE (tenant, embedder_digest)
) STRICT;

CREATE TABLE vectors (
    id       INTEGER PRIMARY KEY,
    space    INTEGER NOT NULL REFERENCES vector_spaces (id),
    hash     BLOB NOT NULL,
    vector   BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    UNIQUE (space, hash)
) STRICT;

-- One row for each version of a document; `version` identifies it in all tables. `unresolved_calls`
-- counts calls in code whose target its file does not name; documents with a lower
-- `embedding_priority` are embedded first. `stated_class` follows from the statements
-- on the path, on its branch and on the default one; it never becomes wider once the version has
-- ended. `access_class` follows from it and from a manual rule, and decides who may read. Both are
-- -1 until the version is published.
CREATE TABLE documents (
    version          INTEGER PRIMARY KEY AUTOINCREMENT,
    branch           INTEGER NOT NULL REFERENCES branches (id),
    path             TEXT NOT NULL,
    id               TEXT NOT NULL,
    content          INTEGER NOT NULL REFERENCES contents (id),
    fingerprint      TEXT NOT NULL,
    unresolved_calls INTEGER NOT NULL,
    source_lines     TEXT NOT NULL,
    embedding_priority INTEGER NOT NULL,
    valid_from       INTEGER NOT NULL,
    valid_to         INTEGER NOT NULL,
    stated_class     INTEGER NOT NULL,
    access_class     INTEGER NOT NULL,
    checksum         INTEGER NOT NULL,
    state_checksum   INTEGER NOT NULL
) STRICT;
CREATE INDEX documents_by_path ON documents (branch, path, valid_to);

-- `handle` is a number that no other node ever has; that of a document is less than those of its
-- parts. Offsets count characters in the version's text. A summary begins with the node's
-- signature, of `signature_length` characters.
CREATE TABLE document_nodes (
    handle       INTEGER PRIMARY KEY AUTOINCREMENT,
    version      INTEGER NOT NULL REFERENCES documents (version),
    id           TEXT NOT NULL,
    kind         TEXT NOT NULL,
    title        TEXT NOT NULL,
    summary      TEXT NOT NULL,
    parent       TEXT,
    first_line   INTEGER NOT NULL,
    last_line    INTEGER NOT NULL,
    start_offset INTEGER NOT NULL,
    end_offset   INTEGER NOT NULL,
    page         INTEGER,
    signature_length INTEGER NOT NULL
) STRICT;
CREATE INDEX document_nodes_by_id ON document_nodes (id);
CREATE INDEX document_nodes_by_version ON document_nodes (version);

-- The two ends of a mined edge, joined by key at query time: a definition says that a node has a
-- key, a reference that characters of a text mean the node with a key. A node's id is its
-- document's id and `node_suffix`. `inner_suffix` is a node inside the one with the key; if it is
-- missing, the reference means the node with the key, or nothing if it is `strict`. A folder
-- between the two files adds `distance_weight` to the rank. With `report_unresolved`, a reference
-- without a definition is shown to users.
CREATE TABLE definitions (
    branch      INTEGER NOT NULL REFERENCES branches (id),
    key         TEXT NOT NULL,
    version     INTEGER NOT NULL REFERENCES documents (version),
    node_suffix TEXT NOT NULL,
    rank        INTEGER NOT NULL,
    PRIMARY KEY (branch, key, version, node_suffix)
) STRICT, WITHOUT ROWID;
CREATE INDEX definitions_by_version ON definitions (version);

CREATE TABLE node_references (
    version           INTEGER NOT NULL REFERENCES documents (version),
    relation          TEXT NOT NULL,
    start_offset      INTEGER NOT NULL,
    key               TEXT NOT NULL,
    inner_suffix      TEXT NOT NULL,
    node_suffix       TEXT NOT NULL,
    branch            INTEGER NOT NULL REFERENCES branches (id),
    end_offset        INTEGER NOT NULL,
    line              INTEGER NOT NULL,
    text              TEXT NOT NULL,
    miner             TEXT NOT NULL,
    strict            INTEGER NOT NULL,
    rank              INTEGER NOT NULL,
    distance_weight   INTEGER NOT NULL,
    report_unresolved INTEGER NOT NULL,
    PRIMARY KEY (version, relation, start_offset, key, inner_suffix, node_suffix, miner)
) STRICT, WITHOUT ROWID;
CREATE INDEX node_references_by_key ON node_references (branch, key, relation);

CREATE TABLE vector_chunks (
    version      INTEGER NOT NULL REFERENCES documents (version),
    position     INTEGER NOT NULL,
    id           TEXT NOT NULL,
    node         TEXT NOT NULL,
    heading_path TEXT NOT NULL,
    first_line   INTEGER NOT NULL,
    last_line    INTEGER NOT NULL,
    start_offset INTEGER NOT NULL,
    end_offset   INTEGER NOT NULL,
    page         INTEGER,
    PRIMARY KEY (version, position)
) STRICT, WITHOUT ROWID;

-- What is embedded, in the order in which it was: a row with `is_complete` 0 when the summary of a
-- document got its vector, one with 1 when all of its nodes and chunks did. Rows are added, and
-- never changed. A checksum covers the rows of the vectors as well.
CREATE TABLE document_embeddings (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    version     INTEGER NOT NULL REFERENCES documents (version),
    is_complete INTEGER NOT NULL,
    checksum    INTEGER NOT NULL,
    UNIQUE (version, is_complete)
) STRICT;

-- The vector of a document's summary alone, which counts until the document is completely embedded.
CREATE TABLE summary_vectors (
    version INTEGER PRIMARY KEY REFERENCES documents (version),
    handle  INTEGER NOT NULL REFERENCES document_nodes (handle),
    vector  BLOB NOT NULL
) STRICT;

-- A node's vector joins that of its summary with those of all chunks in it.
CREATE TABLE node_vectors (
    handle  INTEGER PRIMARY KEY REFERENCES document_nodes (handle),
    version INTEGER NOT NULL REFERENCES documents (version),
    vector  BLOB NOT NULL
) STRICT;
CREATE INDEX node_vectors_by_version ON node_vectors (version);

CREATE TABLE chunk_vectors (
    version   INTEGER NOT NULL REFERENCES documents (version),
    position  INTEGER NOT NULL,
    vector_id INTEGER NOT NULL REFERENCES vectors (id),
    PRIMARY KEY (version, position)
) STRICT, WITHOUT ROWID;

-- Edges between ids: added by a user (`manual` = 1), imported with a corpus, or of relations.yaml.
CREATE TABLE stated_relationships (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    branch          INTEGER NOT NULL REFERENCES branches (id),
    source          TEXT NOT NULL,
    source_document TEXT NOT NULL,
    relation        TEXT NOT NULL,
    target          TEXT NOT NULL,
    target_document TEXT NOT NULL,
    manual          INTEGER NOT NULL,
    origins         TEXT NOT NULL,
    evidence        TEXT NOT NULL,
    valid_from      INTEGER NOT NULL,
    valid_to        INTEGER NOT NULL,
    checksum        INTEGER NOT NULL
) STRICT;
CREATE INDEX stated_relationships_out ON stated_relationships (source_document);
CREATE INDEX stated_relationships_in ON stated_relationships (target_document);
CREATE UNIQUE INDEX stated_relationships_unique
    ON stated_relationships (branch, source, relation, target, manual, valid_to);

-- A segment packs the chunks of versions: arrays, and posting lists by term, whose numbers
-- take one, two or four bytes each, as the first byte says. Its versions
-- were published with `snapshot` or before. It is never changed.
CREATE TABLE segments (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    branch      INTEGER NOT NULL REFERENCES branches (id),
    snapshot    INTEGER NOT NULL,
    chunk_count INTEGER NOT NULL,
    checksum    INTEGER NOT NULL,
    arrays      BLOB NOT NULL
) STRICT;

CREATE TABLE postings (
    term        TEXT NOT NULL,
    segment     INTEGER NOT NULL REFERENCES segments (id),
    chunks      BLOB NOT NULL,
    frequencies BLOB NOT NULL,
    PRIMARY KEY (segment, term)
) STRICT, WITHOUT ROWID;

-- External vector indexes that have every row of the tenant; a change that one of them does not get
-- takes it out.
CREATE TABLE complete_indexes (
    tenant TEXT NOT NULL,
    name   TEXT NOT NULL,
    PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;

-- What an external index has still to do, after the catalogue has committed; `versions` is JSON.
CREATE TABLE index_outbox (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant    TEXT NOT NULL,
    name      TEXT NOT NULL,
    operation TEXT NOT NULL,
    versions  TEXT NOT NULL,
    argument  INTEGER NOT NULL,
    due       REAL NOT NULL,
    checksum  INTEGER NOT NULL
) STRICT;
