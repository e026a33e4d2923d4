/**
 * A facilitator on a real socket that can give wrong responses; and a helper that advances the
 * TestClock while sockets work.
 *
 * @module
 */
import { isPaymentPayloadV2, isPaymentRequirementsV2 } from "@x402/core/schemas"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Ledger } from "../../../src/payments/simulated/ledger.ts"
import { address, Bytes32 } from "../../../src/payments/domain/payment.ts"
import { terms } from "./terms.ts"
import { serving } from "../serving.ts"

/** The wrong responses. */
export const outages = [
  "html",
  "500",
  "503",
  "garbage",
  "pending",
  "untrue success",
  "nothing",
] as const
export type Outage = typeof outages[number]

export interface BadFacilitator {
  readonly url: string
  /** Submits a payment to the chain, as anyone with its signature may at any time. */
  readonly broadcast: (wire: Wire) => Effect.Effect<void>
}

/** What a test may change while it runs. */
export interface FacilitatorBehaviour {
  /** The wrong response; null for correct ones. */
  verify: Outage | null
  settle: Outage | null
  /** Whether a settlement reaches the chain, whatever the response is. */
  readonly broadcasts: (nonce: string) => boolean
}

interface Authorized {
  readonly from: string
  readonly to: string
  readonly value: string
  readonly nonce: string
}
export interface Wire {
  readonly payload: { readonly authorization: Authorized }
}

/**
 * Listens until the scope closes. It accepts every payment in /verify that has the official shape; what the
 * official schema refuses gets 400.
 */
export const startBadFacilitator = Effect.fn("startBadFacilitator")(
  function* (behaviour: FacilitatorBehaviour) {
    const ledger = yield* Ledger
    const clock = yield* TestClock.testClockWith(Effect.succeed)
    const transfer = ({ payload: { authorization } }: Wire) =>
      Effect.asVoid(ledger.transfer({
        asset: address(terms.asset),
        from: address(authorization.from),
        to: address(authorization.to),
        value: BigInt(authorization.value),
        nonce: Bytes32.make(`0x${authorization.nonce.slice(2)}`),
        transaction,
        blockTime: BigInt(Math.floor(clock.currentTimeMillisUnsafe() / 1_000)),
      }))
    const answer = async (request: Request) => {
      const body = await request.json()
      const { paymentPayload: wire }: { readonly paymentPayload: Wire } = body
      if (!isPaymentPayloadV2(wire) || !isPaymentRequirementsV2(body.paymentRequirements)) {
        return Response.json({ error: "Invalid request" }, { status: 400 })
      }
      if (new URL(request.url).pathname === "/verify") {
        return behaviour.verify === null
          ? Response.json({ isValid: true })
          : answers[behaviour.verify]()
      }
      const { nonce } = wire.payload.authorization
      if (behaviour.broadcasts(nonce)) await Effect.runPromise(transfer(wire))
      return behaviour.settle === null
        ? Response.json({ success: true, transaction })
        : answers[behaviour.settle]()
    }
    const url = yield* serving(answer)
    return { url, broadcast: transfer } satisfies BadFacilitator
  },
)

const transaction = `0x${"ab".repeat(32)}`
const page = "<!doctype html><title>Just a moment</title>"
const answers: Readonly<Record<Outage, () => Response | Promise<Response>>> = {
  html: () => new Response(page, { headers: { "content-type": "text/html" } }),
  "500": () => new Response("oh", { status: 500 }),
  "503": () => Response.json({ success: false, errorReason: "no" }, { status: 503 }),
  garbage: () => new Response('{"success":tr', { headers: { "content-type": "application/json" } }),
  pending: () => Response.json({ success: false, errorReason: "settlement_pending" }),
  "untrue success": () => Response.json({ success: true, transaction: `0x${"cd".repeat(32)}` }),
  nothing: () => new Promise(() => {}),
}

/** Turns of the event loop per step of time, for sockets. */
const turns = 4
const stepMs = 250

/**
 * Advances time step by step, with turns of the event loop between steps, until the effect ends or
 * `secondsMax` have passed.
 */
export const meanwhile = <A, E, R>(effect: Effect.Effect<A, E, R>, secondsMax = 60) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    for (let passedMs = 0; passedMs < secondsMax * 1_000; passedMs += stepMs) {
      for (let turn = 0; turn < turns; turn++) yield* eventLoop
      if (fiber.pollUnsafe() !== undefined) break
      yield* TestClock.adjust(stepMs)
    }
    return yield* Fiber.join(fiber)
  })

const eventLoop = Effect.promise(() => new Promise<void>((done) => setTimeout(done, 1)))
