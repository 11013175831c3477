-- An agent that needs approval wrote in the draft: it is not sent by itself any more, before or after its day was set.
ALTER TABLE reports ADD COLUMN held_back boolean NOT NULL DEFAULT false;
