// PHP as WebAssembly inside this process: a few instances over one folder, and the queue in front of them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { pathToFileURL } from 'node:url'

export interface PhpRequest {
  url: string
  method: string
  headers: Record<string, string>
  body: Uint8Array
}
export interface PhpResponse {
  httpStatusCode: number
  headers: Record<string, string[]>
  bytes: Uint8Array
  errors: string
  text: string
}

/** The part of the php-wasm packages used here; they are downloaded at run time, so the compiler cannot read their own types. */
interface Instance {
  setSapiName: (name: string) => void
  mkdirTree: (path: string) => void
  writeFile: (path: string, content: string) => void
  mount: (path: string, handler: unknown) => Promise<unknown>
  run: (script: { code: string; env: Record<string, string> }) => Promise<PhpResponse>
  enableRuntimeRotation: (options: { recreateRuntime: () => Promise<number>; maxRequests: number }) => void
}
interface Handler {
  request: (request: PhpRequest) => Promise<PhpResponse>
}
interface Universal {
  PHP: new (runtime: number) => Instance
  PHPRequestHandler: new (options: Record<string, unknown>) => Handler
  FileLockManagerInMemory: new () => object
  setPhpIniEntries: (php: Instance, entries: Record<string, string>) => Promise<void>
}
interface NodePackage {
  loadNodeRuntime: (version: string, options: Record<string, unknown>) => Promise<number>
  createNodeFsMountHandler: (path: string) => unknown
}
interface Slot {
  php: Instance
  handler: Handler
}

export interface PhpOptions {
  /** Folder made by `ensureRuntime`. */
  runtime: string
  version: string
  /** Host folder that PHP sees as /wordpress. */
  root: string
  url: string
  /** WordPress calls itself (cron, loopback tests), so one is not enough. */
  instances: number
}

/** Two ways to use PHP, both of which wait for an idle instance. */
export interface Php {
  request: (request: PhpRequest) => Promise<PhpResponse>
  /** Runs a script against the site's files; returns what it printed, throws what PHP complained about. */
  run: (code: string, env?: Record<string, string>) => Promise<string>
}

const DOCUMENT_ROOT = '/wordpress'

export async function startPhp(options: PhpOptions): Promise<Php> {
  const packages = join(options.runtime, 'node_modules', '@php-wasm')
  const load = (name: string): Promise<unknown> => import(pathToFileURL(join(packages, name, 'index.js')).href)
  const universal = (await load('universal')) as Universal
  const node = (await load('node')) as NodePackage
  const locks = new universal.FileLockManagerInMemory()
  const slots: Slot[] = []
  for (let id = 1; id <= options.instances; id++) slots.push(await startInstance(universal, node, locks, options, id))
  return queueInFrontOf(slots)
}

async function startInstance(universal: Universal, node: NodePackage, locks: object, options: PhpOptions, id: number): Promise<Slot> {
  const recreateRuntime = () => node.loadNodeRuntime(options.version, { fileLockManager: locks, emscriptenOptions: { processId: id } })
  const php = new universal.PHP(await recreateRuntime())
  php.setSapiName('fpm-fcgi')
  await universal.setPhpIniEntries(php, options.version === '7.4' ? INI : { ...INI, ...OPCACHE })
  php.writeFile('/internal/shared/ca-bundle.crt', CERTIFICATES)
  php.mkdirTree(DOCUMENT_ROOT)
  await php.mount(DOCUMENT_ROOT, node.createNodeFsMountHandler(options.root))
  // WebAssembly memory only grows; a fresh runtime now and then gives it back.
  php.enableRuntimeRotation({ recreateRuntime, maxRequests: 400 })
  const handler = new universal.PHPRequestHandler({
    php,
    documentRoot: DOCUMENT_ROOT,
    absoluteUrl: options.url,
    cookieStore: false,
    getFileNotFoundAction: () => ({ type: 'internal-redirect', uri: '/index.php' }),
  })
  return { php, handler }
}

/** An instance that waits for the network would answer a second request with an error, so each gets one at a time. */
function queueInFrontOf(slots: Slot[]): Php {
  const idle = [...slots]
  const waiting: ((slot: Slot) => void)[] = []
  const use = async <T>(work: (slot: Slot) => Promise<T>): Promise<T> => {
    const slot = idle.shift() ?? (await new Promise<Slot>((resolve) => waiting.push(resolve)))
    try {
      return await work(slot)
    } finally {
      const next = waiting.shift()
      if (next) next(slot)
      else idle.push(slot)
    }
  }
  return {
    request: (request) => use((slot) => slot.handler.request(request)),
    run: (code, env = {}) => use(async (slot) => printed(await slot.php.run({ code, env }))),
  }
}

function printed(response: PhpResponse): string {
  if (response.errors.trim() !== '') throw new Error(`PHP said: ${response.errors.trim()} ${response.text}`)
  return response.text
}

const INI: Record<string, string> = {
  'openssl.cafile': '/internal/shared/ca-bundle.crt',
  'curl.cainfo': '/internal/shared/ca-bundle.crt',
  allow_url_fopen: '1',
  display_errors: '0',
  memory_limit: '256M',
  max_execution_time: '30',
  post_max_size: '64M',
  upload_max_filesize: '64M',
}
// In memory (php-wasm's own setting is a file cache) it halves the CPU of a request; PHP 7.4 cannot allocate that memory.
const OPCACHE: Record<string, string> = {
  'opcache.file_cache_only': '0',
  'opcache.file_cache': '',
  'opcache.memory_consumption': '64',
  'opcache.max_accelerated_files': '10000',
  'opcache.validate_timestamps': '1',
  'opcache.revalidate_freq': '0',
}
const CERTIFICATES = rootCertificates.join('\n')

/** One of the scripts in demo/php/. */
export const phpScript = (name: string): string => readFileSync(join(import.meta.dirname, 'php', name), 'utf8')
