import { Refusal } from './refusal.ts'

export interface S3Place {
  bucket: string
  /** Empty, or ends in a slash. */
  prefix: string
  endpoint: string | undefined
  region: string | undefined
  pathStyle: boolean
}

const form = 's3://bucket/prefix?endpoint=https://…&region=…&path_style=true'
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const WORDS = /^[A-Za-z0-9_][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/
const LONGEST_PREFIX = 400

/** What SERVICE_STORAGE_URL says of a bucket. Refusals never repeat the URL: somebody may have put a secret into it. */
export function parseS3Url(text: string): S3Place {
  if (!URL.canParse(text)) throw refusal('it is not a URL')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '')
    throw refusal('credentials do not belong into it; use AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  const options = url.searchParams
  for (const name of options.keys())
    if (!['endpoint', 'region', 'path_style'].includes(name)) throw refusal('it has an option that does not exist')
  if (!BUCKET.test(url.host)) throw refusal('the bucket’s name is impossible')
  const words = url.pathname.replace(/^\/+|\/+$/g, '')
  if (words !== '' && (words.length > LONGEST_PREFIX || !WORDS.test(words)))
    throw refusal('the prefix takes letters, digits and . _ - between slashes')
  return {
    bucket: url.host,
    prefix: words === '' ? '' : `${words}/`,
    endpoint: endpointOf(options.get('endpoint')),
    region: regionOf(options),
    pathStyle: flag(options.get('path_style')),
  }
}

function endpointOf(text: string | null): string | undefined {
  if (text === null) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw refusal('endpoint must be an http or https address')
  if (url.username !== '' || url.password !== '') throw refusal('credentials do not belong into the endpoint')
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** A store of one's own mostly has no regions, but every signature names one. */
function regionOf(options: URLSearchParams): string | undefined {
  const region = options.get('region') ?? (options.has('endpoint') ? 'us-east-1' : undefined)
  if (region !== undefined && !/^[a-z0-9-]{1,40}$/.test(region)) throw refusal('the region takes lower-case letters, digits and dashes')
  return region
}

function flag(text: string | null): boolean {
  if (text === null || text === 'false') return false
  if (text === 'true' || text === '') return true
  throw refusal('path_style is true or false')
}

const refusal = (why: string) => new Refusal(`SERVICE_STORAGE_URL: ${why}. It looks like ${form}`)
