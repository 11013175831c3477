import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useDeferredValue, useEffect, useState } from 'react'
import { askSession, type Half, type Session, setProof, whenOutdated } from './api.ts'
import { forgetEarly } from './early-answers.ts'
import { Shell } from './shell.tsx'
import { Trouble } from './ui/parts.tsx'

interface Here {
  session: Session
  /** Takes what the service said of the session; what another workspace was asked is forgotten. */
  enter(session: Session): void
  /** A sign-in that waits for a second factor. */
  half: Half | undefined
  /** Begins the sign-in anew. */
  leave(): void
}

const Current = createContext<Here | undefined>(undefined)

export function useSession(): Here {
  const here = useContext(Current)
  if (!here) throw new Error('There is no session around this page.')
  return here
}

/** What the role allows; the service decides, this only hides what would be refused. */
export const useMay = (scope: 'write' | 'manage') => useSession().session.scopes.includes(scope)

interface AroundParts {
  /** Loads what the session is to show. */
  ready: (session: Session) => Promise<void>
  children: ReactNode
}

export function SessionAround({ ready, children }: AroundParts) {
  const client = useQueryClient()
  const [half, setHalf] = useState<Half>()
  const ask = async () => {
    const session = await askSession<Session>('')
    await ready(session)
    return session
  }
  const asked = useQuery({ queryKey: ['session'], queryFn: ask, staleTime: 60_000, retry: 2 })
  const { data } = asked
  // The first page is drawn in steps.
  const session = useDeferredValue(data) && data
  setProof(data?.csrf)
  useEffect(() => {
    // Whoever was signed out, or went to another workspace in another tab, must not go on with a page that shows the one before.
    whenOutdated(() => {
      void askSession<Session>('').then((now) => {
        if ((now.csrf ?? '') !== (data?.csrf ?? '')) location.reload()
      })
    })
  }, [data?.csrf])
  if (asked.error) return <Trouble error={asked.error} again={() => void asked.refetch()} />
  if (!session) return <Shell />
  const enter = (next: Session) => {
    setHalf(next.second)
    // Who is signed in stays so until somebody else is, whole.
    if (next.second) return
    setProof(next.csrf)
    forgetEarly()
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
    client.setQueryData(['session'], next)
  }
  return <Current.Provider value={{ session, enter, half, leave: () => setHalf(undefined) }}>{children}</Current.Provider>
}
