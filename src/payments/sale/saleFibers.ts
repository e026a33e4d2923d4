/**
 * The fibers of sales. The service owns them: when a buyer hangs up, the fiber continues, and
 * either leaves the payment unused or completes the sale. Every sale is counted once, by its
 * outcome, even when the buyer has left.
 *
 * Three numbers are limited: the payments of one payer, the unverified payments of one client, and
 * the verified payments that are sold at the same time. One process sells a payment only once at a
 * time.
 *
 * @module
 */
import { Cause, Deferred, Duration, Effect, Exit, Fiber, FiberSet, Metric, Option } from "effect"
import type { FailedSale } from "../domain/failedSale.ts"
import { makePlaces, makePlacesByKey, publishDepth } from "../../core/places.ts"
import type { Address, PaymentId } from "../domain/payment.ts"
import { type PaymentTerms, requirements, tokenOf } from "../domain/x402/terms.ts"
import { hungUp, overloaded, payerOverloaded, tooManyUnverified, unresolved } from "./responses.ts"
import { etagOf, type Outcome, type Purchase, type Work } from "../purchase.ts"
import type { RunningSale, SaleResult } from "./sale.ts"
import type { Receipts } from "./receipts.ts"

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

const outcomes = Metric.counter("payments_total", {
  description: "Paid calls, by product and outcome",
  incremental: true,
})

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
  const error = errorOf(exit)
  if (error === undefined || error._tag === "Unresolved") return "unresolved"
  return error === hungUp ? "hung_up" : error.code
}

const errorOf = (exit: Exit.Exit<unknown, FailedSale>) =>
  Option.getOrUndefined(Exit.findErrorOption(exit))

/** Counts the result of a sale's fiber, unless another call sells the payment. */
function countResult(sale: Sale, exit: Exit.Exit<Option.Option<SaleResult>, FailedSale>) {
  if (Exit.isFailure(exit)) return sale.count(Exit.failCause(exit.cause))
  return Option.match(exit.value, {
    onNone: () => Effect.void,
    onSome: ({ charged }) => sale.count(Exit.succeed({ charged, replayed: false })),
  })
}

/** Counts a sale that ended without a fiber. A sale with a fiber was counted when that ended. */
export const countEnd = (sale: Sale, result: Effect.Effect<Outcome, FailedSale>) =>
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
/**
 * Maximum number of payments of one payer in progress. Without this limit a payer whose balance
 * pays for one call could have many computed, and could use up what the treasury covers.
 */
const payerInFlightMax = 8
/**
 * How many payments of one client are verified at the same time, how many more wait for that, and
 * for how long. An IPv6 site (/48) has `siteFactor` times as many.
 */
const unverifiedPerClient = { places: 16, waiting: 64, waitMax: Duration.seconds(5) }
const siteFactor = 4
/** How many verified payments wait for a place among the sales, and for how long. */
const saleQueue = { waiting: 512, waitMax: Duration.seconds(5) }

/** A sale that runs in this process. */
interface SaleInProgress {
  readonly purchase: Purchase
  /** Completes when its fiber has ended. */
  readonly ended: Effect.Effect<void>
}

/** The steps of a sale that its seller decides. */
type SaleSteps = Pick<RunningSale, "claim" | "checkCovered">

export interface SaleFibers {
  /** The sale of a payment that runs in this process; undefined when there is none. */
  readonly inProgress: (paymentId: PaymentId) => SaleInProgress | undefined
  /**
   * Runs `sell` in its own fiber, and waits for the result. None when this payment is already sold
   * in this process, or when `sell` returns none.
   */
  readonly run: (
    paymentId: PaymentId,
    sale: Sale,
    steps: SaleSteps,
    sell: (running: RunningSale) => Effect.Effect<Option.Option<SaleResult>, FailedSale>,
  ) => Effect.Effect<Option.Option<Outcome>, FailedSale>
  /** Runs an effect that no caller waits for. */
  readonly background: (effect: Effect.Effect<void>) => Effect.Effect<void>
}

/**
 * The fibers of one service, which sells at most `salesMax` verified payments at the same time.
 * Closing the scope waits for them.
 */
