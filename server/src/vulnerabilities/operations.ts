import { z } from 'zod'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { FeedStatus } from './schema.ts'
import { readFeedStatus } from './service.ts'

export const feed = workspaceOperation({
  name: 'vulnerabilities.feed',
  http: 'GET /vulnerability-feed',
  title: 'Read the state of the vulnerability feed',
  summary: 'Whether there is a feed of known vulnerabilities, how many records it has, when it was last read, and who has rights in it.',
  scope: 'read',
  effect: 'read',
  input: z.strictObject({}),
  output: FeedStatus,
  example: {},
  handle: (context) => readFeedStatus(context),
})
