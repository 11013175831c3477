import { Leave } from '../members/Leave.tsx'
import { useSession } from '../session.tsx'
import { t } from '../text.ts'
import { Asked, Page } from '../ui/parts.tsx'
import { amid, plainly } from '../words.ts'
import { Authenticator } from './Authenticator.tsx'
import { useFactors } from './ask.ts'
import { Language } from './Language.tsx'
import { Passkeys } from './Passkeys.tsx'
import { PasswordForm } from './PasswordForm.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'
import { Sessions } from './Sessions.tsx'

/** What a person signs in with, and where they are signed in: the same in every workspace. */
export function AccountPage() {
  const { session } = useSession()
  const factors = useFactors()
  return (
    <Page title={t('Sign-in and security')} about={t('{email}; the same in every workspace.', { email: session.user?.email })}>
      <Asked of={factors}>
        {(known) => (
          <div className="cards">
            <section className="card wide">
              <h2>{t('Passkeys')}</h2>
              <Passkeys factors={known} />
            </section>
            <section className="card">
              <h2>{t('Authenticator app')}</h2>
              <Authenticator factors={known} />
            </section>
            <section className="card">
              <h2>{t('Recovery codes')}</h2>
              <RecoveryCodes factors={known} />
            </section>
            <section className="card">
              <h2>{t('Password')}</h2>
              <PasswordForm />
            </section>
            <section className="card">
              <h2>{t('Language')}</h2>
              <Language />
            </section>
            <section className="card wide">
              <h2>{t('Where you are signed in')}</h2>
              <Sessions />
            </section>
            <section className="card wide">
              <h2>{t('This workspace')}</h2>
              <p className="soft">
                {t('You are in {workspace} as {role}.', {
                  workspace: session.workspace?.name,
                  role: amid(plainly(session.workspace?.role ?? '')),
                })}
              </p>
              <Leave />
            </section>
          </div>
        )}
      </Asked>
    </Page>
  )
}
