import { sql } from 'kysely'
import type { World } from '../world.ts'

/** On a service nobody owns yet, tells the person at the terminal what comes next. */
export async function firstOwnerHint({ db, config }: Pick<World, 'db' | 'config'>): Promise<void> {
  const { rows } = await sql`SELECT 1 FROM members WHERE role = 'owner' LIMIT 1`.execute(db)
  if (rows.length > 0) return
  process.stderr.write(`
  The service is up at ${config.baseUrl} and has no owner yet. In another terminal:

    npm run -s admin -- owner create --email you@example.com --workspace "My sites"
    npm run -s admin -- token create --workspace "My sites" --name me --scope write
    npm run -s admin -- site code --workspace "My sites"

  What it can do: ${config.baseUrl}/docs

`)
}
