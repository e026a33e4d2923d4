/**
 * Selling one answer for one payment: claim, verify, compute, intend, settle, prove, answer.
 *
 * @module
 */
import {
  Cause,
  Context,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  FiberSet,
  Layer,
  Option,
} from "effect"
import { type Bytes32, type PaymentId, type PaymentTicket, sentAgain } from "../domain/payment.ts"
import type { NotCharged, RefundQueued, Unresolved } from "../domain/refusal.ts"
import { type PaymentTerms, requirements, tokenOf } from "../domain/x402.ts"
import { Chain } from "./Chain.ts"
import { defaultTiming, type PaymentTiming, sellComputeFirst, type Sold } from "./computeFirst.ts"
import { Facilitator } from "./Facilitator.ts"
import { type Payment, PaymentStore } from "./PaymentStore.ts"
import { promptStore } from "./promptStore.ts"
import { isWaiting, reconcile, sweep } from "./reconcile.ts"
import {
  conflict,
  forged,
  inProgress,
  late,
  overloaded,
  receiptOf,
  told,
  unavailable,
  unresolved,
} from "./paymentRefusals.ts"
import type { Answer, Delivery, Purchase } from "./sale.ts"
import { type CountEnd, countOnce } from "./saleOutcomes.ts"
import { Signatures } from "./Signatures.ts"

export class Payments extends Context.Service<Payments, {
  /**
   * Sells the answer of `work` for this payment. The payment runs in a fiber of this service: the
   * caller's interruption releases it before the intent to settle, and never stops it after.
   * `NotCharged` with code `payment_required` means: show the challenge, with its message.
   */
  readonly sell: (
    purchase: Purchase,
    work: Effect.Effect<Answer, NotCharged>,
  ) => Effect.Effect<Delivery, NotCharged | RefundQueued | Unresolved>
  /** Remembers that a delivery was handed over on a live connection. Does not wait. */
  readonly sent: (delivery: Delivery) => Effect.Effect<void>
  /** Decides, as far as the chain can tell now, what waits: run every SWEEP. Returns how many rows moved. */
  readonly sweep: Effect.Effect<number>
}>()("bellwether/services/Payments") {
  static readonly layer = (options: PaymentOptions) => Layer.effect(Payments, make(options))
}

export interface PaymentOptions {
  readonly terms: PaymentTerms
  readonly timing?: PaymentTiming
}

/** Payments worked on at once; beyond it nothing is claimed, and what is known is still answered. */
const inFlightMax = 512
/** How long a closing service waits for its payments to end; leases cover what is left. */
const drain = Duration.seconds(60)

type Failure = NotCharged | RefundQueued | Unresolved

/** One call of `sell`. */
interface Sale {
  readonly purchase: Purchase
  readonly work: Effect.Effect<Answer, NotCharged>
  readonly count: CountEnd
}

