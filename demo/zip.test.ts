import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, inflateRawSync } from 'node:zlib'
import { zip } from './zip.ts'

const FILES = { 'a/hello.txt': 'hello '.repeat(1000), 'a/ünï.bin': Buffer.from([0, 255, 1]), 'a/empty.txt': '' }

/** Reads the archive the way an unpacker does: from the end of the directory back to each entry. */
function unzip(archive: Buffer): Record<string, Buffer> {
  const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  const files: Record<string, Buffer> = {}
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    assert.equal(archive.toString('latin1', at, at + 4), 'PK\x01\x02')
    const nameLength = archive.readUInt16LE(at + 28)
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    const local = archive.readUInt32LE(at + 42)
    assert.equal(archive.toString('utf8', local + 30, local + 30 + nameLength), name)
    const start = local + 30 + nameLength
    const content = inflateRawSync(archive.subarray(start, start + archive.readUInt32LE(at + 20)))
    assert.equal(crc32(content), archive.readUInt32LE(at + 16))
    assert.equal(content.length, archive.readUInt32LE(at + 24))
    files[name] = content
    at += 46 + nameLength
  }
  assert.equal(at, end)
  return files
}

test('every file put into an archive comes out as it was', () => {
  const files = unzip(zip(FILES))
  assert.deepEqual(Object.keys(files), Object.keys(FILES))
  for (const [name, content] of Object.entries(FILES)) assert.deepEqual(files[name], Buffer.from(content))
})

test('equal files make equal archives', () => {
  assert.deepEqual(zip(FILES), zip({ ...FILES }))
})
