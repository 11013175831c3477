// What opens over the pages of the dashboard.
import type { Page } from 'playwright-core'

/** How somebody comes to each, by its name; `places` as `placesOf` names them. */
export function openedOver(url: string, places: Record<string, string>): Record<string, (page: Page) => Promise<unknown>> {
  const aToken = async (page: Page) => {
    await page.goto(`${url}/agents`)
    await page.getByRole('button', { name: 'Create a token' }).click()
    await page.getByRole('radio', { name: 'Sites with a tag' }).click()
    await page.getByRole('radio', { name: 'Every site' }).click()
    await page.getByLabel('Name').fill('Claude on my desk')
    await page.getByRole('radio', { name: 'Read and write' }).click()
  }
  return {
    palette: async (page) => {
      await page.goto(url)
      await page.getByRole('button', { name: 'Go to a site or page' }).click()
      await page.getByRole('combobox', { name: 'A site, a page or an action' }).fill('site')
      await page.getByRole('option', { name: /^Site 0/ }).waitFor()
    },
    'token-calls': async (page) => {
      await page.goto(`${url}/agents`)
      await page.getByRole('button', { name: 'What it did: Claude on my laptop' }).click()
      await page.getByText('It was not used yet.').waitFor()
    },
    'token-form': aToken,
    'token-made': async (page) => {
      await aToken(page)
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await page.getByText('Shown only now').waitFor()
    },
    'sites-chosen': async (page) => {
      await page.goto(url)
      await page.getByLabel('Choose all here').check()
      await page.getByRole('region', { name: 'The chosen sites' }).waitFor()
    },
    columns: async (page) => {
      await page.goto(url)
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('dialog', { name: 'Columns' }).waitFor()
    },
    channel: async (page) => {
      await page.goto(`${url}/settings/notifications`)
      await page.getByRole('button', { name: 'Add a channel' }).click()
      await page.getByRole('radio', { name: 'Webhook' }).click()
    },
    rule: async (page) => {
      await page.goto(`${url}/settings/notifications`)
      await page.getByRole('button', { name: 'Add a rule' }).click()
      await page.getByRole('switch', { name: 'Quiet hours' }).click({ force: true })
      await page.getByText('By the clock there, in summer time too.', { exact: false }).waitFor()
    },
    'add-a-site': async (page) => {
      await page.goto(url)
      await page.getByRole('button', { name: 'Add a site' }).click()
      await page.getByText('Waiting for the site').waitFor()
    },
    restore: async (page) => {
      await page.goto(url + (places['site-backups'] ?? ''))
      await page
        .getByRole('button', { name: /More about/ })
        .first()
        .click()
      await page.getByRole('menuitem', { name: 'Restore …' }).click()
      await page.getByText(/^Tables: /).waitFor()
    },
    'undo-restore': async (page) => {
      await page.goto(url + (places.restored ?? ''))
      await page.getByRole('button', { name: 'Undo the restore …' }).click()
      await page.getByRole('dialog', { name: 'Undo this restore?' }).waitFor()
    },
    'log-maintenance': async (page) => {
      await page.goto(url + (places['site-activity'] ?? ''))
      await page.getByRole('button', { name: 'Log what was done elsewhere …' }).click()
      await page.getByRole('dialog', { name: 'Log maintenance' }).waitFor()
    },
    invite: async (page) => {
      await page.goto(`${url}/members`)
      await page.getByRole('button', { name: 'Invite a person' }).click()
      await page.getByRole('dialog').getByLabel('E-mail address').waitFor()
    },
    update: async (page) => {
      await page.goto(url + (places['site-updates'] ?? ''))
      await page
        .getByRole('button', { name: /^Update / })
        .first()
        .click()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).waitFor()
      await page.locator('[role=dialog] [aria-busy=true]').waitFor({ state: 'detached' })
    },
  }
}
