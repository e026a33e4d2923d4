/**
 * The checkout: sells one product for one payment over any transport.
 *
 * It checks the limit of invalid payments first, then the parameters, so that a wrong one leaves
 * the payment unused, then the payment, cheapest check first. It returns the answer, or fails with
 * `NotCharged`, `RefundQueued` or `Unresolved`. The row's `settlementOrder` decides when the payment
 * is settled. The HTTP paywall, /a2a and /mcp all sell through here, so one authorization is one
 * sale.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { Clock, Effect, Exit, Metric, Option, Result, Schema } from "effect"
import {
  type InputOf,
  type ParameterError,
  queryReader,
  sentenceOf,
} from "../../catalog/domain/parameter.ts"
import type { Product, ProductId } from "../../catalog/domain/product.ts"
import { type FailedSale, NotCharged, notCharged } from "../../payments/domain/failedSale.ts"
import {
  type ProductError,
  type RefusalCode,
  resend,
  resendUnused,
} from "../../catalog/domain/refusal.ts"
import {
  checkTimes,
  decodePayment,
  decodePaymentJson,
  matchPayment,
  PaymentIdentifier,
  type PaymentPayload,
} from "../../payments/domain/x402/paymentPayload.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { type shelfLifeFields, shelfLifeOf } from "../../catalog/domain/shelfLife.ts"
import { CallClient, type Client } from "../../core/CallClient.ts"
import { prepared, preparedFor } from "../../core/domain/prepared.ts"
import { secondsBuckets, timed } from "../../core/timed.ts"
import { inSpan } from "../../core/tracing.ts"
import { Payments } from "../../payments/Payments.ts"
import { hungUp, perhapsInProgress, tooManyOfAddress } from "../../payments/sale/responses.ts"
import type { Call, Outcome, Work, WorkResult } from "../../payments/purchase.ts"
import type { AnswerLog } from "../server/answerLog.ts"
import { toRefusal } from "../server/errors.ts"
import type { Denied, LimitDecision, RateLimiter } from "../server/limits.ts"
import { CurrentInbound, type Inbound, nameLimit } from "../server/route.ts"

/** The checkout of one product. */
export interface Checkout {
  readonly product: Product
  /** Decodes the parameters; pure. */
  readonly read: (query: URLSearchParams) => Result.Result<unknown, NotCharged>
  /**
   * Sells the product. On `NotCharged` with code `payment_required` the caller must answer with the
   * challenge and this message. The caller must call `Payments.sent` once the answer was delivered.
   * A failed sale has a log line.
   */
  readonly sell: (call: Call) => Effect.Effect<Outcome, FailedSale>
}

/** The checkout of every product. HTTP, /a2a and /mcp all sell through them. */
export type Checkouts = Readonly<Record<ProductId, Checkout>>

interface CheckoutOptions {
  readonly terms: PaymentTerms
  /** The limit of invalid payments, and of answers that no payment was taken for, per client. */
  readonly invalidPayments: RateLimiter
  readonly log: AnswerLog
  /** How often the feed is updated. */
  readonly tickIntervalMs: number
}

/** Returns the function that builds checkouts. Call it once, when the routes are built. */
export const makeCheckout = Effect.fnUntraced(function* makeCheckout(options: CheckoutOptions) {
  const desk: Desk = { ...options, payments: yield* Payments }
  return <P extends Product>(product: P, handler: ProductHandler<P>): Checkout => {
    const read = readerOf(product)
    return {
      product,
      read,
      sell: (call) => logFailure(desk, product, call, sellCall(desk, product, read, handler, call)),
    }
  }
})

/** The errors that a product's row declares. */
type ErrorOf<P extends Product> = P["errors"][number]["Type"]

/** What is run for a call of a product. */
export interface ProductHandler<P extends Product> {
  /** Finds errors before the payment is settled (settle-early only). */
  readonly check?: (input: InputOf<P["parameters"]>) => Effect.Effect<void, ErrorOf<P>>
  readonly compute: (input: InputOf<P["parameters"]>) => Effect.Effect<Computed<P>, ErrorOf<P>>
}

/** The result of a computation, before its body is encoded. */
export interface Computed<P extends Product> {
  /** The body of a 200 without the fields that `encodeBody` adds. */
  readonly body: Omit<P["body"]["Type"], "success" | "charged" | keyof typeof shelfLifeFields>
  /** The body as JSON, for a settle-early product that is sold often (it has no `charged`). */
  readonly encoded?: Uint8Array
  /** False when the answer is not worth its price; then it is not charged. */
  readonly charge: boolean
}

/** What every checkout needs. */
interface Desk extends CheckoutOptions {
  readonly payments: Payments["Service"]
}

