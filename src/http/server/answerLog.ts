/**
 * One log line for each answer that failed and may concern money: every 5xx, and every 4xx of a
 * request that carried a payment. Unpaid 402s, limits and unknown paths are only counted.
 *
 * A line has no header, key or signature. An attacker can cause any number of failed answers, so
 * the lines of a second are limited; those left out are counted.
 *
 * @module
 */
import { Duration, Effect, Metric } from "effect"
import type { RefusalCode } from "../../catalog/domain/refusal.ts"
import type { PaymentId } from "../../payments/domain/payment.ts"

/** Lines per second and process. */
const linesPerSecondMax = 20
/** Longest reason, in characters. A part of it may come from a facilitator. */
const reasonLengthMax = 200
const second = Duration.seconds(1)

export interface FailedAnswer {
  readonly requestId: string
  /** Null when the request carried no readable payment. */
  readonly paymentId: PaymentId | null
  readonly product: string | null
  readonly status: number
  readonly code: RefusalCode
  readonly reason: string
  readonly durationMs: number
}

/** Logs a failed answer, or counts it. Does not wait. */
export type AnswerLog = (answer: FailedAnswer) => void

const leftOutTotal = Metric.counter("answer_lines_left_out_total", {
  description: "Failed answers without a log line, because a second had too many",
  incremental: true,
})

/** The log of one process. A count of what was left out is logged while the scope lives. */
export const makeAnswerLog = Effect.gen(function* () {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  let failed = 0
  const nextSecond = Effect.suspend(() => {
    const leftOut = failed - linesPerSecondMax
    failed = 0
    return leftOut <= 0 ? Effect.void : Effect.andThen(
      Metric.update(leftOutTotal, leftOut),
      Effect.logWarning(`${leftOut} failed answers have no log line: there were too many`),
    )
  })
  yield* Effect.forkScoped(Effect.forever(Effect.delay(nextSecond, second)))
  const log: AnswerLog = (answer) => {
    failed += 1
    if (failed <= linesPerSecondMax) fork(lineOf(answer))
  }
  return log
})

const lineOf = ({ status, code, reason, ...ids }: FailedAnswer) => {
  const line = status >= 500 ? Effect.logWarning : Effect.logInfo
  return line(`Answered ${status} ${code}`).pipe(
    Effect.annotateLogs({ status, code, reason: withoutSecrets(reason), ...ids }),
  )
}

/** Longer than an id or a transaction: a signature, a key, or a whole payment header. */
const secretPattern = /[A-Za-z0-9+/_-]{80,}={0,2}/g

/** A reason without what may be a signature, and not too long. */
function withoutSecrets(reason: string): string {
  return reason.replaceAll(secretPattern, "[removed]").slice(0, reasonLengthMax)
}

/** Whether a failed answer gets a line. */
export function isLogged(status: number, carriesPayment: boolean): boolean {
  return status >= 500 || (carriesPayment && status >= 400)
}
