import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, inflateRawSync } from 'node:zlib'
import { connectorZip } from './connector-zip.ts'
import { zip } from './zip.ts'

const files = [
  { name: 'folder/b.txt', bytes: Buffer.from('b'.repeat(5000)) },
  { name: 'folder/ä.txt', bytes: Buffer.from('ä') },
  { name: 'a.bin', bytes: Buffer.from([0, 1, 2, 255]) },
  { name: 'empty', bytes: Buffer.alloc(0) },
]

/** A reader that trusts only the directory at the end, as unpackers do, and checks every size and sum. */
function unpack(bytes: Buffer): Record<string, { content: Buffer; mode: number }> {
  const unpacked: Record<string, { content: Buffer; mode: number }> = {}
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    assert.equal(bytes.toString('latin1', at, at + 4), 'PK\x01\x02')
    const [sum, packedSize, size] = [16, 20, 24].map((field) => bytes.readUInt32LE(at + field))
    const [nameLength = 0, extraLength = 0, commentLength = 0] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field))
    const local = bytes.readUInt32LE(at + 42)
    assert.equal(bytes.toString('latin1', local, local + 4), 'PK\x03\x04')
    assert.deepEqual(bytes.subarray(local + 4, local + 30), bytes.subarray(at + 6, at + 32))
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const content = inflateRawSync(bytes.subarray(start, start + (packedSize ?? 0)))
    assert.deepEqual([content.length, crc32(content)], [size, sum])
    unpacked[bytes.toString('utf8', at + 46, at + 46 + nameLength)] = { content, mode: bytes.readUInt32LE(at + 38) >>> 16 }
    at += 46 + nameLength + extraLength + commentLength
  }
  assert.equal(at, end)
  return unpacked
}

test('an archive unpacks to the same names, bytes and modes', () => {
  assert.deepEqual(unpack(zip(files)), Object.fromEntries(files.map(({ name, bytes }) => [name, { content: bytes, mode: 0o100644 }])))
})

test('the order in which files are given does not change a byte', () => {
  assert.deepEqual(zip([...files].reverse()), zip(files))
})

test('the connector is packed below one folder, the same twice', () => {
  const names = Object.keys(unpack(connectorZip()))
  assert.ok(names.includes('svc-connector/svc-connector.php'))
  assert.deepEqual(
    names.filter((name) => !name.startsWith('svc-connector/') || name.includes('/.')),
    [],
  )
  assert.deepEqual(connectorZip(), connectorZip())
})
