import type { Proofs } from '../mutation/proof.ts'

/** What stands between the service and a site that may be hostile, and between a site and whoever pretends to be the service. */
export const sites: Proofs = {
  'e2e/browser/pictures.test.ts': {
    'it reaches nobody but through us: no frames, posts, sockets or questions to others, and no other host to be led to': [
      'platform/page-requests.ts',
      "method !== 'GET' || !/^https?:/.test(url) || !(anywhere.has(type) || (own && ownHost.has(type)))",
      'url === type && own',
    ],
    '… ends with a reason, and nothing is left of it': [
      'platform/page-requests.ts',
      '++this.#requests > most.requests',
      '++this.#requests > most.bytes',
    ],
  },
  'server/src/updates/pictures.test.ts': {
    'they are not there for strangers, other workspaces and other sites': [
      'updates/pictures-store.ts',
      'WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND id',
      "WHERE ${workspaceId} <> '' AND ${siteId} <> '' AND id",
    ],
    'who reads gets them as pictures that are only saved, and nothing else': [
      'updates/pictures.ts',
      "contentType: 'image/webp'",
      "contentType: 'text/html'",
    ],
  },
  'server/src/events/events.test.ts': {
    'what changes is said as it happens, to those whose it is, and no more than what': [
      'platform/changes.ts',
      'each.workspaceId === null || each.workspaceId === workspaceId',
      'each.n > 0',
    ],
    'a token that is revoked hears nothing more': ['projections/rest-stream.ts', 'if (!(await mayGoOn())) return', 'await mayGoOn()'],
    'a place says nothing of how much others did': [
      'events/place.ts',
      "return Buffer.concat([hidden.update(block), hidden.final()]).toString('hex')",
      "return (hidden && block).toString('hex')",
    ],
  },
  'server/src/events/sight.test.ts': {
    '… hears of the site, and of no other one, whatever happens there': [
      'events/sight.ts',
      'return seen.has(site_id) && !(guest && internal) ? [change] : []',
      'return !(guest && internal) ? [change] : []',
    ],
    'a site that leaves their sight is told no longer, on any node, and one that comes into it is': [
      'events/sight.ts',
      'seen = new Map(sites.map((site) => [site.id, site]))',
      'seen = new Map([...before, ...sites.map((site): [string, Site] => [site.id, site])])',
    ],
  },
  'server/src/errors/hostile.test.ts': {
    'however many errors it makes up, so many are kept, and one that was muted stays muted': [
      'errors/record.ts',
      'if (fresh.length > 0) await letGo(here, siteId, mostErrors)',
      '',
    ],
    'words that steer a terminal, hide or give orders come out as plain text of the site, and in no message to people': [
      'notifications/gather-store.ts',
      "e.component ->> 'slug' ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$' AND ",
      '',
    ],
  },
  'server/src/platform/address.test.ts': {
    '… is not dialled in any disguise': [
      'platform/guarded-connect.ts',
      'if (!found.every((address) => allowed(guard, address)))',
      'if (!found.some((address) => allowed(guard, address)))',
    ],
    '… is not dialled when DNS gives it on the second question': [
      'platform/guarded-connect.ts',
      'const socket = await open(guard, address, port)\n      const connectMs',
      'const [again = address] = await guard.resolve(target.hostname)\n      const socket = await open(guard, again, port)\n      const connectMs',
    ],
    'metadata services, multicast and mapped addresses stay shut even for intranets': [
      'platform/address.ts',
      'return address !== METADATA && privateV4',
      "return address !== '' && privateV4",
    ],
    'other spellings of loopback, user names, ports and schemes are refused without a connection': [
      'platform/guarded-connect.ts',
      'if (!guard.allowPrivate && !PORTS.has(url.port))',
      'if (guard.allowPrivate && !PORTS.has(url.port))',
    ],
    'a socket that ends up somewhere else than was dialled gets no byte': [
      'platform/guarded-connect.ts',
      'if (!sameAddress(peer, address) || !allowed(guard, peer))',
      "if (peer === 'nowhere' && address === '')",
    ],
  },
  'server/test/guarded-faces.test.ts': {
    '… is led to none of … special addresses, in no disguise': [
      'platform/guarded-connect.ts',
      'if (!found.every((address) => allowed(guard, address)))',
      'if (!found.some((address) => allowed(guard, address)))',
    ],
  },
  'server/src/platform/guarded-fetch.test.ts': {
    'redirects are answers and are not followed': [
      'platform/guarded-fetch.ts',
      'return await exchange(kept.pool, target.url, request)',
      `const answer = await exchange(kept.pool, target.url, request)
      const { location } = answer.headers
      return location ? await exchange(new Pool(new URL(location).origin), new URL(location), request) : answer`,
    ],
    'a proxy named in the environment is not used': [
      'platform/guarded-connect.ts',
      'const socket = guard.dial(address, port)',
      'const proxy = process.env.HTTP_PROXY ? new URL(process.env.HTTP_PROXY) : undefined\n  const socket = proxy ? guard.dial(proxy.hostname, Number(proxy.port)) : guard.dial(address, port)',
    ],
    'an answer of less than 1 KiB/s over 30 s is given up': [
      'platform/exchange.ts',
      'const MIN_BYTES_PER_WINDOW = 30 * 1024',
      'const MIN_BYTES_PER_WINDOW = 0',
    ],
  },
  'server/src/connector/memory.test.ts': {
    'a hostile site cannot take more than 64 MiB of our memory, whatever it sends': [
      'platform/exchange.ts',
      'if (this.#size > maxBytes && !cut)',
      'if (this.#size > 1024 * maxBytes && !cut)',
    ],
  },
  'server/src/connector/trouble.test.ts': {
    'a site in trouble (…) is told as …': ['connector/diagnose.ts', "'challenge_page'", "'login_wall'"],
    'a site that replays an old answer is found out': [
      'connector/verify.ts',
      '[\'"signature";req;key="svc"\', asked.member]]',
      '[\'"signature";req;key="svc"\', \'\']]',
      'connector/sign.ts',
      '[\'"signature";req;key="svc"\', asked.member]',
      '[\'"signature";req;key="svc"\', \'\']',
    ],
  },
  'server/src/connector/call.test.ts': {
    'cannot send a user in circles with a cursor that stands still': [
      'connector/call.ts',
      'if (!meta.done && (meta.rows + meta.skipped.length === 0 || sameRow(meta, params)))',
      'if (!meta.done && meta.rows < 0)',
    ],
    'cannot unpack more than was asked for': [
      'connector/slice.ts',
      'const maxOutputLength = Math.max(1, Math.min(maxBytes, packed.length * RATIO))',
      'const maxOutputLength = Math.max(maxBytes, packed.length * RATIO)',
    ],
    'cannot answer in another shape': [
      'connector/call.ts',
      '  if (parsed.success) return parsed.data as Result<V>\n',
      '  if (value !== undefined) return value as Result<V>\n',
    ],
    'cannot hide or steer anything in its words': ['connector/clean.ts', "spaced.replace(INVISIBLE, '').trim()", 'spaced.trim()'],
    'cannot name files outside its root': [
      'connector/site-text.ts',
      "!path.includes('\\0') && !UNFIT_PART.test(path)",
      "!path.includes('\\0')",
    ],
  },
  'server/src/connector/verify.test.ts': {
    'none of 14,000 changed requests is accepted': [
      'connector/verify.ts',
      "return verify(null, base(), known.key, signature.bytes) ? undefined : 'signature'",
      "return base() && signature.bytes.length === 64 && verify !== undefined ? undefined : 'signature'",
    ],
    'none of 6,000 changed answers is accepted': [
      'connector/verify.ts',
      "if (!digest || !timingSafeEqual(digest, createHash('sha256').update(message.body).digest())) return 'digest'",
      "if (!digest || !timingSafeEqual(digest, digest) || !createHash) return 'digest'",
    ],
    'a request signed for one site is refused by another, even with the same key': [
      'connector/verify.ts',
      "  if (value('svc-site') !== message.siteId) return 'audience'\n",
      '',
    ],
  },
  'server/src/connector/vectors.test.ts': {
    '': ['connector/shapes.ts', 'const rows = lines.map(', 'const rows = lines.toReversed().map('],
  },
  'server/src/connector/ask.test.ts': {
    'a site … hours off works after one hello': [
      'connector/ask.ts',
      'const skewSeconds = skewOf(site.skewSeconds, hello.data.time, { before, after })',
      'const skewSeconds = 0 * after',
    ],
    'an unsigned hint about the clock moves nothing': [
      'connector/exchange.ts',
      "  if (!received.headers['signature-input']) throw diagnose(received)\n",
      `  const hint = parseJson(received.body) as { time?: number } | undefined
  if (!received.headers['signature-input'] && hint?.time !== undefined && attempt.method === 'hello')
    return { contentType: 'application/json', body: Buffer.from(JSON.stringify({ result: hint })), latencyMs: 0, bodyMs: 0 }
  if (!received.headers['signature-input']) throw diagnose(received)\n`,
    ],
  },
  'server/src/pairing/rotation.test.ts': {
    'the new key works, and the old one no longer does': [
      'pairing/rotation.ts',
      "await call(context.wire, current, { verb: 'keys.rotate', params: { keyid: next.keyid, public: next.public } }, { probe: true })\n      await call(context.wire, renewed, { verb: 'ping', params: {} })",
      "await call(context.wire, current, { verb: 'ping', params: {} }, { probe: true })",
    ],
    'a rotation that the site finished and we did not is found and finished': [
      'pairing/rotation.ts',
      'if (!(await isUsable(context, renewed)))',
      'if (await isUsable(context, renewed).then(() => true))',
    ],
  },
  'server/src/vulnerabilities/read-feed.test.ts': {
    '… is refused with a reason': ['vulnerabilities/read-feed.ts', '  cutter.end()\n', ''],
  },
  'server/src/vulnerabilities/cut-entries.test.ts': {
    'what JSON.parse refuses is refused, and what it takes is taken, …': [
      'vulnerabilities/cut-entries.ts',
      "    else throw new FeedTrouble('The feed is not proper JSON.')\n",
      '',
    ],
  },
  'server/src/vulnerabilities/refresh.test.ts': {
    'a host that …: the reason is kept, what was known stays, and nothing secret is said': [
      'vulnerabilities/fetch-feed.ts',
      'The feed could not be fetched. ${error.message}`',
      'The feed could not be fetched from ${url}. ${error.message}`',
    ],
  },
  'server/src/security/hostile.test.ts': {
    '… ends the look in time, and makes no false finding': [
      'security/outside/visitor.ts',
      'maxBytes: usualBytes, cut: true, timeoutMs: patience.timeoutMs }',
      'maxBytes: usualBytes, cut: true, timeoutMs: 60 * patience.timeoutMs }',
    ],
    'a redirect to an address inside is not followed': [
      'security/outside/visitor.ts',
      '    if (page.silence) throw new NoAnswer(page.silence.message, { cause: page.silence })\n',
      '    if (page.next !== null) return visit(world.wire.fetch, page.next)\n',
    ],
    'looking again and again at what is large takes less than 64 MiB': [
      'security/outside/visitor.ts',
      'maxBytes: usualBytes, cut: true,',
      'maxBytes: 4096 * usualBytes, cut: true,',
    ],
    'poison in logins and file names arrives clean and short': [
      'connector/clean.ts',
      "spaced.replace(INVISIBLE, '').trim()",
      'spaced.trim()',
    ],
  },
  'server/src/tweaks/tweaks.test.ts': {
    'what hurts the site is taken back': ['tweaks/change.ts', '  if (worse !== null) return { wrong: worse, evidence }\n', ''],
    'what does not stop the attack is taken back and failed, with what was seen': [
      'tweaks/change.ts',
      '  if (sight.verified) return { wrong: null, evidence }\n',
      '  return { wrong: null, evidence }\n',
    ],
  },
}
