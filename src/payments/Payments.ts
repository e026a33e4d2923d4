/**
 * Sells one answer for one payment: checks the signature, then claims the payment, or responds for
 * a payment that is already known. Limits the payments in progress, runs the sweep and the scan,
 * and marks answers as delivered. `sale/sale.ts` contains the steps after the claim.
 *
 * @module
 */
import { Context, Duration, Effect, Layer, Option, Schedule } from "effect"
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
  repeatAction,
  type TokenDomain,
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
  overloaded,
  paymentConflict,
  type PaymentOutcome,
  responseForKnownPayment,
  unavailable,
  unresolved,
} from "./sale/responses.ts"
import {
  type ClaimedPurchase,
  computeOrRefund,
  type Purchase,
  resumeUnresolved,
  type SalePorts,
  sellComputeFirst,
  sellSettleEarly,
  type Work,
} from "./sale/sale.ts"
import { countEnd, makeSaleFibers, type Sale, type SaleFibers, saleOf } from "./sale/saleFibers.ts"
import { makeSolvency, type Solvency } from "./sale/solvency.ts"
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
  /** The stored payment; none when the service never received it. */
  readonly status: (paymentId: PaymentId) => Effect.Effect<Option.Option<Payment>>
  /**
   * Resolves waiting payments, as far as the chain allows now. Runs every SWEEP. Returns how many
   * rows moved.
   */
  readonly sweep: Effect.Effect<number>
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
}

/**
 * Maximum number of payments in progress. At this number nothing more is claimed, but known
 * payments still get their response.
 */
const inFlightMax = 512
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
  readonly solvency: Solvency
  readonly hasInvalidSignature: (ticket: PaymentTicket) => Effect.Effect<boolean>
}

const make = Effect.fnUntraced(function* ({ terms, timing = defaultTiming }: PaymentOptions) {
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
    fibers: yield* makeSaleFibers(terms),
    solvency: makeSolvency({ chain, store, asset: token.asset, treasury }),
    hasInvalidSignature: makeSignatureCheck(signatures, chain, token),
  }
  const ports = { store, chain, windows: timing }
  const account = { chainId: terms.chainId, asset: token.asset, payTo: address(terms.payTo) }
  return Payments.of({
    sell: (purchase, work) => {
      const sale = saleOf(purchase, work)
      return Effect.ensuring(
        countEnd(sale, sell(seller, sale)),
        seller.solvency.unreserve(sale),
      )
    },
    idOf: (authorization) => idOf(seller, authorization),
    findOutcome: findOutcome({
      ...ports,
      network: seller.network,
      secretHash: (id, secret) => secretHash(seller, id, secret),
    }),
    sent: yield* makeDeliveryMarks(seller),
    status: store.find,
    sweep: sweep(ports),
    scan: scan({ ...ports, signatures, token, account }),
  })
})

const sell = Effect.fnUntraced(
  function* (seller: Seller, sale: Sale): Effect.fn.Return<Delivery, FailedSale> {
    const { store, timing, fibers, hasInvalidSignature } = seller
    const ticket = ticketOf(seller, sale.purchase)
    if (yield* hasInvalidSignature(ticket)) {
      const known = yield* store.find(ticket.paymentId)
      return yield* Option.isSome(known) ? paymentConflict(known.value) : invalidSignature
    }
    const refused = yield* claimRefusal(seller, sale)
    if (refused === null) {
      const hash = secretHash(seller, ticket.paymentId, sale.purchase.secret)
      const claim = Effect.map(
        store.claim(ticket, hash, timing.lease),
        ({ claimed, payment }) => claimed ? Option.some(payment) : Option.none(),
      )
      const delivery = yield* fibers.run(
        claimFor(seller, sale, claim),
        sellBySettlementOrder(seller, sale),
        sale,
      )
      if (Option.isSome(delivery)) return delivery.value
    }
    const known = yield* store.find(ticket.paymentId)
    if (Option.isSome(known)) {
      return yield* answerKnownPayment(seller, known.value, sale, timing.waitRetriesMax)
    }
    return yield* refused ?? unresolved
  },
  Effect.catchDefect(unresolvedAfterDefect),
)

