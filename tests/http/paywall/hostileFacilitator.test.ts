/**
 * The modes of a hostile facilitator: the payment is taken, and what the
 * facilitator says reads as a failure. The buyer is charged once, and gets the answer or its money
 * back.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect, Option } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import type { Misbehaviour } from "../../support/payments/simulated.ts"
import { marketTest } from "../../support/http/paidService.ts"
import { type Signed, signedFor } from "../../support/http/signed.ts"
import type { Handle } from "../../support/http/a2a.ts"
import { a2aService, pricesTaken } from "../../support/http/a2aService.ts"
import { passing, timing } from "../../support/payments/sales.ts"

const { latest, resolving } = products
const key = "a-key-of-18-chars_"

/** What a buyer sees of a call: the answer, a request for another payment, or neither. */
interface Seen {
  readonly status: number
  readonly answer: unknown
}

/** A buyer's call, which it may make again with the same payment. */
const callOf = (service: Handle, { product, header }: Signed): Effect.Effect<Seen> =>
  Effect.gen(function* () {
    const headers = { "idempotency-key": key, "payment-signature": header }
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

const stateOf = Effect.fnUntraced(function* ({ authorization }: Signed) {
  const { idOf, status } = yield* Payments
  return Option.map(yield* status(idOf(authorization), null), ({ payment }) => payment.state)
})

for (const [name, mode] of Object.entries(modes)) {
  for (const product of [latest, resolving]) {
    const what = `${product.settlementOrder}, a facilitator in mode ${name}`

    const repeated = simulationOf(mode)
    marketTest(
      `${what}: the same payment, sent until it is answered, is charged once`,
      function* () {
        const { service } = yield* a2aService
        const call = callOf(service, yield* signedFor(product))
        let seen = yield* call
        equal(seen.status, mode.first, "no buyer is asked to pay again")
        yield* repeated.recover
        for (let n = 0; n < 3 && seen.status !== 200; n++) {
          yield* passing(5)
          seen = yield* call
          ok([200, 409, 503].includes(seen.status), `${seen.status}`)
        }
        equal([seen.status, yield* pricesTaken], [200, product.price as bigint])
        // `declared_safe`: what is safe to repeat is not refused.
        equal(yield* call, seen)
        equal(yield* pricesTaken, product.price as bigint)
      },
      repeated.simulation,
    )

    if (mode.first === 200) continue
    const abandoned = simulationOf(mode)
    marketTest(`${what}: the money of a buyer that does not come again goes back`, function* () {
      const { service } = yield* a2aService
      const { sweep } = yield* Payments
      const signed = yield* signedFor(product)
      yield* callOf(service, signed)
      yield* abandoned.recover
      for (let n = 0; n < 2; n++) {
        yield* passing(Duration.toSeconds(timing.answerWindow) + 1)
        yield* sweep
      }
      equal([yield* stateOf(signed), yield* pricesTaken], [
        Option.some("refund_due"),
        product.price as bigint,
      ])
    }, abandoned.simulation)
  }
}
