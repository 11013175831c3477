import { Button, Group, TextInput } from '@mantine/core'
import { Link } from 'wouter'
import { Failure } from '../api.ts'
import { useDo } from '../queries.ts'
import { useMay, useSession } from '../session.tsx'
import { fieldsOf } from '../sign-in/form.tsx'
import { FleetMaintenance } from '../site/Maintenance.tsx'
import { DefaultWatch } from '../site/WatchForm.tsx'
import { t } from '../text.ts'
import { Page } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { SettingsNav } from './SettingsNav.tsx'

export function SettingsPage() {
  const manages = useMay('manage')
  const works = useMay('write')
  return (
    <Page title={t('Settings')}>
      <SettingsNav here="/settings" />
      <div className="cards">
        {manages && (
          <section className="card wide">
            <h2>{t('Workspace')}</h2>
            <WorkspaceName />
          </section>
        )}
        {works && (
          <section className="card wide">
            <h2>{t('How sites are watched')}</h2>
            <DefaultWatch />
          </section>
        )}
        {works && (
          <section className="card wide">
            <h2>{t('Maintenance of all sites')}</h2>
            <FleetMaintenance />
          </section>
        )}
        <section className="card wide">
          <h2>{t('You')}</h2>
          <p>
            <Link href="/account">{t('Your password, second factors and where you are signed in')}</Link>
          </p>
        </section>
      </div>
    </Page>
  )
}

function WorkspaceName() {
  const { session, enter } = useSession()
  const say = useSay()
  const renaming = useDo('workspaces.rename', ({ name }) => {
    say(t('The workspace is renamed.'))
    const rename = <Each extends { id: string; name: string }>(each: Each) => (each.id === session.workspace?.id ? { ...each, name } : each)
    enter({ ...session, workspace: session.workspace && rename(session.workspace), workspaces: session.workspaces.map(rename) })
  })
  const wrong = renaming.error instanceof Failure ? (renaming.error.fields.name ?? renaming.error.message) : undefined
  return (
    <form onSubmit={(event) => renaming.mutate({ name: fieldsOf(event).name ?? '' })}>
      <Group align="end">
        <TextInput
          label={t('Name')}
          name="name"
          defaultValue={session.workspace?.name}
          required
          maxLength={100}
          error={wrong}
          className="medium"
        />
        <Button type="submit" variant="default" loading={renaming.isPending}>
          {t('Rename')}
        </Button>
      </Group>
    </form>
  )
}
