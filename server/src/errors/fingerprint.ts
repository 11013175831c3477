// What makes two errors one.
import { createHash } from 'node:crypto'
import type { Logged } from '../connector/error-commands.ts'

/** Goes up when the way changes, so that what was told apart or taken together before stays as it is. */
export const fingerprintVersion = 1

/** Level, file and message without what differs from time to time. The line is left out: the next version of a plugin would make every error of it a new one. */
export function fingerprintOf({ level, file, message }: Pick<Logged, 'level' | 'file' | 'message'>): string {
  return createHash('sha256')
    .update([level, plainFile(file), plainMessage(message)].join('\n'))
    .digest('hex')
    .slice(0, 32)
}

const plainFile = (file: string) => file.replace(/\(\d+\) : (?:eval\(\)'d code|runtime-created function)/g, '')

/** Values of requests were taken out by the site, each with a word in brackets in its place. */
const plainMessage = (message: string) =>
  message
    .replace(/\b0x[0-9a-f]+\b|\b[0-9a-f]{8,}\b/gi, '#')
    .replace(/\[(?:input|query|secret|hash|email|address|number)\]/g, '#')
    .replace(/\d+/g, '#')
