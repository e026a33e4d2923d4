/**
 * People who sign payments and send them, again and again, twice at once, too late, or never; and
 * strangers who have read somebody's payment off the chain.
 *
 * @module
 */
import { Duration, Effect, Option, Result } from "effect"
import { address, Bytes32 } from "../../../src/payments/domain/payment.ts"
import type { Delivery, PaymentOutcome } from "../../../src/payments/sale/responses.ts"
import type { Work, WorkResult } from "../../../src/payments/sale/sale.ts"
import { NotCharged, RefundQueued, Unresolved } from "../../../src/payments/domain/failedSale.ts"
import type { Payments } from "../../../src/payments/Payments.ts"
import { buyer, payloadOf } from "../../support/payments/buyers.ts"
import { early, outcomeText, product } from "../../support/payments/sales.ts"
import { terms, token } from "../../support/payments/terms.ts"
import { workBetween } from "./between.ts"
import type { Machine } from "./machine.ts"
import { calmAtSeconds, type Heard, type Signed, startSeconds, type World } from "./world.ts"

type Shops = readonly [Machine<Payments["Service"]>, Machine<Payments["Service"]>]

const utf8 = new TextEncoder()
const text = new TextDecoder()

/** Somebody who signs one payment, and what they do with it. */
export const oneBuyer = Effect.fnUntraced(function* (world: World, shops: Shops, n: number) {
  const { random } = world
  yield* Effect.sleep(Duration.seconds(random.between(0, 200)))
  const signed = signs(world, n)
  const doings: Array<Effect.Effect<void>> = []
  if (!random.chance(0.05)) doings.push(comesBack(world, shops, signed))
  if (random.chance(0.2)) doings.push(later(world, 20, comesBack(world, shops, signed)))
  // Past its end, too: then the chain takes back what it has said.
  const reach = random.chance(0.8) ? 60 : 300
  if (random.chance(0.2)) doings.push(later(world, reach, usesNonce(world, signed)))
  if (random.chance(0.1)) {
    const elsewhere = { ...signed, request: `${signed.request}, elsewhere` }
    doings.push(later(world, 60, Effect.asVoid(call(world, shops, elsewhere, "buyer"))))
  }
  if (random.chance(0.3)) doings.push(stranger(world, shops, signed))
  yield* Effect.all(doings, { concurrency: "unbounded" })
})

const later = ({ random }: World, seconds: number, effect: Effect.Effect<void>) =>
  Effect.delay(effect, Duration.seconds(random.between(0, seconds)))

function signs(world: World, n: number): Signed {
  const { random } = world
  const sold = random.chance(0.5) ? early : product
  const now = BigInt(Math.floor(startSeconds + world.seconds()))
  const authorization = {
    from: address(buyerAddresses[n % buyerAddresses.length] ?? terms.payTo),
    to: address(terms.payTo),
    value: sold.price,
    validAfter: now - 600n,
    validBefore: now + BigInt(terms.maxTimeoutSeconds),
    nonce: Bytes32.make(`0x${(n + 1).toString(16).padStart(64, "0")}`),
  }
  const signed: Signed = {
    name: `payment ${n}`,
    paymentId: world.signatures.paymentId({ ...token, ...authorization }),
    product: sold,
    request: `request ${n}`,
    authorization,
    signature: world.sign(authorization),
    secret: random.chance(0.7) ? `the secret of payment ${n}` : null,
  }
  world.signed.push(signed)
  return signed
}

const buyerAddresses = [0, 1, 2].map((n) => buyer(n).address)

/** Sends the payment until there is an answer or no hope, or until patience ends. */
const comesBack = Effect.fnUntraced(function* (world: World, shops: Shops, signed: Signed) {
  const { random } = world
  for (let attempt = 0; attempt < 12 && world.seconds() < calmAtSeconds; attempt++) {
    const how = attempt > 0 && random.chance(0.2) ? "recalls" : "sends"
    const reported = yield* call(world, shops, signed, "buyer", how)
    if (reported === "delivered" || hopeless.has(reported) || random.chance(0.1)) return
    yield* Effect.sleep(Duration.seconds(random.between(0.5, 25)))
  }
})

const hopeless = new Set([
  ...["payment_refunded", "payment_already_used", "payment_conflict", "payment_required"],
])

/** A reader of the chain has every payment on it, but no secret. */
const stranger = Effect.fnUntraced(function* (world: World, shops: Shops, signed: Signed) {
  const { random } = world
  while (world.seconds() < calmAtSeconds) {
    yield* Effect.sleep(Duration.seconds(random.between(1, 30)))
    if (!(yield* isPaid(world, signed))) continue
    const secret = random.chance(0.5) ? null : "a stranger's secret"
    const how = random.chance(0.3) ? "recalls" : "sends"
    yield* call(world, shops, { ...signed, secret }, "stranger", how)
    if (random.chance(0.3)) return
  }
})

/** Uses the nonce past us: pays it, pays something else with it, or cancels it. */
const usesNonce = Effect.fnUntraced(function* (world: World, signed: Signed) {
  const { random, ledger, note } = world
  const { from, to, value, nonce } = signed.authorization
  const blockTime = BigInt(Math.floor(startSeconds + world.seconds()))
  const spent = { asset: token.asset, from, nonce, transaction: `0x${nonce.slice(-8)}`, blockTime }
  const how = random.pick(["pays", "pays less", "cancels", "pays"] as const)
  note(`${signed.name}: its buyer ${how}`)
  if (how === "cancels") yield* ledger.cancel(spent)
  else yield* ledger.transfer({ ...spent, to, value: how === "pays" ? value : value - 1n })
})

