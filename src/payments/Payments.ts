/**
 * Selling one answer for one payment: who may claim it, in which order it is settled and computed,
 * and what is told to whoever sends it again.
 *
 * @module
 */
import { Context, Duration, Effect, Exit, Layer, Option, Schedule } from "effect"
import {
  address,
  type Authorization,
  type Bytes32,
  type PaymentId,
  type PaymentTicket,
  sentAgain,
} from "./domain/payment.ts"
import type { NotCharged, RefundQueued, Unresolved } from "../core/domain/refusal.ts"
import { type PaymentTerms, tokenOf } from "./domain/x402/terms.ts"
import { Chain, type ChainUnavailable } from "./Chain.ts"
import { scan } from "./chainScan.ts"
import { sellComputeFirst } from "./sale/computeFirst.ts"
import { Facilitator } from "./Facilitator.ts"
import { HandOvers } from "./HandOvers.ts"
import { type Payment, PaymentStore } from "./PaymentStore.ts"
import { promptStore } from "./promptStore.ts"
import { recall, type Recalled } from "./sale/recall.ts"
import { needsChain, reconcile, sweep } from "./reconcile.ts"
import {
  conflict,
  forged,
  inProgress,
  late,
  overloaded,
  told,
  unavailable,
  unresolved,
} from "./sale/paymentRefusals.ts"
import type { Delivery, Purchase } from "./sale/sale.ts"
import { type Failure, makeSaleFibers, type Sale } from "./sale/saleFibers.ts"
import { countOnce } from "./sale/saleOutcomes.ts"
import { deliver, sellSettleEarly, takeUp } from "./sale/settleEarly.ts"
import type { Claimed, Task } from "./sale/settlement.ts"
import { Signatures } from "./Signatures.ts"
import { makeSolvency } from "./sale/solvency.ts"
import { defaultTiming, type PaymentTiming } from "./timing.ts"

export class Payments extends Context.Service<Payments, {
  /**
   * Sells the answer of `task` for this payment, in the order of its product. The payment runs in a
   * fiber of this service: the caller's interruption releases it before the intent to settle, and
   * never stops it after. `NotCharged` with code `payment_required` means: show the challenge, with
   * its message. `RefundQueued` leaves settle-early sales alone.
   */
  readonly sell: (
    purchase: Purchase,
    task: Task,
  ) => Effect.Effect<Delivery, NotCharged | RefundQueued | Unresolved>
  /** The id of the payment that is made by an authorization: pure. */
  readonly idOf: (authorization: Authorization) => PaymentId
  /**
   * The stored answer again, for the secret it was bought with and without the payment; else what
   * became of it. Nothing is claimed or charged.
   */
  readonly recall: (paymentId: PaymentId, secret: string | null) => Effect.Effect<Recalled>
  /** Remembers that a delivery was handed over on a live connection. Does not wait. */
  readonly sent: (delivery: Delivery) => Effect.Effect<void>
  /** What is known of a payment; none when nobody ever showed it. */
  readonly status: (paymentId: PaymentId) => Effect.Effect<Option.Option<Payment>>
  /** Decides, as far as the chain can tell now, what waits: run every SWEEP. Returns how many rows moved. */
  readonly sweep: Effect.Effect<number>
  /** Matches the chain's transfers to us with our rows: run every SCAN. Returns how many changed. */
  readonly scan: Effect.Effect<number, ChainUnavailable>
}>()("bellwether/services/Payments") {
  static readonly layer = (options: PaymentOptions) => Layer.effect(Payments, make(options))
}

interface PaymentOptions {
  readonly terms: PaymentTerms
  readonly timing?: PaymentTiming
}

/** Payments worked on at once; beyond it nothing is claimed, and what is known is still answered. */
const inFlightMax = 512
/** Questions to the chain at once whether a payer is a contract; a signature beyond them is forged. */
const codeLookupsMax = 8
const codePatience = Duration.seconds(3)
/**
 * How often a store that fails is asked again to remember that an answer was handed over, and how many
 * times: what it never hears of is refunded as well.
 */
const markEvery = Duration.millis(250)
const markTimes = 40

