import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

const Say = createContext<(words: string) => void>(() => undefined)

/** Tells in a line what was done, to eyes and to screen readers. */
export const useSay = () => useContext(Say)

const shownMs = 6000

export function Toasts({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState<{ id: number; words: string }[]>([])
  const say = useCallback((words: string) => {
    const id = performance.now()
    setSaid((before) => [...before.slice(-2), { id, words }])
    setTimeout(() => setSaid((before) => before.filter((each) => each.id !== id)), shownMs)
  }, [])
  return (
    <Say.Provider value={say}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {said.map(({ id, words }) => (
          <div key={id}>{words}</div>
        ))}
      </div>
    </Say.Provider>
  )
}
