// A way back in by mail. The link leads to our public address alone, whatever a request named.
import { newId } from '../kernel/ids.ts'
import { sendMail } from '../platform/mail.ts'
import type { World } from '../world.ts'
import { takeMailTry } from './guesses.ts'
import { noteForPerson } from './person-audit.ts'
import { findAccount } from './session-store.ts'
import { offerRecovery, recoveryMinutes } from './sign-in.ts'

/** Mails a link to choose a new password, if there is such an account and it was not mailed too often. Whoever asked is told nothing of that. */
export async function mailRecovery(here: Pick<World, 'db' | 'now' | 'audit' | 'config'>, email: string): Promise<void> {
  if (!(await takeMailTry(here, email))) return
  const account = await findAccount(here.db, email)
  if (!account) return
  const { secret } = await offerRecovery(here, account.email)
  const { baseUrl } = here.config
  await sendMail(here, {
    id: newId('mail', here.now()),
    to: [account.email],
    subject: 'Choose a new password',
    text: `Somebody, hopefully you, asked for a new password for ${baseUrl}.

Choose it here, once and within ${recoveryMinutes} minutes:

${baseUrl}/recover#${secret}

If it was not you, do nothing: your password stays as it is.
`,
  })
  await noteForPerson(here, account.id, 'session.recovery_mailed')
}
