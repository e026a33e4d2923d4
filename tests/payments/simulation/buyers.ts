/**
 * Buyers who sign payments and send them repeatedly, concurrently, too late or never; and strangers
 * who copy payments from the chain.
 *
 * @module
 */
import { Duration, Effect, Option, Result } from "effect"
import { address, Bytes32 } from "../../../src/payments/domain/payment.ts"
import type { Payments } from "../../../src/payments/Payments.ts"
import { buyer, payloadOf } from "../../support/payments/buyers.ts"
import {
  chargedOf,
  early,
  type Ended,
  idIn,
  lookingUp,
  outcomeText,
  product,
  purchaseOf,
  refusing,
  type Work,
  type WorkResult,
} from "../../support/payments/sales.ts"
import { terms, token } from "../../support/payments/terms.ts"
import { interceptWork } from "./interceptors.ts"
import type { SimulatedProcess } from "./simulatedProcess.ts"
import {
  type CallRecord,
  faultsEndSeconds,
  type SignedPayment,
  startSeconds,
  type World,
} from "./world.ts"

type Replicas = readonly [
  SimulatedProcess<Payments["Service"]>,
  SimulatedProcess<Payments["Service"]>,
]

const utf8 = new TextEncoder()
const text = new TextDecoder()

/** Runs a buyer with one payment, and a stranger who may copy it. */
export const runBuyer = Effect.fnUntraced(function* (world: World, replicas: Replicas, n: number) {
  const { random } = world
  yield* Effect.sleep(Duration.seconds(random.between(0, 200)))
  const signed = signPayment(world, n)
  const actions: Array<Effect.Effect<void>> = []
  if (!random.chance(0.05)) actions.push(sendRepeatedly(world, replicas, signed))
  if (random.chance(0.2)) {
    actions.push(afterDelay(world, 20, sendRepeatedly(world, replicas, signed)))
  }
  // A use after the expiry contradicts what the chain has proved, as a reorganisation does.
  const secondsMax = random.chance(0.8) ? 60 : 300
  if (random.chance(0.2)) actions.push(afterDelay(world, secondsMax, useNonce(world, signed)))
  if (random.chance(0.1)) {
    const elsewhere = { ...signed, request: `${signed.request}, elsewhere` }
    actions.push(
      afterDelay(world, 60, Effect.asVoid(makeCall(world, replicas, elsewhere, "buyer"))),
    )
  }
  if (random.chance(0.3)) actions.push(runStranger(world, replicas, signed))
  yield* Effect.all(actions, { concurrency: "unbounded" })
})

const afterDelay = ({ random }: World, seconds: number, effect: Effect.Effect<void>) =>
  Effect.delay(effect, Duration.seconds(random.between(0, seconds)))

function signPayment(world: World, n: number): SignedPayment {
  const { random } = world
  // Some sign again for a purchase that was paid before, with the same key.
  const [first, ...others] = world.signed
  const again = first !== undefined && random.chance(0.4) ? random.pick([first, ...others]) : null
  const sold = again?.product ?? (random.chance(0.5) ? early : product)
  const now = BigInt(Math.floor(startSeconds + world.seconds()))
  const authorization = {
    from: again?.authorization.from ??
      address(buyerAddresses[n % buyerAddresses.length] ?? terms.payTo),
    to: address(terms.payTo),
    value: sold.price,
    validAfter: now - 600n,
    validBefore: now + BigInt(terms.maxTimeoutSeconds),
    nonce: Bytes32.make(`0x${(n + 1).toString(16).padStart(64, "0")}`),
  }
  const signed: SignedPayment = {
    name: `payment ${n}`,
    paymentId: world.signatures.paymentId({ ...token, ...authorization }),
    product: sold,
    request: again?.request ?? `request ${n}`,
    authorization,
    signature: world.sign(authorization),
    secret: again !== null
      ? again.secret
      : random.chance(0.7)
      ? `the secret of payment ${n}`
      : null,
  }
  world.signed.push(signed)
  return signed
}

const buyerAddresses = [0, 1, 2].map((n) => buyer(n).address)

/** Sends the payment until there is a final outcome, or the buyer gives up. */
const sendRepeatedly = Effect.fnUntraced(
  function* (world: World, replicas: Replicas, signed: SignedPayment) {
    const { random } = world
    for (let attempt = 0; attempt < 12 && world.seconds() < faultsEndSeconds; attempt++) {
      const method = attempt > 0 && random.chance(0.2) ? "findOutcome" : "sell"
      const outcome = yield* makeCall(world, replicas, signed, "buyer", method)
      if (outcome === "delivered" || finalRefusals.has(outcome) || random.chance(0.1)) return
      yield* Effect.sleep(Duration.seconds(random.between(0.5, 25)))
    }
  },
)

const finalRefusals = new Set([
  ...["payment_refunded", "payment_already_used", "payment_conflict", "payment_required"],
])

/** A stranger who reads the chain has every payment on it, but no secret. */
const runStranger = Effect.fnUntraced(
  function* (world: World, replicas: Replicas, signed: SignedPayment) {
    const { random } = world
    while (world.seconds() < faultsEndSeconds) {
      yield* Effect.sleep(Duration.seconds(random.between(1, 30)))
      if (!(yield* isPaid(world, signed))) continue
      const secret = random.chance(0.5) ? null : "a stranger's secret"
      const method = random.chance(0.3) ? "findOutcome" : "sell"
      yield* makeCall(world, replicas, { ...signed, secret }, "stranger", method)
      if (random.chance(0.3)) return
    }
  },
)

