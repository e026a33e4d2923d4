/**
 * Gate 6: after an item a market is quiet until the move grows or reverses, or the window passes.
 *
 * @module
 */
import { strictEqual } from "node:assert"
import { Arbitrary, Result, Schema } from "effect"
import type { MovePhase, MoveWindow } from "../../../src/feed/domain/item.ts"
import {
  confirmMove,
  type EmittedMove,
  isNovel,
  judgeMove,
  measureMove,
  startRange,
} from "../../../src/movers/domain/gates.ts"
import { day, type EpochMs, hour, minute, second } from "../../../src/core/domain/time.ts"
import type { SeriesPoint } from "../../../src/markets/domain/market.ts"
import { law } from "../../support/effect.ts"
import { now } from "../../support/movers/market.ts"

/** Where all moves start, unless a test says otherwise. */
const priceStart = 0.5

function item(
  delta: number,
  age: number,
  window: MoveWindow = "1h",
  phase: MovePhase = "settled",
): EmittedMove {
  return { window, phase, delta, priceNow: priceStart + delta, emittedAt: now - age }
}

function novel(
  delta: number,
  emitted: ReadonlyArray<EmittedMove>,
  window: MoveWindow = "1h",
  phase: MovePhase = "settled",
) {
  return isNovel({ window, phase, delta, priceNow: priceStart + delta, now }, emitted)
}

Deno.test("gate 6: a move that was published running is published once more when it settles", () => {
  const running = item(0.1, minute, "1h", "running")
  strictEqual(novel(0.1, [running]), true)
  strictEqual(novel(0.1, [running, item(0.1, minute)]), false)
  strictEqual(novel(0.1, [running], "1h", "running"), false)
  strictEqual(novel(0.1, [item(0.1, minute)], "1h", "running"), false)
})

Deno.test("gate 6: 1.2 times the emitted move is novel, half a step less is not", () => {
  for (let cents = 5; cents <= 75; cents++) {
    const emitted = [item(cents / 100, minute)]
    strictEqual(novel(cents * 12 / 1_000, emitted), true)
    strictEqual(novel(cents * 12 / 1_000 - 0.00005, emitted), false)
    strictEqual(novel(-cents * 12 / 1_000, [item(-cents / 100, minute)]), true)
  }
})

Deno.test("gate 6: a move in the other direction is novel, however small", () => {
  strictEqual(novel(-0.05, [item(0.4, minute)]), true)
  strictEqual(novel(0.05, [item(0.4, minute)]), false)
})

Deno.test("gate 6: an item no longer counts when the window has passed", () => {
  strictEqual(novel(0.1, [item(0.1, hour - 1)]), false)
  strictEqual(novel(0.1, [item(0.1, hour)]), true)
  strictEqual(novel(0.1, [item(0.1, day - 1, "24h")], "24h"), false)
  strictEqual(novel(0.1, [item(0.1, day, "24h")], "24h"), true)
})

Deno.test("gate 6: the last item counts, in any input order", () => {
  const emitted = [item(0.3, 30 * minute), item(0.1, minute), item(0.2, 50 * minute)]
  strictEqual(novel(0.12, emitted), true)
  strictEqual(novel(0.11, emitted), false)
})

Deno.test("gate 6: an item over one window is not repeated over the other", () => {
  strictEqual(novel(0.1, [item(0.1, 10 * minute, "1h")], "24h"), false)
  strictEqual(novel(0.1, [item(0.1, 10 * minute, "24h")], "1h"), false)
  strictEqual(novel(0.1, [item(0.1, 2 * hour, "24h")], "1h"), true)
  strictEqual(novel(0.1, [item(0.1, hour, "24h"), item(0.05, minute, "1h")], "24h"), false)
})

const steps = Schema.Int.check(Schema.isBetween({ minimum: 500, maximum: 9_000 }))
const minutes = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_439 }))

law(
  "gate 6: a move that was just emitted is not novel, however many items came before",
  Arbitrary.all({
    delta: Arbitrary.schema(steps),
    earlier: Arbitrary.array(Arbitrary.schema(Schema.Struct({ steps, minutes })), { maxLength: 5 }),
  }),
  ({ delta, earlier }) => {
    const before = earlier.map((it) => item(it.steps / 10_000, it.minutes * minute + 1))
    return !novel(delta / 10_000, [...before, item(delta / 10_000, 0)])
  },
)

const cents = Schema.Int.check(Schema.isBetween({ minimum: 6, maximum: 94 }))

for (const tickMs of [10 * second, 10 * minute]) {
  law(
    `one step of a price is at most one running and one settled item (a tick is ${tickMs} ms)`,
    Arbitrary.array(Arbitrary.schema(cents), { minLength: 4, maxLength: 4 }),
    (levels) => {
      const items = itemsOf(levels.map((level) => level / 100), tickMs)
      const phases = items.map(({ phase }) => phase)
      return new Set(phases).size === phases.length
    },
    { runs: 20 },
  )
}

/**
 * What the gates publish in the 90 minutes after a price changed for the last time: the levels are each a
 * third of the day before, and the last one since `now`.
 */
function itemsOf(levels: ReadonlyArray<number>, tickMs: number): ReadonlyArray<EmittedMove> {
  const tickIntervalMs = Math.max(minute, tickMs)
  const midAt = (at: EpochMs) =>
    at >= now ? levels[3] ?? 0 : levels[Math.max(0, Math.floor((at - now + day) / (8 * hour)))] ?? 0
  const points: Array<SeriesPoint> = []
  for (let at = now - day - hour; at < now; at += tickIntervalMs) {
    points.push({ at, mid: midAt(at) })
  }
  const emitted: Array<EmittedMove> = []
  for (let at = now; at <= now + 90 * minute; at += tickMs) {
    const price = { mid: midAt(at), spread: 0.01 }
    const moves = (["1h", "24h"] as const).flatMap((window) => {
      const { atOrBefore } = startRange(window, at, tickIntervalMs)
      const start = points.findLast((point) => point.at <= atOrBefore)
      const move = measureMove({ window, now: at, tickIntervalMs, start }, price)
      const judged = Result.flatMap(move, (it) => judgeMove(it, { points, emitted }))
      const mover = Result.flatMap(judged, (it) => confirmMove(it, null))
      return Result.isSuccess(mover) ? [{ ...mover.success, emittedAt: at }] : []
    })
    emitted.push(...moves.slice(0, 1))
    points.push({ at, mid: price.mid })
  }
  return emitted
}
