import { Button } from '@mantine/core'
import { Fragment, type ReactNode, useState } from 'react'
import { t } from '../text.ts'

/** So many stand there at once. */
const few = 5

interface Parts {
  of: readonly string[]
  /** How one is shown. */
  as?: (name: string) => ReactNode
}

/** One after another: of many the first few, and all of them at a press. */
export function Names({ of, as = (name) => name }: Parts) {
  const [whole, setWhole] = useState(false)
  return (
    <>
      {(whole ? of : of.slice(0, few)).map((name, index) => (
        <Fragment key={name}>
          {index > 0 && ', '}
          {as(name)}
        </Fragment>
      ))}
      {of.length > few && (
        <Button variant="subtle" size="compact-xs" ml="xs" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? t('Show fewer') : t('Show all {count}', { count: of.length })}
        </Button>
      )}
    </>
  )
}
