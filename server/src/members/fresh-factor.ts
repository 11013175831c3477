import { Problem } from '../kernel/problem.ts'
import type { Context } from '../world.ts'

/** For so long a person counts as just seen. */
const freshMs = 10 * 60_000

/** Whether the person who calls has just proved who they are, in this session: the one place to ask for a second factor once there is one. Until then: their password, within ten minutes. */
export async function freshFactor({ caller, now }: Pick<Context, 'caller' | 'now'>): Promise<boolean> {
  if (caller.type !== 'user' || !caller.scopes.has('manage') || caller.provedAt === undefined) return false
  const age = now().getTime() - caller.provedAt.getTime()
  return age >= 0 && age < freshMs
}

/** `what`: what takes it. */
export const notFresh = (what: string) =>
  new Problem(
    'proof_needed',
    `Nothing was changed: ${what} takes a person who has proved who they are within the last ten minutes. Give your password again, then repeat it.`,
  )
