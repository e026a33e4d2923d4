/**
 * Sells one answer for one payment: checks the signature, then sells the payment, or responds for
 * a payment that is already known. Runs the sweep and the scan, and marks answers as delivered.
 * `sale/sale.ts` contains the steps of a sale, `sale/saleFibers.ts` its limits.
 *
 * @module
 */
import { Context, Duration, Effect, Layer, Option, Result, Schedule } from "effect"
import type { Product } from "../catalog/domain/product.ts"
import { storeWithDeadline } from "../core/deadline.ts"
import { makePlaces, makePlacesByKey } from "../core/places.ts"
import { Chain, type ChainUnavailable } from "./Chain.ts"
import { scan } from "./matchTransfers.ts"
import { DeliveryJournal } from "./DeliveryJournal.ts"
import type { FailedSale, NotCharged, SignedReceipt } from "./domain/failedSale.ts"
import {
  type Address,
  address,
  type Authorization,
  type Bytes32,
  holdsKey,
  type Payment,
  type PaymentId,
  type PaymentTicket,
  type ReleasedPayment,
  repeatAction,
  type TokenDomain,
  wasTaken,
} from "./domain/payment.ts"
import { pauseMs } from "./domain/refundRatio.ts"
import type { Sign } from "./domain/x402/offerReceipt.ts"
import { type PaymentTerms, tokenOf } from "./domain/x402/terms.ts"
import { Facilitator } from "./Facilitator.ts"
import { PaymentStore } from "./PaymentStore.ts"
import type { Outcome, Purchase, Work } from "./purchase.ts"
import { needsChain, reconcile, sweep } from "./reconcile.ts"
import {
  findOutcome,
  firstPaymentNamed,
  inProgress,
  invalidSignature,
  notValidNow,
  overloaded,
  payerOverloaded,
  paymentConflict,
  type PaymentOutcome,
  responseForKnownPayment,
  tooManyRefunds,
  unavailable,
  unresolved,
} from "./sale/responses.ts"
import {
  resumeUnresolved,
  type RunningSale,
  type SalePorts,
  sellComputeFirst,
  sellResumed,
  sellSettleEarly,
} from "./sale/sale.ts"
import { countEnd, makeSaleFibers, type Sale, type SaleFibers, saleOf } from "./sale/saleFibers.ts"
import { makeReceipts, type Receipts } from "./sale/receipts.ts"
import { makeSolvency, type Solvency } from "./sale/solvency.ts"
import {
  checkPayerProof,
  fetchHint,
  isBuyerOf,
  keyHash,
  makeSignerCheck,
  type PayerProof,
  secretHash,
  type Signer,
  wrongProof,
} from "./sale/identity.ts"
import { Signatures } from "./Signatures.ts"
import { defaultTiming, type PaymentTiming } from "./timing.ts"

export class Payments extends Context.Service<Payments, {
  /**
   * Sells the answer of `work` for this payment, in the settlement order of its product. The sale
   * runs in a fiber of this service. When the caller is interrupted before the intent to settle,
   * the payment is released; after the intent, the sale continues without the caller.
   *
   * On `NotCharged` with code `payment_required` the caller must return the challenge with the
   * error's message. Only settle-early sales fail with `RefundQueued`.
   */
  readonly sell: (purchase: Purchase, work: Work) => Effect.Effect<Outcome, FailedSale>
  /** The payment id of an authorization. Pure. */
  readonly idOf: (authorization: Authorization) => PaymentId
  /**
   * The outcome of a payment. It contains the stored answer only when the secret is the one that
   * the answer was bought with. Nothing is claimed or charged.
   */
  readonly findOutcome: (
    paymentId: PaymentId,
    secret: string | null,
  ) => Effect.Effect<PaymentOutcome>
  /** Records that an answer was delivered on an open connection. Does not wait for the store. */
  readonly sent: (delivery: Outcome) => Effect.Effect<void>
  /**
   * The stored payment, and its signed receipt; none when it was never claimed. A receipt of a sale
   * is given only for the secret that the answer was bought with.
   */
  readonly status: (
    paymentId: PaymentId,
    secret: string | null,
  ) => Effect.Effect<Option.Option<PaymentStatus>>
  /**
   * Resolves payments whose worker or buyer is gone, as far as the chain allows now. Runs every
   * SWEEP. Returns how many rows moved.
   */
  readonly sweep: Effect.Effect<number>
  /**
   * Resolves released payments that have expired: void when the chain proves that they were never
   * paid, else owed. Runs every SWEEP. Returns how many rows moved.
   */
  readonly sweepReleased: Effect.Effect<number>
  /**
   * Matches transfers to us on the chain with stored payments. Runs every SCAN. Returns how many
   * rows changed.
   */
  readonly scan: Effect.Effect<number, ChainUnavailable>
}>()("bellwether/payments/Payments") {
  static readonly layer = (options: PaymentOptions) => Layer.effect(Payments, make(options))
}

