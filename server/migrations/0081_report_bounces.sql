-- Mails with reports that come back after the mail server had taken them.

ALTER TABLE report_mails
  ADD COLUMN return_sha256 bytea, -- of what its return address ends in
  ADD COLUMN bounced_at timestamptz,
  ADD COLUMN server_said text; -- by a mail server, in its own words, cut
CREATE UNIQUE INDEX report_mails_return ON report_mails (return_sha256) WHERE return_sha256 IS NOT NULL;
