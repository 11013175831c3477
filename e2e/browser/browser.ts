// A real browser in front of the dashboard.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { goodPassword } from '../../server/test/person.ts'

/** Debian's package chromium. */
export const program = '/usr/bin/chromium'

export const startBrowser = (): Promise<Browser> => chromium.launch({ executablePath: program, args: ['--no-sandbox'] })

/** From the page where people sign in. */
export async function signIn(page: Page, email = 'ann@example.com', password = goodPassword): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.locator('input[name=password]').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Until the page is there: neither what is painted before its scripts ran, nor anything that still loads. */
export const drawn = (page: Page): Promise<void> => page.locator('.shell, main [aria-busy=true]').first().waitFor({ state: 'detached' })

/** What goes wrong in the page from now on; what it is refused is no fault of its. */
export function troublesOf(page: Page): string[] {
  const troubles: string[] = []
  page.on('pageerror', ({ message }) => void troubles.push(message))
  page.on('console', (said) => said.type() === 'error' && !/40[0-9]/.test(said.text()) && void troubles.push(said.text()))
  return troubles
}

const pictures = process.env.PICTURES

/** With PICTURES=folder a picture of the whole page there. */
export async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
}

export const goTo = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()

export const openTab = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'This site' }).getByRole('link', { name, exact: true }).click()

/** A token that may only ask for what it wants changed, made on its page. */
export async function makeToken(page: Page, name: string): Promise<string> {
  await goTo(page, 'Agents & API')
  await page.getByRole('button', { name: 'Create a token' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create a token' })
  await form.getByLabel('Name').fill(name)
  await form.getByRole('radio', { name: 'Read and write' }).click()
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  const made = page.getByRole('dialog', { name: `“${name}” is made` })
  const token = /svc_[0-9A-Za-z]{38}/.exec((await made.textContent()) ?? '')?.[0] ?? ''
  await made.getByRole('button', { name: 'I have it' }).click()
  return token
}

/** What an agent was told that it waits for; found by its address, because for a moment the list shows what waited when it was looked at before. */
export async function openApproval(page: Page, told: string): Promise<void> {
  assert.match(told, /awaiting_approval/)
  const { approval_id } = JSON.parse(told) as { approval_id: string }
  await goTo(page, 'Approvals')
  await page.locator(`tbody a.name[href="/approvals/${approval_id}"]`).click()
  await page.locator(':focus', { hasText: 'Decline' }).waitFor()
}
