import { type Agent, request } from 'node:http'

/** One request whose answer is read to its end; much lighter than fetch, so that the client is not what is measured. */
export function ask(
  agent: Agent,
  url: string,
  headers: Record<string, string>,
  body?: string,
): Promise<{ status: number; text(): string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: () => Buffer.concat(chunks).toString() }))
      answer.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
