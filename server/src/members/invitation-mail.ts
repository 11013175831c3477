import { newId } from '../kernel/ids.ts'
import { sendMail } from '../platform/mail.ts'
import type { World } from '../world.ts'

interface Invited {
  email: string
  workspace: string
  invitedBy: string
  link: string
  days: number
}

export async function mailInvitation(here: Pick<World, 'now' | 'config'>, invited: Invited): Promise<void> {
  await sendMail(here, {
    id: newId('mail', here.now()),
    to: [invited.email],
    subject: 'You are invited to a fleet of sites',
    text: `${inLine(invited.invitedBy)} invites you to the workspace “${inLine(invited.workspace)}” at ${here.config.baseUrl}.

Join here, once and within ${invited.days} days:

${invited.link}

If you do not know what this is about, do nothing.
`,
  })
}

const inLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ')
