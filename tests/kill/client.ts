/**
 * A paying client: it signs real authorizations, sends them to random replicas and records every
 * response.
 *
 * @module
 */
import { Clock, Effect, Function, Option, Result } from "effect"
import { Hex } from "effect/encoding"
import type { LocalAccount } from "viem/accounts"
import { type Authorization, Bytes32 } from "../../src/payments/domain/payment.ts"
import { type ProductId, products } from "../../src/catalog/domain/product.ts"
import type { Random } from "../support/random.ts"
import type { Anvil } from "../support/payments/anvil.ts"
import { sign } from "../support/payments/buyers.ts"
import { authorizationFor, headerOf, wirePayment } from "../support/payments/terms.ts"
import { cancelCall, sent, toToken, transferCall } from "../support/payments/token.ts"
import type { Exchange, Scenario, Transcript } from "./transcript.ts"

export interface ClientContext {
  readonly bases: ReadonlyArray<string>
  readonly anvil: Anvil
  readonly transcripts: Array<Transcript>
  /** What every client does; by default a random scenario for each payment. */
  readonly scenario?: Scenario | undefined
  /** The products that are bought, with their shares. */
  readonly productShares?: ReadonlyArray<readonly [ProductId, number]>
  /** The path of a product with its parameters. */
  readonly pathOf?: (product: ProductId) => string
  /** The patience of a client; that of a short run when absent. */
  readonly patience?: Patience
  /** Runs around each request. */
  readonly watch?: (request: Effect.Effect<Exchange>) => Effect.Effect<Exchange>
}

export interface Patience {
  /** How long an authorization is valid. */
  readonly validSeconds: number
  /** How long a client retries. */
  readonly retryForMs: number
  /** A client waits at most this long even when `Retry-After` is longer. */
  readonly retryAfterMsMax: number
}

export interface Client {
  readonly account: LocalAccount
  readonly random: Random
}

/** For a short run. The service accepts no payment that is valid for under 41 seconds. */
const shortPatience: Patience = { validSeconds: 60, retryForMs: 60_000, retryAfterMsMax: 2_000 }
/** How long a client waits for an answer. */
const answerTimeoutMs = 15_000
/** When a client that hangs up closes its connection. */
const hangUpMs = { min: 10, max: 2_500 } as const
const pauseMs = { min: 100, max: 900 } as const
/** The n-th pause is n times as long as a random one; n stops growing here. */
const pauseFactorMax = 4
/** The delay before a payment is settled directly or cancelled during its request. */
const interferenceDelayMs = { min: 0, max: 1_500 } as const
const usedPollIntervalMs = 250
const usedPollsMax = 60

const scenarioShares: ReadonlyArray<readonly [Scenario, number]> = [
  ["steady", 0.46],
  ["hangs up, retries", 0.1],
  ["hangs up", 0.06],
  ["concurrent", 0.1],
  ["two products", 0.04],
  ["thief", 0.08],
  ["impatient", 0.06],
  ["settles directly", 0.05],
  ["unmatched", 0.02],
  ["cancels", 0.03],
]
const shortProductShares: ReadonlyArray<readonly [ProductId, number]> = [
  ["latest", 0.3],
  ["signal", 0.1],
  ["signals", 0.2],
  ["resolving", 0.4],
]

/** One payment, and what is needed to send it. */
interface Purchase {
  readonly product: ProductId
  readonly authorization: Authorization
  readonly secret: string | null
  readonly header: (product: ProductId) => string
  readonly record: Transcript & { readonly exchanges: Array<Exchange> }
}

/** Makes one payment in a random scenario, until its client stops. */
export const buyOnce = Effect.fnUntraced(function* (context: ClientContext, client: Client) {
  const scenario = context.scenario ?? weightedChoice(client.random, scenarioShares)
  const purchase = yield* prepare(context, client, scenario)
  yield* runScenario(context, client, scenario, purchase)
})

