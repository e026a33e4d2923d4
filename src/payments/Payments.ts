/**
 * Selling one answer for one payment: its signature is checked, then it is claimed, or answered as a
 * payment that is known already. Limits sales in flight, runs the sweep and the scan, and marks answers as
 * delivered. What a claimed payment goes through is in `sale/sale.ts`.
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
  conflict,
  type Delivery,
  findOutcome,
  forged,
  inProgress,
  notValidNow,
  overloaded,
  type PaymentOutcome,
  responseForKnownPayment,
  unavailable,
  unresolved,
} from "./sale/responses.ts"
import {
  type ClaimedPurchase,
  deliver,
  type Purchase,
  type SalePorts,
  sellComputeFirst,
  sellSettleEarly,
  takeUp,
  type Work,
} from "./sale/sale.ts"
import { countEnd, makeSaleFibers, type Sale, type SaleFibers, saleOf } from "./sale/saleFibers.ts"
import { makeSolvency, type Solvency } from "./sale/solvency.ts"
import { Signatures } from "./Signatures.ts"
import { defaultTiming, type PaymentTiming } from "./timing.ts"

export class Payments extends Context.Service<Payments, {
  /**
   * Sells the answer of `work` for this payment, in the order of its product. The payment runs in a
   * fiber of this service: the caller's interruption releases it before the intent to settle, and
   * never stops it after. `NotCharged` with code `payment_required` means: show the challenge, with
   * its message. `RefundQueued` leaves settle-early sales alone.
   */
  readonly sell: (purchase: Purchase, work: Work) => Effect.Effect<Delivery, FailedSale>
  /** The id of the payment that is made by an authorization: pure. */
  readonly idOf: (authorization: Authorization) => PaymentId
  /**
   * The stored answer again, for the secret it was bought with and without the payment; else what
   * became of it. Nothing is claimed or charged.
   */
  readonly findOutcome: (
    paymentId: PaymentId,
    secret: string | null,
  ) => Effect.Effect<PaymentOutcome>
  /** Notes that an answer was delivered on a live connection. Does not wait. */
  readonly sent: (delivery: Delivery) => Effect.Effect<void>
  /** What is known of a payment; none when no call ever showed it. */
  readonly status: (paymentId: PaymentId) => Effect.Effect<Option.Option<Payment>>
  /** Decides, as far as the chain can tell now, what waits: run every SWEEP. Returns how many rows moved. */
  readonly sweep: Effect.Effect<number>
  /** Matches the chain's transfers to us with our rows: run every SCAN. Returns how many changed. */
  readonly scan: Effect.Effect<number, ChainUnavailable>
}>()("bellwether/payments/Payments") {
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
 * How often a store that fails is asked again to mark an answer as delivered, and how many times: what
 * it never hears of is refunded as well.
 */
const markEvery = Duration.millis(250)
const markTimes = 40

/** What a call is sold with. */
interface Seller extends SalePorts {
  readonly token: TokenDomain
  readonly network: string
  readonly signatures: Signatures["Service"]
  readonly fibers: SaleFibers
  readonly solvency: Solvency
  readonly isForged: (ticket: PaymentTicket) => Effect.Effect<boolean>
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
    isForged: makeForgeryCheck(signatures, chain, token),
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

/** Sells one answer for one payment, or answers for a payment that is known already. */
const sell = Effect.fnUntraced(
  function* (seller: Seller, sale: Sale): Effect.fn.Return<Delivery, FailedSale> {
    const { store, timing, fibers, isForged } = seller
    const ticket = ticketOf(seller, sale.purchase)
    if (yield* isForged(ticket)) {
      const known = yield* store.find(ticket.paymentId)
      return yield* Option.isSome(known) ? conflict(known.value) : forged
    }
    const refused = yield* obstacle(seller, sale)
    if (refused === null) {
      const hash = secretHash(seller, ticket.paymentId, sale.purchase.secret)
      const claim = Effect.map(
        store.claim(ticket, hash, timing.lease),
        ({ claimed, payment }) => claimed ? Option.some(payment) : Option.none(),
      )
      const delivery = yield* fibers.run(claimFor(seller, sale, claim), inOrder(seller, sale), sale)
      if (Option.isSome(delivery)) return delivery.value
    }
    const known = yield* store.find(ticket.paymentId)
    if (Option.isSome(known)) return yield* again(seller, known.value, sale, timing.waitRetriesMax)
    return yield* refused ?? unresolved
  },
  Effect.catchDefect(undecided),
)

/** Answers a payment that is already known, by the table of the domain. */
const again = Effect.fnUntraced(function* (
  seller: Seller,
  found: Payment,
  sale: Sale,
  waits: number,
): Effect.fn.Return<Delivery, FailedSale> {
  const { store, chain, timing, fibers } = seller
  if (isOther(found, sale.purchase)) return yield* conflict(found)
  const hash = secretHash(seller, found.paymentId, sale.purchase.secret)
  const isBuyer = hash !== null && hash === found.secretHash
  const recovered = yield* takenUp(seller, found, isBuyer, sale)
  if (Option.isSome(recovered)) return recovered.value
  const row = needsChain(found, timing)
    ? yield* reconcile({ store, chain, windows: timing }, found)
    : found
  if (row.state === "released") {
    const refused = yield* obstacle(seller, sale)
    if (refused !== null) return yield* refused
    // Another copy may have claimed the released row, and be settling it.
    const claim = Effect.catchDefect(
      store.move(row, { event: "claim", secretHash: hash, lease: timing.lease }),
      undecided,
    )
    const delivery = yield* fibers.run(claimFor(seller, sale, claim), inOrder(seller, sale), sale)
    return Option.isSome(delivery) ? delivery.value : yield* inProgress
  }
  const showsSecret = isBuyer && hash === row.secretHash
  if (repeatAction(row.state, showsSecret) === "wait" && waits > 0) {
    yield* Effect.sleep(timing.waitInterval)
    const next = yield* Effect.orDie(Effect.flatMap(store.find(row.paymentId), Effect.fromOption))
    return yield* again(seller, next, sale, waits - 1)
  }
  return yield* responseForKnownPayment(row, showsSecret, seller.network)
})

/** Why nothing can be claimed now; a payment that is known is answered all the same. */
const obstacle = Effect.fnUntraced(function* ({ fibers, solvency }: Seller, sale: Sale) {
  const { product, validityFault } = sale.purchase
  if (validityFault !== null) return notValidNow(validityFault)
  if ((yield* fibers.size) >= inFlightMax) return overloaded
  if (product.settlementOrder === "compute-first") return null
  return (yield* solvency.reserve(sale, product.price)) ? null : unavailable
})

/** A claim, after which the store shows what the sale had reserved. */
const claimFor = <E>(
  { solvency }: Seller,
  sale: Sale,
  claim: Effect.Effect<Option.Option<Payment>, E>,
) => Effect.tap(claim, () => solvency.unreserve(sale))

/** Sells in the order of the product. */
const inOrder = (seller: Seller, { purchase }: Sale) => (claimed: ClaimedPurchase) => {
  if (purchase.product.settlementOrder === "compute-first") return sellComputeFirst(seller, claimed)
  // Asked again when the claim is stored, for another replica may have claimed at the same moment.
  const solvent = seller.solvency.covered.pipe(
    Effect.catchDefect((defect) => Effect.as(Effect.logError(defect), false)),
    Effect.flatMap((covered) => covered ? Effect.void : unavailable),
  )
  const check = Effect.andThen(solvent, claimed.work.check)
  return sellSettleEarly(seller, { ...claimed, work: { ...claimed.work, check } })
}

/** Computes what an early settlement of unknown outcome has bought, for the buyer it belongs to. */
const takenUp = (seller: Seller, row: Payment, isBuyer: boolean, sale: Sale) =>
  isBuyer && row.state === "unresolved" && row.settlementOrder === "settle-early"
    ? seller.fibers.run(
      takeUp(seller, row),
      ({ row, work }) => deliver(seller, row, work),
      sale,
    )
    : Effect.succeedNone

/** The payment is bound to another call. An unmatched transfer is bound to none: its signer may ask. */
const isOther = (found: Payment, { request, payment }: Purchase) =>
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

/** True when a payment cannot be signed with the payer's key, and the payer is no contract. */
function makeForgeryCheck(
  signatures: Signatures["Service"],
  chain: Chain["Service"],
  token: TokenDomain,
): Seller["isForged"] {
  let codeLookups = 0
  return Effect.fnUntraced(function* ({ authorization, signature }) {
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
}

/** Marks what was delivered: in the journal at once, in the store behind the caller's back. */
const makeDeliveryMarks = Effect.fnUntraced(function* ({ store, fibers }: Seller) {
  const journal = yield* DeliveryJournal
  const mark = (paymentId: PaymentId) =>
    fibers.background(
      store.markSent(paymentId).pipe(
        Effect.catchDefect(Effect.fail),
        Effect.retry({ schedule: Schedule.spaced(markEvery), times: markTimes }),
        Effect.andThen(journal.acknowledge(paymentId)),
        Effect.catch((defect) => Effect.logWarning("Cannot mark an answer sent", defect)),
      ),
    )
  yield* Effect.forEach(journal.pending, mark, { discard: true })
  return ({ paymentId, receipt }: Delivery) =>
    receipt === null ? Effect.void : Effect.andThen(journal.append(paymentId), mark(paymentId))
})

/**
 * The payment may be known, so it may have been taken: nothing is said of its money while the store
 * cannot be asked.
 */
function undecided(defect: unknown) {
  return Effect.andThen(Effect.logError("The payment store failed", defect), unresolved)
}
