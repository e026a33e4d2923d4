/**
 * Sells one answer for one payment. Read it from top to bottom: it is in the order of time, and what a
 * payment gets that is sent again stands after its first sale.
 *
 * Every sale: admit the call, verify the payment.
 * Compute-first goes on: claim, compute, intend with the answer's bytes, settle, prove, answer.
 * Settle-early goes on: claim, check the cover, intend, settle, prove, compute, answer or refund.
 *
 * Nothing is stored before the claim, so a payment that is not valid leaves no row. A failure
 * between the claim and the intent releases the payment: nothing was charged. After the intent only
 * the chain decides, because a facilitator's report is a hint. Without proof the payment is
 * unresolved, never refused. Once the chain shows the transfer there are two ends: a stored answer,
 * or a queued refund. When a worker dies, its lease expires and the sweep continues from the stored
 * state.
 *
 * From the verification on a sale runs in a fiber of the service. A buyer who hangs up ends it only
 * before the intent.
 *
 * @module
 */
import {
  Cause,
  Clock,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  FiberSet,
  Option,
  Result,
  Schedule,
} from "effect"
import { resendUnused } from "../catalog/domain/refusal.ts"
import { storeWithDeadline } from "../core/deadline.ts"
import { makePlaces, makePlacesByKey, publishDepth } from "../core/places.ts"
import type { RateLimits } from "../core/RateLimits.ts"
import { annotate, inSpan } from "../core/tracing.ts"
import { Chain, type ChainUnavailable, proofOf, type Settles } from "./Chain.ts"
import { type FailedSale, faultOf, NotCharged, type Unresolved } from "./domain/failedSale.ts"
import {
  address,
  type Authorization,
  type Bytes32,
  holdsKey,
  type PaidAt,
  type Payment,
  type PaymentId,
  type PaymentProof,
  type PaymentTicket,
  type ReleasedPayment,
  type StoredAnswer,
} from "./domain/payment.ts"
import { listingOf } from "./domain/x402/challenge.ts"
import type { Sign } from "./domain/x402/offerReceipt.ts"
import { sellableUntil } from "./domain/x402/paymentPayload.ts"
import { type PaymentTerms, requirements, tokenOf } from "./domain/x402/terms.ts"
import { Facilitator, type SettleOutcome } from "./Facilitator.ts"
import { declined, type Move, PaymentStore, StoreReadOnly } from "./PaymentStore.ts"
import { etagOf, type Outcome, type Purchase, type Work, type WorkResult } from "./purchase.ts"
import { needsChain, reconcile, type ReconcileOptions } from "./reconcile.ts"
import { keyHash, makeSignerCheck, secretHash, type Signer } from "./sale/identity.ts"
import {
  firstPaymentNamed,
  hungUp,
  inProgress,
  invalidSignature,
  makeReceipts,
  neverPaid,
  outcomeOfRow,
  overloaded,
  payerOverloaded,
  paymentConflict,
  paymentInProgress,
  perhapsInProgress,
  refundQueued,
  required,
  responseForKnownPayment,
  tooManyOfAddress,
  unavailable,
  unresolved,
} from "./sale/responses.ts"
import { makeShares } from "./sale/shares.ts"
import { makeSolvency } from "./sale/solvency.ts"
import { Signatures } from "./Signatures.ts"
import type { PaymentTiming } from "./timing.ts"

export interface PaymentOptions {
  readonly terms: PaymentTerms
  readonly timing: PaymentTiming
  /** Signs receipts. */
  readonly sign: Sign
  /** Maximum number of payments that are verified at the facilitator at the same time. */
  readonly verificationsMax: number
  /** Maximum number of verified payments that are sold at the same time. */
  readonly salesMax: number
  /** Counts what is not paid for. */
  readonly rateLimits: RateLimits["Service"]
}

export type Seller = Effect.Success<ReturnType<typeof makeSeller>>

/** One purchase that is being sold. */
interface Sale {
  readonly purchase: Purchase
  readonly work: Work
  readonly ticket: PaymentTicket
  /** The hash of its key; null without one. */
  readonly key: Bytes32 | null
  readonly signer: Signer
  /** Its row, when an earlier call released it; null when it has none. */
  readonly released: ReleasedPayment | null
  /** Completed when the buyer hangs up. */
  readonly abandoned: Deferred.Deferred<void>
}

/** A fiber did not claim the payment; `isProven`: it is the payer's, so its key may be asked for. */
interface NotClaimed {
  readonly _tag: "NotClaimed"
  readonly refusal: NotCharged
  readonly isProven: boolean
}

type SaleError = FailedSale | NotClaimed

/** Sells the answer of `work` for a payment; see `Payments.sell`. */
export function sell(
  seller: Seller,
  purchase: Purchase,
  work: Work,
): Effect.Effect<Outcome, FailedSale> {
  return Effect.gen(() => admit(seller, purchase, work)).pipe(
    orInstead("The payment store failed", unresolved),
  )
}

