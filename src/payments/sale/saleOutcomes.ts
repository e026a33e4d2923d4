/**
 * The count of sales by how each ended: every sale once, also when its buyer is not there any more.
 *
 * @module
 */
import { Cause, Effect, Exit, Metric, Option } from "effect"
import type { Product } from "../../catalog/domain/product.ts"
import type { NotCharged, RefundQueued, Unresolved } from "../domain/failedSale.ts"
import { hungUp } from "./paymentRefusals.ts"

const outcomes = Metric.counter("payments_total", { incremental: true })

/** What is known of a sale that ended well. */
interface Ending {
  readonly charged: boolean
  readonly replayed: boolean
}

export type CountEnd = (
  exit: Exit.Exit<Ending, NotCharged | RefundQueued | Unresolved>,
) => Effect.Effect<void>

/**
 * Counts how one sale of a product ended. Both the fiber that works on the payment and the one that
 * waits for it may tell; who tells first is believed.
 */
export function countOnce({ id: product }: Product): CountEnd {
  let counted = false
  return (exit) =>
    Effect.suspend(() => {
      if (counted) return Effect.void
      counted = true
      return Metric.update(Metric.withAttributes(outcomes, { product, outcome: named(exit) }), 1)
    })
}

function named(exit: Parameters<CountEnd>[0]): string {
  if (Exit.isSuccess(exit)) {
    const { charged, replayed } = exit.value
    return replayed ? "replayed" : charged ? "charged" : "given_away"
  }
  // A fiber that was cut short leaves its payment to the sweep.
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (error === undefined || error._tag === "Unresolved") return "unresolved"
  return error === hungUp ? "hung_up" : error.code
}
