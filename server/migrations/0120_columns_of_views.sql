-- Which columns somebody looks at in a view; null: those that the browser shows anyway.
ALTER TABLE views ADD COLUMN columns text[];
