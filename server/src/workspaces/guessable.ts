// Passwords that are tried first: those of lists of stolen ones, rows of keys, repetitions, and what is known of the person.
import type { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { wrongField } from '../kernel/problem.ts'

/** Of 0 to 4; below it fewer than 10^8 guesses find the password, by zxcvbn's reckoning (Wheeler, USENIX Security 2016). */
const leastScore = 3
/** What is looked at, from the beginning: to reckon with much text takes long. What comes behind makes no password worse, nor one that is easy so far better. */
const maxLength = 48

let estimator: Promise<ZxcvbnFactory> | undefined

/** 20 MB and a quarter of a second, so for the first who chooses a password, and not for every start. */
async function load(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength })
}

/** Throws `invalid_payload` with `field` for a password that others would guess, with what is known of the person, which is their address. */
export async function mustBeHardToGuess(password: string, email: string, field = 'password'): Promise<void> {
  estimator ??= load()
  const known = [email, ...email.split(/[@.]/), ...email.split(/[@._+-]/)].filter((part) => part.length > 2)
  const { score } = (await estimator).check(password, known)
  if (score < leastScore) throw wrongField(field, tooEasy)
}

export const tooEasy = 'Too easy to guess. Take a few words that do not belong together.'