/** A payment, with the signed receipt of its sale or refund; null where there is none to show. */
export interface PaymentStatus {
  readonly payment: Payment
  readonly receipt: typeof SignedReceipt.Type | null
}

interface PaymentOptions {
  readonly terms: PaymentTerms
  readonly timing?: PaymentTiming
  /** Signs receipts; without it they have no signature. */
  readonly sign?: Sign
  /** Maximum number of verified payments that are sold at the same time. */
  readonly salesMax?: number
}

const defaultSalesMax = 512
/**
 * How many payments of contract wallets are verified at the same time in this process, how many
 * more wait for a place, and for how long: anyone can make such a payment without a private key.
 */
const unverifiedContracts = { places: 8, waiting: 32, waitMax: Duration.seconds(5) }
/**
 * One call at a time for a payment: the same payment on thousands of connections then costs one
 * wait and one read of the chain.
 */
const onePerPayment = { places: 1, waiting: 0, waitMax: Duration.zero }
/**
 * The interval and the maximum number of retries, when the store fails to mark an answer as
 * delivered. An answer that is never marked is refunded although it was delivered.
 */
const markInterval = Duration.millis(250)
const markRetriesMax = 40

/** The dependencies of a sale. */
interface Seller extends SalePorts {
  readonly terms: PaymentTerms
  readonly token: TokenDomain
  readonly receipts: Receipts
  readonly signatures: Signatures["Service"]
  readonly fibers: SaleFibers
  /** The calls that wait for a sale of this process. */
  readonly waiting: ReturnType<typeof makePlacesByKey>
  /** The calls that resume or reconcile a known payment, or wait for it. */
  readonly resolving: ReturnType<typeof makePlacesByKey>
  readonly solvency: Solvency
  readonly contractPlaces: ReturnType<typeof makePlaces>
  readonly signerOf: ReturnType<typeof makeSignerCheck>
}

/** A call with its payment, and what it proves about its sender. */
interface KnownCall extends Sale {
  readonly ticket: PaymentTicket
  /** The hash of its key; null without one. */
  readonly key: Bytes32 | null
  readonly proof: PayerProof
  readonly signer: Signer
}

