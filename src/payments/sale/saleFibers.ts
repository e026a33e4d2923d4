/**
 * The fibers that sales run in: owned by the service, so that a buyer who hangs up ends their own wait
 * and nothing else. Every sale is counted once by how it ended, also when its buyer has left.
 *
 * @module
 */
import { Cause, Deferred, Duration, Effect, Exit, Fiber, FiberSet, Metric, Option } from "effect"
import type { FailedSale } from "../domain/failedSale.ts"
import type { Address, Payment } from "../domain/payment.ts"
import { type PaymentTerms, requirements, tokenOf } from "../domain/x402/terms.ts"
import { type Delivery, hungUp, receiptOf, unresolved } from "./responses.ts"
import type { ClaimedPurchase, Purchase, SaleResult, Work } from "./sale.ts"

/** One call for one payment. */
export interface Sale {
  readonly purchase: Purchase
  readonly work: Work
  /** Counts how it ended. Both the fiber that sells and the one that waits may: the first counts. */
  readonly count: (exit: Exit.Exit<CountedSale, FailedSale>) => Effect.Effect<void>
}

/** What is known of a sale that ended well. */
interface CountedSale {
  readonly charged: boolean
  readonly replayed: boolean
}

const outcomes = Metric.counter("payments_total", { incremental: true })

/** One call, to be counted once. */
export function saleOf(purchase: Purchase, work: Work): Sale {
  const product = purchase.product.id
  let counted = false
  const count: Sale["count"] = (exit) =>
    Effect.suspend(() => {
      if (counted) return Effect.void
      counted = true
      return Metric.update(
        Metric.withAttributes(outcomes, { product, outcome: outcomeName(exit) }),
        1,
      )
    })
  return { purchase, work, count }
}

function outcomeName(exit: Exit.Exit<CountedSale, FailedSale>): string {
  if (Exit.isSuccess(exit)) {
    const { charged, replayed } = exit.value
    return replayed ? "replayed" : charged ? "charged" : "given_away"
  }
  // A fiber that was cut short leaves its payment to the sweep.
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (error === undefined || error._tag === "Unresolved") return "unresolved"
  return error === hungUp ? "hung_up" : error.code
}

/** Counts a sale that ended without a fiber of its own; the others have counted themselves. */
export const countEnd = (sale: Sale, sold: Effect.Effect<Delivery, FailedSale>) =>
  sold.pipe(
    Effect.tap(({ receipt, replayed }) =>
      sale.count(Exit.succeed({ charged: receipt !== null, replayed }))
    ),
    Effect.tapError((error) => sale.count(Exit.fail(error))),
  )

/** How long a closing service waits for its payments to end; leases cover what is left. */
const drain = Duration.seconds(60)

export interface SaleFibers {
  /**
   * Takes a row and runs `sell` on it in a fiber of its own, then waits for its end; none when the row
   * was not available. Nothing interrupts between the taking and the fiber that answers for it.
   */
  readonly run: <E extends FailedSale>(
    take: Effect.Effect<Option.Option<Payment>, E>,
    sell: (claimed: ClaimedPurchase) => Effect.Effect<SaleResult, FailedSale>,
    sale: Sale,
  ) => Effect.Effect<Option.Option<Delivery>, FailedSale>
  /** Runs what no caller waits for. */
  readonly background: (effect: Effect.Effect<void>) => Effect.Effect<void>
  /** How many payments are worked on. */
  readonly size: Effect.Effect<number>
}

/** The fibers of one service; closing its scope waits for them. */
export const makeSaleFibers = Effect.fnUntraced(function* (terms: PaymentTerms) {
  const token = tokenOf(terms)
  const fibers = yield* FiberSet.make<unknown, FailedSale>()
  yield* Effect.addFinalizer(() =>
    Effect.ignore(Effect.timeout(FiberSet.awaitEmpty(fibers), drain))
  )
  const payers = payersInFlight()

  const inFiber = (
    sale: Sale,
    payer: Address,
    sell: (others: number) => Effect.Effect<SaleResult, FailedSale>,
  ) =>
    FiberSet.run(
      fibers,
      Effect.onExit(
        Effect.interruptible(sell(payers.enter(payer))),
        (exit) =>
          Effect.suspend(() => {
            payers.leave(payer)
            return sale.count(Exit.map(exit, ({ charged }) => ({ charged, replayed: false })))
          }),
      ),
    )

  const run: SaleFibers["run"] = (take, sell, sale) =>
    Effect.uninterruptibleMask(Effect.fnUntraced(function* (restore) {
      const taken = yield* take
      if (Option.isNone(taken)) return Option.none()
      const row = taken.value
      const { purchase: { product, payment: { authorization, signature } }, work } = sale
      const request = {
        token,
        authorization,
        signature,
        requirements: requirements(product, terms),
      }
      const abandoned = yield* Deferred.make<void>()
      const fiber = yield* inFiber(
        sale,
        authorization.from,
        (payerInFlight) => sell({ row, request, work, payerInFlight, abandoned }),
      )
      const exit = yield* restore(Fiber.await(fiber)).pipe(
        Effect.onInterrupt(() => Deferred.succeed(abandoned, undefined)),
      )
      if (Exit.isSuccess(exit)) return Option.some(deliveryOf(row, exit.value, terms))
      // Cut short by a closing service, perhaps after the intent: nothing may be said of the money.
      if (Cause.hasInterruptsOnly(exit.cause) || Cause.hasDies(exit.cause)) return yield* unresolved
      return yield* Effect.failCause(exit.cause)
    }))

  const saleFibers: SaleFibers = {
    run,
    background: (effect) => Effect.asVoid(FiberSet.run(fibers, effect)),
    size: FiberSet.size(fibers),
  }
  return saleFibers
})

/** How many payments of each payer are worked on. */
function payersInFlight() {
  const inFlight = new Map<Address, number>()
  return {
    /** Counts one more of a payer, and gives how many others there are. */
    enter: (payer: Address) => {
      const others = inFlight.get(payer) ?? 0
      inFlight.set(payer, others + 1)
      return others
    },
    leave: (payer: Address) => {
      const left = (inFlight.get(payer) ?? 1) - 1
      if (left === 0) inFlight.delete(payer)
      else inFlight.set(payer, left)
    },
  }
}

function deliveryOf({ paymentId }: Payment, sold: SaleResult, { chainId }: PaymentTerms): Delivery {
  const receipt = sold.charged ? receiptOf(sold.payment, `eip155:${chainId}`) : null
  return { paymentId, body: sold.answer.body, receipt, replayed: false }
}
