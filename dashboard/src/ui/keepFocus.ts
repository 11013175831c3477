/** So long a menu or a dialog has to give the focus back itself. */
const patienceMs = 50

/** Where what had the focus is gone and nothing else took it, the heading of the page has it: the keyboard goes on from there, not from the top. */
export function keepFocus(): () => void {
  let last: EventTarget | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const isLost = () => last instanceof Element && !last.isConnected && document.activeElement === document.body
  const remember = ({ target }: FocusEvent) => {
    last = target
  }
  const watch = new MutationObserver(() => {
    if (!isLost()) return
    clearTimeout(timer)
    timer = setTimeout(
      () => isLost() && document.getElementById('content')?.querySelector('h1')?.focus({ preventScroll: true }),
      patienceMs,
    )
  })
  document.addEventListener('focusin', remember)
  watch.observe(document.body, { childList: true, subtree: true })
  return () => {
    clearTimeout(timer)
    document.removeEventListener('focusin', remember)
    watch.disconnect()
  }
}
