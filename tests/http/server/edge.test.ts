/**
 * The edge's own answers, before a route handles the request.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import {
  type EdgeOptions,
  type EdgeRoute,
  makeEdge,
  pendingMax,
  pendingOfEdge,
} from "../../../src/http/server/edge.ts"
import { test } from "../../support/effect.ts"

const from = (
  hostname: string,
) => ({ remoteAddr: { transport: "tcp", hostname, port: 1 } } as const)
const peer = from("127.0.0.1")
/** The n-th of many clients. */
const client = (n: number) => from(`10.0.${n >> 8}.${n & 255}`)

const edgeOf = (
  paid: EdgeRoute["paid"],
  readBody: EdgeOptions["readBody"] = () => Promise.resolve({ fault: "unreadable" }),
) => {
  const route: EdgeRoute = {
    limiter: { policyField: null, admit: () => ({ kind: "unlimited" }) },
    current: () => null,
    paid,
    ...(paid === null ? {} : { post: { handle: paid, refusal: (refusal) => refusal } }),
  }
  return makeEdge({
    routes: new Map([["/v1/latest", route]]),
    prefixRoutes: new Map(),
    readBody,
    trustedProxyHops: 0,
    invalidPayments: null,
    log: () => {},
    nextId: () => "an-id-of-a-request",
    onAnswer: () => {},
    pending: pendingOfEdge(),
    onUntrustedForward: () => {},
  })
}

const paying = (signal?: AbortSignal) =>
  new Request("http://127.0.0.1/v1/latest", {
    headers: { "payment-signature": "e30=" },
    ...signal === undefined ? {} : { signal },
  })

test("a payment above the pending limit gets charged null: it may have been taken before", () =>
  Effect.promise(async () => {
    const edge = edgeOf(() => new Promise(() => {}))
    for (let n = 0; n < pendingMax; n++) void edge(paying(), client(n))
    const response = await edge(paying(), peer)
    const { error } = await response.json()
    equal([response.status, error.code, error.charged], [503, "overloaded", null])
  }))

const posting = () => new Request("http://127.0.0.1/v1/latest", { method: "POST" })

test("a request counts as pending only after its body has arrived", () =>
  Effect.promise(async () => {
    const arrived = Promise.withResolvers<{ readonly fault: "late" }>()
    let handled = 0
    const handle = () => {
      handled += 1
      return new Promise<Response>(() => {})
    }
    const edge = edgeOf(handle, () => arrived.promise)
    for (let n = 0; n < pendingMax; n++) void edge(posting(), client(n))
    void edge(paying(), peer)
    equal(handled, 1)
    const last = edge(posting(), peer)
    arrived.resolve({ fault: "late" })
    const response = await last
    const { error } = await response.json()
    equal([response.status, error.charged, handled], [503, null, pendingMax])
  }))

for (const isGone of [false, true]) {
  test(
    isGone
      ? "an answer does not count as delivered when its client has disconnected"
      : "an answer counts as delivered when it has been sent, not before",
    () =>
      Effect.promise(async () => {
        const events: Array<string> = []
        const edge = edgeOf((_request, meta) => {
          meta.onDelivered = () => events.push("delivered")
          return Promise.resolve(new Response("paid"))
        })
        const client = new AbortController()
        const sent = Promise.withResolvers<void>()
        await edge(paying(client.signal), { ...peer, completed: sent.promise })
        events.push("answered")
        if (isGone) client.abort()
        sent.resolve()
        await sent.promise
        await Promise.resolve()
        equal(events, isGone ? ["answered"] : ["answered", "delivered"])
      }),
  )
}
