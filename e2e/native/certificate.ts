// Certificates for native sites that answer over https.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../demo/npm.ts'

const DAYS = '2'

/** An authority of its own; `<folder>/ca.pem` is what a client must trust. */
export async function makeAuthority(folder: string): Promise<string> {
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
}
