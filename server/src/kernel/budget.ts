/** What all tokens of a workspace together may use up within an hour, and the setting that raises it. */
export const budgets = {
  login_links: { words: 'login links', setting: 'SERVICE_LOGIN_LINKS_PER_HOUR', usual: 20 },
  new_salts: { words: 'sites that get new salts', setting: 'SERVICE_NEW_SALTS_PER_HOUR', usual: 5 },
  bare_restores: { words: 'restores without a safety backup', setting: 'SERVICE_BARE_RESTORES_PER_HOUR', usual: 5 },
  updates: { words: 'sites updated with nothing that could stop it in between', setting: 'SERVICE_UPDATES_PER_HOUR', usual: 100 },
  report_mails: { words: 'mails that bring reports', setting: 'SERVICE_REPORT_MAILS_PER_HOUR', usual: 200 },
} as const
export type Budget = keyof typeof budgets
/** How much there is of each in an hour. */
export type Budgets = Readonly<Record<Budget, number>>