/** Admits a call: finds out who sends it, and whether its payment is known. */
function* admit(
  seller: Seller,
  purchase: Purchase,
  work: Work,
): Effect.fn.Return<Outcome, FailedSale> {
  const { store, signatures } = seller
  const ticket = ticketOf(seller, purchase)
  yield* waitForSaleHere(seller, purchase, ticket.paymentId)
  const key = keyHash(signatures, ticket, purchase)
  const found = yield* store.findWithKey(ticket.paymentId, key)
  const known = Option.getOrUndefined(found.payment)
  const signer = yield* seller.signerOf(ticket, purchase.client, known)
  if (signer === "stranger") return yield* known ? paymentConflict(known) : invalidSignature
  const abandoned = Deferred.makeUnsafe<void>()
  const sale: Sale = { purchase, work, ticket, key, signer, released: null, abandoned }
  return yield* known === undefined
    ? sellUnclaimed(seller, sale, found.holder)
    : answerKnownPayment(seller, sale, known, found.holder)
}

/**
 * Sells a payment that no row or a released row has, unless another payment (`holder`) holds its
 * key. The payer's own signature is enough to ask for that one; a contract's must be verified first.
 */
function* sellUnclaimed(
  seller: Seller,
  sale: Sale,
  holder: Option.Option<Payment>,
): Effect.fn.Return<Outcome, FailedSale> {
  const { purchase: { validityFault }, ticket, key, signer } = sale
  if (signer === "payer") {
    const first = yield* answerByKey(seller, sale, holder)
    if (first !== null) return first
  }
  if (validityFault !== null) {
    const mayBeSold = yield* mayBeClaimed(seller, ticket)
    return yield* mayBeSold ? perhapsInProgress : required(validityFault, "expired")
  }
  const refusal = seller.shares.refusal(sale.purchase)
  if (refusal !== null) return yield* refusal
  const end = yield* inFiber(seller, sale, sellVerified(seller, sale)).pipe(
    Effect.catchTag("NotClaimed", Effect.succeed),
  )
  if (!("refusal" in end)) return end
  if (end.refusal === payerOverloaded) yield* seller.shares.keep("unpaid", sale.purchase)
  // Another call may have claimed the payment, and even settled it: then it is charged, and perhaps
  // not valid any more, but its buyer must not sign a new one.
  const now = yield* seller.store.findWithKey(ticket.paymentId, key)
  const known = Option.getOrNull(now.payment)
  if (known !== null && known.state !== "released") {
    return yield* sale.released === null
      ? Effect.gen(() => answerKnownPayment(seller, sale, known, now.holder))
      : respond(seller, sale, known)
  }
  const second = end.isProven ? yield* answerByKey(seller, sale, now.holder) : null
  return second ?? (yield* Effect.fail(end.refusal))
}

/** Whether a call that came in time may still be on its way to the claim, perhaps on another replica. */
const mayBeClaimed = ({ terms, timing }: Seller, { authorization }: PaymentTicket) =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => {
    const lateMs = nowMs - Number(sellableUntil(authorization, terms)) * 1_000
    const steps = [queueWait, timing.verifyTimeout, timing.workTimeout, queueWait]
    return lateMs >= 0 && lateMs < Duration.toMillis(steps.reduce(Duration.sum))
  })

/**
 * Runs the rest of a sale in a fiber of the service, and waits for it. One process sells a payment
 * only once at a time. An interrupted fiber, in a closing service, and one that died leave the
 * outcome of the payment unknown.
 */
const inFiber = (seller: Seller, sale: Sale, rest: Effect.Effect<Outcome, SaleError>) =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore): Effect.fn.Return<Outcome, SaleError> {
      const { running, fibers, payers } = seller
      const { purchase, ticket: { paymentId, authorization }, abandoned } = sale
      if (running.has(paymentId)) return yield* Effect.fail(notClaimed(sale, paymentInProgress))
      const ended = Deferred.makeUnsafe<void>()
      running.set(paymentId, { purchase, ended: Deferred.await(ended) })
      const fiber = yield* FiberSet.run(
        fibers,
        payers.run(authorization.from)(notClaimed(sale, payerOverloaded))(rest).pipe(
          Effect.interruptible,
          Effect.onExit((exit) => {
            running.delete(paymentId)
            Deferred.doneUnsafe(ended, Effect.void)
            return Deferred.isDoneUnsafe(abandoned) ? endAlone(seller, sale, exit) : Effect.void
          }),
        ),
      )
      const exit = yield* restore(Fiber.await(fiber)).pipe(
        Effect.onInterrupt(() => Deferred.succeed(abandoned, undefined)),
      )
      const isUnknown = Exit.isFailure(exit) &&
        (Cause.hasInterruptsOnly(exit.cause) || Cause.hasDies(exit.cause))
      return yield* isUnknown ? unresolved : exit
    }),
  )

/** The end of a sale whose buyer has hung up. */
function endAlone(
  { shares }: Seller,
  { purchase, ticket: { paymentId } }: Sale,
  exit: Exit.Exit<Outcome, SaleError>,
): Effect.Effect<void> {
  const isCharged = Exit.isSuccess(exit) && exit.value.receipt !== null
  const isEarly = purchase.product.settlementOrder === "settle-early"
  const end = Exit.mapError(exit, (error) => error._tag === "NotClaimed" ? error.refusal : error)
  return Effect.andThen(
    purchase.onAbandoned(end),
    isCharged && isEarly ? shares.abandon(paymentId, purchase) : Effect.void,
  )
}

/** Without a verification, only the payer's own signature is proof. */
const notClaimed = ({ signer }: Sale, refusal: NotCharged, isVerified = false): NotClaimed => ({
  _tag: "NotClaimed",
  refusal,
  isProven: isVerified || signer === "payer",
})

