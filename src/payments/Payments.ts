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
import { Chain, type ChainUnavailable } from "./Chain.ts"
import { scan } from "./matchTransfers.ts"
import { DeliveryJournal } from "./DeliveryJournal.ts"
import type { FailedSale } from "./domain/failedSale.ts"
import {
  address,
  type Authorization,
  type Bytes32,
  type Payment,
  type PaymentId,
  type PaymentTicket,
  type ReleasedPayment,
  repeatAction,
  type TokenDomain,
  wasTaken,
} from "./domain/payment.ts"
import { type PaymentTerms, tokenOf } from "./domain/x402/terms.ts"
import { Facilitator } from "./Facilitator.ts"
import { PaymentStore } from "./PaymentStore.ts"
import { needsChain, reconcile, sweep } from "./reconcile.ts"
import {
  type Delivery,
  findOutcome,
  inProgress,
  invalidSignature,
  notValidNow,
  paymentConflict,
  type PaymentOutcome,
  responseForKnownPayment,
  unavailable,
  unresolved,
} from "./sale/responses.ts"
import {
  type Purchase,
  resumeUnresolved,
  type RunningSale,
  type SalePorts,
  sellComputeFirst,
  sellResumed,
  sellSettleEarly,
  type Work,
} from "./sale/sale.ts"
import { countEnd, makeSaleFibers, type Sale, type SaleFibers, saleOf } from "./sale/saleFibers.ts"
import { makeSolvency, type Solvency } from "./sale/solvency.ts"
import { makeOncePerPayment, type OncePerPayment } from "./sale/oncePerPayment.ts"
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
  readonly sell: (purchase: Purchase, work: Work) => Effect.Effect<Delivery, FailedSale>
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
  readonly sent: (delivery: Delivery) => Effect.Effect<void>
  /** The stored payment; none when it was never claimed. */
  readonly status: (paymentId: PaymentId) => Effect.Effect<Option.Option<Payment>>
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

interface PaymentOptions {
  readonly terms: PaymentTerms
  readonly timing?: PaymentTiming
  /** Maximum number of verified payments that are sold at the same time. */
  readonly salesMax?: number
}

const defaultSalesMax = 512
/**
 * Maximum number of concurrent checks whether a payer is a contract. When there are that many, a
 * signature that is not the payer's own counts as invalid.
 */
const codeLookupsMax = 8
const codeTimeout = Duration.seconds(3)
/**
 * The interval and the maximum number of retries, when the store fails to mark an answer as
 * delivered. An answer that is never marked is refunded although it was delivered.
 */
const markInterval = Duration.millis(250)
const markRetriesMax = 40

/** The dependencies of a sale. */
interface Seller extends SalePorts {
  readonly token: TokenDomain
  readonly network: string
  readonly signatures: Signatures["Service"]
  readonly fibers: SaleFibers
  /** The calls that wait for a sale of this process. */
  readonly waiting: OncePerPayment
  /** The calls that resume or reconcile a known payment, or wait for it. */
  readonly resolving: OncePerPayment
  readonly solvency: Solvency
  readonly hasInvalidSignature: (ticket: PaymentTicket) => Effect.Effect<boolean>
}

const make = Effect.fnUntraced(function* (
  { terms, timing = defaultTiming, salesMax = defaultSalesMax }: PaymentOptions,
) {
  const store = storeWithDeadline("The payment store", yield* PaymentStore)
  const chain = yield* Chain
  const signatures = yield* Signatures
  const token = tokenOf(terms)
  const treasury = address(terms.treasury)
  const seller: Seller = {
    store,
    chain,
    facilitator: yield* Facilitator,
    timing,
    token,
    network: `eip155:${terms.chainId}`,
    signatures,
    fibers: yield* makeSaleFibers(terms, salesMax),
    waiting: makeOncePerPayment(),
    resolving: makeOncePerPayment(),
    solvency: makeSolvency({ chain, store, asset: token.asset, treasury }),
    hasInvalidSignature: makeSignatureCheck(signatures, chain, token),
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
      network: seller.network,
      secretHash: (id, secret) => secretHash(signatures, id, secret),
    }),
    sent: yield* makeDeliveryMarks(seller),
    status: store.find,
    sweep: sweep(ports, "urgent"),
    sweepReleased: sweep(ports, "released"),
    scan: scan({ ...ports, signatures, token, account }),
  })
})

