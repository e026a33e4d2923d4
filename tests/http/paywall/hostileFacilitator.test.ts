/**
 * The modes of a hostile facilitator: the payment is taken, and what the
 * facilitator says reads as a failure. The buyer is charged once, and gets the answer or its money
 * back.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect, Option, Schema } from "effect"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { address, Bytes32 } from "../../../src/payments/domain/payment.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import type { Misbehaviour } from "../../support/payments/simulated.ts"
import { test } from "../../support/effect.ts"
import type { Handle } from "../../support/http/a2a.ts"
import { a2aService, pricesTaken, signed } from "../../support/http/a2aService.ts"
import { inMarket, passing, timing } from "../../support/payments/sales.ts"
import { headerOf } from "../../support/payments/terms.ts"

const { latest, resolving } = products
const key = "a-key-of-18-chars_"
type Wire = Effect.Success<ReturnType<typeof signed>>

/** What a buyer sees of a call: the answer, a request for another payment, or neither. */
interface Seen {
  readonly status: number
  readonly answer: unknown
}

/** A buyer's call, which it may make again with the same payment. */
const callOf = (service: Handle, product: Product, wire: Wire): Effect.Effect<Seen> =>
  Effect.gen(function* () {
    const headers = { "idempotency-key": key, "payment-signature": headerOf(wire) }
    const response = yield* service.get(product.path, { headers })
    const body = yield* Effect.promise(() => response.json())
    return { status: response.status, answer: response.status === 200 ? body : null }
  })

interface Mode {
  /** The fault of the first settlement; null for an honest one. */
  readonly settle: Misbehaviour | null
  /** How long the facilitator takes for every call. */
  readonly delay?: Duration.Duration
  /** Whether the chain cannot be read either, until the buyer comes again. */
  readonly hidesChain?: true
  /** The status of the first call. */
  readonly first: number
}

const modes: Readonly<Record<string, Mode>> = {
  clean: { settle: null, first: 200 },
  accept_then_timeout: { settle: "silence_after_broadcast", first: 200 },
  "5xx_after_settle": { settle: "error_after_broadcast", first: 200 },
  double_402: { settle: "failure_after_broadcast", first: 200 },
  // Not one of its modes: an observer settles the payment first (arXiv 2605.11781, I-B).
  preempted: { settle: "double_broadcast", first: 200 },
  slow_answer: {
    settle: null,
    delay: Duration.subtract(timing.verifyTimeout, Duration.millis(100)),
    first: 200,
  },
  reconcile_unavailable: { settle: "error_after_broadcast", hidesChain: true, first: 503 },
}

/** The simulation of a mode, whose chain can be read again after `recover`. */
function simulationOf({ settle, delay, hidesChain }: Mode) {
  let settlements = 0
  let hidden = false
  return {
    recover: Effect.sync(() => {
      hidden = false
    }),
    simulation: {
      ...delay === undefined ? {} : { delay },
      chainDown: () => hidden,
      misbehave: (call: "verify" | "settle") => {
        if (call === "verify" || settlements++ > 0) return null
        hidden = hidesChain === true
        return settle
      },
    },
  }
}

const bytes32 = Schema.decodeUnknownSync(Bytes32)

const stateOf = Effect.fnUntraced(function* ({ payload: { authorization } }: Wire) {
  const { idOf, status } = yield* Payments
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const found = yield* status(
    idOf({
      ...{ from: address(from), to: address(to), nonce: bytes32(nonce) },
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    }),
    null,
  )
  return Option.map(found, ({ payment }) => payment.state)
})

for (const [name, mode] of Object.entries(modes)) {
  for (const product of [latest, resolving]) {
    const what = `${product.settlementOrder}, a facilitator in mode ${name}`

    test(`${what}: the same payment, sent until it is answered, is charged once`, () => {
      const { simulation, recover } = simulationOf(mode)
      return inMarket(
        Effect.gen(function* () {
          const { service } = yield* a2aService
          const call = callOf(service, product, yield* signed(product))
          let seen = yield* call
          equal(seen.status, mode.first, "no buyer is asked to pay again")
          yield* recover
          for (let n = 0; n < 3 && seen.status !== 200; n++) {
            yield* passing(5)
            seen = yield* call
            ok([200, 409, 503].includes(seen.status), `${seen.status}`)
          }
          equal([seen.status, yield* pricesTaken], [200, product.price as bigint])
          // `declared_safe`: what is safe to repeat is not refused.
          equal(yield* call, seen)
          equal(yield* pricesTaken, product.price as bigint)
        }),
        simulation,
      )
    })

    if (mode.first === 200) continue
    test(`${what}: the money of a buyer that does not come again goes back`, () => {
      const { simulation, recover } = simulationOf(mode)
      return inMarket(
        Effect.gen(function* () {
          const { service } = yield* a2aService
          const { sweep } = yield* Payments
          const wire = yield* signed(product)
          yield* callOf(service, product, wire)
          yield* recover
          for (let n = 0; n < 2; n++) {
            yield* passing(Duration.toSeconds(timing.answerWindow) + 1)
            yield* sweep
          }
          equal([yield* stateOf(wire), yield* pricesTaken], [
            Option.some("refund_due"),
            product.price as bigint,
          ])
        }),
        simulation,
      )
    })
  }
}
