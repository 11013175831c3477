-- A page that is measured while a job of ours is at work on its site says more of the job than of the page.
ALTER TABLE performance_samples ADD COLUMN during text; -- the type of that job; null: there was none
