"""Every statement, each a text that can be pasted in a shell; named parameters only."""

# --- the format (schema version 1, shared with Jezero databases) -----------------------

SCHEMA_VERSION = "1"

# The defaults and checks stand in the format; original lies before original_ref, so a
# statement that needs the latter reads through the stored transcript.
CREATE = """
CREATE TABLE IF NOT EXISTS meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS items (
    id            INTEGER PRIMARY KEY,
    source        TEXT NOT NULL,
    external_id   TEXT NOT NULL,
    occurred_at   TEXT NOT NULL,
    ingested_at   TEXT NOT NULL,
    title         TEXT NOT NULL,
    summary       TEXT NOT NULL,
    questions     TEXT NOT NULL DEFAULT '[]',
    atoms         TEXT NOT NULL DEFAULT '[]',
    project       TEXT,
    account       TEXT,
    original      TEXT,
    original_ref  TEXT,
    trust         TEXT NOT NULL CHECK (trust IN ('own', 'external')),
    content_hash  TEXT NOT NULL,
    UNIQUE (source, external_id)
);
CREATE INDEX IF NOT EXISTS items_occurred ON items (occurred_at);
CREATE INDEX IF NOT EXISTS items_project ON items (project, occurred_at);
CREATE INDEX IF NOT EXISTS items_source ON items (source, occurred_at);
"""

# The one text that is put together: a tokenizer is part of the statement, no parameter.
CREATE_INDEX = """
CREATE VIRTUAL TABLE items_fts
USING fts5(title, summary, questions, atoms, project, tokenize = '{tokenizer}')
"""

# Ours, beside the format: which transcripts were read, which session owns a prompt, and hashes
# of what is forgotten; how many items hold a folded word whole in title or summary (of the
# empty word, which all hold, the row is the number of items).
CREATE_OURS = """
CREATE TABLE IF NOT EXISTS hooks_transcripts (
    path      TEXT PRIMARY KEY,
    size      INTEGER NOT NULL,
    mtime_ns  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hooks_prompts (
    uuid     TEXT PRIMARY KEY,
    session  TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hooks_forgotten (
    mark  TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hooks_words (
    word   TEXT PRIMARY KEY,
    items  INTEGER NOT NULL
) WITHOUT ROWID;
"""

BEGIN = "BEGIN IMMEDIATE"
COMMIT = "COMMIT"
ROLLBACK = "ROLLBACK"

# Readers never wait for a writer in this mode, nor it for them; with NORMAL a power cut can
# lose the newest commits, which the next import makes good, and never harm the file.
USE_WAL = "PRAGMA journal_mode = WAL"
SYNC_AT_CHECKPOINTS = "PRAGMA synchronous = NORMAL"

# bm25 walks the postings that the match has walked before: 64 MB (taken as needed) keep them,
# SQLite's own 2 MB do not. Not mmap: a file that shrinks under it kills the process.
KEEP_PAGES = "PRAGMA cache_size = -65536"

# With no other connection at work, the index of a WAL need not be a file.
KEEP_ALONE = "PRAGMA locking_mode = EXCLUSIVE"

# The first statement on a connection finds out whether the file can be read.
TOUCH = "SELECT 1 FROM sqlite_schema LIMIT 1"

META = "SELECT value FROM meta WHERE key = :key"

SET_META = """
INSERT INTO meta (key, value) VALUES (:key, :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""

HAS_TABLE = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = :name"

# --- reading -----------------------------------------------------------------------------

COUNT = """
SELECT count(*) FROM items
WHERE (:before IS NULL OR occurred_at < :before)
  AND (:sources IS NULL OR source IN (SELECT value FROM json_each(:sources)))
"""

ANY = "SELECT 1 FROM items LIMIT 1"

ALLOWED_SOURCES = """
SELECT DISTINCT items.source
FROM items JOIN json_each(:globs) AS allowed ON items.source GLOB allowed.value
ORDER BY items.source
"""

SOURCES = """
SELECT source, count(*), min(occurred_at), max(occurred_at)
FROM items
WHERE (:sources IS NULL OR source IN (SELECT value FROM json_each(:sources)))
  AND (:before IS NULL OR occurred_at < :before)
GROUP BY source
ORDER BY source
"""

# Without filters the index alone is ranked; only the pool's rows are looked up in items.
SEARCH = """
SELECT items.id, -pool.rank, unixepoch(items.occurred_at, 'subsec'),
       items.source, items.external_id
