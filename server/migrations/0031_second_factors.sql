-- What a person shows beside the password: codes of an authenticator app, passkeys, recovery codes.

-- What is secret of a person is sealed under a key of their own, and that under the master key. Made when it is first needed.
ALTER TABLE users ADD COLUMN sealed_key text;

CREATE TABLE authenticators (
  user_id     text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  -- the secret in force, and since when
  sealed      text,
  since       timestamptz,
  -- the last time step of which a code was taken: no code is taken twice
  last_step   bigint NOT NULL DEFAULT 0,
  -- one that was shown, and of which no code was seen yet
  offered     text,
  offered_at  timestamptz
);

CREATE TABLE recovery_codes (
  user_id  text NOT NULL REFERENCES users ON DELETE CASCADE,
  sha256   bytea NOT NULL,
  used_at  timestamptz,
  PRIMARY KEY (user_id, sha256)
);

CREATE TABLE passkeys (
  id             text PRIMARY KEY,
  user_id        text NOT NULL REFERENCES users ON DELETE CASCADE,
  credential_id  text NOT NULL UNIQUE,
  name           text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
  public_key     bytea NOT NULL,
  counter        bigint NOT NULL,
  transports     text[] NOT NULL,
  -- it is copied to the person's other devices, and its counter says nothing
  synced         boolean NOT NULL,
  created_at     timestamptz NOT NULL,
  used_at        timestamptz
);
CREATE INDEX passkeys_of_user ON passkeys (user_id);

-- What a browser was asked to sign; each is used once. With a person: to make a passkey.
CREATE UNLOGGED TABLE challenges (
  sha256      bytea PRIMARY KEY,
  user_id     text REFERENCES users ON DELETE CASCADE,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX challenges_age ON challenges (expires_at);

-- Sign-ins that wait for a second factor.
CREATE TABLE half_sign_ins (
  sha256      bytea PRIMARY KEY,
  user_id     text NOT NULL REFERENCES users ON DELETE CASCADE,
  -- what led here, and the workspace the session is to show
  by          text NOT NULL,
  looks_at    text,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX half_sign_ins_of_user ON half_sign_ins (user_id);
CREATE INDEX half_sign_ins_age ON half_sign_ins (expires_at);

-- What the person last showed in a session to prove who they are, and when.
ALTER TABLE sessions ADD COLUMN shown text NOT NULL DEFAULT 'password';
ALTER TABLE sessions ADD COLUMN shown_at timestamptz;

-- A browser in which somebody signed in before, whoever that was.
CREATE INDEX devices_by_secret ON devices (sha256);
