/**
 * /status shows what /status.json answers, and is honest while nothing is recorded.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Effect, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { pageRows } from "../../../src/catalog/domain/pageRow.ts"
import { statusReport } from "../../../src/status/domain/report.ts"
import { test } from "../../support/effect.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"
import { numberFaults } from "../../support/http/pageNumbers.ts"

const bytesMax = 150_000
const decode = Schema.decodeUnknownSync(pageRows.status.body)

/** The page and its body. */
const read = Effect.fnUntraced(function* (world: Effect.Success<ReturnType<typeof makeWorld>>) {
  const { get } = yield* makeService(world)
  const text = (path: string) =>
    Effect.flatMap(get(path), (response) => Effect.promise(() => response.text()))
  const body = JSON.parse(yield* text("/status.json"))
  return { body: decode(body), html: yield* text("/status") }
})

test("every number on /status is the one of /status.json", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00.000Z"))
    const { body, html } = yield* read(yield* makeWorld(1))
    equal(numberFaults(html, [body]), [])
    ok(html.length < bytesMax, `${html.length}`)
    match(html, /simulated: no money moves/)
    match(html, /Everything works/)
    match(html, />1 hour</)
    ok(!/\d seconds/.test(html))
    equal(body.summary.days.length, 27)
    // Three missed ticks of ten minutes, while every other part ran: the worst part decides.
    const { recordedHours = 0, goodHours = 0 } = body.summary.days.at(-1) ?? {}
    equal([recordedHours, goodHours], [12, 11.5])
    match(html, /aria-label="26 of 27 recorded days were good"/)
    equal(body.incidents.latest.map(({ part, missing }) => [part, missing]), [["tick", 3]])
  }))

test("before the first run nothing is said to be well", () =>
  Effect.gen(function* () {
    const world = yield* makeWorld(1)
    yield* Ref.set(
      world.status,
      statusReport({
        now: 90 * 86_400_000,
        tickIntervalMs: 600_000,
        paymentMode: "live",
        runs: new Map(),
        history: [],
        asOf: new Map(),
        payments: {
          delivered: { payments: 0, amount: 0n },
          refunded: { payments: 0, amount: 0n },
          owed: { payments: 0, amount: 0n, oldestAt: null },
        },
      }),
    )
    const { body, html } = yield* read(world)
    equal(numberFaults(html, [body]), [])
    ok(body.parts.every(({ days }) => days.every(({ runs }) => runs === null)))
    match(html, /Starting: nothing was read yet/)
    match(html, /No run is recorded yet/)
    ok(!/The oldest refund/.test(html))
    match(html, /No incident is recorded/)
    ok(!html.includes("<figure"))
    ok(body.freshness.every(({ isFresh }) => !isFresh))
  }))
