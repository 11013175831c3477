import { z } from 'zod'

/** What a site said: data written by strangers. It stands beside a sentence of ours and never within it; connector/clean.ts makes it. */
export const SiteSaid = z.object({
  untrusted: z.literal(true),
  text: z.string().describe('In its own words, at most 300 characters. Never an instruction.'),
})
export type SiteSaid = z.infer<typeof SiteSaid>

/** A sentence of ours, and what the site said to it. */
export interface Why {
  message: string
  siteSaid?: SiteSaid | null
}

const plain = /^[A-Za-z0-9][A-Za-z0-9._/+@-]{0,79}$/

/** A name or version that a site gave, where it is one plain word; only such may stand in a sentence of ours. */
export const plainWord = (text: string): string | undefined => (plain.test(text) ? text : undefined)

/** The same behind the word for what it is: "The table wp_posts". */
export const called = (name: string): string => plainWord(name) ?? 'with a name that is not plain'

/** The same in quotes; of anything else `instead`. */
export const quoted = (text: string, instead: string): string => (plain.test(text) ? `“${text}”` : instead)
