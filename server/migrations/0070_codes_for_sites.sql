-- A code may be made for one site; without one it pairs only addresses that are no site yet.
ALTER TABLE enrolment_codes ADD COLUMN site_id text, ADD FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE;

-- A claim that nobody has answered for: true from the enrolment of a new site until its first hello.
ALTER TABLE sites ADD COLUMN unproven boolean NOT NULL DEFAULT false;

DROP INDEX sites_host;
