import { Button, Group } from '@mantine/core'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Failure, type Output } from '../api.ts'
import { messageOf, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { t } from '../text.ts'
import { Icon } from '../ui/icons.tsx'
import { useSay } from '../ui/toasts.tsx'
import { webAddress } from '../words.ts'
import type { Site } from './nouns.ts'

const LineDialog = lazy(async () => ({ default: (await import('../ui/LineDialog.tsx')).LineDialog }))

type Made = Output<'login.create'>

/** What is wrong with who is let in, or with leaving that open. */
const wrongUser = (error: unknown) => (error instanceof Failure ? error.fields.user : undefined)

/** One click to the site's wp-admin, as the administrator who paired it, or as one who is named where that one is gone. */
export function LoginButton({ site }: { site: Site }) {
  const works = useMay('write')
  const say = useSay()
  const [naming, setNaming] = useState(false)
  const [made, setMade] = useState<Made>()
  const login = useDo('login.create', (answer) => {
    setNaming(false)
    setMade(answer)
    const address = webAddress(answer.url)
    if (address) window.open(address, '_blank', 'noopener')
  })
  if (!works || site.status !== 'connected') return null
  const ask = (user?: string) =>
    login.mutate(
      { site_id: site.id, ...(user && { user }) },
      {
        onError: (error) => {
          if (wrongUser(error)) setNaming(true)
          else if (!naming) say(messageOf(error))
        },
      },
    )
  const wrong = wrongUser(login.error)
  return (
    <Group gap="xs">
      {made && <Opens made={made} onOver={() => setMade(undefined)} />}
      <Button variant="default" rightSection={<Icon name="out" size={15} />} loading={login.isPending} onClick={() => ask()}>
        {t('Log in to wp-admin')}
      </Button>
      {naming && (
        <Suspense>
          <LineDialog
            title={t('Log in to wp-admin')}
            label={t('Login or e-mail address')}
            description={t('Of an administrator of the site.')}
            maxLength={100}
            verb={t('Log in')}
            working={login.isPending}
            wrong={wrong}
            error={wrong ? null : login.error}
            onClose={() => setNaming(false)}
            onLine={ask}
          />
        </Suspense>
      )}
    </Group>
  )
}

/** The same by hand, for as long as it works: a browser opens no window of its own when a site was slow to answer. */
function Opens({ made, onOver }: { made: Made; onOver: () => void }) {
  useEffect(() => {
    const timer = setTimeout(onOver, Date.parse(made.expires_at) - Date.now())
    return () => clearTimeout(timer)
  }, [made, onOver])
  const address = webAddress(made.url)
  return (
    <span role="status">
      {address && (
        <a href={address} target="_blank" rel="noreferrer">
          {t('Open wp-admin')}
        </a>
      )}
    </span>
  )
}