const prepare = Effect.fnUntraced(
  function* (context: ClientContext, client: Client, scenario: Scenario) {
    const { account, random } = client
    const { productShares = shortProductShares, patience = shortPatience } = context
    const product = scenario === "two products" ? "latest" : weightedChoice(random, productShares)
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
    const authorization = authorizationFor(account, products[product], now, {
      nonce: Bytes32.make(`0x${hex(random, 64)}`),
      validBefore: BigInt(now + patience.validSeconds),
    })
    const signature = yield* sign(account, authorization)
    const secret = random.chance(0.55) ? hex(random, 32) : null
    const record = {
      scenario,
      payer: authorization.from,
      nonce: authorization.nonce,
      value: authorization.value,
      secret,
      product,
      header: headerOf(wirePayment(products[product], authorization, signature)),
      exchanges: [] as Array<Exchange>,
    }
    context.transcripts.push(record)
    const purchase: Purchase = {
      product,
      authorization,
      secret,
      header: (product) => headerOf(wirePayment(products[product], authorization, signature)),
      record,
    }
    return purchase
  },
)

const runScenario = (
  context: ClientContext,
  client: Client,
  scenario: Scenario,
  purchase: Purchase,
) => {
  const { account, random } = client
  const { product } = purchase
  const fullPurchase = requestUntilFinal(context, client, purchase, product)
  const afterDelay = Effect.suspend(() => randomSleep(random, interferenceDelayMs))
  const abortedRequest = Effect.suspend(() =>
    request(context, random, purchase, product, random.between(hangUpMs.min, hangUpMs.max))
  )
  const together = (one: Effect.Effect<unknown>, other: Effect.Effect<unknown>) =>
    Effect.asVoid(Effect.all([one, other], { concurrency: 2 }))
  switch (scenario) {
    case "steady":
      return fullPurchase
    case "impatient":
      return Effect.asVoid(request(context, random, purchase, product, answerTimeoutMs))
    case "hangs up":
      return Effect.asVoid(abortedRequest)
    case "hangs up, retries":
      return Effect.flatMap(
        abortedRequest,
        (exchange) =>
          isFinal(exchange)
            ? Effect.void
            : Effect.andThen(randomSleep(random, pauseMs), fullPurchase),
      )
    case "concurrent":
      return together(fullPurchase, fullPurchase)
    case "two products":
      return together(fullPurchase, requestUntilFinal(context, client, purchase, "signal"))
    case "thief":
      return together(fullPurchase, presentStolen(context, client, purchase))
    case "settles directly":
      return together(
        fullPurchase,
        Effect.andThen(afterDelay, settleDirectly(context, account, purchase)),
      )
    case "unmatched":
      return settleDirectly(context, account, purchase)
    case "cancels":
      return together(
        fullPurchase,
        Effect.andThen(
          afterDelay,
          Effect.flatMap(
            cancelCall(account, purchase.authorization.nonce),
            (call) => sent(context.anvil, call),
          ),
        ),
      )
  }
}

/** Sends the payment to random replicas until a final answer or a timeout. */
const requestUntilFinal = Effect.fnUntraced(function* (
  context: ClientContext,
  { random }: Client,
  purchase: Purchase,
  product: ProductId,
) {
  const { retryForMs, retryAfterMsMax } = context.patience ?? shortPatience
  const startMs = yield* Clock.currentTimeMillis
  for (let turn = 1; (yield* Clock.currentTimeMillis) - startMs < retryForMs; turn++) {
    const exchange = yield* request(context, random, purchase, product, answerTimeoutMs)
    if (isFinal(exchange)) return
    const requestedMs = Math.min(exchange.retryAfterSeconds * 1_000, retryAfterMsMax)
    const factor = Math.min(turn, pauseFactorMax)
    yield* Effect.sleep(requestedMs + factor * random.between(pauseMs.min, pauseMs.max))
  }
})

/** Whether a retry cannot change the answer. */
function isFinal({ status, code }: Exchange): boolean {
  return status !== null && (status < 500 && status !== 429) && code !== "payment_in_progress"
}

const settleDirectly = (
  context: ClientContext,
  account: LocalAccount,
  { authorization }: Purchase,
) =>
  Effect.flatMap(
    transferCall(account, authorization),
    (call) => Effect.asVoid(sent(context.anvil, call)),
  )

