import { counted } from './job.ts'

/** What nobody has looked for, in a sentence: on none of the sites, or only on some; nothing where all were looked at. */
export const gapOf = (what: string, looked: number, sites: number): string[] =>
  looked >= sites ? [] : [`Nobody has looked for ${what} yet${sites === 1 ? '' : ` on ${sites - looked} of ${counted(sites, 'site')}`}.`]

/** Of how many sites that might be meant nobody knows what a list was narrowed by, in a sentence. */
export const leftOut = (unknown: number): string[] =>
  unknown === 0
    ? []
    : [`Of ${counted(unknown, 'more site')} nobody knows what was asked for, so ${unknown === 1 ? 'it is' : 'they are'} left out.`]
