import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { deliverMails } from './mails.ts'
import { annotate, correct, discard, draft, get, html, list, publish, refresh } from './operations.ts'
import { link, mail, pdf, revokeLink, send, setSettings, settings, testSend } from './operations-out.ts'
import { runSchedule } from './schedule.ts'

export const capability: Capability<World> = {
  operations: [
    list,
    get,
    draft,
    refresh,
    annotate,
    publish,
    correct,
    discard,
    html,
    pdf,
    link,
    revokeLink,
    mail,
    send,
    testSend,
    settings,
    setSettings,
  ],
  duties: [
    { name: 'report schedule', everyMs: 60_000, run: runSchedule },
    { name: 'report mails', everyMs: 5_000, run: deliverMails },
  ],
  retention: [
    { table: 'report_links', at: 'expires_at', days: 400 },
    { table: 'report_mails', at: 'created_at', days: 400 },
  ],
}
