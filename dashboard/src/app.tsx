import { lazy, Suspense } from 'react'
import { useLocation } from 'wouter'
import type { Session } from './api.ts'
import { useSession } from './session.tsx'
import { Shell } from './shell.tsx'
import { coming, Later } from './ui/later.tsx'

const frame = coming(async () => {
  const { Frame, loadPage } = await import('./frame/Frame.tsx')
  await loadPage(location.pathname)
  return Frame
})
const signIn = coming(async () => (await import('./sign-in/SignInPage.tsx')).SignInPage)
const JoinPage = lazy(async () => ({ default: (await import('./sign-in/WaysIn.tsx')).JoinPage }))
const RecoverPage = lazy(async () => ({ default: (await import('./sign-in/WaysIn.tsx')).RecoverPage }))
const SecondStep = lazy(async () => ({ default: (await import('./sign-in/SecondStep.tsx')).SecondStep }))

/** What the first page needs, so that it comes at once and whole. */
export const makeReady = async (session: Session) => void (await (session.user === null ? signIn : frame).load())

export function App() {
  const { session, half } = useSession()
  const [path] = useLocation()
  const way = half ? (
    <SecondStep half={half} />
  ) : path === '/join' ? (
    <JoinPage />
  ) : path === '/recover' ? (
    <RecoverPage />
  ) : session.user === null ? (
    <Later of={signIn} with={{}} />
  ) : (
    <Later of={frame} with={{}} />
  )
  return <Suspense fallback={<Shell />}>{way}</Suspense>
}