/** Uses the nonce directly on the chain: for the payment, a smaller transfer, or a cancellation. */
const useNonce = Effect.fnUntraced(function* (world: World, signed: SignedPayment) {
  const { random, ledger, note } = world
  const { from, to, value, nonce } = signed.authorization
  const blockTime = BigInt(Math.floor(startSeconds + world.seconds()))
  const spent = { asset: token.asset, from, nonce, transaction: `0x${nonce.slice(-8)}`, blockTime }
  const how = random.pick(["pays", "pays less", "cancels", "pays"] as const)
  note(`${signed.name}: its buyer ${how}`)
  if (how === "cancels") yield* ledger.cancel(spent)
  else yield* ledger.transfer({ ...spent, to, value: how === "pays" ? value : value - 1n })
})

/** Whether the chain has the signed payment. */
export const isPaid = ({ ledger }: World, { authorization }: SignedPayment) =>
  Effect.map(
    ledger.used(token.asset, authorization.from, authorization.nonce),
    Option.exists(({ transfer }) =>
      transfer?.to === authorization.to && transfer.value === authorization.value
    ),
  )

/** Makes one call with a random timeout, records it, and returns its outcome. */
const makeCall = Effect.fnUntraced(function* (
  world: World,
  replicas: Replicas,
  signed: SignedPayment,
  caller: CallRecord["caller"],
  method: CallRecord["method"] = "sell",
) {
  const { random, database, note } = world
  const replica = random.pick(replicas).current()
  if (replica === null) return "no replica"
  const { product, request, authorization, signature, secret } = signed
  const nowSeconds = BigInt(Math.floor(startSeconds + world.seconds()))
  const needed = nowSeconds + BigInt(terms.neededSeconds + 6)
  const validityFault = needed > authorization.validBefore
    ? "The authorization expires too soon"
    : null
  const payment = payloadOf(authorization, signature)
  const before = new Map(
    world.signed.map(({ paymentId }) => [paymentId, database.stateOf(paymentId)]),
  )
  const timeoutSeconds = random.chance(0.2) ? random.between(0, 6) : random.between(10, 120)
  const response = method === "findOutcome"
    ? lookingUp(replica.service, signed.paymentId, secret)
    : replica.service.sell(
      purchaseOf({ product, request, payment, validityFault, secret }),
      interceptWork(work(world, signed), replica.intercept),
    )
  const result = yield* response.pipe(
    Effect.result,
    Effect.timeoutOption(Duration.seconds(timeoutSeconds)),
    Effect.raceFirst(Effect.as(replica.died, Option.none())),
  )
  if (Option.isNone(result)) {
    note(`${signed.name}, ${caller}: no response`)
    return "no response"
  }
  const isDelivered = !random.chance(0.03)
  const outcome = Result.isSuccess(result.value) && !isDelivered
    ? "lost"
    : outcomeText(result.value)
  const paidBody = paidBodyOf(result.value, isDelivered)
  note(`${signed.name}, ${caller}: ${outcome}`)
  // The response may be about the payment that holds the key.
  const id = idIn(result.value)
  const concerned = world.signed.find(({ paymentId }) => paymentId === id) ?? signed
  const { paymentId } = concerned
  const history = [...database.histories.get(paymentId) ?? []]
  world.calls.push({
    ...{ signed: { ...signed, ...idsOf(concerned) }, caller, method, outcome, paidBody },
    ...{ charged: chargedOf(result.value), before: before.get(paymentId) ?? null },
    after: database.stateOf(paymentId),
    onChain: yield* isPaid(world, concerned),
    wasSettled: history.includes("settle"),
    wasAnswered: history.includes("answer"),
  })
  if (Result.isFailure(result.value) || !isDelivered) return outcome
  yield* replica.service.sent(result.value.success)
  return result.value.success.receipt === null ? "not charged" : "delivered"
})

const idsOf = ({ name, paymentId, authorization }: SignedPayment) => ({
  ...{ name, paymentId, authorization },
})

const paidBodyOf = (result: Ended, isDelivered: boolean) =>
  Result.isSuccess(result) && isDelivered && result.success.receipt !== null
    ? text.decode(result.success.body)
    : null

/** Random work: it succeeds, is not charged, fails, dies or never ends. */
function work(world: World, { product, request }: SignedPayment): Work {
  const { random } = world
  const secondsMax = product.settlementOrder === "compute-first" ? 11 : 33
  const duration = Duration.seconds(random.chance(0.6) ? 0 : random.between(0, secondsMax))
  const venueFailure = refusing("venue_error")
  const percentile = random.below(100)
  const done = Effect.sync((): WorkResult => ({
    body: utf8.encode(`${request}: ${random.below(1_000_000)}`),
    charge: percentile >= 6,
  }))
  return {
    check: random.chance(0.05) ? venueFailure : Effect.void,
    compute: Effect.andThen(
      Effect.sleep(duration),
      percentile > 94
        ? venueFailure
        : percentile === 94
        ? Effect.die("a bug")
        : percentile === 93
        ? Effect.never
        : done,
    ),
  }
}
