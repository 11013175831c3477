-- What a published report says beside its page, in mails and to whoever asks for it: as it was, too. Null of a draft, and of what was published before.
ALTER TABLE reports ADD COLUMN told jsonb; -- look, title, shown, summary
