/**
 * A paying client: signs real authorizations, shows them to whichever edge answers, and writes down
 * everything that comes back.
 *
 * @module
 */
import { Clock, Effect, Option, Result } from "effect"
import { Hex } from "effect/encoding"
import type { LocalAccount } from "viem/accounts"
import { type Authorization, Bytes32 } from "../../src/payments/domain/payment.ts"
import { type ProductId, products } from "../../src/catalog/domain/product.ts"
import type { Random } from "../support/random.ts"
import type { Anvil } from "../support/payments/anvil.ts"
import { sign } from "../support/payments/buyers.ts"
import { authorizationFor, headerOf, wirePayment } from "../support/payments/terms.ts"
import { cancelCall, sent, toToken, transferCall } from "../support/payments/token.ts"
import type { Exchange, Story, Transcript } from "./transcript.ts"

export interface Market {
  readonly bases: ReadonlyArray<string>
  readonly anvil: Anvil
  /** Where everything is written down. */
  readonly transcripts: Array<Transcript>
}

export interface Client {
  readonly account: LocalAccount
  readonly random: Random
}

/** How long an authorization runs. The service takes none that runs for less than 41 seconds. */
const validSeconds = 60
/** How long a client waits for an answer, and how long it goes on asking. */
const patienceMs = 15_000
const pursuitMs = 60_000
const hangUpMs = { min: 10, max: 2_500 } as const
const pauseMs = { min: 100, max: 900 } as const
/** Each pause is longer than the one before, up to this often the first. */
const pauseTimesMax = 4
/** A client of a run as short as this one does not wait for as long as it is told to. */
const retryAfterMsMax = 2_000
/** How late those come who meddle with a payment. */
const meddleMs = { min: 0, max: 1_500 } as const
const usedEveryMs = 250
const usedTimes = 60

const often: ReadonlyArray<readonly [Story, number]> = [
  ["steady", 0.46],
  ["hangs up, returns", 0.1],
  ["hangs up", 0.06],
  ["twins", 0.1],
  ["two products", 0.04],
  ["thief", 0.08],
  ["impatient", 0.06],
  ["preempts", 0.05],
  ["orphan", 0.02],
  ["cancels", 0.03],
]
const wanted: ReadonlyArray<readonly [ProductId, number]> = [
  ["latest", 0.3],
  ["signal", 0.1],
  ["signals", 0.2],
  ["resolving", 0.4],
]

/** One payment: what it is for, and everything that is needed to show it. */
interface Purchase {
  readonly product: ProductId
  readonly authorization: Authorization
  readonly secret: string | null
  readonly header: (product: ProductId) => string
  readonly record: Transcript & { readonly exchanges: Array<Exchange> }
}

/** Makes one payment, in one of the stories, from its beginning to where its client leaves it. */
export const buyOnce = Effect.fnUntraced(function* (market: Market, client: Client) {
  const story = drawn(client.random, often)
  const purchase = yield* prepare(market, client, story)
  yield* tell(market, client, story, purchase)
})

const prepare = Effect.fnUntraced(function* (market: Market, client: Client, story: Story) {
  const { account, random } = client
  const product = story === "two products" ? "latest" : drawn(random, wanted)
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  const authorization = authorizationFor(account, products[product], now, {
    nonce: Bytes32.make(`0x${hex(random, 64)}`),
    validBefore: BigInt(now + validSeconds),
  })
  const signature = yield* sign(account, authorization)
  const secret = random.chance(0.55) ? hex(random, 32) : null
  const record = {
    story,
    payer: authorization.from,
    nonce: authorization.nonce,
    value: authorization.value,
    secret,
    product,
    header: headerOf(wirePayment(products[product], authorization, signature)),
    exchanges: [] as Array<Exchange>,
  }
  market.transcripts.push(record)
  const purchase: Purchase = {
    product,
    authorization,
    secret,
    header: (product) => headerOf(wirePayment(products[product], authorization, signature)),
    record,
  }
  return purchase
})

const tell = (market: Market, client: Client, story: Story, purchase: Purchase) => {
  const { account, random } = client
  const { product } = purchase
  const whole = pursue(market, client, purchase, product)
  const soon = Effect.suspend(() => pause(random, meddleMs))
  const cutOff = Effect.suspend(() =>
    ask(market, random, purchase, product, random.between(hangUpMs.min, hangUpMs.max))
  )
  const together = (one: Effect.Effect<unknown>, other: Effect.Effect<unknown>) =>
    Effect.asVoid(Effect.all([one, other], { concurrency: 2 }))
  switch (story) {
    case "steady":
      return whole
    case "impatient":
      return Effect.asVoid(ask(market, random, purchase, product, patienceMs))
    case "hangs up":
      return Effect.asVoid(cutOff)
    case "hangs up, returns":
      return Effect.flatMap(
        cutOff,
        (exchange) =>
          isFinal(exchange) ? Effect.void : Effect.andThen(pause(random, pauseMs), whole),
      )
    case "twins":
      return together(whole, whole)
    case "two products":
      return together(whole, pursue(market, client, purchase, "signal"))
    case "thief":
      return together(whole, steal(market, client, purchase))
    case "preempts":
      return together(whole, Effect.andThen(soon, settleOneself(market, account, purchase)))
    case "orphan":
      return settleOneself(market, account, purchase)
    case "cancels":
      return together(
        whole,
        Effect.andThen(
          soon,
          Effect.flatMap(
            cancelCall(account, purchase.authorization.nonce),
            (call) => sent(market.anvil, call),
          ),
        ),
      )
  }
}

