/**
 * Metrics and spans of sales. Their log lines have the ids of payment and product:
 * also the lines of the facilitator's and the chain's adapters, and those after the buyer has left.
 *
 * @module
 */
import { Cause, Effect, Exit, Metric, Option } from "effect"
import { secondsBuckets, timed } from "../core/timed.ts"
import { annotate, inSpan } from "../core/tracing.ts"
import type { FailedSale } from "./domain/failedSale.ts"
import type { Authorization, PaymentId } from "./domain/payment.ts"
import type { Outcome, Purchase, Work } from "./purchase.ts"
import { hungUp } from "./sale/responses.ts"

const outcomes = Metric.counter("payments_total", {
  description: "Paid calls, by product and outcome",
  incremental: true,
})
const saleSeconds = Metric.histogram("sale_seconds", {
  description: "Duration of a paid call, from the signature check to the answer",
  boundaries: secondsBuckets,
})
const computeSeconds = Metric.histogram("sale_compute_seconds", {
  description: "Duration of a product's computation in a sale",
  boundaries: secondsBuckets,
})

type Sell = (purchase: Purchase, work: Work) => Effect.Effect<Outcome, FailedSale>

/** Sells, and counts and times the sale. */
export const observed =
  (sell: Sell, idOf: (authorization: Authorization) => PaymentId): Sell => (purchase, work) => {
    const product = purchase.product.id
    const paymentId = idOf(purchase.payment.authorization)
    const compute = work.compute.pipe(
      timed((exit, seconds) => {
        const outcome = Exit.isSuccess(exit) ? "computed" : "failed"
        return Metric.update(
          Metric.withAttributes(computeSeconds, { product, outcome }),
          seconds,
        )
      }),
      inSpan("compute"),
    )
    return sell(counted(purchase), { ...work, compute }).pipe(
      timed((exit, seconds) => {
        const outcome = briefOutcome(exit)
        // Of a buyer who has left, the end is counted when it is known.
        return Effect.all([
          outcome === "hung_up" ? Effect.void : count(purchase, exit),
          Metric.update(Metric.withAttributes(saleSeconds, { product, outcome }), seconds),
          annotate({ outcome }),
        ], { discard: true })
      }),
      inSpan("sale", { "payment.id": paymentId, product }),
      Effect.annotateLogs({ paymentId, product }),
    )
  }

const counted = (purchase: Purchase): Purchase => ({
  ...purchase,
  onAbandoned: (end) => Effect.andThen(count(purchase, end), purchase.onAbandoned(end)),
})

const count = ({ product }: Purchase, end: Exit.Exit<Outcome, FailedSale>) =>
  Metric.update(
    Metric.withAttributes(outcomes, { product: product.id, outcome: outcomeName(end) }),
    1,
  )

function outcomeName(end: Exit.Exit<Outcome, FailedSale>): string {
  if (Exit.isSuccess(end)) {
    const { replayed, receipt } = end.value
    return replayed ? "replayed" : receipt !== null ? "charged" : "given_away"
  }
  // An interrupted fiber leaves its payment to the sweep.
  const error = Option.getOrUndefined(Exit.findErrorOption(end))
  if (error === undefined || error._tag === "Unresolved") return "unresolved"
  return error === hungUp ? "hung_up" : error.code
}

/** Few values: `payments_total` has the reasons. */
function briefOutcome(exit: Exit.Exit<Outcome, FailedSale>): string {
  if (Exit.isSuccess(exit)) {
    if (exit.value.replayed) return "replayed"
    return exit.value.receipt === null ? "not_charged" : "charged"
  }
  return Cause.hasInterruptsOnly(exit.cause) ? "hung_up" : "failed"
}
