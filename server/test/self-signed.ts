// A certificate for tests, made on the spot so that no private key lies in the repository: DER by hand, Ed25519 or RSA, valid for 30 years.
import { generateKeyPairSync, sign } from 'node:crypto'

/** PEM of a certificate that is its own authority, for one DNS name and 127.0.0.1. Old protocols know only RSA. */
export function selfSigned(name: string, { rsa = false } = {}): { cert: string; key: string } {
  const { publicKey, privateKey } = rsa ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ed25519')
  const algorithm = sequence(Buffer.from(rsa ? '06092a864886f70d01010b0500' : '06032b6570', 'hex'))
  const subject = sequence(der(0x31, sequence(Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(name)))))
  const validity = sequence(der(0x17, Buffer.from('240101000000Z')), der(0x17, Buffer.from('491231235959Z')))
  const names = sequence(der(0x82, Buffer.from(name)), der(0x87, Buffer.of(127, 0, 0, 1)))
  const alternative = sequence(Buffer.from('0603551d11', 'hex'), der(0x04, names))
  const authority = sequence(
    Buffer.from('0603551d13', 'hex'),
    Buffer.from('0101ff', 'hex'),
    der(0x04, sequence(Buffer.from('0101ff', 'hex'))),
  )
  const extensions = der(0xa3, sequence(authority, alternative))
  const version = der(0xa0, Buffer.from('020102', 'hex'))
  const serial = Buffer.from('020101', 'hex')
  const body = sequence(
    version,
    serial,
    algorithm,
    subject,
    validity,
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  )
  const bits = der(0x03, Buffer.concat([Buffer.of(0), sign(rsa ? 'sha256' : null, body, privateKey)]))
  const base64 = sequence(body, algorithm, bits).toString('base64')
  const cert = `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}
