/** Once there is nothing more urgent to do than what can wait, and after two seconds all the same. Safari knows no `requestIdleCallback`. */
export function whenIdle(then: () => void): () => void {
  if (!('requestIdleCallback' in globalThis)) {
    const timer = setTimeout(then, 500)
    return () => clearTimeout(timer)
  }
  const asked = requestIdleCallback(then, { timeout: 2000 })
  return () => cancelIdleCallback(asked)
}
