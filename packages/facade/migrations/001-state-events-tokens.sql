-- Bodies are the records as JSON; columns beside them are what queries look for.

-- Which process serves this database. Whether it still does, the lock file beside the database knows.
CREATE TABLE server (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  pid INTEGER NOT NULL,
  started_at TEXT NOT NULL
) STRICT;

CREATE TABLE sessions (
  place INTEGER PRIMARY KEY AUTOINCREMENT,
  owner TEXT NOT NULL,
  session_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (owner, session_id)
) STRICT;
CREATE INDEX sessions_of_owner ON sessions (owner, place);

CREATE TABLE plans (
  place INTEGER PRIMARY KEY AUTOINCREMENT,
  owner TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  phase TEXT NOT NULL,
  state TEXT NOT NULL,
  session_id TEXT,
  project TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (owner, plan_id)
) STRICT;
CREATE INDEX plans_of_owner ON plans (owner, place);
CREATE INDEX plans_of_session ON plans (owner, session_id, place) WHERE session_id IS NOT NULL;
CREATE INDEX plans_by_state ON plans (state, updated_at);

-- One log per owner. Newest is kept when every event is forgotten: a seq never comes twice.
CREATE TABLE logs (
  log INTEGER PRIMARY KEY,
  owner TEXT NOT NULL UNIQUE,
  oldest INTEGER NOT NULL,
  newest INTEGER NOT NULL
) STRICT;

CREATE TABLE events (
  log INTEGER NOT NULL REFERENCES logs (log),
  seq INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  plan_id TEXT,
  session_id TEXT,
  timestamp TEXT NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (log, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_of_plan ON events (log, plan_id, seq) WHERE plan_id IS NOT NULL;
CREATE INDEX events_of_session ON events (log, session_id, seq) WHERE session_id IS NOT NULL;

CREATE TABLE tokens (
  place INTEGER PRIMARY KEY AUTOINCREMENT,
  token_id TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT
) STRICT;

CREATE TABLE keyed_requests (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  reserved_id TEXT NOT NULL,
  response TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX keyed_requests_by_age ON keyed_requests (created_at);
