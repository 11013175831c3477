-- What is publicly known to be vulnerable, as feeds tell it; shared by all workspaces.

CREATE TABLE feed_sources (
  id             text PRIMARY KEY, -- of its address
  position       integer NOT NULL,
  kind           text NOT NULL CHECK (kind IN ('url', 'file')),
  format         text CHECK (format IN ('wordfence', 'wpscan')),
  records        integer NOT NULL DEFAULT 0,
  unreadable     integer NOT NULL DEFAULT 0,
  etag           text,
  last_modified  text,
  notices        jsonb NOT NULL DEFAULT '[]',
  refreshed_at   timestamptz,
  changed_at     timestamptz,
  error          jsonb, -- {message, at} of a later look that failed
  failures       integer NOT NULL DEFAULT 0,
  next_at        timestamptz NOT NULL,
  -- who is reading it now, and until when nobody else begins
  load           text,
  load_until     timestamptz
);

-- Goes up whenever what is known changes.
CREATE TABLE feed_version (version bigint NOT NULL);
INSERT INTO feed_version VALUES (0);

CREATE TABLE vulnerabilities (
  source  text NOT NULL REFERENCES feed_sources ON DELETE CASCADE,
  id      text NOT NULL,
  about   jsonb NOT NULL,
  digest  text NOT NULL, -- of all that the feed tells of it
  PRIMARY KEY (source, id)
);

CREATE TABLE vulnerable_software (
  source   text NOT NULL,
  id       text NOT NULL,
  type     text NOT NULL CHECK (type IN ('core', 'plugin', 'theme')),
  slug     text NOT NULL,
  ranges   jsonb NOT NULL, -- [[from or null, to or null, ends]]
  patched  jsonb NOT NULL,
  PRIMARY KEY (source, id, type, slug),
  FOREIGN KEY (source, id) REFERENCES vulnerabilities ON DELETE CASCADE
);
CREATE INDEX vulnerable_software_slug ON vulnerable_software (slug, type);

-- A feed that is being read is laid here, and taken over in one transaction once it was read to its end.
CREATE UNLOGGED TABLE feed_staging (
  load      text NOT NULL,
  id        text NOT NULL,
  about     jsonb NOT NULL,
  affected  jsonb NOT NULL
);
CREATE INDEX feed_staging_load ON feed_staging (load);
