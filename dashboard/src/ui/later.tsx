import { type ComponentType, createElement, lazy, useMemo } from 'react'

/** A component in a file of its own. */
interface Coming<Props extends object> {
  load: () => Promise<ComponentType<Props>>
  /** What to draw: waits where nobody loaded it before. */
  get: () => ComponentType<Props>
}

export function coming<Props extends object>(fetch: () => Promise<ComponentType<Props>>): Coming<Props> {
  let known: ComponentType<Props> | undefined
  const load = async () => {
    known ??= await fetch()
    return known
  }
  const waits = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>
  return { load, get: () => known ?? waits }
}

/** Draws it at once where it is there: whoever waits for `load` shows nothing in between. */
export function Later<Props extends object>({ of, with: props }: { of: Coming<Props>; with: Props }) {
  const Shown = useMemo(() => of.get(), [of])
  return createElement(Shown, props)
}
