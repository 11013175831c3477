// What was asked before the scripts of the page were there; each answer is taken once.

interface Answered {
  early?: Map<string, Promise<Response>>
}

/** Asks now, for whoever comes first. */
export function askEarly(address: string, init?: RequestInit): void {
  const here = globalThis as Answered
  here.early ??= new Map()
  const answer = fetch(address, init)
  // Who takes it is told; nobody else need be.
  answer.catch(() => undefined)
  here.early.set(address, answer)
}

export function earlyAnswer(address: string): Promise<Response> | undefined {
  const { early } = globalThis as Answered
  const answer = early?.get(address)
  early?.delete(address)
  return answer
}

/** What somebody else was answered is for nobody. */
export const forgetEarly = () => (globalThis as Answered).early?.clear()