export const makeSaleFibers = Effect.fnUntraced(function* (
  terms: PaymentTerms,
  receipts: Receipts,
  salesMax: number,
) {
  const token = tokenOf(terms)
  const fibers = yield* FiberSet.make<unknown, FailedSale>()
  yield* Effect.addFinalizer(() =>
    Effect.ignore(Effect.timeout(FiberSet.awaitEmpty(fibers), drainTimeout))
  )
  const payers = payersInFlight()
  const inProgress = new Map<PaymentId, SaleInProgress>()
  const whileUnverified = makeUnverifiedPlaces()
  const sales = makePlaces({ places: salesMax, ...saleQueue })
  yield* publishDepth("sales", sales)

  const start = (
    paymentId: PaymentId,
    sale: Sale,
    sell: Effect.Effect<Option.Option<SaleResult>, FailedSale>,
  ) =>
    Effect.suspend(() => {
      const { purchase } = sale
      const payer = purchase.payment.authorization.from
      payers.enter(payer)
      const ended = Deferred.makeUnsafe<void>()
      inProgress.set(paymentId, { purchase, ended: Deferred.await(ended) })
      return FiberSet.run(
        fibers,
        Effect.onExit(Effect.interruptible(sell), (exit) =>
          Effect.suspend(() => {
            payers.leave(payer)
            inProgress.delete(paymentId)
            Deferred.doneUnsafe(ended, Effect.void)
            return Effect.andThen(
              countResult(sale, exit),
              errorOf(exit) === hungUp ? purchase.onUnused : Effect.void,
            )
          })),
      )
    })

  const run: SaleFibers["run"] = (paymentId, sale, steps, sell) =>
    Effect.uninterruptibleMask(Effect.fnUntraced(function* (restore) {
      if (inProgress.has(paymentId)) return Option.none()
      const { purchase, work } = sale
      const { product, client, payment: { authorization, signature } } = purchase
      if (payers.count(authorization.from) >= payerInFlightMax) return yield* payerOverloaded
      const abandoned = Deferred.makeUnsafe<void>()
      const running: RunningSale = {
        request: { token, authorization, signature, requirements: requirements(product, terms) },
        work,
        whileUnverified: whileUnverified(client),
        inSalePlace: sales.run(overloaded),
        ...steps,
        abandoned,
      }
      const fiber = yield* start(paymentId, sale, sell(running))
      const exit = yield* restore(Fiber.await(fiber)).pipe(
        Effect.onInterrupt(() => Deferred.succeed(abandoned, undefined)),
      )
      return yield* outcomeOf(paymentId, purchase, exit, receipts)
    }))

  const saleFibers: SaleFibers = {
    inProgress: (paymentId) => inProgress.get(paymentId),
    run,
    background: (effect) => Effect.asVoid(FiberSet.run(fibers, effect)),
  }
  return saleFibers
})

/**
 * The payments that are not verified yet, limited by client: an address with many invalid payments
 * must not occupy all places of the facilitator.
 */
function makeUnverifiedPlaces() {
  const ofClient = makePlacesByKey(unverifiedPerClient)
  const ofSite = makePlacesByKey({
    ...unverifiedPerClient,
    places: unverifiedPerClient.places * siteFactor,
    waiting: unverifiedPerClient.waiting * siteFactor,
  })
  return ({ client, site }: Purchase["client"]): RunningSale["whileUnverified"] => (steps) => {
    const inSitePlace = site === null ? steps : ofSite.run(site)(tooManyUnverified)(steps)
    return ofClient.run(client)(tooManyUnverified)(inSitePlace)
  }
}

/** Counts the payments in progress of each payer. */
function payersInFlight() {
  const inFlight = new Map<Address, number>()
  const count = (payer: Address) => inFlight.get(payer) ?? 0
  return {
    count,
    enter: (payer: Address) => {
      inFlight.set(payer, count(payer) + 1)
    },
    leave: (payer: Address) => {
      const left = count(payer) - 1
      if (left <= 0) inFlight.delete(payer)
      else inFlight.set(payer, left)
    },
  }
}

/**
 * The outcome of a sale whose fiber has ended. An interrupted fiber, in a closing service, and one
 * that died leave the outcome of the payment unknown.
 */
function outcomeOf(
  paymentId: PaymentId,
  { request, payment, product, hasTag = () => false }: Purchase,
  exit: Exit.Exit<Option.Option<SaleResult>, FailedSale>,
  receipts: Receipts,
): Effect.Effect<Option.Option<Outcome>, FailedSale> {
  if (Exit.isFailure(exit)) {
    const { cause } = exit
    return Cause.hasInterruptsOnly(cause) || Cause.hasDies(cause)
      ? unresolved
      : Effect.failCause(cause)
  }
  return Effect.succeed(Option.map(exit.value, ({ answer: { body }, ...result }): Outcome => {
    const etag = etagOf(payment.authorization.from, request, body)
    return {
      paymentId,
      body,
      receipt: result.charged ? receipts.ofSale(result.payment, body) : null,
      replayed: false,
      etag,
      unchanged: !result.charged && product.settlementOrder === "compute-first" && hasTag(etag),
    }
  }))
}