const sell = Effect.fnUntraced(
  function* (seller: Seller, sale: Sale): Effect.fn.Return<Delivery, FailedSale> {
    const { store, hasInvalidSignature } = seller
    const ticket = ticketOf(seller, sale.purchase)
    yield* waitForSaleHere(seller, sale, ticket.paymentId)
    if (yield* hasInvalidSignature(ticket)) {
      const known = yield* store.find(ticket.paymentId)
      return yield* Option.isSome(known)
        ? paymentConflict(wasTaken(known.value.state))
        : invalidSignature
    }
    const known = yield* store.find(ticket.paymentId)
    return yield* Option.isSome(known)
      ? answerKnownPayment(seller, known.value, sale)
      : sellUnclaimed(seller, sale, ticket, null)
  },
  Effect.catchDefect(unresolvedAfterDefect),
)

/**
 * When this process is selling the payment, waits until that sale has ended. Only a call with the
 * same secret may wait, and one such call for each payment.
 */
const waitForSaleHere = Effect.fnUntraced(function* (
  { fibers, waiting, timing }: Seller,
  { purchase }: Sale,
  paymentId: PaymentId,
) {
  const other = fibers.inProgress(paymentId)
  if (other === undefined) return
  const { request, payment, secret } = other.purchase
  if (request !== purchase.request || payment.signature !== purchase.payment.signature) {
    return yield* paymentConflict(null)
  }
  if (secret === null || secret !== purchase.secret) return yield* inProgress
  const waitMax = Duration.times(timing.waitInterval, timing.waitRetriesMax)
  const ended = waiting.run(paymentId, Effect.timeoutOption(other.ended, waitMax))
  if (Option.isNone(Option.flatten(yield* ended))) return yield* inProgress
})

/** Sells a payment that no row or a released row has. */
const sellUnclaimed = Effect.fnUntraced(function* (
  seller: Seller,
  sale: Sale,
  ticket: PaymentTicket,
  released: ReleasedPayment | null,
): Effect.fn.Return<Delivery, FailedSale> {
  const { fibers, store } = seller
  const { validityFault, product } = sale.purchase
  if (validityFault !== null) return yield* notValidNow(validityFault)
  const sellInOrder = product.settlementOrder === "compute-first"
    ? sellComputeFirst
    : sellSettleEarly
  const steps = {
    claim: claimOf(seller, sale, ticket, released),
    checkCovered: checkCovered(seller, product),
  }
  const sold = yield* Effect.result(
    fibers.run(ticket.paymentId, sale, steps, (running) => sellInOrder(seller, running)),
  )
  if (Result.isSuccess(sold) && Option.isSome(sold.success)) return sold.success.value
  if (Result.isFailure(sold) && !isPaymentRequired(sold.failure)) return yield* sold.failure
  // Another call may have claimed the payment, and even settled it: then it is not valid any more,
  // but its buyer must not sign a new one.
  const known = Option.getOrNull(yield* store.find(ticket.paymentId))
  if (known !== null && known.state !== "released") {
    return yield* released === null
      ? answerKnownPayment(seller, known, sale)
      : responseForKnownPayment(known, isBuyer(seller, known, sale), seller.network)
  }
  return yield* Result.isFailure(sold) ? sold.failure : inProgress
})

const isPaymentRequired = (failure: FailedSale) =>
  failure._tag === "NotCharged" && failure.code === "payment_required"

/** Responds for a known payment, according to `repeatAction`. */
const answerKnownPayment = Effect.fnUntraced(function* (
  seller: Seller,
  found: Payment,
  sale: Sale,
): Effect.fn.Return<Delivery, FailedSale> {
  const { timing, network, resolving } = seller
  if (isBoundElsewhere(found, sale.purchase)) {
    return yield* paymentConflict(wasTaken(found.state))
  }
  const ticket = ticketOf(seller, sale.purchase)
  if (found.state === "released") return yield* sellUnclaimed(seller, sale, ticket, found)
  const answer = yield* resolving.run(
    found.paymentId,
    answerInTurn(seller, found, sale, timing.waitRetriesMax),
  )
  if (Option.isSome(answer)) return answer.value
  // The other call may be making the refund of this answer due.
  if (found.state === "answered" && needsChain(found, timing)) return yield* inProgress
  return yield* responseForKnownPayment(found, isBuyer(seller, found, sale), network)
})

