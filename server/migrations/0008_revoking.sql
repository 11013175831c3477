-- A token that somebody is revoking. It still counts until revoked_at is set, but no node may keep it in memory any more.

ALTER TABLE tokens ADD COLUMN revoking boolean NOT NULL DEFAULT false;