/**
 * Verifies the payment, then sells it in one of the places for sales, which it leaves when the
 * facilitator has answered: who can make a proof late must not occupy a place. Those of its client
 * and its site it keeps until its end. A settle-early sale computes in a place of its own kind; while
 * none is free no such sale is claimed, so that no one pays in order to wait.
 */
function sellVerified(seller: Seller, sale: Sale): Effect.Effect<Outcome, SaleError> {
  const inPlace = seller.sales.run(notClaimed(sale, overloaded))
  const sold = Effect.flatten(inPlace(Effect.gen(() => claimAndSettle(seller, sale))))
  const refused = notClaimed(sale, tooManyOfAddress)
  return Effect.andThen(
    verify(seller, sale),
    inPlaceOf(sale, seller.saleClients, seller.saleSites, refused)(sold),
  )
}

type PlacesByKey = ReturnType<typeof makePlacesByKey>

/** Runs an effect in a place of the client, and in one of its site, if it has one. */
const inPlaceOf =
  <E2>({ purchase }: Sale, clients: PlacesByKey, sites: PlacesByKey, refused: E2) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | E2> => {
    const { client, site } = purchase.client
    return clients.run(client)(refused)(site === null ? effect : sites.run(site)(refused)(effect))
  }

/**
 * Verifies a payment, in a place of its client, then runs the check of a settle-early product, which
 * may ask the venue: a payment that is not valid costs no such request. A buyer who hangs up ends the
 * check, but not a verification, because the facilitator continues with it: the client keeps its place
 * until its response.
 */
function verify(seller: Seller, sale: Sale): Effect.Effect<void, NotClaimed | NotCharged> {
  const { work, purchase: { product } } = sale
  const verified = verifyWithFacilitator(seller, sale)
  const unused = checkOnChain(seller, sale)
  const check = unlessHungUp(sale, withTimeLimit(work.check, seller.timing.workTimeout))
  const steps = product.settlementOrder === "compute-first"
    ? Effect.all([verified, unused], { concurrency: "unbounded", discard: true })
    // Last, because the payment may be spent during the check.
    : Effect.all([verified, check, unused], { discard: true })
  return steps.pipe(
    inUnverifiedPlaces(seller, sale),
    Effect.result,
    Effect.flatMap((verified): Effect.Effect<void, NotClaimed | NotCharged> =>
      Deferred.isDoneUnsafe(sale.abandoned)
        ? Effect.fail(hungUp)
        : Result.isFailure(verified)
        ? Effect.fail(notClaimed(sale, verified.failure))
        : Effect.void
    ),
  )
}

const inUnverifiedPlaces =
  ({ clients, sites, contracts, contractClients }: Seller, sale: Sale) =>
  (steps: Effect.Effect<void, NotCharged>): Effect.Effect<void, NotCharged> => {
    const inPlace = inPlaceOf(sale, clients, sites, tooManyOfAddress)
    return sale.signer === "payer" ? inPlace(steps) : inPlace(
      contractClients.run(sale.purchase.client.client)(tooManyOfAddress)(
        contracts.run(overloaded)(steps),
      ),
    )
  }

const verifyWithFacilitator = (seller: Seller, sale: Sale): Effect.Effect<void, NotCharged> =>
  seller.verifications.run(overloaded)(seller.facilitator.verify(requestOf(seller, sale))).pipe(
    Effect.timeoutOrElse({ duration: seller.timing.verifyTimeout, orElse: () => late }),
    orInstead("The facilitator failed to verify", defective),
    Effect.flatMap((verify) => {
      switch (verify.outcome) {
        case "valid":
          return Effect.void
        case "invalid":
          return required(
            `The facilitator refuses the payment: ${verify.reason}`,
            faultOf(verify.reason),
          )
        case "unknown":
          return Effect.fail(
            new NotCharged({
              code: "facilitator_error",
              message: "The payment could not be verified at this moment",
              hint: resendUnused,
            }),
          )
      }
    }),
  )

/**
 * Refuses a payment that is public already, because anyone may have copied it, and one that would not
 * settle: a payer's code may accept what it is asked at verification, and refuse the settlement. Also
 * refuses while the chain cannot be read.
 */
const checkOnChain = (
  { chain, timing }: Seller,
  { ticket: { token: { asset }, authorization, signature } }: Sale,
): Effect.Effect<void, NotCharged> =>
  chain.isNonceUsed(asset, authorization.from, authorization.nonce).pipe(
    Effect.flatMap((isUsed): Effect.Effect<Settles | "nonce_used", ChainUnavailable> =>
      isUsed ? Effect.succeed("nonce_used") : chain.wouldSettle(asset, authorization, signature)
    ),
    Effect.timeout(timing.verifyTimeout),
    Effect.catch((error) =>
      Effect.andThen(Effect.logWarning("Cannot read the chain", error), unavailable)
    ),
    orInstead("The chain's adapter failed", unavailable),
    Effect.flatMap((fault) =>
      fault === true
        ? Effect.void
        : fault === "too_early"
        ? Effect.fail(tooEarly)
        : required(settlementFaults[fault], fault)
    ),
  )

const tooEarly = new NotCharged({
  code: "payments_unavailable",
  message: "The chain has no block after validAfter yet",
  hint: resendUnused,
})

