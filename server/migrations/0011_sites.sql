-- What the web server in front of a site wants to see: a user and password, a header; sealed like the keys. NULL: nothing.
ALTER TABLE sites ADD COLUMN sealed_access text;
