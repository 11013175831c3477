import type { Proofs } from '../mutation/proof.ts'

/** What is installed, by us and by others. */
export const supply: Proofs = {
  'server/architecture.test.ts': {
    'every dependency is pinned and none wants an install script': ['.npmrc', 'ignore-scripts=true', 'ignore-scripts=false'],
  },
  'server/src/platform/zip.test.ts': {
    'the connector is packed below one folder, the same twice': [
      'platform/zip.ts',
      'halves(VERSION, UTF8_NAMES, DEFLATED, 0, DATE)',
      'halves(VERSION, UTF8_NAMES, DEFLATED, Math.round(performance.now()) & 0xffff, DATE)',
    ],
  },
  'tools/documents.test.ts': {
    'no line tells to fetch a package of ours from a registry, where nobody holds its name': [
      'README.md',
      '--global ./service-cli-0.1.0.tgz',
      '--global service-cli',
    ],
  },
}
