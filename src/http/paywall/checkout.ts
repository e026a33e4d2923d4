/**
 * The checkout: one product, sold for one payment, whatever the transport.
 *
 * Order: what the client has cost so far (invalid payments, answers given away); then parameters, so
 * that a wrong one leaves the payment untouched; then the payment, cheapest check first. What leaves
 * is the answer, or one of `NotCharged`, `RefundQueued`, `Unresolved`: a work that fails with
 * anything that its row does not declare does not compile. When the payment is settled, its product's
 * order says. HTTP's paywall, /a2a and /mcp all sell through here, so one authorization is one sale.
 *
 * @module
 */
import { Clock, Effect, Result, Schema } from "effect"
import type { PaymentId } from "../../payments/domain/payment.ts"
import {
  decodeQuery,
  type InputOf,
  type ParameterError,
  sentenceOf,
} from "../../catalog/domain/parameter.ts"
import type { WorkResult } from "../../payments/sale/sale.ts"
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
import { type RateDecision, RateLimits, type RatePolicy } from "../../core/RateLimits.ts"

/** Why a product has no answer: what its row says, and nothing else. */
type FactOf<P extends Product> = P["errors"][number]["Type"]

/** What a product is made by, beside its row. */
export interface Handler<P extends Product> {
  /** What can be known to be wrong before the payment is settled (settle-early). */
  readonly check?: (input: InputOf<P["parameters"]>) => Effect.Effect<void, FactOf<P>>
  readonly work: (input: InputOf<P["parameters"]>) => Effect.Effect<Work<P>, FactOf<P>>
}

export interface Work<P extends Product> {
  /**
   * The body of a 200 without `success` and `charged`, which the checkout adds; or a whole body that
   * was encoded before, for what is sold often and settles early, where there is no `charged`.
   */
  readonly body: Omit<P["body"]["Type"], "success" | "charged"> | Uint8Array
  /** False: there is nothing worth the price, so it is given away. */
  readonly charge: boolean
}

