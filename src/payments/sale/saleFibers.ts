/**
 * The fibers that payments run in: owned by the service, so that a buyer who hangs up ends their own
 * wait and nothing else.
 *
 * @module
 */
import { Cause, Deferred, Duration, Effect, Exit, Fiber, FiberSet, Option } from "effect"
import type { Address } from "../domain/payment.ts"
import type { NotCharged, RefundQueued, Unresolved } from "../domain/failedSale.ts"
import { type PaymentTerms, requirements, tokenOf } from "../domain/x402/terms.ts"
import { receiptOf, unresolved } from "./paymentRefusals.ts"
import type { Payment } from "../PaymentStore.ts"
import type { Delivery, Purchase, Sold } from "./sale.ts"
import type { CountEnd } from "./saleOutcomes.ts"
import type { Claimed, Task } from "./settlement.ts"

/** How a sale goes wrong. */
export type Failure = NotCharged | RefundQueued | Unresolved

/** One call for one payment. */
export interface Sale {
  readonly purchase: Purchase
  readonly task: Task
  readonly count: CountEnd
}

/** How long a closing service waits for its payments to end; leases cover what is left. */
const drain = Duration.seconds(60)

/** The fibers of one service; closing its scope waits for them. */
export const makeSaleFibers = Effect.fnUntraced(function* (terms: PaymentTerms) {
  const token = tokenOf(terms)
  const fibers = yield* FiberSet.make<unknown, Failure>()
  yield* Effect.addFinalizer(() =>
    Effect.ignore(Effect.timeout(FiberSet.awaitEmpty(fibers), drain))
  )
  /** Whole units of the settle-early sales whose claim the store does not show yet. */
  const reserved = new Map<Sale, bigint>()
  const unreserve = (sale: Sale) => Effect.sync(() => reserved.delete(sale))

  /** Reserves a sale's price, and tells what is reserved beside it: nobody comes between the two. */
  const reserve = (sale: Sale) =>
    Effect.sync(() => {
      reserved.delete(sale)
      const beside = reserved.values().reduce((sum, units) => sum + units, 0n)
      reserved.set(sale, sale.purchase.product.price)
      return beside
    })

  /** How many payments of each payer are worked on. */
  const inFlight = new Map<Address, number>()
  const leave = (payer: Address) => {
    const left = (inFlight.get(payer) ?? 1) - 1
    if (left === 0) inFlight.delete(payer)
    else inFlight.set(payer, left)
  }

  const inFiber = (
    sale: Sale,
    payer: Address,
    saga: (beside: number) => Effect.Effect<Sold, Failure>,
  ) => {
    const beside = inFlight.get(payer) ?? 0
    inFlight.set(payer, beside + 1)
    return FiberSet.run(
      fibers,
      Effect.onExit(
        Effect.interruptible(saga(beside)),
        (exit) =>
          Effect.suspend(() => {
            leave(payer)
            return sale.count(Exit.map(exit, ({ charged }) => ({ charged, replayed: false })))
          }),
      ),
    )
  }

  /**
   * Takes a row and runs it in a fiber of its own, then waits for its end; none when the row was not
   * to be had. Nothing interrupts between the taking and the fiber that answers for it.
   */
  const run = <E extends Failure>(
    take: Effect.Effect<Option.Option<Payment>, E>,
    saga: (claimed: Claimed) => Effect.Effect<Sold, Failure>,
    sale: Sale,
  ): Effect.Effect<Option.Option<Delivery>, Failure> =>
    Effect.uninterruptibleMask(Effect.fnUntraced(function* (restore) {
      const taken = yield* take
      if (Option.isNone(taken)) return Option.none()
      const row = taken.value
      const { product, payment: { authorization, signature } } = sale.purchase
      const request = {
        token,
        authorization,
        signature,
        requirements: requirements(product, terms),
      }
      const abandoned = yield* Deferred.make<void>()
      yield* unreserve(sale)
      const { task } = sale
      const fiber = yield* inFiber(
        sale,
        authorization.from,
        (beside) => saga({ row, request, task, beside, abandoned }),
      )
      const exit = yield* restore(Fiber.await(fiber)).pipe(
        Effect.onInterrupt(() => Deferred.succeed(abandoned, undefined)),
      )
      if (Exit.isSuccess(exit)) return Option.some(deliveryOf(row, exit.value, terms))
      // Cut short by a closing service, perhaps after the intent: nothing may be said of the money.
      if (Cause.hasInterruptsOnly(exit.cause) || Cause.hasDies(exit.cause)) return yield* unresolved
      return yield* Effect.failCause(exit.cause)
    }))

  return {
    run,
    /** Runs what nobody waits for. */
    background: (effect: Effect.Effect<void>) => Effect.asVoid(FiberSet.run(fibers, effect)),
    /** How many payments are worked on. */
    size: FiberSet.size(fibers),
    reserve,
    unreserve,
  }
})

function deliveryOf({ paymentId }: Payment, sold: Sold, { chainId }: PaymentTerms): Delivery {
  const receipt = sold.charged ? receiptOf(sold.payment, `eip155:${chainId}`) : null
  return { paymentId, body: sold.answer.body, receipt, replayed: false }
}