/** Resumes, reconciles or waits for a known payment, and responds with its state after that. */
const answerInTurn = Effect.fnUntraced(function* (
  seller: Seller,
  found: Exclude<Payment, ReleasedPayment>,
  sale: Sale,
  waitsLeft: number,
): Effect.fn.Return<Delivery, FailedSale> {
  const { store, chain, timing, network } = seller
  const resumed = yield* resume(seller, found, sale)
  if (Option.isSome(resumed)) return resumed.value
  const row = needsChain(found, timing)
    ? yield* reconcile({ store, chain, windows: timing }, found)
    : found
  if (row.state === "released") {
    return yield* sellUnclaimed(seller, sale, ticketOf(seller, sale.purchase), row)
  }
  const hasSecret = isBuyer(seller, row, sale)
  if (repeatAction(row.state, hasSecret) === "wait" && waitsLeft > 0) {
    yield* Effect.sleep(timing.waitInterval)
    const next = yield* Effect.orDie(Effect.flatMap(store.find(row.paymentId), Effect.fromOption))
    return yield* next.state === "released"
      ? sellUnclaimed(seller, sale, ticketOf(seller, sale.purchase), next)
      : answerInTurn(seller, next, sale, waitsLeft - 1)
  }
  return yield* responseForKnownPayment(row, hasSecret, network)
})

/**
 * Claims the payment of a sale. A settle-early sale first reserves what may have to be refunded,
 * until the store counts its claim.
 */
function claimOf(
  { store, timing, solvency, signatures }: Seller,
  sale: Sale,
  ticket: PaymentTicket,
  released: ReleasedPayment | null,
): RunningSale["claim"] {
  const { product, secret } = sale.purchase
  const { lease } = timing
  const hash = secretHash(signatures, ticket.paymentId, secret)
  const claim: RunningSale["claim"] = (released === null
    ? Effect.map(
      store.claim(ticket, hash, lease),
      ({ claimed, payment }) => claimed ? Option.some(payment) : Option.none(),
    )
    : store.move(released, { event: "claim", secretHash: hash, lease }))
    .pipe(Effect.catchDefect(unresolvedAfterDefect))
  if (product.settlementOrder === "compute-first") return claim
  const reserved = solvency.reserve(sale, product.price).pipe(
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("Cannot read what is owed", defect), false)
    ),
  )
  return Effect.flatMap(reserved, (covered) => covered ? claim : unavailable).pipe(
    Effect.ensuring(solvency.unreserve(sale)),
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

/** Continues an unresolved settle-early payment for its own buyer. */
const resume = (seller: Seller, row: Payment, sale: Sale) =>
  row.state === "unresolved" && row.settlementOrder === "settle-early" &&
    isBuyer(seller, row, sale)
    ? seller.fibers.run(
      row.paymentId,
      sale,
      { claim: resumeUnresolved(seller, row), checkCovered: Effect.void },
      (running) => sellResumed(seller, running),
    )
    : Effect.succeedNone

/** True when the call has the secret that the payment was claimed with. */
function isBuyer({ signatures }: Seller, row: Payment, { purchase }: Sale): boolean {
  const hash = secretHash(signatures, row.paymentId, purchase.secret)
  return hash !== null && hash === row.secretHash
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

const secretHash = (
  signatures: Signatures["Service"],
  id: PaymentId,
  secret: string | null,
): Bytes32 | null => secret === null ? null : signatures.digest(`secret/v1:${id}:${secret}`)

/** True when the signature is not the payer's and the payer is not a contract. */
function makeSignatureCheck(
  signatures: Signatures["Service"],
  chain: Chain["Service"],
  token: TokenDomain,
): Seller["hasInvalidSignature"] {
  let codeLookups = 0
  return Effect.fnUntraced(function* ({ authorization, signature }) {
    const signer = yield* signatures.signer(token, authorization, signature)
    if (Option.isSome(signer) && signer.value === authorization.from) return false
    if (codeLookups >= codeLookupsMax) return true
    codeLookups += 1
    return yield* chain.hasCode(authorization.from).pipe(
      Effect.timeout(codeTimeout),
      Effect.map((hasCode) => !hasCode),
      Effect.catch(() => Effect.succeed(true)),
      Effect.ensuring(Effect.sync(() => {
        codeLookups -= 1
      })),
    )
  })
}

/** Marks an answer as delivered: in the journal at once, in the store in the background. */
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
  return ({ paymentId, receipt }: Delivery) =>
    receipt === null ? Effect.void : Effect.andThen(journal.append(paymentId), mark(paymentId))
})

/** A payment that the store cannot look up may be known and taken, so it is unresolved. */
function unresolvedAfterDefect(defect: unknown) {
  return Effect.andThen(Effect.logError("The payment store failed", defect), unresolved)
}
