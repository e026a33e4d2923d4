/**
 * The fibers of sales. The service owns them: when a buyer hangs up, the fiber continues, and
 * either releases the payment or completes the sale. Every sale is counted once, by its outcome,
 * even when the buyer has left.
 *
 * @module
 */
import { Cause, Deferred, Duration, Effect, Exit, Fiber, FiberSet, Metric, Option } from "effect"
import type { FailedSale } from "../domain/failedSale.ts"
import type { Address, Payment } from "../domain/payment.ts"
import { type PaymentTerms, requirements, tokenOf } from "../domain/x402/terms.ts"
import { type Delivery, hungUp, receiptOf, unresolved } from "./responses.ts"
import type { ClaimedPurchase, Purchase, SaleResult, Work } from "./sale.ts"

/** One request that is being sold, with its counter. */
export interface Sale {
  readonly purchase: Purchase
  readonly work: Work
  /**
   * Counts the outcome. Both the fiber that sells and the one that waits may call it; only the
   * first call counts.
   */
  readonly count: (exit: Exit.Exit<CountedSale, FailedSale>) => Effect.Effect<void>
}

/** The outcome of a successful sale, as it is counted. */
interface CountedSale {
  readonly charged: boolean
  readonly replayed: boolean
}

const outcomes = Metric.counter("payments_total", { incremental: true })

/** Makes a sale that is counted once. */
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
  // An interrupted fiber leaves its payment to the sweep.
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (error === undefined || error._tag === "Unresolved") return "unresolved"
  return error === hungUp ? "hung_up" : error.code
}

/** Counts a sale that ended without a fiber. A sale with a fiber was counted when that ended. */
export const countEnd = (sale: Sale, result: Effect.Effect<Delivery, FailedSale>) =>
  result.pipe(
    Effect.tap(({ receipt, replayed }) =>
      sale.count(Exit.succeed({ charged: receipt !== null, replayed }))
    ),
    Effect.tapError((error) => sale.count(Exit.fail(error))),
  )

/**
 * How long a closing service waits for running sales. The sweep continues the others when their
 * leases expire.
 */
const drainTimeout = Duration.seconds(60)

export interface SaleFibers {
  /**
   * Claims a row, runs `sell` on it in its own fiber, and waits for the result. None when `claim`
   * returns none. No interruption can come between the claim and the start of the fiber.
   */
  readonly run: <E extends FailedSale>(
    claim: Effect.Effect<Option.Option<Payment>, E>,
    sell: (claimed: ClaimedPurchase) => Effect.Effect<SaleResult, FailedSale>,
    sale: Sale,
  ) => Effect.Effect<Option.Option<Delivery>, FailedSale>
  /** Runs an effect that no caller waits for. */
  readonly background: (effect: Effect.Effect<void>) => Effect.Effect<void>
  /** How many payments are in progress. */
  readonly size: Effect.Effect<number>
}

/** The fibers of one service. Closing the scope waits for them. */
export const makeSaleFibers = Effect.fnUntraced(function* (terms: PaymentTerms) {
  const token = tokenOf(terms)
  const fibers = yield* FiberSet.make<unknown, FailedSale>()
  yield* Effect.addFinalizer(() =>
    Effect.ignore(Effect.timeout(FiberSet.awaitEmpty(fibers), drainTimeout))
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

  const run: SaleFibers["run"] = (claim, sell, sale) =>
    Effect.uninterruptibleMask(Effect.fnUntraced(function* (restore) {
      const claimed = yield* claim
      if (Option.isNone(claimed)) return Option.none()
      const row = claimed.value
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
      // Interrupted by a closing service, perhaps after the intent: the outcome of the payment is
      // unknown.
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

/** Counts the payments in progress of each payer. */
function payersInFlight() {
  const inFlight = new Map<Address, number>()
  return {
    /** Adds one, and returns how many others there are. */
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

function deliveryOf(
  { paymentId }: Payment,
  result: SaleResult,
  { chainId }: PaymentTerms,
): Delivery {
  const receipt = result.charged ? receiptOf(result.payment, `eip155:${chainId}`) : null
  return { paymentId, body: result.answer.body, receipt, replayed: false }
}
