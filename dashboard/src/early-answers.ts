// What was asked before the scripts of the page were there; each answer is taken once.

interface Early {
  answer: Promise<Response>
  /** What it said, once it is read. */
  read?: { data: unknown }
}
interface Answered {
  early?: Map<string, Early>
}

/** Asks now, for whoever comes first. */
export function askEarly(address: string, init?: RequestInit): void {
  const here = globalThis as Answered
  here.early ??= new Map()
  const early: Early = { answer: fetch(address, init) }
  here.early.set(address, early)
  // Who takes it is told of what failed; nobody else need be.
  void read(early).catch(() => undefined)
}

async function read(early: Early): Promise<void> {
  const answer = await early.answer
  if (answer.ok) early.read = { data: await answer.clone().json() }
}

function take(address: string): Early | undefined {
  const { early } = globalThis as Answered
  const one = early?.get(address)
  early?.delete(address)
  return one
}

export const earlyAnswer = (address: string): Promise<Response> | undefined => take(address)?.answer

/** What was answered and read already: a page that has it is drawn with it at once. */
export function earlyData(address: string): unknown {
  if (!(globalThis as Answered).early?.get(address)?.read) return undefined
  return take(address)?.read?.data
}

/** What somebody else was answered is for nobody. */
export const forgetEarly = () => (globalThis as Answered).early?.clear()