const make = Effect.fnUntraced(function* (options: PaymentOptions) {
  const { terms, timing = defaultTiming } = options
  const store = promptStore(yield* PaymentStore)
  const chain = yield* Chain
  const facilitator = yield* Facilitator
  const signatures = yield* Signatures
  const handOvers = yield* HandOvers
  const token = tokenOf(terms)
  const network = `eip155:${terms.chainId}`
  const fibers = yield* makeSaleFibers(terms)
  let codeLookups = 0

  const ports = { store, chain, patience: timing }
  const sagaPorts = { store, facilitator, chain, timing }
  const solvency = makeSolvency({
    chain,
    store,
    asset: token.asset,
    treasury: address(terms.treasury),
  })

  const secretHash = (id: PaymentId, secret: string | null) =>
    secret === null ? null : signatures.digest(`secret/v1:${id}:${secret}`)

  const idOf = (authorization: Authorization) =>
    signatures.paymentId({ ...token, ...authorization })

  const ticketOf = ({ product, payment, request }: Purchase): PaymentTicket => ({
    paymentId: idOf(payment.authorization),
    token,
    authorization: payment.authorization,
    signature: payment.signature,
    amount: product.price,
    order: product.settlementOrder,
    productId: product.id,
    request,
  })

  /** Why nothing can be claimed now; a payment that is known is answered all the same. */
  const obstacle = Effect.fnUntraced(function* (sale: Sale) {
    const { product, late: why } = sale.purchase
    if (why !== null) return late(why)
    if ((yield* fibers.size) >= inFlightMax) return overloaded
    if (product.settlementOrder === "compute-first") return null
    const reserved = yield* fibers.reserve(sale)
    if (yield* solvency.covers(product.price, reserved)) return null
    yield* fibers.unreserve(sale)
    return unavailable
  })

  /** Asked again when the claim is stored, for another replica may have claimed at the same moment. */
  const solvent = solvency.covers(0n, 0n).pipe(
    Effect.catchDefect((defect) => Effect.as(Effect.logError(defect), false)),
    Effect.flatMap((covered) => covered ? Effect.void : unavailable),
  )

  const sagaOf = ({ product }: Purchase) => (claimed: Claimed) =>
    product.settlementOrder === "compute-first"
      ? sellComputeFirst(sagaPorts, claimed)
      : sellSettleEarly(sagaPorts, {
        ...claimed,
        task: { ...claimed.task, check: Effect.andThen(solvent, claimed.task.check) },
      })

  const claimAnew = (row: Payment, hash: Bytes32 | null) =>
    guarded(store.move(row, { event: "claim", secretHash: hash, lease: timing.lease }))

  /** Computes what an early settlement of unknown outcome has bought, for the buyer it belongs to. */
  const takenUp = (row: Payment, isBuyer: boolean, sale: Sale) =>
    isBuyer && row.state === "unresolved" && row.order === "settle-early"
      ? fibers.run(
        takeUp(sagaPorts, row),
        ({ row, task }) => deliver(sagaPorts, row, task),
        sale,
      )
      : Effect.succeedNone

  /** Answers a payment that is already known, by the table of the domain. */
  const again = Effect.fnUntraced(function* (
    found: Payment,
    sale: Sale,
    waits: number,
  ): Effect.fn.Return<Delivery, Failure> {
    const { purchase } = sale
    if (isOther(found, purchase)) return yield* conflict(found)
    const hash = secretHash(found.paymentId, purchase.secret)
    const isBuyer = hash !== null && hash === found.secretHash
    const recovered = yield* takenUp(found, isBuyer, sale)
    if (Option.isSome(recovered)) return recovered.value
    const row = needsChain(found, timing) ? yield* reconcile(ports, found) : found
    const answer = sentAgain(row.state, isBuyer && hash === row.secretHash)
    if (answer === "claim") {
      const refused = yield* obstacle(sale)
      if (refused !== null) return yield* refused
      const delivery = yield* fibers.run(claimAnew(row, hash), sagaOf(purchase), sale)
      return Option.isSome(delivery) ? delivery.value : yield* inProgress
    }
    if (answer === "wait" && waits > 0) {
      yield* Effect.sleep(timing.waitEvery)
      const next = yield* Effect.orDie(Effect.flatMap(store.find(row.paymentId), Effect.fromOption))
      return yield* again(next, sale, waits - 1)
    }
    return yield* told(answer, row, network)
  })

  /** True when nobody can have signed it with the payer's key, and the payer is no contract. */
  const isForged = Effect.fnUntraced(function* ({ authorization, signature }: PaymentTicket) {
    const signer = yield* signatures.signer(token, authorization, signature)
    if (Option.isSome(signer) && signer.value === authorization.from) return false
    if (codeLookups >= codeLookupsMax) return true
    codeLookups += 1
    return yield* chain.hasCode(authorization.from).pipe(
      Effect.timeout(codePatience),
      Effect.map((hasCode) => !hasCode),
      Effect.catch(() => Effect.succeed(true)),
      Effect.ensuring(Effect.sync(() => {
        codeLookups -= 1
      })),
    )
  })

  const sell = Effect.fnUntraced(function* (sale: Sale): Effect.fn.Return<Delivery, Failure> {
    const { purchase } = sale
    const ticket = ticketOf(purchase)
    if (yield* isForged(ticket)) {
      const known = yield* store.find(ticket.paymentId)
      return yield* Option.isSome(known) ? conflict(known.value) : forged
    }
    const refused = yield* obstacle(sale)
    if (refused === null) {
      const hash = secretHash(ticket.paymentId, purchase.secret)
      const claim = Effect.map(
        store.claim(ticket, hash, timing.lease),
        ({ claimed, payment }) => claimed ? Option.some(payment) : Option.none(),
      )
      const delivery = yield* fibers.run(claim, sagaOf(purchase), sale)
      if (Option.isSome(delivery)) return delivery.value
      yield* fibers.unreserve(sale)
    }
    const known = yield* store.find(ticket.paymentId)
    if (Option.isSome(known)) return yield* again(known.value, sale, timing.waitTimes)
    return yield* refused ?? unresolved
  }, Effect.catchDefect(undecided))

  const mark = (paymentId: PaymentId) =>
    fibers.background(
      store.markSent(paymentId).pipe(
        Effect.catchDefect(Effect.fail),
        Effect.retry({ schedule: Schedule.spaced(markEvery), times: markTimes }),
        Effect.andThen(handOvers.told(paymentId)),
        Effect.catch((defect) => Effect.logWarning("Cannot mark an answer sent", defect)),
      ),
    )
  const sent = ({ paymentId, receipt }: Delivery) =>
    receipt === null ? Effect.void : Effect.andThen(handOvers.keep(paymentId), mark(paymentId))
  yield* Effect.forEach(handOvers.untold, mark, { discard: true })

  const account = { chainId: terms.chainId, asset: token.asset, payTo: address(terms.payTo) }
  return Payments.of({
    sell: (purchase, task) => {
      const sale = { purchase, task, count: countOnce(purchase.product) }
      return Effect.ensuring(counted(sale, sell), fibers.unreserve(sale))
    },
    idOf,
    recall: recall({ ...ports, network, secretHash }),
    sent,
    status: store.find,
    sweep: sweep(ports),
    scan: scan({ ...ports, signatures, token, account }),
  })
})

/** The payment is bound to another call. An orphan is bound to none: whoever signed it is told of it. */
const isOther = (found: Payment, { request, payment }: Purchase) =>
  found.request !== null &&
  (found.request !== request || found.signature !== payment.signature)

/** Counts what ended without a fiber of its own; the others have counted themselves. */
const counted = (sale: Sale, sell: (sale: Sale) => Effect.Effect<Delivery, Failure>) =>
  sell(sale).pipe(
    Effect.tap(({ receipt, replayed }) =>
      sale.count(Exit.succeed({ charged: receipt !== null, replayed }))
    ),
    Effect.tapError((error) => sale.count(Exit.fail(error))),
  )

/** Another copy may have claimed the released row, and be settling it. */
const guarded = <A>(effect: Effect.Effect<A>) => Effect.catchDefect(effect, failing(unresolved))

/**
 * The payment may be known, so it may have been taken: nothing is said of its money while the store
 * cannot be asked.
 */
const undecided = failing(unresolved)

function failing<E>(refusal: Effect.Effect<never, E>) {
  return (defect: unknown) =>
    Effect.andThen(Effect.logError("The payment store failed", defect), refusal)
}
