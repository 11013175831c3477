// A real browser in front of the dashboard.
import { type Browser, chromium, type Page } from 'playwright-core'
import { goodPassword } from '../../server/test/person.ts'

/** Debian's package chromium. */
export const program = '/usr/bin/chromium'

export const startBrowser = (): Promise<Browser> => chromium.launch({ executablePath: program, args: ['--no-sandbox'] })

/** From the page where people sign in. */
export async function signIn(page: Page, email = 'ann@example.com'): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.locator('input[name=password]').fill(goodPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Until the page is there: neither what is painted before its scripts ran, nor anything that still loads. */
export const drawn = (page: Page): Promise<void> => page.locator('.shell, main [aria-busy=true]').first().waitFor({ state: 'detached' })
