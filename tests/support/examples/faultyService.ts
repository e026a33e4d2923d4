/**
 * A test service for the agent, with configurable faults; and a clock whose sleeps end at once, so that
 * the agent's waits are counted and not spent.
 *
 * @module
 */
import { type Clock as ClientClock, makeClient } from "bellwether-client"
import { Cause, Clock, Duration, Effect, Exit } from "effect"
import { makeSignatures } from "../../../examples/agent/signatures.ts"
import { runAgent } from "../../../examples/agent.ts"
import { challenge } from "../../../src/payments/domain/x402/challenge.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { errorResponse, json, payer, receipt, transaction } from "../client/seller.ts"
import { terms } from "../payments/terms.ts"

/** The real clock, except that a sleep ends at once and moves the time forward. */
export const instantClock = Effect.clockWith((real) => {
  let skippedMs = 0
  const clock: Clock.Clock = {
    ...real,
    currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + skippedMs,
    currentTimeMillis: Effect.map(real.currentTimeMillis, (now) => now + skippedMs),
    sleep: (duration) =>
      Effect.andThen(
        Effect.sync(() => {
          skippedMs += Duration.toMillis(duration)
        }),
        Effect.yieldNow,
      ),
  }
  return Effect.succeed({ clock, skippedMs: () => skippedMs })
})

/** A received request, with the fields that tests check. */
export interface ReceivedRequest {
  readonly path: string
  readonly payment: string | null
  readonly key: string | null
  readonly atMs: number
}

/** Returns a faulty answer, or null for the correct one. */
export type FaultyAnswer = (
  received: ReceivedRequest,
  nth: number,
  base: string,
) => Response | null

export interface ServiceFaults {
  /** Replaces the answer to a request without a payment; `nth` counts those of its path. */
  readonly unpaid?: FaultyAnswer
  /** Replaces the answer to a request with a payment; `nth` counts these. */
  readonly paid?: FaultyAnswer
  /** The price in /llms.txt. */
  readonly listedPrice?: `${number}`
  readonly paymentMode?: string
  /** Fields of the payment record to change. */
  readonly record?: object
  /** The index at the n-th poll. */
  readonly index?: (nth: number) => number
}

const freeQuota = 5
const freeWindowMs = 60_000

/** No answer: the connection breaks while the body is sent. */
export const brokenResponse = (): Response =>
  new Response(new ReadableStream({ start: (controller) => controller.error("lost") }))

export const item = (feedIndex: number) => ({
  feedIndex,
  type: "mover",
  title: `Question ${feedIndex}`,
  createdAt: "2026-11-21T12:00:00.000Z",
  data: {
    market: { slug: `market-${feedIndex}` },
    ...{ window: "1h", priceStart: 0.4, priceNow: 0.6, delta: 0.2, zScore: 4.2 },
    confirmedBy: "trades",
    microstructure: { spread: 0.01, depthUsdWithin5c: { total: 5_000 } },
  },
})

/** The 402 of the feed, with the header and body changed by `change`. */
export const challengeResponse = (
  base: string,
  change: (header: Wire, body: Wire) => void = () => {},
) => {
  const generated = challenge(products.signals, { ...terms, publicBaseUrl: base })
  const header = JSON.parse(atob(generated.header))
  const body = JSON.parse(JSON.stringify(generated.body))
  change(header, body)
  return json(body, 402, { "payment-required": btoa(JSON.stringify(header)) })
}
interface Wire {
  accepts: Array<Record<string, unknown>>
}

