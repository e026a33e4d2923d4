/**
 * The free path of the log of counted results. It is under the free rate limit, and no operation of
 * /openapi.json and no skill: it is read by `deno task verify`, and by who writes such a check.
 *
 * @module
 */
import { Schema } from "effect"
import { success } from "../../core/domain/fields.ts"
import { dailyHeadsMax } from "../../feed/domain/chain.ts"
import { BatchLink, CountedBatch, CountedHead } from "../../whales/domain/countedLog.ts"

export const countedRow = {
  path: "/.well-known/counted",
  parameters: [{
    name: "batch",
    type: "integer",
    minimum: 1,
    description: "Number of the batch; the newest one without it",
    example: 1,
  }],
  body: Schema.Struct({
    success,
    head: CountedHead,
    content: CountedBatch,
    /** From the newest batch to this one, as in the proof of an item. */
    path: Schema.Array(BatchLink),
    /** Only without a batch: the signed heads, newest first. */
    days: Schema.Array(
      Schema.Struct({ day: Schema.String, ...CountedHead.fields, jws: Schema.String }),
    ).check(Schema.isMaxLength(dailyHeadsMax)),
  }),
} as const
