-- A person has said whether client reports show it, so it is not among those of agents that wait for that.
ALTER TABLE activity ADD COLUMN reviewed boolean NOT NULL DEFAULT false;
