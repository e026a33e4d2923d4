/**
 * Which of a tick's movers are emitted, the shape of their items, and that bounces are never emitted.
 *
 * @module
 */
import { deepStrictEqual, notStrictEqual, strictEqual } from "node:assert"
import { Arbitrary, Result, Schema } from "effect"
import { FeedItem } from "../../../src/feed/domain/item.ts"
import { MarketId } from "../../../src/markets/domain/market.ts"
import {
  confirmMove,
  judgeMove,
  type Mover,
  moverItem,
  moverRejections,
  screenMove,
  selectMovers,
} from "../../../src/movers/domain/gates.ts"
import { hour } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"
import {
  market,
  microstructureWith,
  moveContext,
  moveInput,
  now,
} from "../../support/movers/market.ts"

const found: Mover = Result.getOrThrow(
  screenMove(moveInput()).pipe(
    Result.flatMap((move) => judgeMove(move, moveContext())),
    Result.flatMap((move) => confirmMove(move, 120)),
  ),
)

const small = (most: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most }))
const window = Schema.Literals(["1h", "24h"])
const tickOfMovers = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.schema(Schema.Struct({ market: small(15), cents: small(5), window })),
    { maxLength: 24 },
  ),
  (rows) => {
    const unique = new Map(rows.map((row) => [`${row.market} ${row.window}`, row]))
    return [...unique.values()].map((row): Mover => ({
      ...found,
      market: market({ id: MarketId.make(`m${row.market}`), eventKey: `e${row.market % 3}` }),
      window: row.window,
      delta: (row.cents % 2 === 0 ? 1 : -1) * (0.05 + row.cents / 100),
    }))
  },
)

function count<A>(rows: ReadonlyArray<A>, key: (row: A) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1)
  return counts
}

law(
  "selectMovers() chooses one mover per market and at most three per event",
  tickOfMovers,
  (movers) => {
    const { chosen } = selectMovers(movers)
    const perMarket = [...count(chosen, (mover) => mover.market.id).values()]
    const perEvent = [...count(chosen, (mover) => mover.market.eventKey).values()]
    return perMarket.every((n) => n === 1) && perEvent.every((n) => n <= 3)
  },
)

law("selectMovers() loses no mover: each is chosen or has a reason", tickOfMovers, (movers) => {
  const { chosen, dropped } = selectMovers(movers)
  const all = [...chosen, ...dropped.map(({ mover }) => mover)]
  return all.length === movers.length && movers.every((mover) => all.includes(mover)) &&
    dropped.every(({ reason }) => moverRejections.includes(reason))
})

law(
  "selectMovers() drops no mover that comes before one chosen in its place",
  tickOfMovers,
  (movers) => {
    const { chosen, dropped } = selectMovers(movers)
    return dropped.every(({ mover, reason }) => {
      const kept = chosen.filter((other) =>
        reason === "longer_window"
          ? other.market.id === mover.market.id
          : other.market.eventKey === mover.market.eventKey
      )
      const places = reason === "longer_window" ? 1 : 3
      return kept.length === places &&
        kept.every((other) =>
          other.window === mover.window
            ? Math.abs(other.delta) >= Math.abs(mover.delta)
            : other.window === "1h"
        )
    })
  },
)

law("selectMovers() does not depend on the input order", tickOfMovers, (movers) => {
  deepStrictEqual(selectMovers(movers.toReversed()), selectMovers(movers))
})

Deno.test("selectMovers() drops every window of a market whose event is full", () => {
  const of = (id: string, cents: number, over: Mover["window"] = "1h"): Mover => ({
    ...found,
    market: market({ id: MarketId.make(id) }),
    window: over,
    delta: cents / 100,
  })
  const full = [of("a", 9), of("b", 8), of("c", 7)]
  const late = [of("d", 6), of("d", 50, "24h")]
  const { chosen, dropped } = selectMovers([...full, ...late])
  deepStrictEqual(chosen, full)
  deepStrictEqual(dropped.map(({ reason }) => reason), ["event_quota", "event_quota"])
})

Deno.test("moverItem() is a feed item, keyed by market, window and tick", () => {
  const { dedupeKey, ...item } = moverItem(found, now + 1_234)
  Schema.decodeUnknownSync(FeedItem)({ feedIndex: 1, ...item })
  strictEqual(item.createdAt, "2026-11-20T12:00:01.234Z")
  strictEqual(moverItem(found, now + 9_999).dedupeKey, dedupeKey)
  notStrictEqual(moverItem({ ...found, window: "24h" }, now).dedupeKey, dedupeKey)
  notStrictEqual(moverItem({ ...found, now: now + 600_000 }, now).dedupeKey, dedupeKey)
  const other = { ...found, market: market({ id: MarketId.make("m2") }) }
  notStrictEqual(moverItem(other, now).dedupeKey, dedupeKey)
})

Deno.test("moverItem() names the outcome of its prices", () => {
  const game = { ...found, market: market({ outcomes: ["Lakers", "Celtics"] }) }
  const { type, data } = moverItem(game, now)
  strictEqual(type === "mover" && data.outcome, "Lakers")
})

const bounce = Arbitrary.schema(Schema.Struct({
  truth: Schema.Int.check(Schema.isBetween({ minimum: 800, maximum: 9_200 })),
  spread: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 })),
  before: Schema.Int.check(Schema.isBetween({ minimum: -100, maximum: 100 })),
  after: Schema.Int.check(Schema.isBetween({ minimum: -100, maximum: 100 })),
}))

law("a mid that only bounces within its spread never passes gate 4", bounce, (sample) => {
  const { truth, spread, before, after } = sample
  const mid = (share: number) => (truth + Math.trunc(share * spread / 200)) / 10_000
  const book = Result.succeed(
    microstructureWith({ mid: mid(after), spread: 2 * Math.ceil(spread / 2) / 10_000 }),
  )
  const move = screenMove(moveInput({ book, start: { at: now - hour, mid: mid(before) } }))
  return Result.isFailure(move) && move.failure === "small_move"
})
