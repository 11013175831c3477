import { proofs } from './all.ts'

type Named = readonly [file: string, title: string]

/** Tests that the page names and no mutation proves yet, and mutations of tests that it does not name. */
export function unproven(page: string): { tests: string[]; unnamed: string[] } {
  const named = namedTests(page)
  const proven = Object.entries(proofs).flatMap(([file, titles]) => Object.keys(titles).map((title): Named => [file, title]))
  const meets = ([file, title]: Named, [other, its]: Named) => `/${other}`.endsWith(`/${file}`) && (title === its || title === '')
  return {
    tests: named.filter((one) => !proven.some((other) => meets(one, other))).map((one) => one.join(' ')),
    unnamed: proven.filter((one) => !named.some((other) => meets(other, one))).map((one) => one.join(' ')),
  }
}

/** Files of tests with the titles named behind them; a file without a title stands for all of it. */
function namedTests(page: string): Named[] {
  const found: Named[] = []
  for (const row of page.split('\n').filter((line) => line.startsWith('|'))) {
    const items = [...row.matchAll(/`([\w./-]+\.test\.ts|connector\/test\/\w+\.php)`|"([^"]+)"/g)]
    let file = ''
    for (const [i, [, place, title]] of items.entries()) {
      if (place !== undefined) file = place
      if (place !== undefined && items[i + 1]?.[2] === undefined) found.push([file, ''])
      if (title !== undefined && file !== '') found.push([file, title])
    }
  }
  return found
}
