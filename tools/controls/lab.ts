import type { Proofs } from '../mutation/proof.ts'

/** What stands between a page in a lab run and the machine. */
export const lab: Proofs = {
  'e2e/browser/lab-hostile.test.ts': {
    'whatever it tries, nothing is reached but what everybody may reach': [
      'performance/lab-run.ts',
      "'--proxy-bypass-list=<-loopback>', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'",
      "'--proxy-bypass-list=127.0.0.1', '--host-resolver-rules=EXCLUDE 127.0.0.1'",
    ],
    'an endless page, and one that asks for ten thousand things, are cut off': [
      'platform/way-out.ts',
      'if (this.#bytes > this.#most.bytes)',
      'if (this.#bytes > Infinity)',
    ],
  },
  'server/src/platform/way-out.test.ts': {
    'who does not know the password of this sitting gets nothing and reaches nobody': [
      'platform/way-out.ts',
      '    return timingSafeEqual(',
      "    return given !== 'nobody' || timingSafeEqual(",
    ],
  },
}
