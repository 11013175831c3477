// Certificates for native sites that answer over https.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { run } from '../../demo/npm.ts'
import { type House, openHouse } from '../house.ts'

const DAYS = '2'

/** Trusts the authority in `ca` (`ca.pem`, `ca.key`), as this process does from then on. */
export type TrustingHouse = House & { ca: string }

export async function openTrustingHouse(): Promise<TrustingHouse> {
  const ca = await mkdtemp(join(tmpdir(), 'native-ca-'))
  const certificate = await makeAuthority(ca)
  setDefaultCACertificates([...getCACertificates('default'), await readFile(certificate, 'utf8')])
  const house = await openHouse({ NODE_EXTRA_CA_CERTS: certificate })
  const close = async () => {
    await house.close()
    await rm(ca, { recursive: true, force: true })
  }
  return { ...house, ca, close }
}

/** An authority of its own; `<folder>/ca.pem` is what a client must trust. */
async function makeAuthority(folder: string): Promise<string> {
  const [key, certificate] = [join(folder, 'ca.key'), join(folder, 'ca.pem')]
  const words = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', DAYS, '-subj', '/CN=Native fleet']
  await run('openssl', ['req', ...words, '-keyout', key, '-out', certificate])
  return certificate
}

/** `<dir>/cert.pem` and `<dir>/key.pem` for an IP address. */
export async function makeCertificate(ca: string, address: string, dir: string): Promise<void> {
  await mkdir(dir, { recursive: true })
  const [request, extensions] = [join(dir, 'cert.csr'), join(dir, 'cert.ext')]
  await writeFile(extensions, `subjectAltName=IP:${address}\n`)
  await run('openssl', [
    'req',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    `/CN=${address}`,
    '-keyout',
    join(dir, 'key.pem'),
    '-out',
    request,
  ])
  const authority = ['-CA', join(ca, 'ca.pem'), '-CAkey', join(ca, 'ca.key'), '-CAcreateserial']
  await run('openssl', ['x509', '-req', '-in', request, ...authority, '-days', DAYS, '-extfile', extensions, '-out', join(dir, 'cert.pem')])
  await Promise.all([request, extensions].map((file) => rm(file)))
}
