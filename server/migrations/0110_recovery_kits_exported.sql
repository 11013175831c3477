-- When this workspace was last part of a recovery kit that was printed, and with which master key: a kit is of use only with both.
ALTER TABLE workspaces ADD COLUMN kit_exported_at timestamptz, ADD COLUMN kit_key_id text;
