/**
 * A facilitator on a real socket that, while it is out of order, answers everything but the truth; and
 * time that passes on the TestClock while sockets do their work.
 *
 * @module
 */
import { Effect, Fiber, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { layer as overHttp } from "../../../src/payments/facilitator/facilitator.ts"
import { Ledger } from "../../../src/payments/simulated/ledger.ts"
import { address, Bytes32 } from "../../../src/payments/domain/payment.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { terms } from "./terms.ts"

/** What it answers a settlement with while it is out of order. */
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
  /** Brings a payment to the chain, as whoever holds its signature may at any time. */
  readonly broadcast: (wire: Wire) => Effect.Effect<void>
}

/** What may change while it runs. */
export interface Habits {
  /** How it is out of order; null while it is not. */
  verify: Outage | null
  settle: Outage | null
  /** Whether what it is to settle comes to the chain, whatever it says. */
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

/** Listens until the scope closes. It verifies whatever it is shown. */
export const startBadFacilitator = Effect.fn("startBadFacilitator")(function* (habits: Habits) {
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
    const { paymentPayload: wire }: { readonly paymentPayload: Wire } = await request.json()
    if (new URL(request.url).pathname === "/verify") {
      return habits.verify === null ? Response.json({ isValid: true }) : answers[habits.verify]()
    }
    const { nonce } = wire.payload.authorization
    if (habits.broadcasts(nonce)) await Effect.runPromise(transfer(wire))
    return habits.settle === null
      ? Response.json({ success: true, transaction })
      : answers[habits.settle]()
  }
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer)),
    // It owes somebody an answer that never comes.
    (server) =>
      Effect.sync(() => {
        server.shutdown().catch(() => {})
      }),
  )
  const url = `http://127.0.0.1:${server.addr.port}`
  return { url, broadcast: transfer } satisfies BadFacilitator
})

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

/** The real adapter, to the facilitator at an address. */
export const facilitatorAt = (url: string): Layer.Layer<Facilitator> =>
  overHttp({ baseUrl: url }).pipe(Layer.provide(FetchHttpClient.layer))

/** Turns of the event loop that a step of time waits for sockets. */
const turns = 4
const stepMs = 250

/** Lets time pass, step by step and with room for sockets, until the effect ends; at most so long. */
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
