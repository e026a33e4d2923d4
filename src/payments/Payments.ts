/**
 * Payments: sells answers (`sell.ts`), looks payments up, runs the sweep (`reconcile.ts`) and the
 * scan (`matchTransfers.ts`), and marks answers as delivered.
 *
 * @module
 */
import { Cause, Context, Effect, Exit, Layer, Metric, Option } from "effect"
import { secondsBuckets, timed } from "../core/timed.ts"
import { annotate, inSpan } from "../core/tracing.ts"
import type { ChainUnavailable } from "./Chain.ts"
import { makeDeliveryMarks } from "./DeliveryJournal.ts"
import type { FailedSale, SignedReceipt } from "./domain/failedSale.ts"
import { address, type Authorization, type Payment, type PaymentId } from "./domain/payment.ts"
import { scan } from "./matchTransfers.ts"
import type { Outcome, Purchase, Work } from "./purchase.ts"
import { sweep } from "./reconcile.ts"
import { taskHash } from "./sale/identity.ts"
import { hungUp } from "./sale/responses.ts"
import {
  findOutcome,
  idOf,
  isBuyer,
  makeSeller,
  type PaymentOptions,
  sell,
  type Seller,
} from "./sell.ts"

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
   * The outcome of a payment, as for a repeated call: the stored answer, for the secret that it was
   * bought with, or why there is none. Null when nothing was taken and the payment may be sent
   * again, or is not known. Nothing is claimed or charged. The caller marks an answer as `sent`.
   */
  readonly findOutcome: (
    paymentId: PaymentId,
    secret: string | null,
  ) => Effect.Effect<Outcome | null, FailedSale>
  /** The outcome of the payment for an A2A task, by the task's secret. */
  readonly findByTask: (secret: string) => Effect.Effect<Outcome | null, FailedSale>
  /** Records that an answer was delivered on an open connection. Does not wait for the store. */
  readonly sent: (outcome: Outcome) => Effect.Effect<void>
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

const make = Effect.fnUntraced(function* (options: PaymentOptions) {
  const seller = yield* makeSeller(options)
  const { store, signatures, terms, token, reconciling } = seller
  const account = { chainId: terms.chainId, asset: token.asset, payTo: address(terms.payTo) }
  const outcomeOf = (id: PaymentId, secret: string | null) => findOutcome(seller, id, secret)
  return Payments.of({
    sell: (purchase, work) => sellObserved(seller, purchase, work),
    idOf: (authorization) => idOf(seller, authorization),
    findOutcome: outcomeOf,
    findByTask: (secret) =>
      Effect.flatMap(
        store.findByKey(taskHash(signatures, token, secret)),
        Option.match({
          onNone: () => Effect.succeed(null),
          onSome: (paymentId) => outcomeOf(paymentId, secret),
        }),
      ),
    sent: yield* makeDeliveryMarks(seller),
    status: (paymentId, secret) =>
      Effect.map(
        store.find(paymentId),
        Option.map((payment) => statusOf(seller, payment, secret)),
      ),
    sweep: sweep(reconciling, "urgent"),
    sweepReleased: sweep(reconciling, "released"),
    scan: scan({ ...reconciling, signatures, token, account }),
  })
})

function statusOf(seller: Seller, payment: Payment, secret: string | null): PaymentStatus {
  const { receipts } = seller
  if (payment.state === "refund_due" || payment.state === "refunded") {
    return { payment, receipt: receipts.ofRefund(payment).receipt ?? null }
  }
  if (
    payment.state !== "answered" || payment.answer === null || !isBuyer(seller, secret, payment)
  ) return { payment, receipt: null }
  const info = receipts.ofSale(payment, payment.answer.body).extensions?.["offer-receipt"].info
  return { payment, receipt: info !== undefined && "receipt" in info ? info.receipt : null }
}

const outcomes = Metric.counter("payments_total", {
  description: "Paid calls, by product and outcome",
  incremental: true,
})
const saleSeconds = Metric.histogram("sale_seconds", {
  description: "Duration of a paid call, from the signature check to the answer",
  boundaries: secondsBuckets,
})

/**
 * Sells, and counts and times the sale. The log lines of a sale have the ids of payment and product:
 * also those of the facilitator's and the chain's adapters, and those after the buyer has left.
 */
function sellObserved(seller: Seller, purchase: Purchase, work: Work) {
  const product = purchase.product.id
  const paymentId = idOf(seller, purchase.payment.authorization)
  // Of a buyer who has left, the end is counted when it is known.
  const onAbandoned: Purchase["onAbandoned"] = (end) =>
    Effect.andThen(count(purchase, end), purchase.onAbandoned(end))
  return sell(seller, { ...purchase, onAbandoned }, work).pipe(
    timed((exit, seconds) => {
      const outcome = briefOutcome(exit)
      return Effect.all([
        outcome === "hung_up" ? Effect.void : count(purchase, exit),
        Metric.update(Metric.withAttributes(saleSeconds, { product, outcome }), seconds),
        annotate({ outcome }),
      ], { discard: true })
    }),
    inSpan("sale", { "payment.id": paymentId, product }),
    Effect.annotateLogs({ paymentId, product }),
  )
}

const count = ({ product }: Purchase, end: Exit.Exit<Outcome, FailedSale>) =>
  Metric.update(
    Metric.withAttributes(outcomes, { product: product.id, outcome: outcomeName(end) }),
    1,
  )

const successName = ({ replayed, receipt }: Outcome) =>
  replayed ? "replayed" : receipt !== null ? "charged" : "not_charged"

function outcomeName(end: Exit.Exit<Outcome, FailedSale>): string {
  if (Exit.isSuccess(end)) return successName(end.value)
  // An interrupted fiber leaves its payment to the sweep.
  const error = Option.getOrUndefined(Exit.findErrorOption(end))
  if (error === undefined || error._tag === "Unresolved") return "unresolved"
  return error === hungUp ? "hung_up" : error.code
}

/** Few values: `payments_total` has the reasons. */
const briefOutcome = (exit: Exit.Exit<Outcome, FailedSale>) =>
  Exit.isSuccess(exit)
    ? successName(exit.value)
    : Cause.hasInterruptsOnly(exit.cause)
    ? "hung_up"
    : "failed"