const settlementFaults = {
  nonce_used:
    "The authorization is already used or cancelled on the chain: sign a new one, with the same key",
  insufficient_funds: "The payer's balance is less than the price",
  invalid_signature: "The payer's contract refuses the transfer in a transaction that pays for gas",
}

/** What is left of a sale when the facilitator has answered: proof, and what follows from it. */
type Rest = Effect.Effect<Outcome, FailedSale>

/**
 * Claims and settles a verified payment. Compute-first computes the answer between, and stores it with
 * the intent; settle-early checks there that a refund is covered, and computes when the chain has shown
 * the payment.
 */
function* claimAndSettle(seller: Seller, sale: Sale): Effect.fn.Return<Rest, SaleError> {
  const { computing, salesMax, timing } = seller
  const isEarly = sale.purchase.product.settlementOrder === "settle-early"
  if (isEarly && computing.running() >= salesMax) {
    return yield* Effect.fail(notClaimed(sale, overloaded, true))
  }
  const found = yield* isEarly ? claimCovered(seller, sale) : claim(seller, sale)
  if (Option.isNone(found)) return yield* Effect.fail(notClaimed(sale, paymentInProgress, true))
  const claimed = found.value
  const step: Effect.Effect<WorkResult | null, NotCharged> = isEarly
    ? Effect.as(checkCovered(seller), null)
    : withTimeLimit(sale.work.compute, timing.workTimeout)
  const answer = yield* releaseOnFailure(seller, sale, claimed, step)
  if (answer !== null) {
    const free = uncharged(sale, answer.body)
    if (!answer.charge || free.unchanged) {
      const isReleased = yield* release(seller, sale, claimed, "not_charged")
      return isReleased ? Effect.succeed(free) : unresolved
    }
  }
  const settled = yield* settle(seller, sale, claimed, answer && { body: answer.body })
  return Effect.flatMap(settled, (row) => Effect.gen(() => computeOrRefund(seller, sale, row)))
}

/** Claims the payment; none when another call has it. A store that accepts reads only takes nothing. */
const claim = (
  { store, timing: { lease }, signatures }: Seller,
  { ticket, key, released, purchase: { secret } }: Sale,
): Effect.Effect<Option.Option<Payment>, NotCharged | Unresolved> => {
  const hash = secretHash(signatures, ticket.paymentId, secret)
  const claimed = released === null
    ? store.claim(ticket, hash, lease, key)
    : store.move(released, { event: "claim", secretHash: hash, keyHash: key, lease })
  return claimed.pipe(
    Effect.catchDefect((defect) =>
      defect instanceof StoreReadOnly ? unavailable : Effect.die(defect)
    ),
    orInstead("The payment store failed", unresolved),
  )
}

/** Claims the payment, with what may have to be refunded reserved until the store counts it. */
const claimCovered = (seller: Seller, sale: Sale) =>
  seller.solvency.reserve(sale, sale.ticket.amount).pipe(
    Effect.flatMap((covered): Effect.Effect<Option.Option<Payment>, FailedSale> =>
      covered ? claim(seller, sale) : unavailable
    ),
    Effect.ensuring(seller.solvency.unreserve(sale)),
  )

/** Checks again, after the claim: another replica may have claimed at the same moment. */
const checkCovered = ({ solvency }: Seller) =>
  Effect.flatMap(solvency.covered, (covered) => covered ? Effect.void : unavailable)

/**
 * Runs a step between the claim and the intent. A failure, or a buyer who hangs up, releases the
 * payment. When the release is not confirmed the result is unresolved, because another call with
 * the same payment may already be settling it.
 */
const releaseOnFailure = <A>(
  seller: Seller,
  sale: Sale,
  claimed: Payment,
  step: Effect.Effect<A, NotCharged>,
): Effect.Effect<A, NotCharged | Unresolved> =>
  unlessHungUp(sale, step).pipe(
    Effect.catch((refusal): Effect.Effect<never, NotCharged | Unresolved> =>
      Effect.flatMap(
        release(seller, sale, claimed, refusal.code),
        (released): Effect.Effect<never, NotCharged | Unresolved> =>
          released || refusal === hungUp ? Effect.fail(refusal) : unresolved,
      )
    ),
  )

/** Interrupts a step, and fails with `hungUp`, when the buyer hangs up. */
const unlessHungUp = <A>({ abandoned }: Sale, step: Effect.Effect<A, NotCharged>) =>
  Effect.raceFirst(Effect.andThen(Deferred.await(abandoned), Effect.fail(hungUp)), step)

/**
 * Releases a payment, then keeps a share of its payer; false when the release is not confirmed. The
 * sweep then releases it when the lease expires.
 */
const release = ({ store, shares }: Seller, sale: Sale, claimed: Payment, reason: string) =>
  store.move(claimed, { event: "release", reason }).pipe(
    Effect.map(Option.isSome),
    orInstead("Cannot release a payment", Effect.succeed(false)),
    Effect.tap(() => shares.keep("unpaid", sale.purchase)),
  )

/**
 * Limits the time of a product's work, and turns a timeout or a defect into an error without a
 * charge.
 */
const withTimeLimit = <A>(
  work: Effect.Effect<A, NotCharged>,
  duration: Duration.Duration,
): Effect.Effect<A, NotCharged> =>
  work.pipe(
    Effect.timeoutOrElse({
      duration,
      orElse: () => notComputed("upstream_timeout", "The answer could not be computed in time"),
    }),
    orInstead(
      "A product's work failed",
      notComputed("internal_error", "The answer could not be computed"),
    ),
  )

