import type { ReactNode } from 'react'

/** A list that may be long: it scrolls by itself. */
export const Tall = ({ label, children }: { label: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
  <section className="tall" tabIndex={0} aria-label={label}>
    <ul>{children}</ul>
  </section>
)