/** Asks one edge after the other until something final is said, or it would be too late. */
const pursue = Effect.fnUntraced(function* (
  market: Market,
  { random }: Client,
  purchase: Purchase,
  product: ProductId,
) {
  const startMs = yield* Clock.currentTimeMillis
  for (let turn = 1; (yield* Clock.currentTimeMillis) - startMs < pursuitMs; turn++) {
    const exchange = yield* ask(market, random, purchase, product, patienceMs)
    if (isFinal(exchange)) return
    const wanted = Math.min(exchange.retryAfterSeconds * 1_000, retryAfterMsMax)
    const longer = Math.min(turn, pauseTimesMax)
    yield* Effect.sleep(wanted + longer * random.between(pauseMs.min, pauseMs.max))
  }
})

/** Nothing is to be had by asking again. */
function isFinal({ status, code }: Exchange): boolean {
  return status !== null && (status < 500 && status !== 429) && code !== "payment_in_progress"
}

const settleOneself = (market: Market, account: LocalAccount, { authorization }: Purchase) =>
  Effect.flatMap(
    transferCall(account, authorization),
    (call) => Effect.asVoid(sent(market.anvil, call)),
  )

/** Shows a payment that has become public, without the secret, as one who reads the chain can. */
const steal = Effect.fnUntraced(function* (market: Market, { random }: Client, purchase: Purchase) {
  const { from, nonce } = purchase.authorization
  const state = toToken("authorizationState", [from, nonce])
  for (let turn = 0; turn < usedTimes; turn++) {
    const used = yield* market.anvil.call("eth_call", state, "latest")
    if (BigInt(String(used)) === 1n) {
      const product = random.chance(0.7) ? purchase.product : drawn(random, wanted)
      const stolen = { ...purchase, secret: null }
      yield* ask(market, random, stolen, product, patienceMs, "thief")
      return
    }
    yield* Effect.sleep(usedEveryMs)
  }
})

/** Asks once more for what was bought with a secret, at the end of a run. */
export const fetchAgain = (market: Market, random: Random, record: Transcript) =>
  Effect.asVoid(
    ask(
      market,
      random,
      { ...record, header: () => record.header, record: record as Purchase["record"] },
      record.product,
      patienceMs,
    ),
  )

/** One request at some edge, written down. */
const ask = Effect.fnUntraced(function* (
  market: Market,
  random: Random,
  { secret, header, record }: Pick<Purchase, "secret" | "header" | "record">,
  product: ProductId,
  waitMs: number,
  by: Exchange["by"] = "buyer",
) {
  const base = market.bases[random.below(market.bases.length)]
  const headers: Record<string, string> = { "PAYMENT-SIGNATURE": header(product) }
  if (secret !== null) headers["Idempotency-Key"] = secret
  const answer = yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${base}${products[product].path}`, { headers, signal })
      return { response, body: await response.text() }
    },
    catch: () => "lost" as const,
  }).pipe(Effect.timeoutOption(waitMs), Effect.result)
  const atMs = yield* Clock.currentTimeMillis
  const nothing = {
    ...{ status: null, charged: null, bodyHash: null, sound: false, transaction: null },
    retryAfterSeconds: 0,
  }
  const seen = Result.isFailure(answer)
    ? { ...nothing, code: answer.failure }
    : Option.isNone(answer.success)
    ? { ...nothing, code: "hung up" }
    : yield* read(answer.success.value)
  const block = seen.status === 200
    ? BigInt(String(yield* market.anvil.call("eth_blockNumber")))
    : null
  const exchange: Exchange = { by, product, atMs, ...seen, block }
  record.exchanges.push(exchange)
  return exchange
})

interface Answered {
  readonly response: Response
  readonly body: string
}

const read = Effect.fnUntraced(function* ({ response, body }: Answered) {
  const { status } = response
  const json = Result.getOrElse(
    Result.try(() => JSON.parse(body)),
    () => ({ error: { code: "not JSON" } }),
  )
  const receipt = response.headers.get("PAYMENT-RESPONSE")
  const digest = new Uint8Array(
    yield* Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(body))),
  )
  return {
    status,
    code: status === 200 ? null : String(json.error?.code ?? `status ${status}`),
    // What is settled first is always charged, and does not say so.
    charged: status === 200 ? json.charged ?? receipt !== null : json.error?.charged ?? null,
    bodyHash: status === 200 ? Hex.encode(digest) : null,
    sound: status === 200 && json.success === true && "data" in json,
    transaction: receipt === null ? null : String(JSON.parse(atob(receipt)).transaction),
    retryAfterSeconds: Number(response.headers.get("retry-after") ?? 0),
  }
})

const pause = (random: Random, { min, max }: { readonly min: number; readonly max: number }) =>
  Effect.sleep(random.between(min, max))

function drawn<A>(random: Random, weighted: ReadonlyArray<readonly [A, number]>): A {
  let left = random.between(0, weighted.reduce((sum, [, weight]) => sum + weight, 0))
  const found = weighted.find(([, weight]) => (left -= weight) < 0) ?? weighted.at(-1)
  if (found === undefined) throw new Error("Nothing to draw from")
  return found[0]
}

function hex(random: Random, digits: number): string {
  return Array.from({ length: digits }, () => random.below(16).toString(16)).join("")
}
