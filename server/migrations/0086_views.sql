-- Filters of the list of sites that a person keeps by a name, in one workspace. They go with the membership.
CREATE TABLE views (
  workspace_id  text NOT NULL,
  id            text NOT NULL,
  user_id       text NOT NULL,
  name          text NOT NULL,
  query         text NOT NULL, -- as the dashboard's address has it
  created_at    timestamptz NOT NULL,
  updated_at    timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, user_id, name),
  FOREIGN KEY (workspace_id, user_id) REFERENCES members ON DELETE CASCADE
);
