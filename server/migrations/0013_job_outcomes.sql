-- What became of a job, in a word and in a sentence; of jobs that ended before, nobody noted it.
ALTER TABLE jobs ADD COLUMN outcome text, ADD COLUMN summary text;
