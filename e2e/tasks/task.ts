// A task as a person gives it to an agent, what the agent does with the tools, and the answer that is right.
import assert from 'node:assert/strict'
import { tokensOfAnswer } from '../../server/src/projections/mcp-fit.ts'
import type { Agent, ToolResult } from '../../server/test/mcp-agent.ts'
import type { Calendar, Planted } from './place.ts'

export interface Task {
  task: string
  /** What is so when the person asks. */
  before?(planted: Planted): Promise<void>
  /** Nothing but the tools, what the person said, and what day it is. */
  work(tools: Tools, today: Calendar): Promise<unknown>
  /** A look at the sites themselves when the work is done, compared with the answer. */
  seen?(planted: Planted): Promise<object> | object
  /** From how the fleet was planted. */
  right(planted: Planted): unknown
}

/** Answers are looked into freely; what they give is compared. */
// biome-ignore lint/suspicious/noExplicitAny: what is not there makes the answer wrong, and that is what is tested.
type Answer = any

export interface Tools {
  /** The answer of a tool; an error of it fails the task. */
  call(name: string, given?: object): Promise<Answer>
  /** What a tool says that it did not do. */
  refused(name: string, given: object): Promise<Answer>
  /** The job when it has ended. */
  ended(jobId: string): Promise<Answer>
  /** The id of the one site that a person calls so: a change takes an id or a domain, and no name. */
  idOf(name: string): Promise<string>
}

export interface Spent {
  calls: number
  tokens: number
}

/** The tools of an agent, and what their use takes of its context. */
export function meteredTools(agent: Agent): { tools: Tools; spent: Spent } {
  const spent: Spent = { calls: 0, tokens: 0 }
  const call = async (name: string, given: object): Promise<ToolResult> => {
    const result = await agent.call(name, given)
    spent.calls++
    spent.tokens += tokensOfAnswer(result.structuredContent ?? result.content)
    return result
  }
  const tools: Tools = {
    async call(name, given = {}) {
      const { isError, structuredContent, content } = await call(name, given)
      assert.equal(isError, false, content[0]?.text)
      return structuredContent
    },
    async refused(name, given) {
      const { isError, content } = await call(name, given)
      assert.equal(isError, true, content[0]?.text)
      return JSON.parse(content[0]?.text ?? '{}')
    },
    async ended(jobId) {
      for (;;) {
        const job = await tools.call('get_job', { job_id: jobId, wait_seconds: 25 })
        if (['completed', 'failed', 'canceled'].includes(job.status)) return job
      }
    },
    async idOf(name) {
      const { sites } = await tools.call('list_sites', { q: name, fields: 'id,name' })
      assert.equal(sites.length, 1, `Several could be meant by ${name}.`)
      return sites[0].id
    },
  }
  return { tools, spent }
}
