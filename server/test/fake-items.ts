// What is installed on a fake site.
import type { z } from 'zod'
import type { InventoryItem } from '../src/connector/commands.ts'

export type FakeItem = z.input<typeof InventoryItem>
type Offer = NonNullable<FakeItem['update']>

export const anOffer = (version: string, over: Partial<Offer> = {}): Offer => ({
  ...{ version, requires_wp: '6.0', requires_php: '7.4', compatible: true, package: true },
  ...over,
})

/** An active plugin of version 1.0; nothing newer is on offer. */
export const aPlugin = (slug: string, over: Partial<FakeItem> = {}): FakeItem => ({
  ...{ type: 'plugin', slug, file: `${slug}/${slug}.php`, name: slug, version: '1.0', active: true },
  ...{ auto_update: false, update: null, author: '', uri: '' },
  ...over,
})

export function sampleItems(): FakeItem[] {
  const item = (slug: string, over: Partial<FakeItem>) =>
    aPlugin(slug, {
      ...{ name: slug.replace(/^./, (letter) => letter.toUpperCase()), author: 'Ann Author', uri: `https://example.org/${slug}` },
      ...over,
    })
  return [
    item('wordpress', { type: 'core', file: 'core', version: '6.8.1', update: anOffer('6.8.2') }),
    item('garden', { version: '1.0.0', update: anOffer('1.1.0') }),
    item('svc-connector', { version: '0.1.0' }),
    item('meadow', { type: 'theme', file: 'meadow', version: '2.3' }),
  ]
}