const make = Effect.fnUntraced(function* (
  { terms, timing = defaultTiming, sign, salesMax = defaultSalesMax }: PaymentOptions,
) {
  const store = storeWithDeadline("The payment store", yield* PaymentStore)
  const chain = yield* Chain
  const signatures = yield* Signatures
  const token = tokenOf(terms)
  const treasury = address(terms.treasury)
  const receipts = makeReceipts(sign ?? null, terms)
  const seller: Seller = {
    store,
    chain,
    facilitator: yield* Facilitator,
    timing,
    terms,
    token,
    receipts,
    signatures,
    fibers: yield* makeSaleFibers(terms, receipts, salesMax),
    waiting: makePlacesByKey(onePerPayment),
    resolving: makePlacesByKey(onePerPayment),
    solvency: makeSolvency({ chain, store, asset: token.asset, treasury }),
    contractPlaces: makePlaces(unverifiedContracts),
    signerOf: makeSignerCheck(signatures, chain, token),
  }
  const ports = { store, chain, windows: timing }
  const account = { chainId: terms.chainId, asset: token.asset, payTo: address(terms.payTo) }
  return Payments.of({
    sell: (purchase, work) => {
      const sale = saleOf(purchase, work)
      return countEnd(sale, sell(seller, sale))
    },
    idOf: (authorization) => idOf(seller, authorization),
    findOutcome: findOutcome({
      ...ports,
      receipts,
      secretHash: (id, secret) => secretHash(signatures, id, secret),
    }),
    sent: yield* makeDeliveryMarks(seller),
    status: (paymentId, secret) =>
      Effect.map(
        store.find(paymentId),
        Option.map((payment) =>
          statusOf(payment, receipts, secretHash(signatures, paymentId, secret))
        ),
      ),
    sweep: sweep(ports, "urgent"),
    sweepReleased: sweep(ports, "released"),
    scan: scan({ ...ports, signatures, token, account }),
  })
})

function statusOf(
  payment: Payment,
  receipts: Receipts,
  hash: Bytes32 | null,
): PaymentStatus {
  if (payment.state === "refund_due" || payment.state === "refunded") {
    return { payment, receipt: receipts.ofRefund(payment).receipt ?? null }
  }
  const isBuyer = hash !== null && hash === payment.secretHash
  if (payment.state !== "answered" || payment.answer === null || !isBuyer) {
    return { payment, receipt: null }
  }
  const info = receipts.ofSale(payment, payment.answer.body).extensions?.["offer-receipt"].info
  return { payment, receipt: info !== undefined && "receipt" in info ? info.receipt : null }
}

const sell = Effect.fnUntraced(
  function* (seller: Seller, sale: Sale): Effect.fn.Return<Outcome, FailedSale> {
    const { store, signatures, terms } = seller
    const ticket = ticketOf(seller, sale.purchase)
    const proof = yield* checkPayerProof(signatures, terms, ticket, sale.purchase)
    yield* waitForSaleHere(seller, sale, ticket.paymentId, proof)
    const key = keyHash(signatures, ticket, sale.purchase.secret)
    const found = yield* store.findWithKey(ticket.paymentId, key)
    const known = Option.getOrUndefined(found.payment)
    const signer = yield* seller.signerOf(ticket, known)
    const taken = known === undefined ? undefined : wasTaken(known.state)
    if (signer === "stranger") {
      return yield* taken === undefined ? invalidSignature : paymentConflict(taken)
    }
    if (proof === "wrong") return yield* wrongProof(terms, ticket.paymentId, taken)
    const call = { ...sale, ticket, key, proof, signer }
    return yield* known === undefined
      ? sellUnclaimed(seller, call, null, found.holder)
      : answerKnownPayment(seller, known, call, found.holder)
  },
  Effect.catchDefect(unresolvedAfterDefect),
)

/**
 * When this process is selling the payment, waits until that sale has ended. Only a call with the
 * same secret, or with the payer's proof, may wait, and one such call for each payment.
 */
const waitForSaleHere = Effect.fnUntraced(function* (
  { fibers, waiting, timing, terms }: Seller,
  { purchase }: Sale,
  paymentId: PaymentId,
  proof: PayerProof,
) {
  const other = fibers.inProgress(paymentId)
  if (other === undefined) return
  const { request, payment, secret } = other.purchase
  if (request !== purchase.request || payment.signature !== purchase.payment.signature) {
    return yield* paymentConflict(null)
  }
  if (proof === "wrong") return yield* wrongProof(terms, paymentId, null)
  const hasSecret = secret !== null && secret === purchase.secret
  if (!hasSecret && proof !== "valid") return yield* inProgress
  const waitMax = Duration.times(timing.waitInterval, timing.waitRetriesMax)
  yield* waiting.run(paymentId)(busy)(Effect.timeout(other.ended, waitMax)).pipe(
    Effect.catch(() => inProgress),
  )
})