const notComputed = (code: "upstream_timeout" | "internal_error", message: string) =>
  Effect.fail(new NotCharged({ code, message, hint: resendUnused }))

/**
 * Stores the intent, with the answer of compute-first, and asks the facilitator to settle. Returns the
 * rest: it reads the chain for proof, and moves the row accordingly. The row is then paid, unresolved
 * or void, or as another worker has moved it; null when it cannot be read.
 */
function* settle(
  seller: Seller,
  sale: Sale,
  claimed: Payment,
  answer: StoredAnswer | null,
): Effect.fn.Return<Effect.Effect<Payment | null>, NotCharged | Unresolved> {
  const settling = yield* intend(seller, claimed, answer)
  const report: SettleOutcome = yield* seller.facilitator.settle({
    ...requestOf(seller, sale),
    listing: listingOf(sale.purchase.product, seller.terms),
  }).pipe(
    Effect.timeoutOrElse({ duration: seller.timing.settleTimeout, orElse: () => late }),
    orInstead("The facilitator failed to settle", defective),
  )
  return Effect.gen(() => proveAndMove(seller, sale, settling, report))
}

/**
 * Stores the intent. When the store fails, it is unknown whether the intent was stored, so
 * settlement is not requested.
 */
const intend = (
  { store, timing: { lease } }: Seller,
  claimed: Payment,
  answer: StoredAnswer | null,
): Effect.Effect<Payment, NotCharged | Unresolved> =>
  store.move(claimed, { event: "intend", answer, lease }).pipe(
    orInstead("Cannot store the intent to settle", unavailable),
    // The lease expired and another worker has the payment; only that worker knows the outcome.
    Effect.flatMap(Option.match({ onNone: () => unresolved, onSome: Effect.succeed })),
  )

/** Proves a settlement, and keeps a share of its sender when the chain does not show it. */
function* proveAndMove(
  seller: Seller,
  sale: Sale,
  settling: Payment,
  report: SettleOutcome,
): Effect.fn.Return<Payment | null> {
  const { store, timing, shares } = seller
  const transactionHint = report.outcome === "settled" ? report.transaction : null
  const proof = yield* prove(seller, settling, transactionHint, report.outcome === "declined")
  const move = proof.proof === "paid"
    ? paidMove(timing, settling, proof.at)
    : moveWithoutProof(proof, report, transactionHint)
  const row = yield* tryMoveOrFind(store, settling, move)
  if (row?.state === "unresolved" || row?.state === "void") {
    yield* shares.keep("unsettled", sale.purchase)
  }
  return row
}

/**
 * Reads the chain until there is proof or time is up; once when the facilitator declined. If it
 * settled all the same, the sweep finds that.
 */
const prove = (
  { chain, timing }: Seller,
  settling: Payment,
  transactionHint: string | null,
  isDeclined: boolean,
) =>
  proofOf(chain, settling, transactionHint).pipe(
    orInstead("The chain's adapter failed", notYet),
    Effect.repeat({
      until: (proof) => proof.proof !== "not_yet" || proof.reverted === true,
      schedule: Schedule.spaced(timing.proveInterval),
      times: isDeclined ? 0 : timing.proveRetriesMax,
    }),
    Effect.timeoutOrElse({ duration: timing.proveTimeout, orElse: () => notYet }),
    Effect.tap(({ proof }) => annotate({ outcome: proof })),
    inSpan("prove"),
  )

const notYet = Effect.succeed<PaymentProof>({ proof: "not_yet" })

/** The move of an intended payment that the chain shows. */
const paidMove = (
  { lease }: PaymentTiming,
  { settlementOrder }: Payment,
  paidAt: PaidAt,
): Move =>
  settlementOrder === "compute-first"
    ? { event: "answer", answer: null, paidAt }
    : { event: "settle", paidAt, lease }

/**
 * The move after a settlement for which the chain shows no payment. One that is known to have failed,
 * by the facilitator's word or by its transaction, needs no cover of the treasury any more.
 */
function moveWithoutProof(
  proof: Exclude<PaymentProof, { readonly proof: "paid" }>,
  report: SettleOutcome,
  transactionHint: string | null,
): Move {
  if (proof.proof === "never") return { event: "void", reason: proof.reason }
  const reason = proof.reverted === true
    ? `${declined}its transaction reverted`
    : report.outcome === "settled"
    ? "unproven"
    : report.outcome === "declined"
    ? `${declined}${report.reason}`
    : `unknown: ${report.reason}`
  return { event: "doubt", reason, transactionHint }
}

/**
 * Makes a move and returns the row after it. When the store fails or a sweep moved the row first,
 * reads the row: a charged answer must be delivered now, because a buyer without a secret cannot
 * fetch it later. Null when the row cannot be read.
 */
const tryMoveOrFind = (store: PaymentStore["Service"], before: Payment, move: Move) =>
  store.move(before, move).pipe(
    orInstead("Cannot move a payment", Effect.succeedNone),
    Effect.flatMap((row) =>
      Option.isSome(row) ? Effect.succeed(row) : store.find(before.paymentId)
    ),
    orInstead("Cannot read a payment", Effect.succeedNone),
    Effect.map(Option.getOrNull),
  )

