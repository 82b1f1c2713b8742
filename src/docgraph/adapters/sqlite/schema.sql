-- The embedded store. A row with `born` and `died` lives in the snapshots of its branch from
-- `born` up to, not including, `died`; a row whose `born` is not published yet is seen by nobody.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE branches (
    id         INTEGER PRIMARY KEY,
    tenant     TEXT NOT NULL,
    repository TEXT NOT NULL,
    name       TEXT NOT NULL,
    newest     INTEGER NOT NULL DEFAULT 0,
    oldest     INTEGER NOT NULL DEFAULT 1,
    UNIQUE (tenant, repository, name)
) STRICT;

-- `miners` are those whose claims count in it; `ref` and `revision` name the commit it was made of.
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
    PRIMARY KEY (branch, number)
) STRICT, WITHOUT ROWID;

-- Every distinct rule, once and unchangeable. Documents point at it from outside the snapshots,
-- so that a changed rule counts at once for old snapshots too.
CREATE TABLE access_classes (
    id   INTEGER PRIMARY KEY,
    rule TEXT NOT NULL UNIQUE
) STRICT;

-- `told` is all that the branch says on the path; the class is what that comes to together with
-- what the default branch says, or the rule that was set by hand.
CREATE TABLE document_access (
    branch INTEGER NOT NULL REFERENCES branches (id),
    path   TEXT NOT NULL,
    told   TEXT NOT NULL,
    class  INTEGER NOT NULL REFERENCES access_classes (id),
    PRIMARY KEY (branch, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE access_lines (
    branch INTEGER PRIMARY KEY REFERENCES branches (id),
    lines  TEXT NOT NULL
) STRICT;

-- The branch whose words count on every other branch of its repository.
CREATE TABLE default_branches (
    tenant     TEXT NOT NULL,
    repository TEXT NOT NULL,
    branch     INTEGER NOT NULL REFERENCES branches (id),
    PRIMARY KEY (tenant, repository)
) STRICT, WITHOUT ROWID;

CREATE TABLE access_by_hand (
    tenant     TEXT NOT NULL,
    repository TEXT NOT NULL,
    path       TEXT NOT NULL,
    hand       TEXT NOT NULL,
    PRIMARY KEY (tenant, repository, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE people (
    tenant    TEXT NOT NULL,
    id        TEXT NOT NULL,
    groups    TEXT NOT NULL,
    labels    TEXT NOT NULL,
    clearance INTEGER NOT NULL,
    rights    TEXT NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

-- Text and vectors, stored once within a tenant however many branches hold them.
CREATE TABLE contents (
    id     INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    hash   TEXT NOT NULL,
    text   TEXT NOT NULL,
    UNIQUE (tenant, hash)
) STRICT;

CREATE TABLE vector_spaces (
    id       INTEGER PRIMARY KEY,
    tenant   TEXT NOT NULL,
    embedder TEXT NOT NULL,
    UNIQUE (tenant, embedder)
) STRICT;

CREATE TABLE vectors (
    id     INTEGER PRIMARY KEY,
    space  INTEGER NOT NULL REFERENCES vector_spaces (id),
    hash   BLOB NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (space, hash)
) STRICT;

-- Document versions: the ordinal names one version of one document.
CREATE TABLE documents (
    ordinal     INTEGER PRIMARY KEY AUTOINCREMENT,
    branch      INTEGER NOT NULL REFERENCES branches (id),
    path        TEXT NOT NULL,
    id          TEXT NOT NULL,
    content     INTEGER NOT NULL REFERENCES contents (id),
    fingerprint TEXT NOT NULL,
    opaque       INTEGER NOT NULL,
    source_lines TEXT NOT NULL,
    born        INTEGER NOT NULL,
    died        INTEGER NOT NULL
) STRICT;
CREATE INDEX documents_by_path ON documents (branch, path, died);

CREATE TABLE document_nodes (
    handle     INTEGER PRIMARY KEY AUTOINCREMENT,
    document   INTEGER NOT NULL REFERENCES documents (ordinal),
    id         TEXT NOT NULL,
    kind       TEXT NOT NULL,
    title      TEXT NOT NULL,
    summary    TEXT NOT NULL,
    parent     TEXT,
    first_line INTEGER NOT NULL,
    last_line  INTEGER NOT NULL,
    start      INTEGER NOT NULL,
    stop       INTEGER NOT NULL,
    page       INTEGER,
    vector     BLOB NOT NULL
) STRICT;
CREATE INDEX document_nodes_by_id ON document_nodes (id);
CREATE INDEX document_nodes_by_document ON document_nodes (document);

-- The two halves of a mined edge: a claim on a key and an offer of it. Each belongs to one version
-- of one document; they meet when someone asks. `suffix` follows the document's id.
CREATE TABLE offers (
    branch   INTEGER NOT NULL REFERENCES branches (id),
    key      TEXT NOT NULL,
    document INTEGER NOT NULL REFERENCES documents (ordinal),
    suffix   TEXT NOT NULL,
    rank     INTEGER NOT NULL,
    PRIMARY KEY (branch, key, document, suffix)
) STRICT, WITHOUT ROWID;
CREATE INDEX offers_by_document ON offers (document);

CREATE TABLE claims (
    document INTEGER NOT NULL REFERENCES documents (ordinal),
    relation TEXT NOT NULL,
    start    INTEGER NOT NULL,
    key      TEXT NOT NULL,
    inner    TEXT NOT NULL,
    suffix   TEXT NOT NULL,
    branch   INTEGER NOT NULL REFERENCES branches (id),
    stop     INTEGER NOT NULL,
    line     INTEGER NOT NULL,
    says     TEXT NOT NULL,
    miner    TEXT NOT NULL,
    strict   INTEGER NOT NULL,
    rank     INTEGER NOT NULL,
    near     INTEGER NOT NULL,
    reported INTEGER NOT NULL,
    PRIMARY KEY (document, relation, start, key, inner, suffix, miner)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_by_key ON claims (branch, key, relation);

CREATE TABLE vector_chunks (
    document     INTEGER NOT NULL REFERENCES documents (ordinal),
    position     INTEGER NOT NULL,
    id           TEXT NOT NULL,
    node         TEXT NOT NULL,
    heading_path TEXT NOT NULL,
    first_line   INTEGER NOT NULL,
    last_line    INTEGER NOT NULL,
    start        INTEGER NOT NULL,
    stop         INTEGER NOT NULL,
    page         INTEGER,
    vector       INTEGER NOT NULL REFERENCES vectors (id),
    PRIMARY KEY (document, position)
) STRICT, WITHOUT ROWID;

-- Edges that were stated by ids: by hand, with a corpus, or in relations.yaml. Unique by
-- (source, relation, target) and by whether a person added it through docgraph.
CREATE TABLE document_relationships (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    branch          INTEGER NOT NULL REFERENCES branches (id),
    source          TEXT NOT NULL,
    source_document TEXT NOT NULL,
    relation        TEXT NOT NULL,
    target          TEXT NOT NULL,
    target_document TEXT NOT NULL,
    hand            INTEGER NOT NULL,
    origins         TEXT NOT NULL,
    evidence        TEXT NOT NULL,
    born            INTEGER NOT NULL,
    died            INTEGER NOT NULL
) STRICT;
CREATE INDEX relationships_out ON document_relationships (source_document);
CREATE INDEX relationships_in ON document_relationships (target_document);
CREATE UNIQUE INDEX relationships_once
    ON document_relationships (branch, source, relation, target, hand, died);

-- A segment is written once: arrays over its passages and nodes, and packed postings. It holds
-- documents born in snapshot `born` or before.
CREATE TABLE segments (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    branch   INTEGER NOT NULL REFERENCES branches (id),
    born     INTEGER NOT NULL,
    passages INTEGER NOT NULL,
    nodes    INTEGER NOT NULL,
    arrays   BLOB NOT NULL
) STRICT;

CREATE TABLE postings (
    term        TEXT NOT NULL,
    segment     INTEGER NOT NULL REFERENCES segments (id),
    passages    BLOB NOT NULL,
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
    due       REAL NOT NULL
) STRICT;
