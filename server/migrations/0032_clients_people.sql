-- People of a client: they look at some sites of a workspace, and for them there are no others. null: all sites.
ALTER TABLE members ADD COLUMN sees jsonb;
ALTER TABLE members ADD CONSTRAINT members_who_work_see_all CHECK (sees IS NULL OR role = 'viewer');
ALTER TABLE invitations ADD COLUMN sees jsonb;
ALTER TABLE invitations ADD CONSTRAINT invited_who_work_see_all CHECK (sees IS NULL OR role = 'viewer');
