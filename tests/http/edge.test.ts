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

test("one payment too many is told nothing of its money: it may be one that was taken", () =>
  Effect.promise(async () => {
    const route: EdgeRoute = {
      limiter: { policyField: null, admit: () => ({ kind: "unlimited" }) },
      current: () => null,
      paid: () => new Promise(() => {}),
    }
    const edge = makeEdge({
      routes: new Map([["/v1/latest", route]]),
      beneath: new Map(),
      trustedProxyHops: 0,
      invalidPayments: null,
      nextId: () => "an-id-of-a-request",
      answered: () => {},
    })
    const paying = () =>
      edge(
        new Request("http://127.0.0.1/v1/latest", { headers: { "payment-signature": "e30=" } }),
        peer,
      )
    for (let n = 0; n < pendingMax; n++) void paying()
    const response = await paying()
    const { error } = await response.json()
    equal([response.status, error.code, error.charged], [503, "overloaded", null])
  }))
