import { type Kysely, sql } from 'kysely'

/** What happened to a workspace and changed no row that a trigger would see. */
export interface Happened {
  workspaceId: string
  kind: string
  /** Tells it apart from others of its kind, or says what it is about. */
  subjectId: string
}

/** Writes down what people are to be told of; they are, once the transaction is committed. */
export async function noteHappenings(db: Kysely<unknown>, happened: readonly Happened[]): Promise<void> {
  const columns = [
    happened.map(({ workspaceId }) => workspaceId),
    happened.map(({ kind }) => kind),
    happened.map(({ subjectId }) => subjectId),
  ]
  await sql`INSERT INTO happenings (workspace_id, kind, subject_id)
    SELECT * FROM unnest(${columns[0]}::text[], ${columns[1]}::text[], ${columns[2]}::text[])`.execute(db)
}
