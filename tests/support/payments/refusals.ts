/**
 * What the database says when it refuses a statement.
 *
 * @module
 */
import { Cause, Effect, Exit } from "effect"

/** The text of a refusal; `accepted` when there was none. */
export const refusalOf = <R>(statement: Effect.Effect<unknown, unknown, R>) =>
  Effect.map(
    Effect.exit(statement),
    (exit) => Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "accepted",
  )
