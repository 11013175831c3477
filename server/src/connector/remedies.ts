// The one description of what to do about each reason for which a site could not be asked: the API, the dashboard and docs/connector.md tell it so.
import type { SiteReason } from './site-error.ts'

const stale = 'Update the plugin; if that does not help, look for something on the way that changes answers.'
const otherPairing = 'Disconnect the site in its own settings, and pair it anew.'
const wrongClock = 'Set the clock of the site’s server.'
const ofTheSite = 'Update the plugin, or look into the site’s error log.'

export const remedies: Readonly<Record<SiteReason, string>> = {
  dns: 'Look for a typing error in the address, or wait for DNS.',
  connect: 'See that the web server is up, and that no firewall shuts out the address of this service.',
  tls: 'Repair the certificate, and have the web server send the intermediate ones too.',
  timeout: 'Wait until the host is less busy; where that is safe, it is tried again by itself.',
  blocked_address: 'Set SERVICE_ALLOW_PRIVATE_SITES=true if the site is meant to be there; otherwise correct the address.',
  redirect:
    'Wait an hour where only https or www. is new: that is followed by itself. Otherwise set the addresses in WordPress to what really answers, and pair the site anew.',
  http_status: 'Look into the site’s own logs; if the message says that the connector is not active, activate it.',
  html_instead_of_json: 'See that the plugin is active and paired, and that no cache answers POST requests.',
  challenge_page: 'Let /?svc-connector=1 pass without the browser check.',
  security_plugin: 'Let /?svc-connector=1 through there, or the address of this service.',
  login_wall: 'Let /?svc-connector=1 through without a password, or give the service the password.',
  not_signed: 'Look for what answers in place of the connector: a cache, a proxy, another plugin.',
  bad_signature: 'Look for a cache or a proxy that repeats or changes answers; if there is none, pair the site anew.',
  clock: wrongClock,
  clone: 'Pair the copy as a site of its own; if this is the site itself in another folder or database, pair it anew.',
  too_large: stale,
  malformed: stale,
  'refused:signature_input': 'Look for something on the way that strips headers and changes bodies.',
  'refused:digest': 'Look for something on the way that changes bodies, as a firewall that cleans requests.',
  'refused:signature': otherPairing,
  'refused:key': otherPairing,
  'refused:audience': otherPairing,
  'refused:salts': 'Pair the site anew, or put the old salts back into wp-config.php.',
  'refused:nonce': 'Look for something on the way that repeats requests.',
  'refused:window': wrongClock,
  'refused:body': 'Update the plugin.',
  'error:busy': 'Wait: it is tried again by itself.',
  'error:fence': 'Leave it: a newer attempt of the same job is at work.',
  'error:bad_request': ofTheSite,
  'error:unknown_verb': ofTheSite,
  'error:failed': ofTheSite,
  'error:not_found': 'Look for the right name in what the site was last seen to have.',
}
