import { t } from './text.ts'

const afresh = t('Load the page again, then try once more.')

/** What helps whoever sits before a page, by the code of what was refused. */
export const nextHere: Record<string, string> = {
  invalid_payload: t('Correct what is named, then try again.'),
  unauthenticated: t('Sign in again.'),
  confirmation_required: t('Give what it names, then try again.'),
  insufficient_scope: t('Ask an owner of the workspace for a role that may do this.'),
  not_found: t('Load the page again: it may be gone by now.'),
  method_not_allowed: afresh,
  request_timeout: afresh,
  conflict: t('Look at how things are now, and try again where it is still needed.'),
  damaged: t('Choose another backup.'),
  payload_too_large: t('Send less at once.'),
  range_not_satisfiable: afresh,
  unsupported_media_type: afresh,
  idempotency_mismatch: afresh,
  rate_limited: t('Wait a minute, then try again.'),
  headers_too_large: t('Delete the cookies of this address, then try again.'),
  internal: t('Try again once; if it stays, tell the operator.'),
  unavailable: t('Try again in a few seconds.'),
  unreachable: t('Try again when it is.'),
  site_unreachable: t('See that the site is up; its page here tells what stood in the way.'),
  site_refused: t('Mend on the site what it refused for; its page here tells what stood in the way.'),
  site_failed: t('Look at the PHP errors of the site, then try again.'),
  site_timeout: t('Try again when the site is less busy.'),
}

/** A refusal without the sentences that name a tool or a route, which a person before a page cannot take. */
export function inWordsHere(detail: string): string {
  const sentences = detail.split(/(?<=[.?!]) /)
  const kept = sentences.filter((sentence) => !/\b(?:GET|POST|DELETE) \/|\b(?:list|get)_[a-z_]+\b/.test(sentence))
  return kept.length > 0 ? kept.join(' ') : detail
}