/** Sells one call: decodes it to a purchase, and gives that to `Payments`. */
const sellCall = Effect.fnUntraced(function* sellCall<P extends Product>(
  { payments, invalidPayments, terms, tickIntervalMs }: Desk,
  product: P,
  read: ReturnType<typeof readerOf<P>>,
  handler: ProductHandler<P>,
  { input: query, payment: sent, key, isTask, client, hasTag }: Call,
): Effect.fn.Return<Outcome, FailedSale> {
  const denied = invalidPayments.refusal(client)
  if (denied !== null) return yield* unread(denied)
  const count = Effect.asVoid(invalidPayments.take(client))
  const { input, secret } = yield* Effect.fromResult(Result.all({
    input: query instanceof NotCharged ? Result.fail(query) : read(query),
    secret: idempotencyKey(key),
  })).pipe(
    // The answer is 400 at any count, and the payment stays unused: the buyer may correct the
    // parameter and send it again.
    Effect.tapError(() => count),
  )
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.fromResult(matchedPayment(product, terms, sent)).pipe(
    Effect.flatMap((payment) =>
      payments.sell({
        product,
        payment,
        validityFault: validityFaultOf(payment, terms, now),
        request: canonicalRequest(product, input),
        secret: secret ?? payment.identifier,
        isTask,
        client,
        hasTag,
        onAbandoned: (end) =>
          Option.getOrNull(Exit.findErrorOption(end)) === hungUp ? count : Effect.void,
      }, workOf(product, handler, tickIntervalMs, input, client))
    ),
    countUnpaid(invalidPayments, client),
  )
}, Effect.catchDefect(failAfterDefect))

/** What is run for a call of a product: its handler, and the encoding of the body. */
const workOf = <P extends Product>(
  product: P,
  handler: ProductHandler<P>,
  tickIntervalMs: number,
  input: InputOf<P["parameters"]>,
  client: Client,
): Work => ({
  check: Effect.mapError(handler.check?.(input) ?? Effect.void, notCharged).pipe(
    Effect.provideService(CallClient, client),
  ),
  compute: encodeBody(product, handler.compute(input), tickIntervalMs).pipe(
    timed((exit, seconds) => {
      const outcome = Exit.isSuccess(exit) ? "computed" : "failed"
      const of = Metric.withAttributes(computeSeconds, { product: product.id, outcome })
      return Metric.update(of, seconds)
    }),
    inSpan("compute"),
  ),
})

const computeSeconds = Metric.histogram("sale_compute_seconds", {
  description: "Duration of a product's computation in a sale",
  boundaries: secondsBuckets,
})

const utf8 = new TextEncoder()

/**
 * The body of a 200. Compute-first bodies have `charged`; settle-early answers are always charged. The
 * shelf life is before the data, so that it does not change the tag of the answer.
 */
const encodeBody = Effect.fnUntraced(function* encodeBody<P extends Product>(
  { settlementOrder, shelfLife }: P,
  computed: Effect.Effect<Computed<P>, ProductError>,
  tickIntervalMs: number,
): Effect.fn.Return<WorkResult, NotCharged> {
  const { body, charge, encoded } = yield* Effect.mapError(computed, notCharged)
  const now = yield* Clock.currentTimeMillis
  const head = { success: true, ...shelfLifeOf(shelfLife, body, { now, tickIntervalMs }) }
  const charged = settlementOrder === "compute-first" ? { charged: charge } : {}
  const rest = encoded ?? utf8.encode(JSON.stringify({ ...body, ...charged }))
  return { body: joined(rest)(JSON.stringify(head)), charge }
})

/** A body with its head. While both are the same it is the same object, so it is compressed once. */
const joined = preparedFor((rest: Uint8Array) =>
  prepared((head: string): Uint8Array =>
    Buffer.concat([utf8.encode(`${head.slice(0, -1)},`), rest.subarray(1)])
  )
)

/**
 * Counts what the buyer can choose: an answer that no payment was taken for now, and refusals. Only an
 * invalid payment is refused for the count: another may have been taken.
 *
 * Each costs a signature check, a store read and perhaps a facilitator call, so they share one count, per
 * client and IPv6 /48. The last grant blocks the client from its next call on, which is then refused
 * before its payment is read and without a store call; its calls in flight still finish.
 */
const countUnpaid =
  (limiter: RateLimiter, client: Client) =>
  (sale: Effect.Effect<Outcome, FailedSale>): Effect.Effect<Outcome, FailedSale> => {
    const count = limiter.take(client)
    return sale.pipe(
      Effect.tap(({ receipt, replayed }) => receipt === null || replayed ? count : Effect.void),
      Effect.tapError((error): Effect.Effect<unknown, NotCharged> => {
        if (error._tag === "NotCharged" && error.code === "payment_required") {
          return Effect.flatMap(count, refuseOver)
        }
        const isChosen = error._tag === "Unresolved" || error === perhapsInProgress ||
          error._tag === "NotCharged" && error !== tooManyOfAddress &&
            chosenCodes.includes(error.code)
        return isChosen ? count : Effect.void
      }),
    )
  }

/** Refuses an invalid payment over the limit, or where it cannot be counted. */
function refuseOver(decision: LimitDecision): Effect.Effect<void, NotCharged> {
  switch (decision.kind) {
    case "granted":
      return Effect.void
    case "denied":
      return Effect.fail(new NotCharged(tooMany(decision)))
    case "unavailable":
      return Effect.fail(
        new NotCharged({
          code: "payments_unavailable",
          message: "Payments cannot be checked now",
          hint: resendUnused,
        }),
      )
  }
}

