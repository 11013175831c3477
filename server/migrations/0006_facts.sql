-- What this installation must remember about itself, such as which master key everything is sealed under.

CREATE TABLE installation (
  fact   text PRIMARY KEY,
  value  text NOT NULL
);