FROM (
    SELECT rowid, bm25(items_fts, :title, :summary, :questions, :atoms, :project_name) AS rank
    FROM items_fts
    WHERE items_fts MATCH :match
    ORDER BY rank, rowid DESC
    LIMIT :pool
) AS pool
JOIN items ON items.id = pool.rowid
"""

# To SQLite any number is a date, and so is "now": a date is readable in the format's form alone.
SEARCH_FILTERED = """
SELECT items.id,
       -bm25(items_fts, :title, :summary, :questions, :atoms, :project_name) AS relevance,
       unixepoch(items.occurred_at, 'subsec'), items.source, items.external_id
FROM items_fts JOIN items ON items.id = items_fts.rowid
WHERE items_fts MATCH :match
  AND (:sources IS NULL OR items.source IN (SELECT value FROM json_each(:sources)))
  AND (:source IS NULL OR items.source = :source)
  AND (:project IS NULL OR items.project = :project)
  AND (:since IS NULL OR items.occurred_at >= :since)
  AND (:before IS NULL OR items.occurred_at < :before)
  AND (NOT :dated OR (items.occurred_at LIKE '____-__-__%'
                      AND unixepoch(items.occurred_at) IS NOT NULL))
ORDER BY relevance DESC, items.id DESC
LIMIT :pool
"""

LISTED = """
SELECT id, external_id, source, project, occurred_at, title, summary
FROM items
WHERE id IN (SELECT value FROM json_each(:ids))
"""

WORD_COUNTS = """
SELECT word, items FROM hooks_words WHERE word IN (SELECT value FROM json_each(:words))
"""

# The index keeps what it indexed: questions and atom texts as lines, no JSON to parse.
ASIDE = """
SELECT rowid, substr(questions, 1, :chars), substr(atoms, 1, :chars) FROM items_fts
WHERE rowid IN (SELECT value FROM json_each(:ids))
"""

ORIGINAL_REFS = "SELECT id, original_ref FROM items WHERE id IN (SELECT value FROM json_each(:ids))"

_TIMELINE = """
SELECT id, external_id, source, project, occurred_at, title, summary
FROM items
WHERE {place}
  AND (:sources IS NULL OR source IN (SELECT value FROM json_each(:sources)))
  AND (:source IS NULL OR source = :source)
  AND (:since IS NULL OR occurred_at >= :since)
  AND (:before IS NULL OR occurred_at < :before)
  AND (NOT :dated OR (occurred_at LIKE '____-__-__%' AND unixepoch(occurred_at) IS NOT NULL))
ORDER BY occurred_at DESC, id DESC
"""
TIMELINE = _TIMELINE.format(place=":project IS NULL")
# An equality on its own lets the index on (project, occurred_at) give the order.
TIMELINE_OF_PROJECT = _TIMELINE.format(place="project = :project")

ITEM = """
SELECT id, source, external_id, occurred_at, ingested_at, title, summary, questions, atoms,
       project, account, original_ref, trust
FROM items
WHERE id = :id AND (:before IS NULL OR occurred_at < :before)
"""

IDS_OF = """
SELECT external_id, id FROM items
WHERE external_id IN (SELECT value FROM json_each(:external_ids))
ORDER BY id
"""

ORIGINAL = "SELECT original FROM items WHERE id = :id"

PROJECTS = """
SELECT project, count(*), max(occurred_at) AS newest FROM items
WHERE project IS NOT NULL AND project <> ''
  AND (:sources IS NULL OR source IN (SELECT value FROM json_each(:sources)))
  AND (:before IS NULL OR occurred_at < :before)
GROUP BY project
ORDER BY newest DESC, project
LIMIT :limit
"""

ACTIVITY = """
SELECT substr(occurred_at, 1, 10), count(*) FROM items
WHERE occurred_at >= :since
  AND (:sources IS NULL OR source IN (SELECT value FROM json_each(:sources)))
  AND (:source IS NULL OR source = :source)
  AND (:project IS NULL OR project = :project)
  AND (:before IS NULL OR occurred_at < :before)
GROUP BY 1
"""

# By id, so that those who import it give the items the same order: it decides ties.
EXPORTED = """
SELECT source, external_id, occurred_at, title, summary, questions, atoms, project, account,
       CASE WHEN :original THEN original END, original_ref, trust
FROM items
WHERE (:sources IS NULL OR source IN (SELECT value FROM json_each(:sources)))
  AND (:source IS NULL OR source = :source)
  AND (:project IS NULL OR project = :project)
  AND (:since IS NULL OR occurred_at >= :since)
  AND (:before IS NULL OR occurred_at < :before)
ORDER BY id
"""

# --- writing -----------------------------------------------------------------------------

STORED = """
SELECT id, content_hash, title, summary FROM items
WHERE source = :source AND external_id = :external_id
"""

INSERT_ITEM = """
INSERT INTO items (source, external_id, occurred_at, ingested_at, title, summary, questions,
                   atoms, project, account, original, original_ref, trust, content_hash)
