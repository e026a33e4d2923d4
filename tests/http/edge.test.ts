/**
 * What the edge says by itself, before any route is asked.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { type EdgeRoute, makeEdge, pendingMax } from "../../src/http/edge.ts"
import { test } from "../support/effect.ts"

const peer = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } } as const

const edgeOf = (paid: EdgeRoute["paid"]) => {
  const route: EdgeRoute = {
    limiter: { policyField: null, admit: () => ({ kind: "unlimited" }) },
    current: () => null,
    paid,
  }
  return makeEdge({
    routes: new Map([["/v1/latest", route]]),
    beneath: new Map(),
    trustedProxyHops: 0,
    invalidPayments: null,
    nextId: () => "an-id-of-a-request",
    answered: () => {},
  })
}

const paying = (signal?: AbortSignal) =>
  new Request("http://127.0.0.1/v1/latest", {
    headers: { "payment-signature": "e30=" },
    ...signal === undefined ? {} : { signal },
  })

test("one payment too many is told nothing of its money: it may be one that was taken", () =>
  Effect.promise(async () => {
    const edge = edgeOf(() => new Promise(() => {}))
    for (let n = 0; n < pendingMax; n++) void edge(paying(), peer)
    const response = await edge(paying(), peer)
    const { error } = await response.json()
    equal([response.status, error.code, error.charged], [503, "overloaded", null])
  }))

for (const isGone of [false, true]) {
  test(
    `an answer counts as handed over when it has left, ${isGone ? "not" : "and"} ${
      isGone ? "when its client had" : "not before"
    }`,
    () =>
      Effect.promise(async () => {
        const heard: Array<string> = []
        const edge = edgeOf((_request, seen) => {
          seen.handedOver = () => heard.push("handed over")
          return Promise.resolve(new Response("paid"))
        })
        const client = new AbortController()
        const left = Promise.withResolvers<void>()
        await edge(paying(client.signal), { ...peer, completed: left.promise })
        heard.push("answered")
        if (isGone) client.abort()
        left.resolve()
        await left.promise
        await Promise.resolve()
        equal(heard, isGone ? ["answered"] : ["answered", "handed over"])
      }),
  )
}