/**
 * The end of a settlement. Of a settle-early payment that the chain shows, computes the answer or queues
 * the refund: money moves first, shares after it.
 */
function* computeOrRefund(
  seller: Seller,
  sale: Sale,
  row: Payment | null,
): Effect.fn.Return<Outcome, FailedSale> {
  const { store, timing, shares, computing } = seller
  if (row?.state !== "settled") return yield* outcomeForState(seller, row)
  const compute = computing.run(overloaded)(sale.work.compute)
  const computed = yield* Effect.result(withTimeLimit(compute, timing.paidWorkTimeout))
  if (Result.isSuccess(computed) && computed.success.charge) {
    const { body } = computed.success
    const answer: Move = { event: "answer", answer: { body }, paidAt: null }
    const answered = yield* tryMoveOrFind(store, row, answer)
    yield* shares.answered(sale.purchase)
    return yield* outcomeForState(seller, answered)
  }
  const failure = Result.isFailure(computed) ? computed.failure : belowThreshold
  const owed: Move = { event: "owe", reason: failure.code, paidAt: null }
  const refunded = yield* tryMoveOrFind(store, row, owed)
  yield* shares.refunded(sale.purchase, failure)
  return refunded?.state === "refund_due"
    ? yield* refundQueued(refunded, failure)
    : yield* outcomeForState(seller, refunded)
}

/** The outcome of a payment that is final, or that another worker is finishing. */
function outcomeForState(
  seller: Seller,
  row: Payment | null,
): Effect.Effect<Outcome, FailedSale> {
  switch (row?.state) {
    case "answered":
      // Another worker may have stored it. Only the stored answer was paid for.
      return row.answer === null
        ? unresolved
        : Effect.succeed(outcomeOfRow(row, row.answer.body, seller.receipts, false))
    case "void":
      return neverPaid
    case "refund_due":
    case "refunded":
      return refundQueued(row, answerNotReady)
    default:
      return unresolved
  }
}

const belowThreshold = new NotCharged({
  code: "below_threshold",
  message: "The answer would not be worth its price",
})

const answerNotReady = new NotCharged({
  code: "upstream_timeout",
  message: "The answer was not ready in time",
})

/** The outcome of an answer that is not charged. */
function uncharged(
  { purchase: { product, request, hasTag }, ticket: { paymentId, authorization } }: Sale,
  body: Uint8Array,
): Outcome {
  const etag = etagOf(authorization.from, request, body)
  // Only compute-first knows its answer before it charges.
  const unchanged = product.settlementOrder === "compute-first" && hasTag?.(etag) === true
  return { paymentId, body, receipt: null, replayed: false, etag, unchanged }
}

/**
 * When this process is selling the payment, waits until that sale has ended. Only a call with the
 * same secret may wait, and one such call for each payment.
 */
function* waitForSaleHere(
  { running, waiting, timing }: Seller,
  purchase: Purchase,
  paymentId: PaymentId,
): Effect.fn.Return<void, FailedSale> {
  const other = running.get(paymentId)
  if (other === undefined) return
  const { request, payment, secret } = other.purchase
  if (request !== purchase.request || payment.signature !== purchase.payment.signature) {
    return yield* paymentConflict({ state: "settling", productId: other.purchase.product.id })
  }
  if (secret === null || secret !== purchase.secret) return yield* inProgress
  const waitMax = Duration.times(timing.waitInterval, timing.waitRetriesMax)
  yield* waiting.run(paymentId)(busy)(Effect.timeout(other.ended, waitMax)).pipe(
    Effect.catch(() => inProgress),
  )
}

/** Another call waits for the payment or resolves it. */
const busy = "busy" as const

/** Answers for a known payment, according to its state. */
function* answerKnownPayment(
  seller: Seller,
  sale: Sale,
  found: Payment,
  holder: Option.Option<Payment>,
): Effect.fn.Return<Outcome, FailedSale> {
  if (isBoundElsewhere(found, sale.purchase)) return yield* paymentConflict(found)
  const { outcome, row } = yield* resolve(seller, sale, found)
  if (outcome !== null) return outcome
  return yield* row.state === "released"
    ? Effect.gen(() => sellUnclaimed(seller, { ...sale, released: row }, holder))
    : respond(seller, sale, row)
}

/**
 * True when the payment is bound to another request or signature. An unmatched transfer is bound to
 * none, so any request of its signer gets its outcome.
 */
const isBoundElsewhere = (found: Payment, { request, payment }: Purchase) =>
  found.request !== null &&
  (found.request !== request || found.signature !== payment.signature)

/** The response with the state of a payment, when this call can change nothing more. */
const respond = (seller: Seller, { purchase }: Sale, row: Exclude<Payment, ReleasedPayment>) =>
  responseForKnownPayment(row, isBuyer(seller, purchase.secret, row), seller.receipts)

/** Whether the caller has the secret that the answer was bought with. */
export function isBuyer({ signatures }: Seller, secret: string | null, row: Payment): boolean {
  const hash = secretHash(signatures, row.paymentId, secret)
  return hash !== null && hash === row.secretHash
}

/** The outcome of a resumed sale, or the newest row of its payment. */
interface Resolved {
  readonly outcome: Outcome | null
  readonly row: Payment
}

