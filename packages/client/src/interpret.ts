/**
 * What an answer to a request with a payment means for the money.
 *
 * @module
 */
import { type HttpAnswer, retryAfterMs } from "./http.ts"
import { fieldsOf, quoted } from "./text.ts"

/** The wait before a payment is sent again when the answer has no Retry-After. */
const resendMs = 5_000

/** None of these leads to a second signature by itself. */
export type PaidAnswer =
  | { readonly kind: "delivered"; readonly answer: HttpAnswer; readonly charged: boolean }
  /** Wait, then send the same payment again. `charged` is what the answer says, null if nothing. */
  | { readonly kind: "retry"; readonly charged: false | null; readonly waitMs: number }
    & Reason
  /** There is no answer for this payment, and sending it again does not help. */
  | { readonly kind: "ended"; readonly outcome: Ended } & Reason

/** `refused`: a 402. `unused`: the service says `charged: false`. `unknown`: not its error format. */
export type Ended = "charged" | "refundQueued" | "refunded" | "refused" | "unused" | "unknown"

interface Reason {
  readonly code: string
  readonly reason: string
}

export function interpretAnswer(answer: HttpAnswer | null): PaidAnswer {
  const retry = (charged: false | null, code: string, reason: string): PaidAnswer => ({
    ...{ kind: "retry", charged, code, reason },
    waitMs: retryAfterMs(answer) ?? resendMs,
  })
  const ended = (outcome: Ended, code: string, reason: string): PaidAnswer => ({
    ...{ kind: "ended", outcome, code, reason },
  })
  if (answer === null) return retry(null, "no_answer", "there was no answer")
  const { status, headers, body } = answer
  if (status === 200) {
    const { charged } = fieldsOf(body)
    const hasReceipt = headers.has("payment-response")
    if (!hasReceipt && typeof charged !== "boolean") {
      // The page of a proxy or of a login; every answer of the service has the one or the other.
      return ended("unknown", "unknown_answer", "the answer had status 200 and no receipt")
    }
    return { kind: "delivered", answer, charged: hasReceipt || charged !== false }
  }
  if (status === 402) {
    const { error } = fieldsOf(body)
    const reason = typeof error === "string" ? quoted(error, 200) : "no reason"
    return ended("refused", "payment_refused", `the service did not accept the payment: ${reason}`)
  }
  const error = fieldsOf(fieldsOf(body)["error"])
  const { code, message, hint, retryable, charged } = error
  if (
    typeof code !== "string" || typeof message !== "string" || typeof retryable !== "boolean" ||
    (charged !== null && typeof charged !== "boolean")
  ) {
    // This is not the service's error format, so it is not known whether the request reached it.
    const reason = `the answer had status ${status}`
    return status >= 500 || status === 429
      ? retry(null, "no_answer", reason)
      : ended("unknown", "unknown_answer", reason)
  }
  const name = /^[a-z_]{1,40}$/.test(code) ? code : "unknown_code"
  const reason = `the service answered ${name}: ${quoted(message, 300)}${
    typeof hint === "string" ? `, with the hint ${quoted(hint, 300)}` : ""
  }`
  const refund = fieldsOf(error["refund"])["state"]
  if (typeof refund === "string") {
    const isPaid = refund === "confirmed" || refund === "settled_by_hand"
    return ended(isPaid ? "refunded" : "refundQueued", name, reason)
  }
  if (charged === true) return ended("charged", name, reason)
  if (charged === null || retryable) return retry(charged, name, reason)
  return ended("unused", name, reason)
}