/** Whether the chain shows the payment that was signed. */
export const isPaid = ({ ledger }: World, { authorization }: Signed) =>
  Effect.map(
    ledger.used(token.asset, authorization.from, authorization.nonce),
    Option.exists(({ transfer }) =>
      transfer?.to === authorization.to && transfer.value === authorization.value
    ),
  )

/** One call with a limited wait, and its outcome. */
const call = Effect.fnUntraced(function* (
  world: World,
  shops: Shops,
  signed: Signed,
  who: Heard["who"],
  how: Heard["how"] = "sends",
) {
  const { random, database, note } = world
  const life = random.pick(shops).life()
  if (life === null) return "nobody answers"
  const { product, request, authorization, signature, secret } = signed
  const nowSeconds = BigInt(Math.floor(startSeconds + world.seconds()))
  const needed = nowSeconds + BigInt(terms.neededSeconds + 6)
  const late = needed > authorization.validBefore ? "The authorization expires too soon" : null
  const payment = payloadOf(authorization, signature)
  const before = database.stateOf(signed.paymentId)
  const patience = random.chance(0.2) ? random.between(0, 6) : random.between(10, 120)
  const asked = how === "recalls"
    ? Effect.flatMap(life.service.findOutcome(signed.paymentId, secret), asSold)
    : life.service.sell(
      { product, request, payment, validityFault: late, secret },
      workBetween(work(world, signed), life.between),
    )
  const result = yield* asked.pipe(
    Effect.result,
    Effect.timeoutOption(Duration.seconds(patience)),
    Effect.raceFirst(Effect.as(life.died, Option.none())),
  )
  if (Option.isNone(result)) {
    note(`${signed.name}, ${who}: hears nothing`)
    return "hears nothing"
  }
  const handedOver = !random.chance(0.03)
  const reported = Result.isSuccess(result.value) && !handedOver
    ? "lost"
    : outcomeText(result.value)
  const paidBody = paidBodyOf(result.value, handedOver)
  note(`${signed.name}, ${who}: ${reported}`)
  const history = [...database.histories.get(signed.paymentId) ?? []]
  world.heard.push({
    ...{ signed, who, how, reported, paidBody, charged: chargedOf(result.value), before },
    after: database.stateOf(signed.paymentId),
    onChain: yield* isPaid(world, signed),
    settledThen: history.includes("settle"),
    answeredThen: history.includes("answer"),
  })
  if (Result.isFailure(result.value) || !handedOver) return reported
  yield* life.service.sent(result.value.success)
  return result.value.success.receipt === null ? "given away" : "delivered"
})

type Outcome = Result.Result<Delivery, NotCharged | RefundQueued | Unresolved>

/** The outcome of a payment, in the words of a sale. */
function asSold(
  recalled: PaymentOutcome,
): Effect.Effect<Delivery, NotCharged | RefundQueued | Unresolved> {
  const refused = (code: NotCharged["code"], taken: boolean) =>
    Effect.fail(new NotCharged({ code, message: recalled.state, taken }))
  switch (recalled.state) {
    case "answered":
      return Effect.succeed(recalled.delivery)
    case "used":
      return refused("payment_already_used", true)
    case "refunded":
      return refused("payment_refunded", true)
    case "underway":
      return Effect.fail(new Unresolved({ message: "underway", retryAfterSeconds: 1 }))
    case "released":
    case "unknown":
      return refused("payments_unavailable", false)
    case "void":
      return refused("payment_required", false)
  }
}

const paidBodyOf = (result: Outcome, handedOver: boolean) =>
  Result.isSuccess(result) && handedOver && result.success.receipt !== null
    ? text.decode(result.success.body)
    : null

/** What the answer says of the money, as the paywall would. */
function chargedOf(result: Outcome): boolean | null {
  if (Result.isSuccess(result)) return result.success.receipt !== null
  const { failure } = result
  if (failure instanceof RefundQueued) return true
  if (failure instanceof Unresolved) return null
  return failure.taken === undefined ? false : failure.taken
}

/** Work as it may go: done, worthless, failed, broken or endless. */
function work(world: World, { product, request }: Signed): Work {
  const { random } = world
  const most = product.settlementOrder === "compute-first" ? 11 : 33
  const takes = Duration.seconds(random.chance(0.6) ? 0 : random.between(0, most))
  const facts: Effect.Effect<never, NotCharged> = Effect.fail(
    new NotCharged({ code: "venue_error", message: "The venue failed" }),
  )
  const goes = random.below(100)
  const done = Effect.sync((): WorkResult => ({
    body: utf8.encode(`${request}: ${random.below(1_000_000)}`),
    charge: goes >= 6,
  }))
  return {
    check: random.chance(0.05) ? facts : Effect.void,
    compute: Effect.andThen(
      Effect.sleep(takes),
      goes > 94 ? facts : goes === 94 ? Effect.die("a bug") : goes === 93 ? Effect.never : done,
    ),
  }
}
