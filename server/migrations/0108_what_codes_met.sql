-- Whoever made a code is told which site came with it, and why one was refused.
ALTER TABLE enrolment_codes
  ADD COLUMN paired_site_id text,
  ADD COLUMN refused jsonb; -- the last time: why, from which address, which site stands in the way, and when