/**
 * Sells a payment that no row or a released row has, unless another payment (`holder`) holds its
 * key. The payer's own signature is enough to ask for that one; a contract's must be verified first.
 */
const sellUnclaimed = Effect.fnUntraced(function* (
  seller: Seller,
  call: KnownCall,
  released: ReleasedPayment | null,
  holder: Option.Option<Payment>,
): Effect.fn.Return<Outcome, FailedSale> {
  const { fibers, store, contractPlaces } = seller
  const { signer, ticket: { paymentId, authorization }, key, purchase } = call
  const { validityFault, product } = purchase
  const first = signer === "payer" ? yield* answerByKey(seller, call, holder) : Option.none()
  if (Option.isSome(first)) return first.value
  if (validityFault !== null) return yield* notValidNow(validityFault)
  yield* checkRecentRefunds(seller, product, authorization.from)
  const sellInOrder = product.settlementOrder === "compute-first"
    ? sellComputeFirst
    : sellSettleEarly
  // Only a verified payment is claimed.
  let isVerified = false
  const claim = claimOf(seller, call, released)
  const steps = {
    claim: Effect.suspend(() => {
      isVerified = true
      return claim
    }),
    checkCovered: checkCovered(seller, product),
  }
  const sold = yield* Effect.result(
    fibers.run(
      paymentId,
      call,
      steps,
      (running) =>
        sellInOrder(
          seller,
          signer === "payer" ? running : {
            ...running,
            whileUnverified: (steps) =>
              contractPlaces.run(overloaded)(running.whileUnverified(steps)),
          },
        ),
    ),
  )
  if (Result.isSuccess(sold) && Option.isSome(sold.success)) return sold.success.value
  if (Result.isFailure(sold) && (isVerified || sold.failure._tag !== "NotCharged")) {
    return yield* sold.failure
  }
  // Another call may have claimed the payment, and even settled it: then it is charged, and perhaps
  // not valid any more, but its buyer must not sign a new one.
  const now = yield* store.findWithKey(paymentId, key)
  const known = Option.getOrNull(now.payment)
  if (known !== null && known.state !== "released") {
    return yield* released === null
      ? answerKnownPayment(seller, known, call, now.holder)
      : respond(seller, known, call)
  }
  const isProven = signer === "payer" || isVerified
  const second = isProven ? yield* answerByKey(seller, call, now.holder) : Option.none()
  if (Option.isSome(second)) return second.value
  return yield* Result.isFailure(sold) ? sold.failure : inProgress
})

/**
 * Responds with the payment that holds the key of this call; none when the key is free. That
 * payment is another one of the same payer for the same request.
 */
const answerByKey = Effect.fnUntraced(function* (
  seller: Seller,
  call: KnownCall,
  holder: Option.Option<Payment>,
): Effect.fn.Return<Option.Option<Outcome>, FailedSale> {
  if (Option.isNone(holder) || holder.value.state === "released") return Option.none()
  const { paymentId } = holder.value
  const { delivery, row } = yield* resolved(seller, holder.value, call)
  if (delivery !== null) return Option.some(delivery)
  return row.state !== "released" && holdsKey(row.state)
    ? yield* Effect.mapError(
      Effect.asSome(respond(seller, row, call)),
      firstPaymentNamed(paymentId),
    )
    : Option.none()
})