/** Resolves a known payment as far as this call can, unless another call is doing it. */
const resolve = (seller: Seller, sale: Sale, found: Payment) =>
  seller.resolving.run(found.paymentId)(busy)(
    Effect.gen(() => resolveInTurn(seller, sale, found)),
  ).pipe(
    Effect.catchIf(
      (error): error is typeof busy => error === busy,
      (): Effect.Effect<Resolved, NotCharged> =>
        // The other call may be making the refund of this answer due.
        found.state === "answered" && needsChain(found, seller.timing)
          ? inProgress
          : Effect.succeed({ outcome: null, row: found }),
    ),
  )

/** Resumes, reconciles or waits for a known payment. */
function* resolveInTurn(
  seller: Seller,
  sale: Sale,
  found: Payment,
): Effect.fn.Return<Resolved, FailedSale> {
  const { store, timing, reconciling } = seller
  let row = found
  for (let waits = 0;; waits++) {
    const outcome = yield* resume(seller, sale, row)
    if (outcome !== null) return { outcome, row }
    if (needsChain(row, timing)) row = yield* reconcile(reconciling, row)
    // Only a row that a worker has is worth a wait.
    const mustWait = "leaseLeftMs" in row && isBuyer(seller, sale.purchase.secret, row)
    if (!mustWait || waits === timing.waitRetriesMax) return { outcome: null, row }
    yield* Effect.sleep(timing.waitInterval)
    row = yield* Effect.orDie(Effect.flatMap(store.find(row.paymentId), Effect.fromOption))
  }
}

/**
 * Continues an unresolved settle-early payment for its own buyer, who may have sent its key with
 * another payment: within the recovery window, when the chain proves that it was paid. Null when it
 * cannot be continued here, or its payer has too many in progress.
 */
function resume(
  seller: Seller,
  sale: Sale,
  row: Payment,
): Effect.Effect<Outcome | null, FailedSale> {
  const { chain, store, timing } = seller
  if (
    row.state !== "unresolved" || row.settlementOrder !== "settle-early" ||
    row.intendedAgoMs >= Duration.toMillis(timing.recoveryWindow) ||
    !isBuyer(seller, sale.purchase.secret, row)
  ) return Effect.succeed(null)
  const { paymentId, authorization, signature } = row
  const payment = { ...sale.purchase.payment, authorization, signature }
  const resumed: Sale = {
    ...sale,
    ticket: { ...sale.ticket, paymentId, authorization, signature },
    purchase: { ...sale.purchase, payment },
  }
  const rest = Effect.gen(function* (): Effect.fn.Return<Outcome, SaleError> {
    const proof = yield* proofOf(chain, row, row.transactionHint)
    const settled = proof.proof === "paid"
      ? yield* store.move(row, paidMove(timing, row, proof.at))
      : Option.none()
    if (Option.isNone(settled)) return yield* Effect.fail(notClaimed(resumed, paymentInProgress))
    return yield* computeOrRefund(seller, resumed, settled.value)
  })
  return inFiber(seller, resumed, rest).pipe(
    Effect.catchTag("NotClaimed", () => Effect.succeed(null)),
  )
}

/**
 * Answers with the payment that holds the key of this call; null when the key is free. That
 * payment is another one of the same payer for the same request.
 */
function* answerByKey(
  seller: Seller,
  sale: Sale,
  holder: Option.Option<Payment>,
): Effect.fn.Return<Outcome | null, FailedSale> {
  if (Option.isNone(holder)) return null
  const { outcome, row } = yield* resolve(seller, sale, holder.value)
  if (outcome !== null) return outcome
  return row.state !== "released" && holdsKey(row.state)
    ? yield* Effect.mapError(respond(seller, sale, row), firstPaymentNamed(row.paymentId))
    : null
}

/**
 * The outcome of a payment, for a caller who sends its id and secret but not the payment. Nothing
 * is claimed, computed or charged. When the store fails, nothing is known about the money.
 */
export const findOutcome = (
  seller: Seller,
  paymentId: PaymentId,
  secret: string | null,
): Effect.Effect<Outcome | null, FailedSale> =>
  Effect.gen(function* (): Effect.fn.Return<Outcome | null, FailedSale> {
    const found = Option.getOrNull(yield* seller.store.find(paymentId))
    if (found === null) return null
    // An answer past its window is owed here first, so that it is not delivered and refunded.
    const row = isBuyer(seller, secret, found) && needsChain(found, seller.timing)
      ? yield* reconcile(seller.reconciling, found)
      : found
    return row.state === "released"
      ? null
      : yield* responseForKnownPayment(row, isBuyer(seller, secret, row), seller.receipts)
  }).pipe(orInstead("Cannot look up a payment", unresolved))

/** A call of the facilitator that did not end in time, and one that failed. */
const late = Effect.succeed({ outcome: "unknown", reason: "timeout" } as const)
const defective = Effect.succeed({ outcome: "unknown", reason: "defect" } as const)

/** Logs a defect of a port, and goes on with `instead`. */
const orInstead =
  <B, E2>(message: string, instead: Effect.Effect<B, E2>) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A | B, E | E2> =>
    Effect.catchDefect(
      effect,
      (defect) => Effect.andThen(Effect.logError(message, defect), instead),
    )

const requestOf = ({ terms }: Seller, { ticket, purchase: { product } }: Sale) => ({
  token: ticket.token,
  authorization: ticket.authorization,
  signature: ticket.signature,
  requirements: requirements(product, terms),
})

