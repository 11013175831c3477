// The php-wasm packages: one PHP instance over one folder of this machine.
import { existsSync, type Stats } from 'node:fs'
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
  mount: (path: string, handler: MountHandler) => Promise<unknown>
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
  createNodeFsMountHandler: (path: string) => MountHandler
}
type MountHandler = (php: unknown, fs: VirtualFiles, target: string) => unknown
interface VirtualFiles {
  filesystems: { NODEFS: { getattr: (read: () => Stats, node: unknown) => object; realPath: (node: unknown) => string } }
  lookupNode: (parent: unknown, name: string) => unknown
  destroyNode: (node: unknown) => void
}
export interface Slot {
  php: Instance
  handler: Handler
}

export interface InstanceOptions {
  version: string
  /** Host folder that PHP sees as /wordpress. */
  root: string
  url: string
}

const DOCUMENT_ROOT = '/wordpress'

/** Loads the packages below `runtime` (see `ensureRuntime`); the returned function starts instances that share file locks. */
export async function loadPhpWasm(runtime: string): Promise<(options: InstanceOptions, id: number) => Promise<Slot>> {
  const packages = join(runtime, 'node_modules', '@php-wasm')
  const load = (name: string): Promise<unknown> => import(pathToFileURL(join(packages, name, 'index.js')).href)
  const universal = (await load('universal')) as Universal
  const node = (await load('node')) as NodePackage
  const loaded = { universal, node, locks: new universal.FileLockManagerInMemory() }
  return (options, id) => startInstance(loaded, options, id)
}

interface Loaded {
  universal: Universal
  node: NodePackage
  locks: object
}

async function startInstance({ universal, node, locks }: Loaded, options: InstanceOptions, id: number): Promise<Slot> {
  const recreateRuntime = () => node.loadNodeRuntime(options.version, { fileLockManager: locks, emscriptenOptions: { processId: id } })
  const php = new universal.PHP(await recreateRuntime())
  php.setSapiName('fpm-fcgi')
  await universal.setPhpIniEntries(php, options.version === '7.4' ? INI : { ...INI, ...OPCACHE })
  php.writeFile('/internal/shared/ca-bundle.crt', CERTIFICATES)
  php.mkdirTree(DOCUMENT_ROOT)
  await php.mount(DOCUMENT_ROOT, asTheDiskHasIt(node.createNodeFsMountHandler(options.root)))
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

/**
 * php-wasm numbers files in the order in which each instance meets them; a backup that compares inodes would see every file change.
 * And it takes a file that it met for being there: WordPress would require a `.maintenance` that another instance has removed.
 */
function asTheDiskHasIt(mount: MountHandler): MountHandler {
  return (php, fs, target) => {
    const files = fs.filesystems.NODEFS
    const { getattr } = files
    files.getattr = (read, node) => {
      let ino = 0
      const remember = () => {
        const stats = read()
        ino = stats.ino
        return stats
      }
      return { ...getattr(remember, node), ino }
    }
    const { lookupNode } = fs
    fs.lookupNode = (parent, name) => {
      const node = lookupNode.call(fs, parent, name)
      if (name !== '.maintenance' || existsSync(files.realPath(node))) return node
      fs.destroyNode(node)
      return lookupNode.call(fs, parent, name)
    }
    return mount(php, fs, target)
  }
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
