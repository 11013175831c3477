import { reachInWords } from '../pairing/reach.ts'

type Answer = Record<string, unknown>

/** Each way to pair a site, in lines to copy; and whether what is paired is backed up by itself. */
export function waysToPair({ code, service_url: service, expires_at }: Answer, schedule: Answer): string {
  const alone = reachInWords(String(service))
  return `The code works for one site, until ${expires_at}. Install the plugin there first:
  ${service}/connector/svc-connector.zip

In WordPress: Settings → Svc Connector, then enter these two
  ${service}
  ${code}

Or with WP-CLI, in the folder of the site
  wp svc-connector connect --service=${service} --code=${code}

Or in wp-config.php; the site then connects at the next page view
  define( 'SVC_CONNECTOR_URL', '${service}' );
  define( 'SVC_CONNECTOR_CODE', '${code}' );

${alone === undefined ? '' : `${alone}\n\n`}${
  schedule.enabled
    ? `It will be backed up every night, from ${schedule.at} UTC.`
    : 'No schedule: it will not be backed up by itself. Every night, for all sites: Settings in the dashboard, or svc schedules set-default --enabled'
}`
}