/** Responds for a known payment, according to `repeatAction`. */
const answerKnownPayment = Effect.fnUntraced(function* (
  seller: Seller,
  found: Payment,
  call: KnownCall,
  holder: Option.Option<Payment>,
): Effect.fn.Return<Outcome, FailedSale> {
  if (isBoundElsewhere(found, call.purchase)) {
    return yield* paymentConflict(wasTaken(found.state))
  }
  if (found.state === "released") return yield* sellUnclaimed(seller, call, found, holder)
  const { delivery, row } = yield* resolved(seller, found, call)
  if (delivery !== null) return delivery
  return yield* row.state === "released"
    ? sellUnclaimed(seller, call, row, holder)
    : respond(seller, row, call)
})

/** The response with the state of a payment, when this call can change nothing more. */
const respond = (seller: Seller, row: Exclude<Payment, ReleasedPayment>, call: KnownCall) =>
  responseForKnownPayment(
    row,
    isBuyer(seller, row, call),
    seller.receipts,
    fetchHint(row, seller.terms, seller.timing),
  )

/** The answer of a resumed sale, or the newest row of its payment. */
interface Resolved {
  readonly delivery: Outcome | null
  readonly row: Payment
}

/** Resolves a known payment as far as this call can, unless another call is doing it. */
const resolved = Effect.fnUntraced(function* (
  seller: Seller,
  found: Payment,
  call: KnownCall,
): Effect.fn.Return<Resolved, FailedSale> {
  const { timing, resolving } = seller
  return yield* resolving.run(found.paymentId)(busy)(
    resolveInTurn(seller, found, call, timing.waitRetriesMax),
  ).pipe(
    Effect.catchIf(
      (error): error is typeof busy => error === busy,
      () =>
        // The other call may be making the refund of this answer due.
        found.state === "answered" && needsChain(found, timing)
          ? inProgress
          : Effect.succeed({ delivery: null, row: found }),
    ),
  )
})

/** Another call waits for the payment or resolves it. */
const busy = "busy" as const

/** Resumes, reconciles or waits for a known payment. */
const resolveInTurn = Effect.fnUntraced(function* (
  seller: Seller,
  found: Payment,
  call: KnownCall,
  waitsLeft: number,
): Effect.fn.Return<Resolved, FailedSale> {
  const { store, chain, timing } = seller
  const resumed = yield* resume(seller, found, call)
  if (Option.isSome(resumed)) return { delivery: resumed.value, row: found }
  const row = needsChain(found, timing)
    ? yield* reconcile({ store, chain, windows: timing }, found)
    : found
  if (repeatAction(row.state, isBuyer(seller, row, call)) !== "wait" || waitsLeft === 0) {
    return { delivery: null, row }
  }
  yield* Effect.sleep(timing.waitInterval)
  const next = yield* Effect.orDie(Effect.flatMap(store.find(row.paymentId), Effect.fromOption))
  return yield* resolveInTurn(seller, next, call, waitsLeft - 1)
})

/**
 * Refuses a new settle-early sale to a payer whose answers were often not fetched (`pauseMs`), before
 * the payment is verified or claimed.
 */
const checkRecentRefunds = (
  { store }: Seller,
  { settlementOrder }: Product,
  payer: Address,
): Effect.Effect<void, NotCharged> =>
  settlementOrder === "compute-first" ? Effect.void : store.recentSales(payer).pipe(
    Effect.map(pauseMs),
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError("Cannot read the refunds of a payer", defect), unavailable)
    ),
    Effect.flatMap((pause) => pause === null ? Effect.void : tooManyRefunds(pause)),
  )

/**
 * Claims the payment of a sale. A settle-early sale first reserves what may have to be refunded,
 * until the store counts its claim.
 */
