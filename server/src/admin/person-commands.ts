import { Problem } from '../kernel/problem.ts'
import { forgetFactors } from '../members/factors.ts'
import { atLocalhost } from '../members/passkey-place.ts'
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
    name: 'person forget-factors',
    usage: 'person forget-factors --email E',
    summary: 'take the authenticator app, passkeys and recovery codes of a person away who lost them all; it ends all sessions they have',
    options: { email: { type: 'string', required: true } },
    words: 0,
    async run(world, { email }) {
      const { email: known } = await forgetFactors(world, email ?? '')
      return { json: { email: known }, text: `${known} signs in with the password alone until a new factor is set up.` }
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
      const link = `${atLocalhost(world.config.baseUrl)}/setup?key=${secret}`
      return { json: { link }, text: link }
    },
  },
]
