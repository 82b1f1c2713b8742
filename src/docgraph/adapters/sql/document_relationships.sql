-- Every relation of the newest snapshot of each branch, for clients of SQL: stated ones, and mined
-- ones, whose references and definitions are joined here. The rows are those of
-- `docgraph relations list` for a reader who may see everything. `model/link.py` and
-- `plan/ambiguity.py` have the same rules; tests compare both. What a dialect has to say in its own
-- way stands in its own document_relationships.sql, and is inserted where its name is in braces.
--
-- A row is listed with the branch of its source. An end in another repository is of the branch that
-- is read there `by_default`, where a question names none. `contains` is left out: it is the column
-- `parent` of document_nodes.
{create}
WITH {listed_documents},
listed_references AS MATERIALIZED (
    SELECT ref.*, d.id AS document_id, d.path
    FROM listed_documents AS d
         JOIN node_references AS ref ON ref.version = d.version
    WHERE {is_mined}
),
-- A reference and a definition of its key. Folders between the two files count in the rank.
matches AS MATERIALIZED (
    SELECT ref.branch, ref.document_id AS source_document,
           ref.document_id || ref.node_suffix AS source, ref.relation, d.id AS target_document,
           CASE WHEN ref.inner_suffix = ''
                     OR EXISTS (SELECT 1 FROM document_nodes AS n
                                WHERE n.id = d.id || def.node_suffix || ref.inner_suffix
                                  AND n.version = def.version)
                THEN d.id || def.node_suffix || ref.inner_suffix
                WHEN ref.strict = 0 THEN d.id || def.node_suffix END AS target,
           ref.miner, ref.path, ref.line, ref.start_offset, ref.end_offset, ref.text,
           ref.rank + def.rank
           + CASE WHEN ref.distance_weight = 0 THEN 0 ELSE ref.distance_weight * {distance} END
               AS rank
    FROM listed_references AS ref
         JOIN definitions AS def ON {same_key}
         JOIN listed_documents AS d ON d.version = def.version
    WHERE ref.relation NOT IN ('contains', 'shares_entity')
),
-- None leads to its own node or document; code may refer to its own symbols.
edges AS (
    SELECT * FROM matches
    WHERE target <> source AND (target LIKE '%::%' OR target_document <> source_document)
),
inverses (relation, inverse) AS (
    VALUES ('supersedes', 'superseded_by'), ('superseded_by', 'supersedes'),
           ('replaces', 'replaced_by'), ('replaced_by', 'replaces'),
           ('obsoletes', 'obsoleted_by'), ('obsoleted_by', 'obsoletes'),
           ('updates', 'updated_by'), ('updated_by', 'updates')
),
-- Names in documents, each with its first position there; `holders` counts all references to it.
names AS (
    SELECT branch, key, document_id, path, miner,
           first_value(line) OVER own AS line, first_value(text) OVER own AS text,
           count(*) OVER (PARTITION BY branch, key) AS holders
    FROM listed_references
    WHERE relation = 'shares_entity'
    WINDOW own AS (PARTITION BY branch, key, version ORDER BY line, text)
),
-- A question reads one branch of a repository: all three of a row are read together if at most one
-- of them is not read by default. That one is the row's branch; if there is none, the source's is.
stated AS MATERIALIZED (
    SELECT CASE WHEN NOT own.by_default THEN own.id
                WHEN NOT t.by_default THEN t.branch ELSE s.branch END AS branch,
           s.branch AS source_branch, r.source_document, r.source, r.relation, r.target_document,
           r.target, r.origins, r.evidence
    FROM stated_relationships AS r
         JOIN listed_branches AS own
             ON own.id = r.branch AND r.valid_from <= own.snapshot AND own.snapshot < r.valid_to
         JOIN document_nodes AS source ON source.id = r.source
         JOIN listed_documents AS s ON s.version = source.version AND s.tenant = own.tenant
         JOIN document_nodes AS target ON target.id = r.target
         JOIN listed_documents AS t ON t.version = target.version AND t.tenant = own.tenant
    WHERE r.relation <> 'contains'
      AND (s.branch = own.id OR s.repository <> own.repository AND (s.by_default OR own.by_default))
      AND (t.branch = own.id OR t.repository <> own.repository AND (t.by_default OR own.by_default))
      AND (t.branch = s.branch OR t.repository <> s.repository AND (t.by_default OR s.by_default))
),
-- A row for each position. Origins of stated relations have rows of their own, without a position.
positions AS (
    SELECT branch, branch AS source_branch, source_document, source, relation, target_document,
           target, miner AS origin, path, line, start_offset, end_offset, rank, text
    FROM edges
    UNION ALL
    SELECT branch, branch, target_document, target, inverse, source_document, source, miner, path,
           line, 0, 0, 0, text
    FROM edges JOIN inverses USING (relation)
    UNION ALL
    SELECT own.branch, own.branch, own.document_id, own.document_id, 'shares_entity',
           other.document_id, other.document_id, own.miner, own.path, own.line, 0, 0, 0, own.text
    FROM names AS own
         JOIN names AS other ON other.branch = own.branch AND other.key = own.key
          AND other.document_id <> own.document_id
    WHERE own.holders <= 8
    UNION ALL
    SELECT branch, source_branch, source_document, source, relation, target_document, target,
           {stated_origin}, NULL, NULL, NULL, NULL, NULL, NULL
    FROM stated {each_stated_origin}
    UNION ALL
    SELECT branch, source_branch, source_document, source, relation, target_document, target, NULL,
           {stated_position}
    FROM stated {each_stated_position}
),
candidates AS (
    SELECT *, end_offset > start_offset AS competes FROM positions
),
-- Positions with characters compete within a document and relation. One inside a longer one loses,
-- then one with a higher rank. Those still tied may lie in one document, or in eight with the same
-- title. A text that names a part of a document does not name the whole document as well.
ranked AS (
    SELECT *,
           max(end_offset) OVER (PARTITION BY branch, source_document, relation, competes
                                 ORDER BY start_offset, end_offset DESC
                                 GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered,
           min(rank) OVER (PARTITION BY branch, source_document, relation, competes, start_offset,
                               end_offset) AS best,
           dense_rank() OVER (PARTITION BY branch, source_document, relation, competes,
                                  start_offset, end_offset, rank
                              ORDER BY target_document) AS document_number,
           max(CASE WHEN target = target_document THEN 0 ELSE 1 END)
               OVER (PARTITION BY branch, source_document, relation, competes, start_offset,
                         end_offset, rank, target_document) AS names_part
    FROM candidates
),
resolved AS (
    SELECT *,
           path IS NOT NULL
           AND (NOT competes
                OR (covered IS NULL OR covered < end_offset)
                   AND rank = best
                   AND max(document_number)
                           OVER (PARTITION BY branch, source_document, relation, competes,
                                     start_offset, end_offset, rank)
                       <= CASE relation WHEN 'mentions' THEN 8 ELSE 1 END
                   AND NOT (names_part = 1 AND target = target_document)) AS wins
    FROM ranked
),
-- The same position counts once, no matter who found it. Of those that win, the first 50 are shown.
numbered AS (
    SELECT *,
           dense_rank() OVER (PARTITION BY branch, source, relation, target, wins
                              ORDER BY path, line, start_offset, end_offset, rank, text) AS number,
           row_number() OVER (PARTITION BY branch, source, relation, target, wins, path, line,
                                  start_offset, end_offset, rank, text) AS copy
    FROM resolved
),
{merged},
-- A manual relation stays where mining proposed the same one and lost.
winners AS MATERIALIZED (
    SELECT m.branch, m.source_branch, b.tenant, b.by_default, m.source, m.relation, m.target,
           CASE WHEN m.some_win OR NOT m.has_positions THEN m.origins ELSE '["manual"]' END
               AS origins,
           m.evidence, m.has_characters
    FROM merged AS m JOIN listed_branches AS b ON b.id = m.branch
    WHERE m.some_win OR NOT m.has_positions OR m.is_manual
)
-- An inverse, whose characters are in its target, stays if the relation that it inverts has won.
SELECT b.tenant, b.repository, b.name AS branch, b.snapshot, b.by_default,
       w.source, w.relation, w.target, w.origins, w.evidence
FROM winners AS w
     JOIN listed_branches AS b ON b.id = w.branch
     LEFT JOIN inverses AS i ON i.relation = w.relation
WHERE w.source_branch = w.branch
  AND (i.inverse IS NULL OR w.has_characters
       OR EXISTS (SELECT 1 FROM winners AS forward
                  WHERE forward.source = w.target AND forward.relation = i.inverse
                    AND forward.target = w.source AND forward.tenant = w.tenant
                    AND (forward.branch = w.branch OR forward.by_default AND w.by_default)));