/** The payment id of an authorization. */
export const idOf = (
  { signatures, token }: Pick<Seller, "signatures" | "token">,
  authorization: Authorization,
): PaymentId => signatures.paymentId({ ...token, ...authorization })

const ticketOf = (seller: Seller, { product, payment, request }: Purchase): PaymentTicket => ({
  paymentId: idOf(seller, payment.authorization),
  token: seller.token,
  authorization: payment.authorization,
  signature: payment.signature,
  amount: product.price,
  settlementOrder: product.settlementOrder,
  productId: product.id,
  request,
})

/**
 * How long a closing service waits for running sales. The sweep continues the others when their
 * leases expire.
 */
const drainTimeout = Duration.seconds(60)
const queueWait = Duration.seconds(5)
/** How many verifications wait for each place at the facilitator, and for how long. */
const verificationsPerPlace = 2
const verificationWait = Duration.seconds(2)
/**
 * How many payments of one client are verified at the same time, and how many more wait for that:
 * an address with many invalid payments must not occupy all places of the facilitator. An IPv6 site
 * (/48) has four times as many.
 */
const unverifiedPerClient = { places: 16, waiting: 64, waitMax: queueWait }
const unverifiedPerSite = { places: 64, waiting: 256, waitMax: queueWait }
/**
 * How many payments of contract wallets are verified at the same time in this process: anyone can
 * make such a payment without a private key.
 */
const unverifiedContracts = { places: 8, waiting: 32, waitMax: queueWait }
/** How many of them one client has. */
const contractsPerClient = { places: 2, waiting: 8, waitMax: queueWait }
/**
 * Maximum number of payments of one payer in progress. Without this limit a payer whose balance
 * pays for one call could have many computed, and could use up what the treasury covers.
 */
const perPayer = { places: 8, waiting: 0, waitMax: Duration.zero }
/**
 * How many verified payments wait for a place among the sales. One client has a quarter of the places,
 * and a site half of them.
 */
const saleQueue = { waiting: 512, waitMax: queueWait }
/**
 * One call at a time for a payment: the same payment on thousands of connections then costs one
 * wait and one read of the chain.
 */
const perPayment = { places: 1, waiting: 0, waitMax: Duration.zero }

/** The state of selling in one process. Closing the scope waits for its fibers. */
export const makeSeller = Effect.fnUntraced(function* (options: PaymentOptions) {
  const { terms, timing, sign, verificationsMax, salesMax, rateLimits } = options
  const store = storeWithDeadline("The payment store", yield* PaymentStore)
  const chain = yield* Chain
  const signatures = yield* Signatures
  const token = tokenOf(terms)
  const treasury = address(terms.treasury)
  const shares = makeShares(rateLimits, yield* Clock.Clock)
  const fibers = yield* FiberSet.make<unknown, FailedSale | NotClaimed>()
  yield* Effect.addFinalizer(() =>
    Effect.ignore(Effect.timeout(FiberSet.awaitEmpty(fibers), drainTimeout))
  )
  const verifications = makePlaces({
    places: verificationsMax,
    waiting: verificationsMax * verificationsPerPlace,
    waitMax: verificationWait,
  })
  const sales = makePlaces({ places: salesMax, ...saleQueue })
  yield* publishDepth("verifications", verifications)
  yield* publishDepth("sales", sales)
  // Charged already, so they may wait for as long as their answer may take.
  const computing = makePlaces({
    places: salesMax,
    waiting: salesMax,
    waitMax: timing.paidWorkTimeout,
  })
  yield* publishDepth("paid_computing", computing)
  return {
    store,
    chain,
    facilitator: yield* Facilitator,
    signatures,
    terms,
    timing,
    salesMax,
    token,
    receipts: makeReceipts(sign, terms),
    /** What resolves payments that no fiber works on. */
    reconciling: {
      store,
      chain,
      windows: timing,
      unfetched: ({ authorization }) => shares.unfetched(authorization.from),
    } satisfies ReconcileOptions,
    fibers,
    /** Runs an effect that no caller waits for. */
    inBackground: (effect: Effect.Effect<void>) => Effect.asVoid(FiberSet.run(fibers, effect)),
    /** The sales of this process, and their ends. */
    running: new Map<PaymentId, { purchase: Purchase; ended: Effect.Effect<void> }>(),
    signerOf: makeSignerCheck(signatures, chain, token),
    shares,
    solvency: yield* makeSolvency({ chain, store, asset: token.asset, treasury }),
    verifications,
    sales,
    /** The settle-early sales that compute, which have left the places for sales. */
    computing,
    saleClients: makePlacesByKey({ places: Math.ceil(salesMax / 4), ...saleQueue }),
    saleSites: makePlacesByKey({ places: Math.ceil(salesMax / 2), ...saleQueue }),
    clients: makePlacesByKey(unverifiedPerClient),
    sites: makePlacesByKey(unverifiedPerSite),
    contracts: makePlaces(unverifiedContracts),
    contractClients: makePlacesByKey(contractsPerClient),
    payers: makePlacesByKey(perPayer),
    /** The calls that wait for a sale of this process. */
    waiting: makePlacesByKey(perPayment),
    /** The calls that resume or reconcile a known payment, or wait for it. */
    resolving: makePlacesByKey(perPayment),
  }
})
