import { Problem } from '../kernel/problem.ts'
import { offerRecovery, recoveryMinutes } from '../members/sign-in.ts'
import { offerSetup, setupMinutes } from '../workspaces/setup.ts'
import type { Command } from './command.ts'

export const personCommands: Command[] = [
  {
    name: 'person reset',
    usage: 'person reset --email E',
    summary: `print a link, good for ${recoveryMinutes} minutes, with which a person chooses a new password; it then ends all sessions they have`,
    options: { email: { type: 'string', required: true } },
    words: 0,
    async run(world, { email }) {
      const { email: known, secret } = await offerRecovery(world, email ?? '')
      // Behind the #: it is sent to nobody, so it stands in no log.
      const link = `${world.config.baseUrl}/recover#${secret}`
      return { json: { email: known, link }, text: link }
    },
  },
  {
    name: 'setup link',
    usage: 'setup link',
    summary: `print a new link, good for ${setupMinutes} minutes, that makes the first owner of a service that has none`,
    options: {},
    words: 0,
    async run(world) {
      const secret = await offerSetup(world)
      if (secret === undefined)
        throw new Problem('conflict', 'There is an owner already. A forgotten password: admin person reset --email E', { retryable: false })
      const link = `${world.config.baseUrl}/setup?key=${secret}`
      return { json: { link }, text: link }
    },
  },
]
