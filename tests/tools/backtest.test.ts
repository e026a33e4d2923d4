/**
 * `deno task backtest` over files: the example, the venue's own history, bad rows, and refused files.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert"
import { Console, Effect } from "effect"
import { backtest, returnOf } from "../../tools/backtest.ts"
import { liveTest } from "../support/effect.ts"
import { removeFolder } from "../support/process.ts"

const fixture = new URL("../../fixtures/backtest/prices.csv", import.meta.url).pathname

const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const lines: Array<string> = []
  const print = (...parts: ReadonlyArray<unknown>) => void lines.push(parts.join(" "))
  const console = { ...globalThis.console, log: print, error: print }
  const code = yield* backtest(args).pipe(
    Effect.provideService(Console.Console, console),
    Effect.catch(({ message }) => Effect.sync(() => (print(message), 2))),
  )
  return { code, text: lines.join("\n") }
})

const runOn = Effect.fnUntraced(function* (content: string, ...args: ReadonlyArray<string>) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => Deno.makeTempDir()),
    removeFolder,
  )
  const file = `${folder}/mine.csv`
  yield* Effect.promise(() => Deno.writeTextFile(file, content))
  return yield* run(file, ...args)
})

liveTest(
  "the jump of the example is an alert",
  () =>
    Effect.gen(function* () {
      const { code, text } = yield* run(fixture)
      strictEqual(code, 0)
      match(text, /^prices\.csv: 807 rows of 3 markets/)
      match(text, /^2026-03-03T01:20 {2}harbour-reopens-in-march +1h +42\.2 +58\.1 {2}running/m)
      match(text, /^2026-03-03T01:50 {2}harbour-reopens-in-march +1h +41\.9 +57\.9 {2}settled/m)
      match(text, /^2026-03-03T06:30 {2}lantern.* 100\.0 paid$/m)
      // The stray quote of the ferry at 02:40 is no alert.
      ok(!text.includes("2026-03-03T02:40"), text)
      match(text, /^follow +24h +3 +1 +/m)
    }),
)

liveTest(
  "--size, --window and --depth are the person's own thresholds",
  () =>
    Effect.gen(function* () {
      const alertsOf = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
        const { text } = yield* run(fixture, "--json", ...args)
        return JSON.parse(text).alerts as ReadonlyArray<
          { readonly market: string; readonly window: string }
        >
      })
      const all = yield* alertsOf()
      strictEqual(all.length, 9)
      equal(
        new Set((yield* alertsOf("--window", "24h")).map(({ window }) => window)),
        new Set(["24h"]),
      )
      const deep = yield* alertsOf("--depth", "5000")
      ok(deep.length > 0 && deep.every(({ market }) => !market.startsWith("ferry")))
      ok((yield* alertsOf("--size", "12")).length < all.length)
      ok((yield* alertsOf("--size", "3")).length >= all.length)
      equal(yield* alertsOf("--size", "90"), [])
    }),
)

liveTest("the venue's own history is read as it is", () =>
  Effect.gen(function* () {
    const history = Array.from({ length: 900 }, (_, n) => ({
      t: 1_780_000_200 + 600 * n,
      p: 0.4 + 0.002 * Math.sin(n) + (n > 500 ? 0.12 : 0),
    }))
    const { code, text } = yield* runOn(JSON.stringify({ history }))
    strictEqual(code, 0)
    match(text, /^mine\.csv: 900 rows of 1 markets/)
    match(text, /^2 alerts of 5 points/m)
  }))

liveTest(
  "rows that cannot be used are counted with the line of the first one",
  () =>
    Effect.gen(function* () {
      const lines = (yield* Effect.promise(() => Deno.readTextFile(fixture))).split("\n")
      lines.splice(3, 0, "no,row", "ferry-line-starts-in-april,f,never,.4,.5,,,,")
      const { code, text } = yield* runOn(lines.join("\n"))
      strictEqual(code, 0)
      match(text, /: 807 rows/)
      match(text, /not used: 1 unreadable, the first in line 4/)
      match(text, /not used: 1 without a time, the first in line 5/)
    }),
)

liveTest(
  "a refused file says what it has; nothing starts with --help",
  () =>
    Effect.gen(function* () {
      const wrong = yield* runOn("date,cost\n2026-01-01,3\n")
      strictEqual(wrong.code, 2)
      match(wrong.text, /has no column time.*It has: date, cost$/)
      const json = yield* runOn('{"prices":[1]}')
      strictEqual(json.code, 2)
      match(json.text, /is JSON, but not \{"history"/)
      match((yield* run("/no/such.csv")).text, /there is no such file/)
      const help = yield* run("--help", "/no/such.csv")
      strictEqual(help.code, 0)
      match(help.text, /--size/)
      strictEqual((yield* run(fixture, "--size", "0")).code, 2)
    }),
)

Deno.test("returnOf() pays half the spread and the fee at both ends, and nothing for a payout", () => {
  const alert = {
    market: "m",
    event: "e",
    at: 0,
    window: "1h",
    priceStart: 0.3,
    priceNow: 0.4,
    phase: "settled",
    spread: 0.02,
    later: { "1h": { price: 0.5, paid: false }, "24h": { price: 1, paid: true } },
  } as const
  const costs = { fee: 0.1, spread: 0.5 }
  const near = (value: number | null, expected: number) =>
    ok(value !== null && Math.abs(value - expected) < 1e-12, `${value} ${expected}`)
  const cost = 0.41 + 0.1 * 0.41 * 0.59
  near(returnOf(alert, "follow", "1h", costs), (0.49 - 0.1 * 0.49 * 0.51) / cost - 1)
  near(returnOf(alert, "follow", "24h", costs), 1 / cost - 1)
  near(returnOf(alert, "fade", "24h", costs), -1)
  const assumed = { ...alert, spread: null }
  near(returnOf(assumed, "fade", "1h", { fee: 0, spread: 0.04 }), 0.48 / 0.62 - 1)
  strictEqual(
    returnOf({ ...alert, later: { ...alert.later, "1h": null } }, "fade", "1h", costs),
    null,
  )
})
