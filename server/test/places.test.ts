import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { placesOf, reportPlaces } from './filled.ts'

/** Pages that are not among those of somebody signed in, and why. */
const elsewhere: Record<string, string> = {
  '/join': 'for whoever is invited: e2e/browser/pages.test.ts opens it by a link, before it signs in',
  '/recover': 'for whoever forgot a password: the same',
  '/sign-in': 'leads to the sites; signed out every address shows the same form, where that test begins',
}

const sources = join(import.meta.dirname, '../../dashboard/src')
const routesOf = (file: string, pattern: RegExp) =>
  [...readFileSync(join(sources, file), 'utf8').matchAll(pattern)].map(([, path = '']) => path)
const routes = [...routesOf('frame/Places.tsx', /<Route path="([^"]+)"/g), ...routesOf('app.tsx', /path === '([^']+)'/g)]

/** Which of the routes an address is of: the first that fits, as in the router. */
const routeOf = (address: string) =>
  routes.find((route) => new RegExp(`^${route.replaceAll(/\/:\w+\?/g, '(?:/[^/]+)?').replaceAll(/:\w+/g, '[^/]+')}$`).test(address))

test('every page that the dashboard’s router knows is among the places that are looked at, or said to be elsewhere', () => {
  assert.ok(routes.length > 25, `${routes.length} routes`)
  const places = Object.values({ ...placesOf('site_1', 'job_1'), ...reportPlaces('client_1', 'report_1', 'report_2') })
  assert.deepEqual(
    places.filter((place) => !routeOf(place)),
    [],
    'a place that is no page',
  )
  const seen = new Set([...places.map(routeOf), ...Object.keys(elsewhere)])
  assert.deepEqual(
    routes.filter((route) => !seen.has(route)),
    [],
    'a page nobody looks at',
  )
  assert.deepEqual(
    Object.keys(elsewhere).filter((route) => !routes.includes(route)),
    [],
    'a reason without a page',
  )
})
