/**
 * Payments whose sales are timed, and whose log lines have the ids of payment and product: also the
 * lines of the facilitator's and the chain's adapters, and those after the buyer has left.
 *
 * @module
 */
import { Cause, Effect, Exit, Layer, Metric } from "effect"
import type { FailedSale } from "./domain/failedSale.ts"
import { annotate, inSpan } from "../core/tracing.ts"
import { Payments } from "./Payments.ts"
import type { Outcome } from "./purchase.ts"
import { secondsBuckets, timed } from "../core/timed.ts"

const saleSeconds = Metric.histogram("sale_seconds", {
  description: "Duration of a paid call, from the signature check to the answer",
  boundaries: secondsBuckets,
})
const computeSeconds = Metric.histogram("sale_compute_seconds", {
  description: "Duration of a product's computation in a sale",
  boundaries: secondsBuckets,
})

export const layer: Layer.Layer<Payments, never, Payments> = Layer.effect(
  Payments,
  Effect.map(Payments, (payments) =>
    Payments.of({
      ...payments,
      sell: (purchase, work) => {
        const product = purchase.product.id
        const paymentId = payments.idOf(purchase.payment.authorization)
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
        return payments.sell(purchase, { ...work, compute }).pipe(
          timed((exit, seconds) => {
            const outcome = outcomeOf(exit)
            return Effect.andThen(
              Metric.update(Metric.withAttributes(saleSeconds, { product, outcome }), seconds),
              annotate({ outcome }),
            )
          }),
          inSpan("sale", { "payment.id": paymentId, product }),
          Effect.annotateLogs({ paymentId, product }),
        )
      },
    })),
)

/** Few values: `payments_total` has the reasons. */
function outcomeOf(exit: Exit.Exit<Outcome, FailedSale>): string {
  if (Exit.isSuccess(exit)) {
    if (exit.value.replayed) return "replayed"
    return exit.value.receipt === null ? "not_charged" : "charged"
  }
  return Cause.hasInterruptsOnly(exit.cause) ? "hung_up" : "failed"
}
