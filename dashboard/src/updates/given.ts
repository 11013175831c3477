import type { FormEvent } from 'react'

/** What somebody filled in, by the names of the fields; what is empty is left out. */
export const given = (event: FormEvent<HTMLFormElement>) => {
  event.preventDefault()
  return Object.fromEntries([...new FormData(event.currentTarget)].filter(([, value]) => value !== '')) as Record<string, string>
}
