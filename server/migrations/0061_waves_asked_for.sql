-- An agent's update in waves, let go by a person: each further wave is asked for again, unless that person let all go.
ALTER TABLE rollouts ADD COLUMN all_waves boolean NOT NULL DEFAULT false,
  -- the wave that is to be asked for, and the approval that was asked for it
  ADD COLUMN asks_wave integer,
  ADD COLUMN waits_for text;
-- Those under way were let go as a whole.
UPDATE rollouts SET all_waves = true WHERE approval_id IS NOT NULL;