VALUES (:source, :external_id, :occurred_at, :ingested_at, :title, :summary, :questions,
        :atoms, :project, :account, :original, :original_ref, :trust, :content_hash)
RETURNING id
"""

UPDATE_ITEM = """
UPDATE items
SET occurred_at = :occurred_at, ingested_at = :ingested_at, title = :title,
    summary = :summary, questions = :questions, atoms = :atoms, project = :project,
    account = :account, original = :original, original_ref = :original_ref, trust = :trust,
    content_hash = :content_hash
WHERE id = :id
"""

DELETE_ITEM = "DELETE FROM items WHERE id = :id RETURNING title, summary"

INDEX_ITEM = """
INSERT INTO items_fts (rowid, title, summary, questions, atoms, project)
VALUES (:id, :title, :summary, :question_lines, :atom_lines, :project)
"""

UNINDEX_ITEM = "DELETE FROM items_fts WHERE rowid = :id"

COUNT_WORD = """
INSERT INTO hooks_words (word, items) VALUES (?, ?)
ON CONFLICT (word) DO UPDATE SET items = items + excluded.items
"""

# Of what is forgotten not even the words stay.
FORGET_LOST_WORDS = """
DELETE FROM hooks_words
WHERE items < 1 AND word IN (SELECT value FROM json_each(:words))
"""

FORGET_WORDS = "DELETE FROM hooks_words"
ALL_WORDS = "SELECT word, items FROM hooks_words"
ALL_TEXTS = "SELECT title, summary FROM items"

# Another program (Jezero, an older version) that wrote items has not counted their words.
WORDS_ARE_OF_ALL = """
SELECT (SELECT count(*) FROM items) = coalesce((SELECT items FROM hooks_words WHERE word = ''), 0)
"""

# Half-open range: ids that start with the session's id and a "#".
SEGMENTS = """
SELECT id, external_id FROM items WHERE source = :source AND external_id = :session
UNION ALL
SELECT id, external_id FROM items
WHERE source = :source AND external_id >= :session || '#' AND external_id < :session || '$'
"""

# An item from a transcript holds its dialogue, or, where it came by an export without it, what
# was done and how it ended; a thin one, from the prompt history, has none of them.
HAS_DIALOGUE = """
SELECT 1 FROM items
WHERE source = :source
  AND (external_id = :session OR (external_id >= :session || '#' AND external_id < :session || '$'))
  AND (original IS NOT NULL OR atoms <> '[]' OR instr(summary, '→') > 0)
LIMIT 1
"""

# When the session was last heard of, as its transcript told; NULL where no item has a dialogue.
# The + keeps SQLite from walking all items of the source by their time.
LAST_SAID = """
SELECT max(+occurred_at) FROM items
WHERE source = :source
  AND (external_id = :session OR (external_id >= :session || '#' AND external_id < :session || '$'))
  AND original IS NOT NULL
