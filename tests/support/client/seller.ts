/**
 * A seller in memory for the client: it answers as the service does, except where a test replaces an
 * answer. It keeps every payment it received, and a clock whose sleeps end at once.
 *
 * @module
 */
import { calls } from "../../../packages/client/src/contract.ts"
import { type ClientOptions, makeClient } from "../../../packages/client/src/client.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { challenge } from "../../../src/payments/domain/x402/challenge.ts"
import { receiptHeader } from "../../../src/payments/domain/x402/terms.ts"
import { buyer } from "../payments/buyers.ts"
import { terms } from "../payments/terms.ts"

export const baseUrl = "https://seller.example"
export const sellerTerms = { ...terms, publicBaseUrl: baseUrl }
export const buyerKey = `0x${"1".padStart(64, "0")}`
export const payer = buyer(0).address
export const transaction = `0x${"5a".repeat(32)}`

/** The clock of a test. `Date.now` reads it too, because the reference client does. */
export function makeClock(startMs: number) {
  let now = startMs
  return {
    nowMs: () => now,
    sleep: (ms: number) => {
      now += ms
      return Promise.resolve()
    },
    /** Moves the time, also backwards. */
    move: (ms: number) => {
      now += ms
    },
  }
}
export type TestClock = ReturnType<typeof makeClock>

/** Runs a test on a clock of its own. */
export async function onClock(run: (clock: TestClock) => Promise<void>): Promise<void> {
  const real = Date.now
  const clock = makeClock(1_795_000_000_000)
  Date.now = clock.nowMs
  try {
    await run(clock)
  } finally {
    Date.now = real
  }
}

/** A received request. */
export interface Received {
  readonly url: URL
  /** The value of PAYMENT-SIGNATURE. */
  readonly payment: string | null
  readonly key: string | null
  readonly etag: string | null
}

/** A replaced answer: null for the seller's own, `lost` for none. */
export type Replaced = Response | "lost" | null

export interface Faults {
  /** Replaces the answer to a request without a payment; `nth` counts those of its path from 1. */
  readonly unpaid?: (received: Received, nth: number) => Replaced
  /** Replaces the answer to a request with a payment; `nth` counts these from 1. */
  readonly paid?: (received: Received, nth: number) => Replaced
  /** The fields of a record that are changed, or the whole answer. */
  readonly record?: object | Response | "lost"
  /** The index at the nth poll. */
  readonly index?: (nth: number) => object
  /** The body of a paid answer. */
  readonly body?: (received: Received) => object
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers })

/** An error in the service's format. */
export const errorResponse = (
  status: number,
  error: {
    readonly charged: boolean | null
    readonly retryable: boolean
    readonly code?: string
    readonly hint?: string
    readonly refund?: object
  },
  headers: Record<string, string> = {},
): Response =>
  json({ success: false, error: { code: "some_code", message: "why", ...error } }, status, headers)

export const receipt = (fields: object = {}): Record<string, string> => ({
  "payment-response": btoa(JSON.stringify({
    ...JSON.parse(atob(receiptHeader({ payer, transaction, network: "eip155:8453" }))),
    ...fields,
  })),
})

/** The header and the body of a path's 402, decoded. */
export function challengeAt(path: string) {
  const product = Object.values(products).find((row) => row.path === path)
  if (product === undefined) return null
  const { header, body } = challenge(product, sellerTerms)
  return { header: JSON.parse(atob(header)), body: JSON.parse(JSON.stringify(body)) }
}

/** The same, as a response, changed by `change`. */
export function challengeResponse(
  path: string,
  change: (wire: NonNullable<ReturnType<typeof challengeAt>>) => void = () => {},
): Response {
  const wire = challengeAt(path)
  if (wire === null) return errorResponse(404, { charged: false, retryable: false })
  change(wire)
  return json(wire.body, 402, { "payment-required": btoa(JSON.stringify(wire.header)) })
}

/** The signed authorization of a payment header. */
export interface Authorization {
  readonly from: `0x${string}`
  readonly to: `0x${string}`
  readonly value: string
  readonly validAfter: string
  readonly validBefore: string
  readonly nonce: `0x${string}`
}

export function authorizationOf(payment: string): {
  readonly authorization: Authorization
  readonly signature: `0x${string}`
} {
  return JSON.parse(atob(payment)).payload
}

export function makeSeller(clock: TestClock, faults: Faults = {}) {
  const received: Array<Received> = []
  const answered: Array<Received> = []

  const own = (request: Received, nth: number): Replaced => {
    const { url, payment } = request
    const product = Object.values(products).find(({ path }) => path === url.pathname)
    if (product !== undefined) {
      if (payment === null) return challengeResponse(url.pathname)
      const { authorization: { validBefore } } = authorizationOf(payment)
      if (Number(validBefore) < clock.nowMs() / 1_000) return json({ error: "expired" }, 402)
      return json(
        faults.body?.(request) ?? { success: true, data: [], charged: true },
        200,
        receipt(),
      )
    }
    if (url.pathname === "/v1/index") {
      return json(faults.index?.(nth) ?? { success: true, index: 3 })
    }
    if (!url.pathname.startsWith("/v1/payments/")) {
      const isKnown = Object.values(calls).some(({ path }) => path === url.pathname)
      return isKnown
        ? json({ success: true })
        : errorResponse(404, { code: "not_found", charged: false, retryable: false })
    }
    const { record } = faults
    if (record === "lost") return record
    if (record instanceof Response) return record.clone()
    const signed = received.findLast(({ payment }) => payment !== null)?.payment ?? null
    const amountUsd = signed === null
      ? "0.00"
      : String(Number(authorizationOf(signed).authorization.value) / 1e6)
    return json({
      success: true,
      state: "answered",
      amountUsd,
      payer,
      transaction,
      ...record,
    })
  }

  const answer = (request: Received): Replaced => {
    const same = received.filter(({ url, payment }) =>
      request.payment === null
        ? payment === null && url.pathname === request.url.pathname
        : payment !== null
    )
    const replaced =
      (request.payment === null ? faults.unpaid : faults.paid)?.(request, same.length) ?? null
    return replaced ?? own(request, same.length)
  }

  const fetch: typeof globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    const request: Received = {
      url: new URL(String(input)),
      payment: headers.get("payment-signature"),
      key: headers.get("idempotency-key"),
      etag: headers.get("if-none-match"),
    }
    received.push(request)
    const isAborted = init?.signal?.aborted === true
    if (!isAborted) answered.push(request)
    const found = isAborted ? "lost" : answer(request)
    return found === "lost" || found === null
      ? Promise.reject(new TypeError("connection lost"))
      : Promise.resolve(found)
  }

  return {
    fetch,
    received,
    /** The received requests that were not ended before. */
    answered,
    payments: () => received.filter(({ payment }) => payment !== null),
    /** The different authorizations that were received. */
    nonces: () =>
      new Set(
        received.flatMap(({ payment }) =>
          payment === null ? [] : [authorizationOf(payment).authorization.nonce]
        ),
      ),
  }
}
export type Seller = ReturnType<typeof makeSeller>

/** A client of a seller; its steps are collected. */
export function clientOf(
  seller: Seller,
  clock: TestClock,
  options: Partial<ClientOptions> = {},
  steps: Array<string> = [],
) {
  return makeClient({
    ...{ baseUrl, privateKey: buyerKey, maxPriceUsd: "1.00", budgetUsd: "0.25" },
    ...{ fetch: seller.fetch, clock, onStep: (line) => void steps.push(line) },
    ...options,
  })
}