/** Responds for a known payment, according to `repeatAction`. */
const answerKnownPayment = Effect.fnUntraced(function* (
  seller: Seller,
  found: Payment,
  sale: Sale,
  waitsLeft: number,
): Effect.fn.Return<Delivery, FailedSale> {
  const { store, chain, timing, fibers } = seller
  if (isBoundElsewhere(found, sale.purchase)) return yield* paymentConflict(found)
  const hash = secretHash(seller, found.paymentId, sale.purchase.secret)
  const isBuyer = hash !== null && hash === found.secretHash
  const recovered = yield* resume(seller, found, isBuyer, sale)
  if (Option.isSome(recovered)) return recovered.value
  const row = needsChain(found, timing)
    ? yield* reconcile({ store, chain, windows: timing }, found)
    : found
  if (row.state === "released") {
    const refused = yield* claimRefusal(seller, sale)
    if (refused !== null) return yield* refused
    // Another call with the same payment may have claimed the released row and be settling it. So
    // the outcome is unknown when the store fails.
    const claim = Effect.catchDefect(
      store.move(row, { event: "claim", secretHash: hash, lease: timing.lease }),
      unresolvedAfterDefect,
    )
    const delivery = yield* fibers.run(
      claimFor(seller, sale, claim),
      sellBySettlementOrder(seller, sale),
      sale,
    )
    return Option.isSome(delivery) ? delivery.value : yield* inProgress
  }
  const hasSecret = isBuyer && hash === row.secretHash
  if (repeatAction(row.state, hasSecret) === "wait" && waitsLeft > 0) {
    yield* Effect.sleep(timing.waitInterval)
    const next = yield* Effect.orDie(Effect.flatMap(store.find(row.paymentId), Effect.fromOption))
    return yield* answerKnownPayment(seller, next, sale, waitsLeft - 1)
  }
  return yield* responseForKnownPayment(row, hasSecret, seller.network)
})

/** Why nothing can be claimed now, or null. A known payment still gets its response. */
const claimRefusal = Effect.fnUntraced(function* ({ fibers, solvency }: Seller, sale: Sale) {
  const { product, validityFault } = sale.purchase
  if (validityFault !== null) return notValidNow(validityFault)
  if ((yield* fibers.size) >= inFlightMax) return overloaded
  if (product.settlementOrder === "compute-first") return null
  return (yield* solvency.reserve(sale, product.price)) ? null : unavailable
})

/** Claims, then drops the reservation, because the store counts a claimed sale as a liability. */
const claimFor = <E>(
  { solvency }: Seller,
  sale: Sale,
  claim: Effect.Effect<Option.Option<Payment>, E>,
) => Effect.tap(claim, () => solvency.unreserve(sale))

const sellBySettlementOrder =
  (seller: Seller, { purchase }: Sale) => (claimed: ClaimedPurchase) => {
    if (purchase.product.settlementOrder === "compute-first") {
      return sellComputeFirst(seller, claimed)
    }
    // Checked again after the claim, because another replica may have claimed at the same moment.
    const solvent = seller.solvency.covered.pipe(
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logError("Cannot check that refunds are covered", defect), false)
      ),
      Effect.flatMap((covered) => covered ? Effect.void : unavailable),
    )
    const check = Effect.andThen(solvent, claimed.work.check)
    return sellSettleEarly(seller, { ...claimed, work: { ...claimed.work, check } })
  }

/** Continues an unresolved settle-early payment for its own buyer. */
const resume = (seller: Seller, row: Payment, isBuyer: boolean, sale: Sale) =>
  isBuyer && row.state === "unresolved" && row.settlementOrder === "settle-early"
    ? seller.fibers.run(
      resumeUnresolved(seller, row),
      ({ row, work }) => computeOrRefund(seller, row, work),
      sale,
    )
    : Effect.succeedNone

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
  { signatures }: Seller,
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
  return ({ paymentId, receipt }: Delivery) =>
    receipt === null ? Effect.void : Effect.ensuring(journal.append(paymentId), mark(paymentId))
})

/** A payment that the store cannot look up may be known and taken, so it is unresolved. */
function unresolvedAfterDefect(defect: unknown) {
  return Effect.andThen(Effect.logError("The payment store failed", defect), unresolved)
}
