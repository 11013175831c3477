import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { askSession, Failure } from '../api.ts'
import { fieldsOf } from '../sign-in/form.tsx'
import { passkeysHere } from '../sign-in/passkeys-here.ts'
import { T, t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { Trouble } from '../ui/parts.tsx'
import { hasFactor, useFactors } from './ask.ts'

/** Does something for which the person must have shown just now who they are; where the service says so, they are asked, and it is done then. */
export function useProven<Given, Answer>(
  doIt: (given: Given) => Promise<Answer>,
  then: (answer: Answer) => void,
): [UseMutationResult<Answer, Error, Given>, ReactNode] {
  const [asked, setAsked] = useState<{ given: Given }>()
  const doing = useMutation({
    mutationFn: doIt,
    onSuccess: then,
    onError: (error, given) => {
      if (mustProve(error)) setAsked({ given })
    },
  })
  const dialog = asked && (
    <Proving
      onClose={() => {
        setAsked(undefined)
        doing.reset()
      }}
      onProven={() => {
        setAsked(undefined)
        doing.mutate(asked.given)
      }}
    />
  )
  return [doing, dialog]
}

export const mustProve = (error: unknown) => error instanceof Failure && error.code === 'confirmation_required'

/** What went wrong, unless it is only that the person is asked who they are. */
export const Wrong = ({ error }: { error: unknown }) => (error && !mustProve(error) ? <Trouble error={error} /> : null)

/** `second`: the password does not do, what is wanted takes a second factor. */
export function Proving({ second = false, onClose, onProven }: { second?: boolean; onClose: () => void; onProven: () => void }) {
  const factors = useFactors()
  const proving = useMutation({ mutationFn: (body: object) => askSession('/confirm', body), onSuccess: onProven })
  const signing = useMutation({
    mutationFn: async () => {
      const { signWithPasskey } = await import('../sign-in/passkey.ts')
      return askSession('/confirm', { response: await signWithPasskey() })
    },
    onSuccess: onProven,
  })
  if (factors.error && !factors.data)
    return (
      <Dialog onClose={onClose} title={t('Show that it is you')}>
        <Trouble error={factors.error} again={() => void factors.refetch()} />
      </Dialog>
    )
  if (!factors.data) return null
  const known = hasFactor(factors.data)
  const passkeys = factors.data.passkeys.length > 0 && passkeysHere(factors.data.passkeys_at)
  const error = proving.error ?? signing.error
  if (second && !known)
    return (
      <Dialog onClose={onClose} title={t('This takes a second factor')}>
        <Text size="sm">
          <T
            message="Your password alone does not do for it. <a>Set up an authenticator app or a passkey</a>, then come back."
            a={(words) => <Link href="/account">{words}</Link>}
          />
        </Text>
      </Dialog>
    )
  return (
    <Dialog onClose={onClose} title={t('Show that it is you')}>
      <Text size="sm">
        {known
          ? t('This is done only when you show a factor again.')
          : t('What you sign in with changes only when you give your password again.')}
      </Text>
      {passkeys && (
        <Button variant="default" fullWidth mt="md" loading={signing.isPending} onClick={() => signing.mutate()}>
          {t('Use a passkey')}
        </Button>
      )}
      <form onSubmit={(event) => proving.mutate(fieldsOf(event))}>
        <Stack gap="md" mt="md">
          {known ? (
            <TextInput
              label={t('Code')}
              description={factors.data.authenticator ? t('From your authenticator app, or a recovery code.') : t('A recovery code.')}
              name="code"
              autoComplete="one-time-code"
              required
              data-autofocus
            />
          ) : (
            <PasswordInput label={t('Your password')} name="password" autoComplete="current-password" required data-autofocus />
          )}
          {error && <Trouble error={error} />}
          <FormFooter verb={t('Go on')} working={proving.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
