import { atLocalhost } from '../members/passkey-place.ts'
import { offerSetup, setupMinutes } from '../workspaces/setup.ts'
import type { World } from '../world.ts'

/** Tells the person at the terminal of a start where the service is; while nobody owns it, what comes next. */
export async function startHint({ db, now, config }: Pick<World, 'db' | 'now' | 'config'>): Promise<void> {
  const secret = await offerSetup({ db, now })
  if (secret === undefined) {
    process.stderr.write(`
  The service is up: ${atLocalhost(config.baseUrl)}
  What it can do: ${config.baseUrl}/docs

`)
    return
  }
  process.stderr.write(`
  The service is up and has no owner yet. Open this link, once and within ${setupMinutes} minutes:

    ${atLocalhost(config.baseUrl)}/setup?key=${secret}

  or, in another terminal of this folder:

    npm run -s admin -- owner create --email you@example.com --workspace "My sites"
    npm run -s admin -- token create --workspace "My sites" --name me --scope write
    npm run -s admin -- site pair --workspace "My sites"

  What it can do: ${config.baseUrl}/docs

`)
}
