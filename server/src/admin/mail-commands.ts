import { mostOfNotice, takeNotice } from '../reports/bounces.ts'
import type { Command } from './command.ts'

export const mailCommands: Command[] = [
  {
    name: 'mail returned',
    usage: 'mail returned < MESSAGE',
    summary: 'take what a mail server sent back to SERVICE_MAIL_BOUNCES, and show whose report did not arrive',
    options: {},
    words: 0,
    async run(world, _options, _words, dialogue) {
      const taken = await takeNotice(world, (await dialogue?.all(mostOfNotice)) ?? '')
      const text =
        taken.status === 'ignored' ? taken.reason : `${taken.report_id}: a mail came back${taken.code ? ` (${taken.code})` : ''}.`
      return { json: taken, text }
    },
  },
]