function claimOf(
  { store, timing, solvency, signatures }: Seller,
  call: KnownCall,
  released: ReleasedPayment | null,
): RunningSale["claim"] {
  const { ticket, key, purchase: { product, secret } } = call
  const { lease } = timing
  const hash = secretHash(signatures, ticket.paymentId, secret)
  const claim: RunningSale["claim"] = (released === null
    ? Effect.map(
      store.claim(ticket, hash, lease, key),
      ({ claimed, payment }) => claimed ? Option.some(payment) : Option.none(),
    )
    : store.move(released, { event: "claim", secretHash: hash, keyHash: key, lease }))
    .pipe(Effect.catchDefect(unresolvedAfterDefect))
  if (product.settlementOrder === "compute-first") return claim
  const reserved = solvency.reserve(call, product.price).pipe(
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("Cannot read what is owed", defect), false)
    ),
  )
  return Effect.flatMap(reserved, (covered) => covered ? claim : unavailable).pipe(
    Effect.ensuring(solvency.unreserve(call)),
  )
}

/**
 * Checks again, after the claim of a settle-early sale, that the treasury covers what may be owed:
 * another replica may have claimed at the same moment.
 */
const checkCovered = ({ solvency }: Seller, { settlementOrder }: Product) =>
  settlementOrder === "compute-first" ? Effect.void : solvency.covered.pipe(
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("Cannot check that refunds are covered", defect), false)
    ),
    Effect.flatMap((covered) => covered ? Effect.void : unavailable),
  )

/**
 * Continues an unresolved settle-early payment for its own buyer, who may have sent its key with
 * another payment. None when the payer has too many payments in progress.
 */
const resume = (
  seller: Seller,
  row: Payment,
  call: KnownCall,
): Effect.Effect<Option.Option<Outcome>, FailedSale> => {
  if (
    row.state !== "unresolved" || row.settlementOrder !== "settle-early" ||
    !isBuyer(seller, row, call)
  ) return Effect.succeedNone
  const { authorization, signature } = row
  const payment = { ...call.purchase.payment, authorization, signature }
  return seller.fibers.run(
    row.paymentId,
    { ...call, purchase: { ...call.purchase, payment } },
    { claim: resumeUnresolved(seller, row), checkCovered: Effect.void },
    (running) => sellResumed(seller, running),
  ).pipe(Effect.catchIf((error) => error === payerOverloaded, () => Effect.succeedNone))
}

function isBuyer(
  { signatures, timing }: Seller,
  row: Payment,
  { purchase, proof }: KnownCall,
): boolean {
  return isBuyerOf(row, secretHash(signatures, row.paymentId, purchase.secret), proof, timing)
}

/**
 * True when the payment is bound to another request or signature. An unmatched transfer is bound to
 * none, so any request of its signer gets its outcome.
 */
const isBoundElsewhere = (found: Payment, { request, payment }: Purchase) =>
  found.request !== null &&
  (found.request !== request || found.signature !== payment.signature)

const idOf = ({ signatures, token }: Seller, authorization: Authorization) =>
  signatures.paymentId({ ...token, ...authorization })

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
 * Marks an answer as delivered: in the journal at once, in the store in the background, whether or
 * not the journal could be written.
 */
const makeDeliveryMarks = Effect.fnUntraced(function* ({ store, fibers }: Seller) {
  const journal = yield* DeliveryJournal
  const mark = (paymentId: PaymentId) =>
    fibers.background(
      store.markSent(paymentId).pipe(
        Effect.catchDefect(Effect.fail),
        Effect.retry({ schedule: Schedule.spaced(markInterval), times: markRetriesMax }),
        Effect.andThen(journal.acknowledge(paymentId)),
        Effect.catch((defect) => Effect.logWarning("Cannot mark an answer as delivered", defect)),
      ),
    )
  yield* Effect.forEach(journal.pending, mark, { discard: true })
  return ({ paymentId, receipt }: Outcome) =>
    receipt === null ? Effect.void : Effect.ensuring(journal.append(paymentId), mark(paymentId))
})

/** A payment that the store cannot look up may be known and taken, so it is unresolved. */
function unresolvedAfterDefect(defect: unknown) {
  return Effect.andThen(Effect.logError("The payment store failed", defect), unresolved)
}
