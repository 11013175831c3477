// What the two demo sites are about.
import { phpScript } from './php.ts'
import type { Site } from './start-site.ts'

export interface Content {
  title: string
  tagline: string
  /** Red, green and blue of each picture. */
  colours: [number, number, number][]
  pages: { title: string; body: string }[]
  posts: { title: string; body: string; days_ago: number }[]
}

export const HARBOUR: Content = {
  title: 'Harbour Café',
  tagline: 'Coffee, bread and a view of the boats',
  colours: [
    [92, 148, 186],
    [214, 150, 96],
    [70, 128, 124],
  ],
  pages: [
    {
      title: 'About',
      body: 'The café has stood at the old quay since 1987.\n\nWe roast our own coffee twice a week and bake every morning at five.',
    },
    { title: 'Menu', body: 'Filter coffee 2.80\n\nFlat white 3.60\n\nRye bread with smoked trout 8.50\n\nApple cake 4.20' },
    { title: 'Contact', body: 'Quay 4, open daily from six to ten.\n\nTables for more than six people: please call a day ahead.' },
  ],
  posts: [
    {
      title: 'The terrace is open',
      body: 'Spring has arrived, and with it twelve tables in the sun.\n\nBlankets are on every chair.',
      days_ago: 2,
    },
    { title: 'A new roast from Huila', body: 'Notes of plum and cocoa. On the filter bar until it is gone.', days_ago: 9 },
    {
      title: 'Live music on Thursdays',
      body: 'From seven in the evening, without amplifiers, for as long as the light lasts.',
      days_ago: 20,
    },
    { title: 'We are hiring bakers', body: 'You like early mornings and warm ovens. Write to us.', days_ago: 41 },
  ],
}

export const ALPINE: Content = {
  title: 'Alpine Club',
  tagline: 'Tours, huts and weather above 2,000 metres',
  colours: [
    [128, 150, 190],
    [150, 168, 120],
    [176, 132, 150],
  ],
  pages: [
    { title: 'Huts', body: 'Our four huts are open from mid-June to early October.\n\nWinter rooms are never locked.' },
    { title: 'Tours', body: 'Easy, moderate, hard: every tour has a leader and a plan to turn back.' },
    { title: 'Membership', body: 'Members pay half the price in all huts and borrow equipment for nothing.' },
  ],
  posts: [
    { title: 'Snow report', body: 'Two metres at the upper hut, firm until noon.\n\nThe north couloir is closed.', days_ago: 1 },
    { title: 'Path to the lake repaired', body: 'Forty volunteers, three weekends, one new bridge. Thank you.', days_ago: 12 },
    { title: 'Avalanche course in January', body: 'Two evenings of theory, two days outside. Places are drawn by lot.', days_ago: 30 },
  ],
}

/** Fills the site unless that has been done, and lets it ask for updates. */
export async function seedContent(site: Site, content: Content): Promise<void> {
  await site.runPhp(phpScript('seed.php'), { SITE_CONTENT: JSON.stringify(content) })
}
