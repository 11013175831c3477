// What pages are put together from.
import { Alert, Button, Skeleton, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useDeferredValue, useEffect, useRef } from 'react'
import { Failure } from '../api.ts'
import { linesOf } from '../queries.ts'
import { t } from '../text.ts'
import { ago, inFull } from '../words.ts'

/** Whether a page was shown before: who loads one begins at its beginning. */
let arrived = false

/** A page with its heading, which takes the focus when somebody comes here by a link. */
export function Page({ title, above, about, actions, children }: PageParts) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const came = arrived
    arrived = true
    document.title = t('{title} · Site fleet', { title })
    if (came && (document.activeElement === document.body || document.activeElement?.closest('nav')))
      heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <div className="page">
      <div className="head">
        <div>
          {above}
          <Title order={1} tabIndex={-1} ref={heading}>
            {title}
          </Title>
          {about && (
            <Text c="dimmed" size="sm" mt={2} component="div">
              {about}
            </Text>
          )}
        </div>
        {actions}
      </div>
      {children}
    </div>
  )
}
interface PageParts {
  title: string
  above?: ReactNode
  about?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

export type Tone = 'good' | 'warn' | 'bad' | 'unknown'

/** A word with a colour and a shape: what it says does not hang on the colour. Why it is so is told on demand, by keyboard too (WhyLayer). */
export const State = ({ tone, children, why }: { tone: Tone; children: ReactNode; why?: string | undefined }) =>
  why ? (
    <button type="button" className={`state ${tone}`} aria-description={why} data-why={why}>
      {children}
    </button>
  ) : (
    <span className={`state ${tone}`}>{children}</span>
  )

/** "3 hours ago"; the whole time in the viewer's zone is told on demand. */
export const When = ({ at, never = t('never') }: { at: string | null | undefined; never?: string }) =>
  at ? (
    <time dateTime={at} title={inFull(at)}>
      {ago(at)}
    </time>
  ) : (
    <span>{never}</span>
  )

export const Facts = ({ of }: { of: [string, ReactNode][] }) => (
  <dl className="facts">
    {of.map(([name, value]) => (
      <div key={name} style={{ display: 'contents' }}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** What a site said: told as its own words, never as ours. */
export const SiteSaid = ({ text }: { text: string | undefined }) =>
  text ? (
    <blockquote className="said">
      <cite>{t('The site said, unverified:')}</cite>
      {text}
    </blockquote>
  ) : null

export function Trouble({ error, again }: { error: unknown; again?: () => void }) {
  return (
    <Alert color="red" variant="outline" role="alert" title={t('This did not work')} my="sm">
      {linesOf(error).map((line) => (
        <Text size="sm" key={line}>
          {line}
        </Text>
      ))}
      {error instanceof Failure && <SiteSaid text={error.siteSaid} />}
      {error instanceof Failure && error.next && <Text size="sm">{error.next}</Text>}
      {again && (
        <Button size="xs" variant="default" mt="xs" onClick={again}>
          {t('Try again')}
        </Button>
      )}
    </Alert>
  )
}

export const Waiting = ({ rows = 4 }: { rows?: number }) => (
  <Stack gap="xs" role="status" aria-busy="true" aria-label={t('Loading')}>
    {Array.from({ length: rows }, (_, row) => `row ${row}`).map((key) => (
      <Skeleton key={key} height={34} radius="sm" />
    ))}
  </Stack>
)

export const Empty = ({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) => (
  <div className="empty">
    <Title order={2}>{title}</Title>
    <p>{children}</p>
    {action}
  </div>
)

/** A question's answer, or why there is none: never an empty page. What comes first is drawn in steps that let a finger or a key come between. */
export function Asked<Answer>({ of, children, rows }: AskedParts<Answer>) {
  const isDrawn = useDeferredValue(of.data !== undefined)
  if (of.data !== undefined && isDrawn) return <>{children(of.data)}</>
  if (of.error) return <Trouble error={of.error} again={() => void of.refetch()} />
  return <Waiting {...(rows && { rows })} />
}
interface AskedParts<Answer> {
  of: { data: Answer | undefined; error: unknown; refetch: () => unknown }
  children: (answer: Answer) => ReactNode
  rows?: number
}

/** The next page of a list, where there is one. */
export function More({ of, children }: MoreParts) {
  if (!of.hasNextPage) return null
  return (
    <Button variant="default" mt="md" onClick={() => void of.fetchNextPage()} loading={of.isFetchingNextPage}>
      {children ?? t('Show more')}
    </Button>
  )
}
interface MoreParts {
  of: { hasNextPage: boolean; fetchNextPage: () => unknown; isFetchingNextPage: boolean }
  children?: ReactNode
}

/** A page that says that there is none. */
export const Nothing = ({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) => (
  <Page title={title}>
    <p className="soft">{children}</p>
    {action}
  </Page>
)
