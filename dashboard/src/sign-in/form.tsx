import { Title } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { Failure } from '../api.ts'
import { t } from '../text.ts'
import { Mark } from '../ui/icons.tsx'

/** A page of its own for whoever is not signed in. */
export const Narrow = ({ title, children }: { title: string; children: ReactNode }) => (
  <main className="narrow" id="content">
    <title>{t('{title} · Site fleet', { title })}</title>
    <p className="brand">
      <Mark /> {t('Site fleet')}
    </p>
    <Title order={1} mt="lg">
      {title}
    </Title>
    {children}
  </main>
)

export const fieldsOf = (event: FormEvent<HTMLFormElement>) => {
  event.preventDefault()
  return Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
}

export const wrongIn = (error: unknown, field: string) => (error instanceof Failure ? error.fields[field] : undefined)