/** Sends a payment that is public on the chain, without the secret, as anyone who reads it can. */
const presentStolen = Effect.fnUntraced(
  function* (context: ClientContext, { random }: Client, purchase: Purchase) {
    const { from, nonce } = purchase.authorization
    const state = toToken("authorizationState", [from, nonce])
    for (let turn = 0; turn < usedPollsMax; turn++) {
      const used = yield* context.anvil.call("eth_call", state, "latest")
      if (BigInt(String(used)) === 1n) {
        const product = random.chance(0.7)
          ? purchase.product
          : weightedChoice(random, context.productShares ?? shortProductShares)
        const stolen = { ...purchase, secret: null }
        yield* request(context, random, stolen, product, answerTimeoutMs, "thief")
        return
      }
      yield* Effect.sleep(usedPollIntervalMs)
    }
  },
)

/** Requests an answer that was bought with a secret again, at the end of a run. */
export const fetchAgain = (context: ClientContext, random: Random, record: Transcript) =>
  Effect.asVoid(
    request(
      context,
      random,
      { ...record, header: () => record.header, record: record as Purchase["record"] },
      record.product,
      answerTimeoutMs,
    ),
  )

const request = (...[context, ...args]: Parameters<typeof send>): Effect.Effect<Exchange> =>
  (context.watch ?? Function.identity)(send(context, ...args))

/** Sends one request to a random replica and records it. */
const send = Effect.fnUntraced(function* (
  context: ClientContext,
  random: Random,
  { secret, header, record }: Pick<Purchase, "secret" | "header" | "record">,
  product: ProductId,
  waitMs: number,
  by: Exchange["by"] = "buyer",
) {
  const base = context.bases[random.below(context.bases.length)]
  const headers: Record<string, string> = { "PAYMENT-SIGNATURE": header(product) }
  if (secret !== null) headers["Idempotency-Key"] = secret
  const path = context.pathOf?.(product) ?? products[product].path
  const answer = yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${base}${path}`, { headers, signal })
      const { status } = response
      return await readAnswer({ status, headers: response.headers, body: await response.text() })
    },
    catch: () => "lost" as const,
  }).pipe(Effect.timeoutOption(waitMs), Effect.result)
  const atMs = yield* Clock.currentTimeMillis
  const received = Result.isFailure(answer)
    ? { ...noAnswer, code: answer.failure }
    : Option.isNone(answer.success)
    ? { ...noAnswer, code: "hung up" }
    : answer.success.value
  const block = received.status === 200
    ? BigInt(String(yield* context.anvil.call("eth_blockNumber")))
    : null
  const exchange: Exchange = { by, product, atMs, ...received, block }
  record.exchanges.push(exchange)
  return exchange
})

/** A complete answer. */
interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** The fields of an exchange in which nothing was answered. */
export const noAnswer = {
  ...{ status: null, charged: null, bodyHash: null, isValid: false, transaction: null },
  retryAfterSeconds: 0,
} as const

/** The fields of an exchange that its answer shows. */
export async function readAnswer({ status, headers, body }: Answer) {
  const json = Result.getOrElse(
    Result.try(() => JSON.parse(body)),
    () => ({ error: { code: "not JSON" } }),
  )
  const receipt = headers.get("PAYMENT-RESPONSE")
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body))
  return {
    status,
    code: status === 200 ? null : String(json.error?.code ?? `status ${status}`),
    // An answer settled early is always charged and has no `charged` field.
    charged: status === 200 ? json.charged ?? receipt !== null : json.error?.charged ?? null,
    bodyHash: status === 200 ? Hex.encode(new Uint8Array(digest)) : null,
    isValid: status === 200 && json.success === true && "data" in json,
    transaction: receipt === null ? null : String(JSON.parse(atob(receipt)).transaction),
    retryAfterSeconds: Number(headers.get("retry-after") ?? 0),
  }
}

const randomSleep = (
  random: Random,
  { min, max }: { readonly min: number; readonly max: number },
) => Effect.sleep(random.between(min, max))

function weightedChoice<A>(random: Random, weighted: ReadonlyArray<readonly [A, number]>): A {
  let remaining = random.between(0, weighted.reduce((sum, [, weight]) => sum + weight, 0))
  const found = weighted.find(([, weight]) => (remaining -= weight) < 0) ?? weighted.at(-1)
  if (found === undefined) throw new Error("Cannot choose: the list is empty")
  return found[0]
}

function hex(random: Random, digits: number): string {
  return Array.from({ length: digits }, () => random.below(16).toString(16)).join("")
}