"""

TRANSCRIPT = "SELECT size, mtime_ns FROM hooks_transcripts WHERE path = :path"

SET_TRANSCRIPT = """
INSERT INTO hooks_transcripts (path, size, mtime_ns) VALUES (:path, :size, :mtime_ns)
ON CONFLICT (path) DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns
"""

FORGET_TRANSCRIPTS = "DELETE FROM hooks_transcripts"

CLAIM_PROMPT = "INSERT OR IGNORE INTO hooks_prompts (uuid, session) VALUES (:uuid, :session)"

FOREIGN_PROMPTS = """
SELECT uuid FROM hooks_prompts
WHERE session <> :session AND uuid IN (SELECT value FROM json_each(:uuids))
"""

# --- forgetting --------------------------------------------------------------------------

# A copy in another source is the same session: one left behind would hold every word of it.
SELECTED = """
WITH chosen AS (
    SELECT id, external_id, original_ref FROM items
    WHERE (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)))
      AND (:project IS NULL OR project = :project)
      AND (:source IS NULL OR source = :source)
      AND (:before IS NULL OR occurred_at < :before)
      AND (:session IS NULL OR external_id = :session
           OR (external_id >= :session || '#' AND external_id < :session || '$'))
)
SELECT id, external_id, source, project, occurred_at, title, summary FROM items
WHERE id IN (
    SELECT id FROM chosen
    UNION ALL
    SELECT copy.id
    FROM chosen JOIN items AS copy
      ON copy.external_id = chosen.external_id AND copy.original_ref = chosen.original_ref
    WHERE :source IS NULL
)
ORDER BY id
"""

FORGOTTEN = "SELECT mark FROM hooks_forgotten WHERE mark IN (SELECT value FROM json_each(:marks))"

FORGET = "INSERT OR IGNORE INTO hooks_forgotten (mark) SELECT value FROM json_each(:marks)"

# The path of a transcript names its folder and its session.
FORGET_TRANSCRIPT = """
DELETE FROM hooks_transcripts WHERE substr(path, -length(:end)) = :end
"""

# Owned by nobody, they stay out of every session that repeats them.
DISOWN_SESSION = "UPDATE hooks_prompts SET session = '' WHERE session = :session"

DISOWN_PROMPTS = """
INSERT INTO hooks_prompts (uuid, session) SELECT value, '' FROM json_each(:uuids) WHERE true
ON CONFLICT (uuid) DO UPDATE SET session = '' WHERE session = :session
"""

# What is not wanted again outlives a damaged library.
FORGOTTEN_MARKS = "SELECT mark FROM hooks_forgotten"
DISOWNED_PROMPTS = "SELECT uuid FROM hooks_prompts WHERE session = ''"

# Deleted bytes are overwritten at once, should the VACUUM after them fail.
OVERWRITE_DELETED = "PRAGMA secure_delete = ON"

# The file anew, from what is still in it: earlier versions of an item lie in free pages.
VACUUM = "VACUUM"

EMPTY_WAL = "PRAGMA wal_checkpoint(TRUNCATE)"

# --- care --------------------------------------------------------------------------------

# What is compared must be of one moment.
ONE_MOMENT = "BEGIN"

QUICK_CHECK = "PRAGMA quick_check(1)"

CHECK_INDEX = "INSERT INTO items_fts (items_fts, rank) VALUES ('integrity-check', 0)"

INDEXED = "SELECT count(*) FROM items_fts_docsize"

DROP_INDEX = "DROP TABLE IF EXISTS items_fts"

# SQLite then reads a file that is shorter than its first page says.
READ_WHAT_IS_LEFT = "PRAGMA writable_schema = ON"

# A damaged page stops each way, from both ends; what lies between is asked for one by one.
SALVAGE = "SELECT * FROM items ORDER BY id"
SALVAGE_BACKWARDS = "SELECT * FROM items ORDER BY id DESC"
SALVAGE_ONE = "SELECT * FROM items WHERE id = :id"

RESTORE_ITEM = """
INSERT OR IGNORE INTO items VALUES (
    :id, :source, :external_id, :occurred_at, :ingested_at, :title, :summary, :questions,
    :atoms, :project, :account, :original, :original_ref, :trust, :content_hash
)
"""

ALL_FIELDS = "SELECT id, title, summary, questions, atoms, project FROM items ORDER BY id"

MERGE_INDEX = "INSERT INTO items_fts (items_fts) VALUES ('optimize')"

# --- documents (ours, beside the format) -------------------------------------------------

# content lies last: whoever needs a date or a title does not read through it.
CREATE_DOCUMENTS = """
CREATE TABLE IF NOT EXISTS documents (
    id           INTEGER PRIMARY KEY,
    root         TEXT NOT NULL,
    path         TEXT NOT NULL UNIQUE,
    type         TEXT NOT NULL,
    url          TEXT NOT NULL,
    title        TEXT NOT NULL,
    description  TEXT NOT NULL,
    tags         TEXT NOT NULL,
    date         TEXT,
    emoji        TEXT NOT NULL,
    size         INTEGER NOT NULL,
    mtime_ns     INTEGER NOT NULL,
    hash         TEXT NOT NULL,
    content      TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS documents_root ON documents (root);
CREATE INDEX IF NOT EXISTS documents_type ON documents (type);
CREATE TABLE IF NOT EXISTS documents_roots (
    root        TEXT PRIMARY KEY,
    type        TEXT,
    file_times  INTEGER NOT NULL,
    made_with   TEXT NOT NULL
) WITHOUT ROWID;
"""

CREATE_DOCUMENTS_INDEX = """
CREATE VIRTUAL TABLE documents_fts
USING fts5(title, description, content, tags,
           content = 'documents', content_rowid = 'id', tokenize = '{tokenizer}')
"""

DROP_DOCUMENTS_INDEX = "DROP TABLE IF EXISTS documents_fts"

DOCUMENTS_ALLOWED = "SELECT 1 FROM json_each(:globs) WHERE :source GLOB value LIMIT 1"

SEARCH_DOCUMENTS = """
SELECT documents.id,
       -bm25(documents_fts, :title, :description, :content, :tags) AS relevance,
       unixepoch(documents.date, 'subsec')
FROM documents_fts JOIN documents ON documents.id = documents_fts.rowid
WHERE documents_fts MATCH :match
  AND (:type IS NULL OR documents.type = :type)
  AND (:before IS NULL OR documents.date IS NULL
       OR unixepoch(documents.date, 'subsec') < unixepoch(:before, 'subsec'))
ORDER BY relevance DESC, documents.id DESC
"""

DOCUMENT_FIELDS = "SELECT title, description, content, tags FROM documents WHERE id = :id"

FOUND_DOCUMENTS = """
SELECT id, path, url, type, title, description, date, tags, emoji
FROM documents
WHERE id IN (SELECT value FROM json_each(:ids))
"""

# The + keeps SQLite from asking the index anew for each row: a prefix is dear to begin with.
SNIPPETS = """
SELECT rowid, iif(length(content) <= :whole_chars,
                  snippet(documents_fts, 2, char(2), char(3), '…', :tokens), NULL)
FROM documents_fts
WHERE documents_fts MATCH :match AND +rowid IN (SELECT value FROM json_each(:ids))
"""

# The pieces of one long page, in memory, by the documents' tokenizer.
CREATE_PIECES = "CREATE VIRTUAL TABLE pieces USING fts5(piece, tokenize = '{tokenizer}')"

PUT_PIECE = "INSERT INTO pieces (piece) VALUES (:piece)"

BEST_PIECE = """
SELECT rowid, snippet(pieces, 0, char(2), char(3), '…', :tokens)
FROM pieces
WHERE pieces MATCH :match
ORDER BY rank, rowid
LIMIT 1
"""

DOCUMENT = """
SELECT id, path, url, type, title, description, content, tags, date, emoji
FROM documents
WHERE id = :id
  AND (:before IS NULL OR date IS NULL
       OR unixepoch(date, 'subsec') < unixepoch(:before, 'subsec'))
"""

COUNT_DOCUMENTS = """
SELECT count(*) FROM documents
WHERE (:before IS NULL OR date IS NULL
       OR unixepoch(date, 'subsec') < unixepoch(:before, 'subsec'))
"""

DOCUMENT_TYPES = "SELECT type FROM documents GROUP BY type ORDER BY min(id)"

DOCUMENT_ROOTS = "SELECT root, type, file_times, made_with FROM documents_roots ORDER BY root"

SET_DOCUMENT_ROOT = """
INSERT INTO documents_roots (root, type, file_times, made_with)
VALUES (:root, :type, :file_times, :made_with)
ON CONFLICT (root) DO UPDATE
SET type = excluded.type, file_times = excluded.file_times, made_with = excluded.made_with
"""

DOCUMENT_STATES = "SELECT path, id, root, size, mtime_ns, hash FROM documents"

PUT_DOCUMENT = """
INSERT INTO documents (root, path, type, url, title, description, tags, date, emoji,
                       size, mtime_ns, hash, content)
VALUES (:root, :path, :type, :url, :title, :description, :tags, :date, :emoji,
        :size, :mtime_ns, :hash, :content)
RETURNING id
"""

UPDATE_DOCUMENT = """
UPDATE documents
SET root = :root, type = :type, url = :url, title = :title, description = :description,
    tags = :tags, date = :date, emoji = :emoji, size = :size, mtime_ns = :mtime_ns,
    hash = :hash, content = :content
WHERE id = :id
"""

TOUCH_DOCUMENT = """
UPDATE documents SET size = :size, mtime_ns = :mtime_ns WHERE id = :id
"""

INDEX_DOCUMENT = """
INSERT INTO documents_fts (rowid, title, description, content, tags)
VALUES (:id, :title, :description, :content, :tags)
"""

# An index without a content of its own is told what it held.
UNINDEX_DOCUMENT = """
INSERT INTO documents_fts (documents_fts, rowid, title, description, content, tags)
SELECT 'delete', id, title, description, content, tags FROM documents WHERE id = :id
"""

DELETE_DOCUMENT = "DELETE FROM documents WHERE id = :id"

DOCUMENTS_OF_ROOT = "SELECT id FROM documents WHERE root = :root"

DELETE_DOCUMENT_ROOT = "DELETE FROM documents_roots WHERE root = :root"

INDEX_ALL_DOCUMENTS = "INSERT INTO documents_fts (documents_fts) VALUES ('rebuild')"

MERGE_DOCUMENTS_INDEX = "INSERT INTO documents_fts (documents_fts) VALUES ('optimize')"

CHECK_DOCUMENTS_INDEX = """
INSERT INTO documents_fts (documents_fts, rank) VALUES ('integrity-check', 1)
"""
