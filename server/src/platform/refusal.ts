/** A reason not to start, written for the operator: the whole message is one line, and no stack trace is needed to understand it. */
export class Refusal extends Error {
  override name = 'Refusal'
}
