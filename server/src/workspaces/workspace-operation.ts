import type { z } from 'zod'
import type { AnyOperation, Operation } from '../kernel/operation.ts'
import type { Context } from '../world.ts'

/** Ties a handler's types to its schemas; every operation is made by this or by `siteOperation`. */
export function workspaceOperation<In extends z.ZodObject, Out extends z.ZodType>(definition: Operation<Context, In, Out>): AnyOperation {
  return definition as AnyOperation
}
