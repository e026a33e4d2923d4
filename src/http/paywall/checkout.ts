/**
 * The checkout: one product, sold for one payment, whatever the transport.
 *
 * Order: what the client has cost so far (invalid payments, answers given away); then parameters, so
 * that a wrong one leaves the payment untouched; then the payment, cheapest check first. What leaves
 * is the answer, or one of `NotCharged`, `RefundQueued`, `Unresolved`: a work that fails with
 * anything that is not a product's fact does not compile. When the payment is settled, its product's
 * order says. HTTP's paywall, /a2a and /mcp all sell through here, so one authorization is one sale.
 *
 * @module
 */
import { Clock, Effect, Result, Schema } from "effect"
import type { PaymentId } from "../../payments/domain/payment.ts"
import type { Answer } from "../../payments/sale/sale.ts"
import type { Delivery } from "../../payments/sale/responses.ts"
import type { Product } from "../../catalog/domain/product.ts"
import {
  NotCharged,
  notCharged,
  type RefundQueued,
  type Unresolved,
} from "../../payments/domain/failedSale.ts"
import type { ProductFact } from "../../catalog/domain/refusal.ts"
import {
  checkTimes,
  decodePayment,
  decodePaymentJson,
  matchPayment,
  PaymentIdentifier,
  type PaymentPayload,
} from "../../payments/domain/x402/paymentPayload.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { Payments } from "../../payments/Payments.ts"
import { RateLimits, type RatePolicy } from "../../core/RateLimits.ts"
import { invalidPayments } from "./invalidPayments.ts"
import { type GivenFault, sentenceOf } from "./query.ts"

/** What a product is sold with: how its parameters are read, and how its answer is made. */
export interface Sale<Input extends CanonicalInput> {
  /** Pure. Defaults are filled in, so that two spellings of one request are one request. */
  readonly decode: (query: URLSearchParams) => Result.Result<Input, ReadonlyArray<GivenFault>>
  /** What can be known to be wrong before the payment is settled (settle-early). */
  readonly check?: (input: Input) => Effect.Effect<void, ProductFact>
  readonly work: (input: Input) => Effect.Effect<Work, ProductFact>
}

/** Decoded parameters, flat, so that they have one spelling. */
type CanonicalInput = Readonly<Record<string, string | number | boolean | null>>

export interface Work {
  /**
   * The body of a 200 without `success` and `charged`, which the checkout adds; or a whole body that
   * was encoded before, for what is sold often and settles early, where there is no `charged`.
   */
  readonly body: Readonly<Record<string, unknown>> | Uint8Array
  /** False: there is nothing worth the price, so it is given away. */
  readonly charge: boolean
}

/** A call that shows a payment. */
interface Order {
  /** The parameters; or what is wrong with them, where they could not be brought into this form. */
  readonly query: URLSearchParams | NotCharged
  /** The payment as a header's base64, or as the JSON value it holds. */
  readonly payment: { readonly header: string } | { readonly json: unknown }
  /** The secret shown beside the payment (an Idempotency-Key); else the payment's own identifier. */
  readonly key: string | null
  /** Who the call counts against. */
  readonly client: string
}

/** One product at the checkout. */
export interface Checkout {
  readonly product: Product
  /** Whether the parameters are such as can be sold; pure. */
  readonly read: (query: URLSearchParams) => Result.Result<unknown, NotCharged>
  /** Fails while the client is over the limit of invalid payments; no store is asked. */
  readonly admit: (client: string) => Effect.Effect<void, NotCharged>
  /** Which payment is shown, if it may pay for the product; pure, so nothing is counted. */
  readonly identify: (payment: Order["payment"]) => Result.Result<PaymentId, NotCharged>
  /**
   * Sells. `NotCharged` with code `payment_required` means: show the challenge, with its message.
   * Who hands the answer over tells `Payments.sent`.
   */
  readonly sell: (
    order: Order,
  ) => Effect.Effect<Delivery, NotCharged | RefundQueued | Unresolved>
}

export interface CheckoutOptions {
  readonly terms: PaymentTerms
  /**
   * How many invalid payments and given-away answers together a client may have; null for no limit
   * (benchmarks only).
   */
  readonly invalidPayments: RatePolicy | null
}

export type MakeCheckout = (
  product: Product,
) => <Input extends CanonicalInput>(sale: Sale<Input>) => Checkout

