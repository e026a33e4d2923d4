/**
 * A service as an agent sees it, that can be told to misbehave in one thing; and a clock that does
 * not wait, so that an agent's patience can be counted rather than sat through.
 *
 * @module
 */
import { Clock, Duration, Effect, Exit } from "effect"
import { type AgentOptions, runAgent } from "../../../examples/agent.ts"
import { atomic } from "../../../src/core/domain/money.ts"
import { challenge } from "../../../src/payments/domain/x402/challenge.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { receiptHeader } from "../../../src/payments/domain/x402/terms.ts"
import { buyer } from "../payments/buyers.ts"
import { terms } from "../payments/terms.ts"

/** The right clock, but whoever sleeps on it wakes at once, so much later. */
export const hurriedClock = Effect.clockWith((right) => {
  let skippedMs = 0
  const clock: Clock.Clock = {
    ...right,
    currentTimeMillisUnsafe: () => right.currentTimeMillisUnsafe() + skippedMs,
    currentTimeMillis: Effect.map(right.currentTimeMillis, (now) => now + skippedMs),
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

/** What came, as far as a test looks at it. */
export interface Came {
  readonly path: string
  readonly payment: string | null
  readonly key: string | null
  readonly atMs: number
}

/** What a test has the service do: an answer in place of the honest one, or null for that one. */
export type Trick = (
  came: Came,
  nth: number,
  base: string,
) => Response | null

export interface Crooked {
  /** In place of the answer to a request without a payment; `nth` counts those of its path. */
  readonly unpaid?: Trick
  /** In place of the answer to one with a payment; `nth` counts these. */
  readonly paid?: Trick
  /** The price in /llms.txt. */
  readonly said?: `${number}`
  readonly paymentMode?: string
  /** The books' word on a payment. */
  readonly books?: object
  /** How far the index is at the n-th look. */
  readonly index?: (nth: number) => number
}

export const transaction = `0x${"5a".repeat(32)}`
const payer = buyer(0).address
const freeQuota = 5
const freeWindowMs = 60_000

/** No answer at all: the connection breaks in the middle. */
export const lost = (): Response =>
  new Response(new ReadableStream({ start: (controller) => controller.error("lost") }))

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers })

/** An error as the service has it. */
export const failing = (
  status: number,
  error: {
    readonly charged: boolean | null
    readonly retryable: boolean
    readonly refund?: object
  },
  headers: Record<string, string> = {},
): Response =>
  json({ success: false, error: { code: "code", message: "why", ...error } }, status, headers)

export const receipt = (fields: object = {}): Record<string, string> => ({
  "payment-response": btoa(JSON.stringify({
    ...JSON.parse(atob(receiptHeader({ payer, transaction, network: "eip155:8453" }))),
    ...fields,
  })),
})

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

/** The 402 of the feed, with what a test changes of header and body. */
export const asking = (base: string, change: (header: Wire, body: Wire) => void = () => {}) => {
  const made = challenge(products.signals, { ...terms, publicBaseUrl: base })
  const header = JSON.parse(atob(made.header))
  const body = JSON.parse(JSON.stringify(made.body))
  change(header, body)
  return json(body, 402, { "payment-required": btoa(JSON.stringify(header)) })
}
interface Wire {
  accepts: Array<Record<string, unknown>>
}

/** A service on a port of its own, for as long as the scope lives. */
export const openService = Effect.fnUntraced(function* (clock: Clock.Clock, crooked: Crooked) {
  const came: Array<Came> = []
  let grants: ReadonlyArray<number> = []
  let refused = 0

  /** The free limit, as strict as the service's. */
  const limited = (answer: () => Response): Response => {
    const now = clock.currentTimeMillisUnsafe()
    grants = grants.filter((at) => now - at < freeWindowMs)
    const wait = Math.ceil(((grants[0] ?? now) + freeWindowMs - now) / 1_000)
    if (grants.length >= freeQuota) {
      refused += 1
      return failing(429, { charged: false, retryable: true }, {
        "retry-after": String(wait),
        "ratelimit": `"free";r=0;t=${wait}`,
      })
    }
    grants = [...grants, now]
    const response = answer()
    response.headers.set("ratelimit", `"free";r=${freeQuota - grants.length};t=${wait}`)
    return response
  }

  const honest = (base: string, { path, payment }: Came, url: URL): Response => {
    const looks = came.filter((row) => row.path === "/v1/index").length
    const since = Number(url.searchParams.get("since"))
    const head = crooked.index?.(looks) ?? 3
    switch (path) {
      case "/llms.txt":
        return new Response(
          `# Shop\n\n> A shop.\n\n## Machine interfaces\n\n- [Elsewhere](https://elsewhere.example/openapi.json): no\n` +
            `- [OpenAPI](${base}/documents/openapi.json): prices\n` +
            `- [GET /v1/signals](${base}/v1/signals): $${crooked.said ?? "0.03"}. Items\n`,
        )
      case "/documents/openapi.json":
        return json(contract)
      case "/health":
        return limited(() =>
          json({ success: true, paymentMode: crooked.paymentMode ?? "simulated" })
        )
      case "/v1/index":
        return limited(() =>
          json({ success: true, status: "live", index: head, totalToday: 1, digest: null })
        )
      case "/v1/signals": {
        if (payment === null) return asking(base)
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
            ...crooked.books,
          })
          : failing(404, { charged: false, retryable: false })
    }
  }

  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen: () => {}, onError: lost },
        (request) => {
          const url = new URL(request.url)
          const row: Came = {
            path: url.pathname,
            payment: request.headers.get("payment-signature"),
            key: request.headers.get("idempotency-key"),
            atMs: clock.currentTimeMillisUnsafe(),
          }
          came.push(row)
          const like = came.filter(({ path, payment }) =>
            row.payment === null ? path === row.path && payment === null : payment !== null
          )
          const trick = row.payment === null ? crooked.unpaid : crooked.paid
          return trick?.(row, like.length, url.origin) ?? honest(url.origin, row, url)
        },
      )
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  return { base: new URL(`http://127.0.0.1:${server.addr.port}`), came, refused: () => refused }
})

const contract = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "1.0.0" },
  paths: {
    "/v1/index": { get: { summary: "Where the feed stands" } },
    "/v1/signals": {
      get: {
        summary: "Items after an index",
        "x-payment-info": { price: { mode: "fixed", currency: "USD", amount: "0.03" } },
      },
    },
  },
}

/** What an agent did in a shop, from its first look to its summary. */
export const visit = Effect.fnUntraced(function* (
  crooked: Crooked,
  options: Partial<AgentOptions> = {},
) {
  const { clock, skippedMs } = yield* hurriedClock
  const buyWanted = yield* openService(clock, crooked)
  const lines: Array<string> = []
  const exit = yield* Effect.exit(
    runAgent({
      base: buyWanted.base,
      start: "llms",
      account: buyer(0),
      isThrowawayKey: true,
      limits: { budget: atomic("0.25"), perCall: atomic("1") },
      polls: 1,
      everyMs: 0,
      since: 0,
      print: (line) => Effect.sync(() => void lines.push(line)),
      ...options,
    }).pipe(Effect.provideService(Clock.Clock, clock)),
  )
  const error = Exit.isFailure(exit) ? exit.cause : null
  return {
    text: lines.join("\n"),
    error: error === null ? "" : String(error),
    payments: buyWanted.came.filter(({ payment }) => payment !== null),
    came: buyWanted.came,
    refused: buyWanted.refused(),
    skippedMs: skippedMs(),
  }
})
