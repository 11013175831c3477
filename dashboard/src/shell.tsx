import { useLayoutEffect, useRef } from 'react'

/** What the page itself showed before there were scripts, to the eye alone; it stays until there is something better. */
const first = document.querySelector('.shell')

export function Shell() {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (first) place.current?.append(first)
  }, [])
  return <div ref={place} aria-busy="true" />
}
