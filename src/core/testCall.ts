/**
 * What a developer who writes a buyer asks a service with simulated payments to do wrong. Only a
 * Layer of the simulation reads it.
 *
 * @module
 */
import { Context, Effect } from "effect"

/** The header of a request that names a trigger. */
export const testHeader = "Bellwether-Test"

/** A trigger, as the documents describe it. */
export interface TestTrigger {
  /** The value of the header; with `test-` before it, the reserved market. */
  readonly name: string
  /** What happens to the first call with a payment. */
  readonly happens: string
  /** What a correct buyer sees at the end. */
  readonly end: string
}

/** The name of the market that stands for a trigger. */
export const testSlugOf = ({ name }: Pick<TestTrigger, "name">) => `test-${name}`

/** The trigger of the current request, and how to close its connection without an answer. */
export const TestCall = Context.Reference<{
  readonly trigger: string | null
  readonly close: Effect.Effect<void>
}>("bellwether/core/TestCall", { defaultValue: () => ({ trigger: null, close: Effect.void }) })