/** The checkout of a service; make it once, when the routes are built. */
export const makeCheckout = Effect.fnUntraced(function* (options: CheckoutOptions) {
  const payments = yield* Payments
  const limits = yield* RateLimits
  const invalid = invalidPayments(limits, options.invalidPayments)
  const { terms } = options

  /** A payment that is invalid here is counted; a conflict is told so, for it may have been taken. */
  const refused = (client: string, error: NotCharged) => {
    switch (error.code) {
      case "payment_required":
        return Effect.andThen(invalid.count(client), Effect.fail(error))
      case "payment_conflict":
        return Effect.andThen(invalid.note(client), Effect.fail(error))
      default:
        return Effect.fail(error)
    }
  }

  const make: MakeCheckout = (product) => (sale) => {
    const identify = (shown: Order["payment"]) =>
      Result.map(
        matched(product, terms, shown),
        ({ authorization }) => payments.idOf(authorization),
      )
    const read = (query: URLSearchParams) => Result.mapError(sale.decode(query), invalidParameters)
    const sell = Effect.fnUntraced(function* ({ query, payment: shown, key, client }: Order) {
      yield* invalid.check(client)
      const { input, secret } = yield* Effect.fromResult(Result.all({
        input: query instanceof NotCharged ? Result.fail(query) : read(query),
        secret: idempotencyKey(key),
      })).pipe(
        Effect.tapError(() =>
          // The answer is the 400 all the same. A payment that fits the product is the buyer's, to be
          // sent again with the parameter corrected; one that never could is what it is elsewhere.
          Result.isFailure(matched(product, terms, shown)) ? invalid.note(client) : Effect.void
        ),
      )
      const now = yield* Clock.currentTimeMillis
      return yield* Effect.fromResult(purchaseOf(product, terms, shown, now)).pipe(
        Effect.flatMap(({ payment, late }) =>
          payments.sell({
            product,
            payment,
            late,
            request: canonicalRequest(product, input),
            secret: secret ?? payment.identifier,
          }, {
            check: Effect.mapError(sale.check?.(input) ?? Effect.void, notCharged),
            work: answerOf(product, sale.work(input)),
          })
        ),
        Effect.tap(({ receipt }) => receipt === null ? invalid.note(client) : Effect.void),
        Effect.catchTag("NotCharged", (error) => refused(client, error)),
      )
    })
    return { product, read, admit: invalid.check, identify, sell }
  }
  return make
})

const utf8 = new TextEncoder()
const isSecret = Schema.is(PaymentIdentifier)

/** A key guards an answer that was paid for, so one that could be guessed is refused. */
function idempotencyKey(key: string | null): Result.Result<string | null, NotCharged> {
  return key === null || isSecret(key) ? Result.succeed(key) : Result.fail(invalidParameters([{
    param: "Idempotency-Key",
    in: "header",
    message: "must be 16 to 128 letters, digits, - or _",
  }]))
}

/** What is said of wrong parameters: the payment shown with them was not used. */
export function invalidParameters(faults: ReadonlyArray<GivenFault>): NotCharged {
  const message = sentenceOf(faults)
  return new NotCharged({
    code: "invalid_parameter",
    message: message === "" ? "A parameter is invalid" : message,
    hint: "Correct the parameter and send the same payment again: it was not used.",
    details: faults.map(({ param, in: where, message }) => ({ param, in: where, message })),
  })
}

/** The payment that was shown, if it pays for the product; `late` says why it cannot be settled now. */
function purchaseOf(
  product: Product,
  terms: PaymentTerms,
  shown: Order["payment"],
  nowMs: number,
): Result.Result<{ payment: PaymentPayload; late: string | null }, NotCharged> {
  return Result.map(matched(product, terms, shown), (payment) => {
    const times = checkTimes(payment, terms, BigInt(Math.floor(nowMs / 1_000)))
    return { payment, late: Result.isFailure(times) ? times.failure.reason : null }
  })
}

/** The payment that was shown, if it pays for the product at any time. */
function matched(
  product: Product,
  terms: PaymentTerms,
  shown: Order["payment"],
): Result.Result<PaymentPayload, NotCharged> {
  const decoded = "header" in shown ? decodePayment(shown.header) : decodePaymentJson(shown.json)
  return Result.mapError(
    Result.flatMap(decoded, (payment) => matchPayment(product, payment, terms)),
    ({ reason, fault }) => new NotCharged({ code: "payment_required", message: reason, fault }),
  )
}

/** One spelling for one request, whatever the order of its parameters. */
function canonicalRequest(product: Product, input: CanonicalInput): string {
  const names = Object.keys(input).sort()
  return `${product.id}?${JSON.stringify(names.map((name) => [name, input[name]]))}`
}

/** The body of a 200. Compute-first ones say whether they were charged; the others always are. */
function answerOf(
  { order }: Product,
  work: Effect.Effect<Work, ProductFact>,
): Effect.Effect<Answer, NotCharged> {
  return Effect.mapBoth(work, {
    onFailure: notCharged,
    onSuccess: ({ body, charge }) => {
      if (body instanceof Uint8Array) return { body, charge }
      const charged = order === "compute-first" ? { charged: charge } : {}
      return { body: utf8.encode(JSON.stringify({ success: true, ...body, ...charged })), charge }
    },
  })
}
