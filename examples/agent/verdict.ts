/**
 * What the answer to a request with a payment means: for the money, and for what to do next.
 *
 * No verdict says "sign once more". Where the outcome is not known, and where the service says that
 * the payment was not used, the same payment is sent again: it can be taken at most once.
 *
 * @module
 */
import { Result, Schema } from "effect"
import type { Standing } from "./ledger.ts"
import { readRetryAfter } from "./pace.ts"

/** What of an answer decides. Null: none came. */
export interface Heard {
  readonly status: number
  readonly retryAfter: string | null
  /** Whether a PAYMENT-RESPONSE came with it. */
  readonly receipt: boolean
  /** The body, where it is JSON. */
  readonly body: unknown
}

export type Verdict =
  /** The answer is here. */
  | { readonly kind: "delivered"; readonly charged: boolean }
  /** Wait, then send the same payment again. */
  | { readonly kind: "again"; readonly waitMs: number; readonly why: string }
  /** There will be no answer for this payment; what became of it is `standing`. */
  | { readonly kind: "over"; readonly standing: Standing; readonly why: string }

const Failure = Schema.Struct({
  error: Schema.Struct({
    code: Schema.String,
    message: Schema.String,
    retryable: Schema.Boolean,
    charged: Schema.NullOr(Schema.Boolean),
    refund: Schema.optionalKey(Schema.Struct({ state: Schema.String })),
  }),
})
const readFailure = Schema.decodeUnknownResult(Failure)
const readChallenge = Schema.decodeUnknownResult(Schema.Struct({ error: Schema.String }))
const saysUncharged = Schema.is(Schema.Struct({ charged: Schema.Literal(false) }))

/** How long to wait where nobody says how long. */
const waitMs = 5_000

export function verdictOf(heard: Heard | null): Verdict {
  if (heard === null) return again(null, "the answer was lost")
  const { status, receipt, body, retryAfter } = heard
  if (status === 200) {
    return { kind: "delivered", charged: receipt || !saysUncharged(body) }
  }
  if (status === 402) {
    const said = readChallenge(body)
    return over("uncharged", Result.isSuccess(said) ? said.success.error : "not taken")
  }
  const failure = readFailure(body)
  if (Result.isFailure(failure)) {
    // Not the service's own words: whether it was reached, nobody knows.
    return status >= 500 || status === 429
      ? again(retryAfter, `status ${status}`)
      : over("signed", `an answer that is none, with status ${status}`)
  }
  const { code, message, retryable, charged, refund } = failure.success.error
  const why = `${code}: ${message}`
  if (refund !== undefined) {
    return over(refund.state === "confirmed" ? "refunded" : "refundQueued", why)
  }
  if (charged === null) return again(retryAfter, why)
  if (charged) return over("charged", why)
  return retryable ? again(retryAfter, why) : over("uncharged", why)
}

function again(retryAfter: string | null, why: string): Verdict {
  return { kind: "again", waitMs: readRetryAfter(retryAfter) ?? waitMs, why }
}

function over(standing: Standing, why: string): Verdict {
  return { kind: "over", standing, why }
}