/** A call that shows a payment. */
interface PaidCall {
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
  readonly identify: (payment: PaidCall["payment"]) => Result.Result<PaymentId, NotCharged>
  /**
   * Sells. `NotCharged` with code `payment_required` means: show the challenge, with its message.
   * Who hands the answer over tells `Payments.sent`.
   */
  readonly sell: (
    call: PaidCall,
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

  return <P extends Product>(product: P, handler: Handler<P>): Checkout => {
    const decode = decodeQuery<P["parameters"]>(product.parameters)
    const identify = (shown: PaidCall["payment"]) =>
      Result.map(
        matched(product, terms, shown),
        ({ authorization }) => payments.idOf(authorization),
      )
    const read = (query: URLSearchParams) => Result.mapError(decode(query), invalidParameters)
    const sell = Effect.fnUntraced(function* ({ query, payment: shown, key, client }: PaidCall) {
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
        Effect.flatMap(({ payment, validityFault }) =>
          payments.sell({
            product,
            payment,
            validityFault,
            request: canonicalRequest(product, input),
            secret: secret ?? payment.identifier,
          }, {
            check: Effect.mapError(handler.check?.(input) ?? Effect.void, notCharged),
            compute: answerOf(product, handler.work(input)),
          })
        ),
        Effect.tap(({ receipt }) => receipt === null ? invalid.note(client) : Effect.void),
        Effect.catchTag("NotCharged", (error) => refused(client, error)),
      )
    })
    return { product, read, admit: invalid.check, identify, sell }
  }
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
export function invalidParameters(faults: ReadonlyArray<ParameterError>): NotCharged {
  const message = sentenceOf(faults)
  return new NotCharged({
    code: "invalid_parameter",
    message: message === "" ? "A parameter is invalid" : message,
    hint: "Correct the parameter and send the same payment again: it was not used.",
    details: faults.map(({ param, in: where, message }) => ({ param, in: where, message })),
  })
}

/** The payment that was shown, if it pays for the product; `validityFault` says why it cannot be settled now. */
function purchaseOf(
  product: Product,
  terms: PaymentTerms,
  shown: PaidCall["payment"],
  nowMs: number,
): Result.Result<{ payment: PaymentPayload; validityFault: string | null }, NotCharged> {
  return Result.map(matched(product, terms, shown), (payment) => {
    const times = checkTimes(payment, terms, BigInt(Math.floor(nowMs / 1_000)))
    return { payment, validityFault: Result.isFailure(times) ? times.failure.reason : null }
  })
}

/** The payment that was shown, if it pays for the product at any time. */
function matched(
  product: Product,
  terms: PaymentTerms,
  shown: PaidCall["payment"],
): Result.Result<PaymentPayload, NotCharged> {
  const decoded = "header" in shown ? decodePayment(shown.header) : decodePaymentJson(shown.json)
  return Result.mapError(
    Result.flatMap(decoded, (payment) => matchPayment(product, payment, terms)),
    ({ reason, fault }) => new NotCharged({ code: "payment_required", message: reason, fault }),
  )
}

/** One spelling for one request, whatever the order of its parameters. */
function canonicalRequest(product: Product, input: object): string {
  const sorted = Object.entries(input).sort(([a], [b]) => a < b ? -1 : 1)
  return `${product.id}?${JSON.stringify(sorted)}`
}

/** The body of a 200. Compute-first ones say whether they were charged; the others always are. */
function answerOf<P extends Product>(
  { settlementOrder }: P,
  work: Effect.Effect<Work<P>, ProductFact>,
): Effect.Effect<WorkResult, NotCharged> {
  return Effect.mapBoth(work, {
    onFailure: notCharged,
    onSuccess: ({ body, charge }) => {
      if (body instanceof Uint8Array) return { body, charge }
      const charged = settlementOrder === "compute-first" ? { charged: charge } : {}
      return { body: utf8.encode(JSON.stringify({ success: true, ...body, ...charged })), charge }
    },
  })
}

/** How many clients are remembered as over the limit; beyond it the longest remembered is forgotten. */
const blockedClientsMax = 10_000

/**
 * The limit for what a client costs without paying: invalid payments, and answers given away.
 *
 * Both cost a signature check, a look into the store and perhaps a question to the facilitator, so
 * both are one count, in the shared limit. Who is over it is remembered here and turned away before
 * their payment is looked at, without asking the store; what they have in flight still ends. Without
 * a policy nothing is counted.
 */
function invalidPayments(limits: RateLimits["Service"], policy: RatePolicy | null) {
  const blockedUntilMs = new Map<string, number>()

  const tooMany = (waitMs: number) => ({
    code: "rate_limited" as const,
    message: "Too many invalid payments or given-away answers for this address",
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  })

  /** Fails while the client is over the limit. */
  const check = (client: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const until = blockedUntilMs.get(client)
      if (until === undefined) return Effect.void
      if (until > now) return Effect.fail(unseen(tooMany(until - now)))
      blockedUntilMs.delete(client)
      return Effect.void
    })

  const block = Effect.fnUntraced(function* (client: string, { resetMs }: RateDecision) {
    const now = yield* Clock.currentTimeMillis
    const [oldest] = blockedUntilMs.keys()
    if (blockedUntilMs.size >= blockedClientsMax && oldest !== undefined) {
      blockedUntilMs.delete(oldest)
    }
    blockedUntilMs.set(client, now + resetMs)
  })

  /** Counts an invalid payment; fails when that was one too many. */
  const count = Effect.fnUntraced(function* (client: string) {
    if (policy === null) return
    const decision = yield* limits.take(policy, client).pipe(
      Effect.mapError(() =>
        new NotCharged({
          code: "payments_unavailable",
          message: "Payments cannot be checked at this moment",
        })
      ),
    )
    if (decision.granted) return
    yield* block(client, decision)
    return yield* new NotCharged(tooMany(decision.resetMs))
  })

  /**
   * Counts a call that is answered anyway: an answer that was not charged, the conflict of a known
   * payment, or a wrong parameter with a payment that does not fit the product. Never fails. The last
   * grant blocks the client from its next call on.
   */
  const note = (client: string) =>
    policy === null ? Effect.void : limits.take(policy, client).pipe(
      Effect.flatMap((decision) =>
        decision.granted && decision.remaining > 0 ? Effect.void : block(client, decision)
      ),
      Effect.catchTag("RateLimitUnavailable", () => Effect.void),
    )

  return { check, count, note }
}

/** Before the payment is looked at nobody knows whether it was taken: it may be one sent again. */
function unseen(refusal: { readonly code: "rate_limited"; readonly message: string }) {
  return new NotCharged({
    ...refusal,
    hint: "Wait, then send the same payment again: it was not looked at.",
    taken: null,
  })
}