/** Starts the service on its own port until the scope closes. */
export const openFaultyService = Effect.fnUntraced(
  function* (clock: Clock.Clock, faults: ServiceFaults) {
    const received: Array<ReceivedRequest> = []
    let grants: ReadonlyArray<number> = []
    let refused = 0

    /** The free limit, with the service's numbers. */
    const limited = (answer: () => Response): Response => {
      const now = clock.currentTimeMillisUnsafe()
      grants = grants.filter((at) => now - at < freeWindowMs)
      const wait = Math.ceil(((grants[0] ?? now) + freeWindowMs - now) / 1_000)
      if (grants.length >= freeQuota) {
        refused += 1
        return errorResponse(429, { charged: false, retryable: true }, {
          "retry-after": String(wait),
          "ratelimit": `"free";r=0;t=${wait}`,
        })
      }
      grants = [...grants, now]
      const response = answer()
      response.headers.set("ratelimit", `"free";r=${freeQuota - grants.length};t=${wait}`)
      return response
    }

    const correctAnswer = (
      base: string,
      { path, payment }: ReceivedRequest,
      url: URL,
    ): Response => {
      const polls = received.filter((row) => row.path === "/v1/index").length
      const since = Number(url.searchParams.get("since"))
      const head = faults.index?.(polls) ?? 3
      switch (path) {
        case "/llms.txt":
          return new Response(
            `# Shop\n\n> A shop.\n\n## Machine interfaces\n\n- [Elsewhere](https://elsewhere.example/openapi.json): no\n` +
              `- [OpenAPI](${base}/documents/openapi.json): prices\n` +
              `- [GET /v1/signals](${base}/v1/signals): $${faults.listedPrice ?? "0.03"}. Items\n`,
          )
        case "/documents/openapi.json":
          return json(contract)
        case "/health":
          return limited(() =>
            json({ success: true, paymentMode: faults.paymentMode ?? "simulated" })
          )
        case "/v1/index":
          return limited(() =>
            json({ success: true, status: "live", index: head, totalToday: 1, digest: null })
          )
        case "/v1/signals": {
          if (payment === null) return challengeResponse(base)
          const data = Array.from({ length: head - since }, (_, n) => item(since + n + 1))
          return json({ success: true, data, charged: true }, 200, receipt())
        }
        default:
          return path.startsWith("/v1/payments/")
            ? json({
              ...{
                success: true,
                state: "answered",
                amountUsd: "0.03",
                payer,
                transaction,
                refund: null,
              },
              ...faults.record,
            })
            : errorResponse(404, { charged: false, retryable: false })
      }
    }

    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Deno.serve(
          { port: 0, hostname: "127.0.0.1", onListen: () => {}, onError: brokenResponse },
          (request) => {
            const url = new URL(request.url)
            const row: ReceivedRequest = {
              path: url.pathname,
              payment: request.headers.get("payment-signature"),
              key: request.headers.get("idempotency-key"),
              atMs: clock.currentTimeMillisUnsafe(),
            }
            received.push(row)
            const same = received.filter(({ path, payment }) =>
              row.payment === null ? path === row.path && payment === null : payment !== null
            )
            const faulty = row.payment === null ? faults.unpaid : faults.paid
            return faulty?.(row, same.length, url.origin) ?? correctAnswer(url.origin, row, url)
          },
        )
      ),
      (server) => Effect.promise(() => server.shutdown()),
    )
    return {
      base: new URL(`http://127.0.0.1:${server.addr.port}`),
      received,
      refused: () => refused,
    }
  },
)

const contract = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "1.0.0" },
  paths: {
    "/v1/index": { get: { summary: "The newest index of the feed" } },
    "/v1/signals": {
      get: {
        summary: "Items after an index",
        "x-payment-info": { price: { mode: "fixed", currency: "USD", amount: "0.03" } },
      },
    },
  },
}

interface RunOptions {
  readonly budgetUsd?: string
  readonly maxPriceUsd?: string
  readonly polls?: number | null
  readonly everyMs?: number
}

/** Runs an agent against the service, and returns what it printed and sent. */
export const runAgentAgainst = Effect.fnUntraced(function* (
  faults: ServiceFaults,
  { budgetUsd = "0.25", maxPriceUsd = "1", polls = 1, everyMs = 15_000 }: RunOptions = {},
) {
  const { clock, skippedMs } = yield* instantClock
  const service = yield* openFaultyService(clock, faults)
  const lines: Array<string> = []
  const print = (line: string) => void lines.push(line)
  const ofClient: ClientClock = {
    nowMs: () => clock.currentTimeMillisUnsafe(),
    sleep: (ms) => Effect.runPromise(clock.sleep(Duration.millis(ms))),
  }
  const signatures = makeSignatures(service.base, print)
  const client = makeClient({
    ...{ baseUrl: service.base.origin, privateKey: key, budgetUsd, maxPriceUsd, clock: ofClient },
    fetch: signatures.fetch,
    onStep: print,
  })
  const exit = yield* Effect.exit(Effect.tryPromise({
    try: () =>
      runAgent({
        ...{
          base: service.base,
          client,
          signatures,
          start: "llms",
          isThrowawayKey: true,
          since: 0,
          print,
        },
        ...{ polls, everyMs, sleep: ofClient.sleep, signal: new AbortController().signal },
      }),
    catch: (error) => error instanceof Error ? error.message : String(error),
  }))
  return {
    text: lines.join("\n"),
    error: Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "",
    payments: service.received.filter(({ payment }) => payment !== null),
    received: service.received,
    refused: service.refused(),
    skippedMs: skippedMs(),
  }
})

const key = `0x${"1".padStart(64, "0")}`