const make = Effect.fnUntraced(function* ({ terms, timing = defaultTiming }: PaymentOptions) {
  const store = promptStore(yield* PaymentStore)
  const chain = yield* Chain
  const facilitator = yield* Facilitator
  const signatures = yield* Signatures
  const token = tokenOf(terms)
  const network = `eip155:${terms.chainId}`
  const fibers = yield* FiberSet.make<unknown, Failure>()
  yield* Effect.addFinalizer(() =>
    Effect.ignore(Effect.timeout(FiberSet.awaitEmpty(fibers), drain))
  )

  const busy = Effect.map(FiberSet.size(fibers), (size) => size >= inFlightMax)
  const ports = { store, chain, hold: timing.hold }
  const sagaPorts = { store, facilitator, chain, timing }

  const secretHash = (id: PaymentId, secret: string | null) =>
    secret === null ? null : signatures.digest(`secret/v1:${id}:${secret}`)

  const ticketOf = ({ product, payment, request }: Purchase): PaymentTicket => ({
    paymentId: signatures.paymentId({ ...token, ...payment.authorization }),
    token,
    authorization: payment.authorization,
    signature: payment.signature,
    amount: product.price,
    order: product.order,
    productId: product.id,
    request,
  })

  /**
   * Claims a row and runs it in a fiber of its own, then waits for its end; none when the row was not
   * to be had. Nothing interrupts between the claim and the fiber that answers for it.
   */
  const run = (
    claim: Effect.Effect<Option.Option<Payment>, NotCharged>,
    { purchase, work, count }: Sale,
  ): Effect.Effect<Option.Option<Delivery>, Failure> =>
    Effect.uninterruptibleMask(Effect.fnUntraced(function* (restore) {
      const claimed = yield* claim
      if (Option.isNone(claimed)) return Option.none()
      const abandoned = yield* Deferred.make<void>()
      const asked = requirements(purchase.product, terms)
      const saga = sellComputeFirst(sagaPorts, claimed.value, asked, work, abandoned)
      const fiber = yield* FiberSet.run(
        fibers,
        Effect.onExit(
          Effect.interruptible(saga),
          (exit) => count(Exit.map(exit, ({ charged }) => ({ charged, replayed: false }))),
        ),
      )
      const exit = yield* restore(Fiber.await(fiber)).pipe(
        Effect.onInterrupt(() => Deferred.succeed(abandoned, undefined)),
      )
      if (Exit.isSuccess(exit)) return Option.some(deliveryOf(claimed.value, exit.value, network))
      // Cut short by a closing service, perhaps after the intent: nothing may be said of the money.
      if (Cause.hasInterruptsOnly(exit.cause) || Cause.hasDies(exit.cause)) return yield* unresolved
      return yield* Effect.failCause(exit.cause)
    }))

  const claimAnew = (row: Payment, hash: Bytes32 | null) =>
    guarded(store.move(row, { event: "claim", secretHash: hash, lease: timing.lease }))

  /** Answers a payment that is already known, by the table of the domain. */
  const again = Effect.fnUntraced(function* (
    found: Payment,
    sale: Sale,
    waits: number,
  ): Effect.fn.Return<Delivery, Failure> {
    const { purchase } = sale
    const { request, payment } = purchase
    if (found.request !== request || found.signature !== payment.signature) {
      return yield* conflict(found)
    }
    const hash = secretHash(found.paymentId, purchase.secret)
    const row = needsChain(found) ? yield* reconcile(ports, found) : found
    const answer = sentAgain(row.state, hash !== null && hash === row.secretHash)
    if (answer === "claim") {
      if (purchase.late !== null) return yield* late(purchase.late)
      if (yield* busy) return yield* overloaded
      const delivery = yield* run(claimAnew(row, hash), sale)
      return Option.isSome(delivery) ? delivery.value : yield* inProgress
    }
    if (answer === "wait" && waits > 0) {
      yield* Effect.sleep(timing.waitEvery)
      const next = yield* Effect.orDie(Effect.flatMap(store.find(row.paymentId), Effect.fromOption))
      return yield* again(next, sale, waits - 1)
    }
    return yield* told(answer, row, network)
  })

  const sell = Effect.fnUntraced(function* (sale: Sale): Effect.fn.Return<Delivery, Failure> {
    const { purchase } = sale
    const ticket = ticketOf(purchase)
    const signer = yield* signatures.signer(token, ticket.authorization, ticket.signature)
    if (Option.isNone(signer) || signer.value !== ticket.authorization.from) {
      const known = yield* store.find(ticket.paymentId)
      return yield* Option.isSome(known) ? conflict(known.value) : forged
    }
    if (purchase.late === null && !(yield* busy)) {
      const hash = secretHash(ticket.paymentId, purchase.secret)
      const claim = Effect.map(
        store.claim(ticket, hash, timing.lease),
        ({ claimed, payment }) => claimed ? Option.some(payment) : Option.none(),
      )
      const delivery = yield* run(claim, sale)
      if (Option.isSome(delivery)) return delivery.value
    }
    const known = yield* store.find(ticket.paymentId)
    if (Option.isSome(known)) return yield* again(known.value, sale, timing.waitTimes)
    return yield* purchase.late === null ? overloaded : late(purchase.late)
  }, Effect.catchDefect(undecided))

  const sent = (delivery: Delivery) =>
    delivery.receipt === null ? Effect.void : Effect.asVoid(FiberSet.run(
      fibers,
      store.markSent(delivery.paymentId).pipe(
        Effect.catchDefect((defect) => Effect.logWarning("Cannot mark an answer sent", defect)),
      ),
    ))

  return Payments.of({
    sell: (purchase, work) => counted({ purchase, work, count: countOnce(purchase.product) }, sell),
    sent,
    sweep: sweep(ports),
  })
})

/** Counts what ended without a fiber of its own; the others have counted themselves. */
const counted = (sale: Sale, sell: (sale: Sale) => Effect.Effect<Delivery, Failure>) =>
  sell(sale).pipe(
    Effect.tap(({ receipt, replayed }) =>
      sale.count(Exit.succeed({ charged: receipt !== null, replayed }))
    ),
    Effect.tapError((error) => sale.count(Exit.fail(error))),
  )

/** The row stood released, and nothing was sent out since: a claim that fails has charged nobody. */
const guarded = <A>(effect: Effect.Effect<A>) => Effect.catchDefect(effect, failing(unavailable))

/**
 * The payment may be known, so it may have been taken: nothing is said of its money while the store
 * cannot be asked.
 */
const undecided = failing(unresolved)

/** True when somebody has to ask the chain before the row can say anything. */
const needsChain = (payment: Payment) => isWaiting(payment) && payment.state !== "released"

function deliveryOf({ paymentId }: Payment, sold: Sold, network: string): Delivery {
  const receipt = sold.charged ? receiptOf(sold.payment, network) : null
  return { paymentId, body: sold.answer.body, receipt, replayed: false }
}

function failing<E>(refusal: Effect.Effect<never, E>) {
  return (defect: unknown) =>
    Effect.andThen(Effect.logError("The payment store failed", defect), refusal)
}