/** The payment may have been taken, so `charged` is null. */
function failAfterDefect(defect: unknown): Effect.Effect<never, NotCharged> {
  const failure = new NotCharged({
    code: "internal_error",
    message: "The service failed to answer",
    hint: `It is not known whether the payment was taken: ${resend}.`,
    taken: null,
  })
  return Effect.andThen(
    Effect.logError("Cannot answer a paid request", defect),
    Effect.fail(failure),
  )
}

/** Decodes the parameters of a product. */
function readerOf<P extends Product>(product: P) {
  const read = queryReader<P["parameters"]>(product.parameters)
  return (query: URLSearchParams) => Result.mapError(read(query), invalidParameters)
}

/** Logs why a sale failed, and of which request, and names the limit that refused it. A buyer who hung up gets no answer. */
const logFailure = Effect.fnUntraced(function* logFailure(
  { log, terms, payments, invalidPayments }: Desk,
  product: Product,
  { payment: sent }: Call,
  sale: Effect.Effect<Outcome, FailedSale>,
) {
  const inbound = yield* CurrentInbound
  const startedAt = yield* Clock.currentTimeMillis
  return yield* Effect.tapError(sale, (failure) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const { code, message, status } = toRefusal(failure)
      if (code === "rate_limited") nameRefusal(inbound, invalidPayments, failure)
      const payment = Result.getOrNull(matchedPayment(product, terms, sent))
      const paymentId = payment === null ? null : payments.idOf(payment.authorization)
      const ids = { requestId: inbound.requestId, paymentId, product: product.id }
      log({ ...ids, status, code, reason: message, durationMs: now - startedAt })
    }))
})

/** Names the limit that refused a call: that of invalid payments, or another. */
function nameRefusal(inbound: Inbound, invalidPayments: RateLimiter, failure: FailedSale): void {
  const known = invalidPayments.refusal(inbound.client)
  if (known !== null) return nameLimit(inbound, invalidPayments, known.field)
  const seconds = failure._tag === "NotCharged" ? failure.retryAfterSeconds : undefined
  inbound.rateFields = [["ratelimit", `"calls";r=0;t=${seconds ?? 1}`]]
}

/**
 * Refusals that the buyer can choose, and that cost as much as a sale; `tooManyOfAddress` is none, since the
 * users of an address may share it.
 */
const chosenCodes: ReadonlyArray<RefusalCode> = [
  "payment_conflict",
  "payment_already_used",
  "payment_refunded",
  "rate_limited",
  "signal_not_found",
  "market_not_found",
  "below_threshold",
  "invalid_parameter",
]

const isSecret = Schema.is(PaymentIdentifier)

/** The key protects a paid answer, so a key that is easy to guess is refused. */
function idempotencyKey(key: string | null): Result.Result<string | null, NotCharged> {
  return key === null || isSecret(key) ? Result.succeed(key) : Result.fail(invalidParameters([{
    param: "Idempotency-Key",
    in: "header",
    message: "must be 16 to 128 letters, digits, - or _",
  }]))
}

/** The error for wrong parameters. A payment in the same request was not used. */
export function invalidParameters(faults: ReadonlyArray<ParameterError>): NotCharged {
  const message = sentenceOf(faults)
  return new NotCharged({
    code: "invalid_parameter",
    message: message === "" ? "A parameter is invalid" : message,
    hint: "Your payment was not used: correct the parameter and send it again.",
    details: faults.map(({ param, in: where, message }) => ({ param, in: where, message })),
  })
}

/** Why a payment cannot be settled now; null when it can. */
function validityFaultOf(payment: PaymentPayload, terms: PaymentTerms, nowMs: number) {
  const times = checkTimes(payment, terms, BigInt(Math.floor(nowMs / 1_000)))
  return Result.isFailure(times) ? times.failure.reason : null
}

/** The payment, if it pays for the product; its times are not checked. */
function matchedPayment(
  product: Product,
  terms: PaymentTerms,
  sent: Call["payment"],
): Result.Result<PaymentPayload, NotCharged> {
  const decoded = "header" in sent ? decodePayment(sent.header) : decodePaymentJson(sent.json)
  return Result.mapError(
    Result.flatMap(decoded, (payment) => matchPayment(product, payment, terms)),
    ({ reason, fault }) => new NotCharged({ code: "payment_required", message: reason, fault }),
  )
}

/** The canonical form of a request: equal for any order of its parameters. */
function canonicalRequest(product: Product, input: object): string {
  const sorted = Object.entries(input).sort(([a], [b]) => a < b ? -1 : 1)
  return `${product.id}?${JSON.stringify(sorted)}`
}

const tooMany = ({ retryAfterSeconds }: Denied) => ({
  code: "rate_limited" as const,
  message: "Too many invalid payments or uncharged answers for this address",
  retryAfterSeconds,
})

/** The payment was not read. An earlier request may have used it, so `charged` is null. */
const unread = (denied: Denied) =>
  new NotCharged({
    ...tooMany(denied),
    hint: `This call did not read the payment: after Retry-After, ${resend}.`,
    taken: null,
  })
