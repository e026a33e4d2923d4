/**
 * The gates: both sides of each boundary, and the laws for any move.
 *
 * @module
 */
import { deepStrictEqual, strictEqual } from "node:assert"
import { Arbitrary, Result, Schema } from "effect"
import { TokenId, type Trade } from "../../../src/markets/domain/market.ts"
import {
  confirmMove,
  judgeMove,
  type MarketMove,
  type MoveContext,
  type MoveInput,
  pointsRange,
  screenMove,
  tradedUsdBeyondHalf,
} from "../../../src/movers/domain/gates.ts"
import { screenMarket } from "../../../src/markets/domain/quality.ts"
import { day, hour } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"
import {
  market,
  microstructureWith,
  moveContext,
  moveInput,
  now,
  settledAt,
  tickIntervalMs,
} from "../../support/movers/market.ts"

function screened(fields: Partial<MoveInput>): string {
  const result = screenMove(moveInput(fields))
  return Result.isFailure(result) ? result.failure : "passed"
}

function moveOf(fields: Partial<MoveInput> = {}): MarketMove {
  return Result.getOrThrow(screenMove(moveInput(fields)))
}

/** The phase of the move, or why it is no mover; a running move has these trades. */
function judged(
  fields: Partial<MoveContext>,
  move: Partial<MoveInput> = {},
  tradedUsd: number | null = null,
): string {
  const result = judgeMove(moveOf(move), moveContext(fields)).pipe(
    Result.flatMap((found) => confirmMove(found, tradedUsd)),
  )
  return Result.isFailure(result) ? result.failure : result.success.phase
}

function bookWith(fields: Parameters<typeof microstructureWith>[0]): Partial<MoveInput> {
  return { book: Result.succeed(microstructureWith(fields)) }
}

Deno.test("gate 1: 10,000 USD of volume is enough, a cent less is not", () => {
  strictEqual(screened({ market: market({ volumeUsd: 10_000 }) }), "passed")
  strictEqual(screened({ market: market({ volumeUsd: 9_999.99 }) }), "low_volume")
})

Deno.test("gate 1: 2,500 USD of total depth is enough, a thousandth less is not", () => {
  strictEqual(screened(bookWith({ depthUsd: 2_500 })), "passed")
  strictEqual(screened(bookWith({ depthUsd: 2_499.999 })), "thin_book")
})

Deno.test("gate 2: a spread of 5 cents passes, one step more does not", () => {
  const start = { at: now - hour, mid: 0.4 }
  strictEqual(screened({ ...bookWith({ spread: 0.05 }), start }), "passed")
  strictEqual(screened({ ...bookWith({ spread: 0.0502 }), start }), "wide_spread")
})

Deno.test("gate 2: an invalid or missing book is rejected with its fault", () => {
  for (const fault of ["empty_side", "crossed", "ghost"] as const) {
    strictEqual(screened({ book: Result.fail(fault) }), fault)
  }
  strictEqual(screened({ book: null }), "no_book")
})

Deno.test("gate 3: mechanical, resolved and closed markets are rejected", () => {
  strictEqual(screened({ market: market({ mechanical: "slug" }) }), "mechanical")
  strictEqual(screened({ market: market({ status: "resolved" }) }), "resolved")
  strictEqual(screened({ market: market({ status: "closed" }) }), "closed")
})

Deno.test("gate 3: a price beyond .95 or under .05 leaves nothing to trade", () => {
  const at = (mid: number) => screened(bookWith({ mid, spread: 0.002 }))
  strictEqual(at(0.95), "passed")
  strictEqual(at(0.9501), "decided")
  strictEqual(at(0.05), "passed")
  strictEqual(at(0.0499), "decided")
})

Deno.test("the start of a move is at most two ticks older than its window, and never newer", () => {
  const from = (at: number) => screened({ start: { at, mid: 0.5 } })
  strictEqual(from(now - hour), "passed")
  strictEqual(from(now - hour - 2 * tickIntervalMs), "passed")
  strictEqual(from(now - hour - 2 * tickIntervalMs - 1), "no_history")
  strictEqual(from(now - hour + 1), "no_history")
  strictEqual(screened({ start: undefined }), "no_history")
  strictEqual(screened({ start: { at: now - hour, mid: Number.NaN } }), "no_history")
  strictEqual(screened({ window: "24h", start: { at: now - day, mid: 0.5 } }), "passed")
  strictEqual(screened({ window: "24h", start: { at: now - hour, mid: 0.5 } }), "no_history")
})

Deno.test("gate 4: five cents pass, half a step less does not, without float errors", () => {
  for (let cents = 10; cents <= 85; cents++) {
    const start = (mid: number) => ({ start: { at: now - hour, mid } })
    const book = bookWith({ mid: cents / 100, spread: 0.002 })
    strictEqual(screened({ ...book, ...start(cents / 100 + 0.05) }), "passed")
    strictEqual(screened({ ...book, ...start(cents / 100 - 0.05) }), "passed")
    strictEqual(screened({ ...book, ...start(cents / 100 + 0.04995) }), "small_move")
    strictEqual(screened({ ...book, ...start(cents / 100 - 0.04995) }), "small_move")
  }
})

Deno.test("gate 4: one and a half spreads pass, half a step less does not", () => {
  const from = (mid: number) =>
    screened({ ...bookWith({ spread: 0.04 }), start: { at: now - hour, mid } })
  strictEqual(from(0.54), "passed")
  strictEqual(from(0.54005), "small_move")
})

const status = Schema.Literals(["open", "proposed", "resolved", "closed"])
const anyInput = Arbitrary.map(
  Arbitrary.all({
    status: Arbitrary.schema(status),
    volumeUsd: Arbitrary.schema(Schema.Literals([0, 9_000, 10_000, 60_000])),
    mechanical: Arbitrary.schema(Schema.NullOr(Schema.Literals(["slug"]))),
    mid: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 400, maximum: 9_600 }))),
    from: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))),
    spread: Arbitrary.schema(Schema.Literals([0.002, 0.02, 0.05, 0.06])),
    depthUsd: Arbitrary.schema(Schema.Literals([2_000, 2_500, 90_000])),
    window: Arbitrary.schema(Schema.Literals(["1h", "24h"])),
  }),
  ({ mid, from, spread, depthUsd, window, ...facts }) => {
    const start = { at: now - (window === "1h" ? hour : day), mid: from / 10_000 }
    const book = Result.succeed(microstructureWith({ mid: mid / 10_000, spread, depthUsd }))
    return moveInput({ market: market(facts), book, window, start })
  },
)

law(
  "screenMarket() drops only what screenMove() rejects",
  anyInput,
  (input) => Result.isSuccess(screenMarket(input.market)) || Result.isFailure(screenMove(input)),
)

law("screenMove() treats a fall like the same rise", anyInput, (input) => {
  const { book, start } = input
  if (book === null || Result.isFailure(book) || start === undefined) return true
  const { mid, spread, depthUsdWithin5c: { total } } = book.success
  const twin = screenMove({
    ...input,
    book: Result.succeed(microstructureWith({ mid: 1 - mid, spread, depthUsd: total })),
    start: { ...start, mid: 1 - start.mid },
  })
  const own = screenMove(input)
  if (Result.isFailure(own)) return Result.isFailure(twin) && own.failure === twin.failure
  return Result.isSuccess(twin) && twin.success.delta === -own.success.delta
})

law("judgeMove() gives any move a phase, and confirms a settled one", anyInput, (input) => {
  const move = screenMove(input)
  if (Result.isFailure(move)) return true
  return [[], settledAt(move.success.priceNow), settledAt(move.success.priceStart)].every(
    (points) => {
      const found = judgeMove(move.success, moveContext({ points }))
      if (Result.isFailure(found)) return found.failure === "stray_start"
      const { phase, persisted } = found.success
      const confirmed = Result.isSuccess(confirmMove(found.success, null))
      return confirmed === persisted && (phase === "running" || persisted)
    },
  )
})

/** A start from which the settled prices are more than two ticks away. */
const earlier = { start: { at: now - hour - tickIntervalMs, mid: 0.5 } }

Deno.test("gate 5: a return from a quote that strayed for one tick is no move", () => {
  const around = (before: number | null, after: number | null) => {
    const ticks = [
      ...(before === null ? [] : [{ at: earlier.start.at - tickIntervalMs, mid: before }]),
      ...(after === null ? [] : [{ at: earlier.start.at + tickIntervalMs, mid: after }]),
    ]
    return judged({ points: [...settledAt(0.6), ...ticks] }, earlier)
  }
  strictEqual(around(0.6, 0.6), "stray_start")
  strictEqual(around(0.55005, 0.55005), "stray_start")
  strictEqual(around(0.55, 0.6), "settled")
  strictEqual(around(0.6, 0.55), "settled")
  strictEqual(around(0.5, 0.6), "settled")
  strictEqual(around(0.4, 0.4), "settled")
  strictEqual(around(null, 0.6), "settled")
  strictEqual(around(0.6, null), "settled")
})

Deno.test("pointsRange() starts two ticks before the start, and ends before now", () => {
  deepStrictEqual(pointsRange(moveOf()), { from: now - hour - 2 * tickIntervalMs, to: now - 1 })
})

Deno.test("gate 5: the nearest tick on each side of the start counts, if it is within two ticks", () => {
  const at = (ticks: number, mid: number) => ({
    at: earlier.start.at + ticks * tickIntervalMs,
    mid,
  })
  const history = (...points: ReadonlyArray<ReturnType<typeof at>>) =>
    judged({ points: [...settledAt(0.6), ...points] }, earlier)
  strictEqual(history(at(-2, 0.6), at(2, 0.6)), "stray_start")
  strictEqual(history(at(-2.1, 0.6), at(2, 0.6)), "settled")
  strictEqual(history(at(-2, 0.6), at(2.1, 0.6)), "settled")
  strictEqual(history(at(-2, 0.6), at(-1, 0.5), at(1, 0.6)), "settled")
  strictEqual(history(at(-1, 0.5), at(-2, 0.6), at(1, 0.6)), "settled")
  strictEqual(history(at(-1, 0.6), at(2, 0.6), at(1, 0.5)), "settled")
  strictEqual(history(at(-1, 0.6), at(1, 0.5), at(2, 0.6)), "settled")
})

function trade(fields: Partial<Trade>): Trade {
  return {
    marketId: market().id,
    tokenId: market().tokenIds[0],
    side: "buy",
    price: 0.56,
    size: 1_000,
    at: now - tickIntervalMs,
    wallet: "w",
    transaction: "t",
    ...fields,
  }
}

/** The USD that these trades confirm of the move from 0.50 to 0.60. */
function traded(trades: ReadonlyArray<Trade>): number {
  return tradedUsdBeyondHalf(moveOf(), trades)
}

const worth = (usd: number, fields: Partial<Trade> = {}) => {
  const price = fields.price ?? 0.56
  return trade({ ...fields, price, size: usd / price })
}

Deno.test("tradedUsdBeyondHalf() counts fills during the move and beyond half of it", () => {
  strictEqual(traded([worth(100), worth(25)]), 125)
  strictEqual(traded([worth(100, { price: 0.5501 })]), 100)
  strictEqual(traded([worth(100, { price: 0.55 })]), 0)
  strictEqual(traded([worth(100, { at: now - hour })]), 100)
  strictEqual(traded([worth(100, { at: now - hour - 1 })]), 0)
  strictEqual(traded([worth(100, { at: now + 1 })]), 0)
  strictEqual(traded([trade({ size: Number.NaN }), trade({ price: 2 })]), 0)
})

Deno.test("tradedUsdBeyondHalf() counts fills of the second outcome at 1 - price", () => {
  const second = TokenId.make("no")
  const of = (price: number) => traded([trade({ tokenId: second, side: "sell", price, size: 100 })])
  strictEqual(of(0.44), 56)
  strictEqual(of(0.45), 0)
  strictEqual(of(0.56), 0)
})

Deno.test("tradedUsdBeyondHalf() counts a fill that is reported from both sides once", () => {
  const bought = worth(60)
  const minted = trade({ size: bought.size, tokenId: TokenId.make("no"), price: 0.44 })
  strictEqual(traded([bought, { ...bought, side: "sell" }]), 60)
  strictEqual(traded([bought, minted]), 60)
  strictEqual(traded([bought, bought]), 120)
})

/** The result when the last ticks, newest first, had these mids; null without a point. */
function after(mids: ReadonlyArray<number | null>, move: Partial<MoveInput> = {}): string {
  const points = mids.flatMap((mid, n) =>
    mid === null ? [] : [{ at: now - (n + 1) * tickIntervalMs, mid }]
  )
  return judged({ points }, move)
}

Deno.test("gate 5: a price has settled when 40 minutes stayed within a third of the move", () => {
  const from = { start: { at: now - hour, mid: 0.48 } }
  strictEqual(after([0.6, 0.6, 0.6, 0.6], from), "settled")
  strictEqual(after([0.56, 0.56, 0.56, 0.56], from), "settled")
  strictEqual(after([0.6, 0.6, 0.6, 0.55995], from), "running")
  strictEqual(after([0.55995, 0.6, 0.6, 0.6], from), "running")
  strictEqual(after([0.64, 0.6, 0.6, 0.6], from), "settled")
  strictEqual(after([0.64005, 0.6, 0.6, 0.6], from), "running")
  strictEqual(after([0.62, 0.58, 0.6, 0.6], from), "settled")
  strictEqual(after([0.62, 0.57995, 0.6, 0.6], from), "running")
})

Deno.test("gate 5: the points reach back 40 minutes, and at most two ticks are missing", () => {
  strictEqual(after([0.6, 0.6, 0.6]), "running")
  strictEqual(after([null, null, 0.6, 0.6]), "settled")
  strictEqual(after([null, null, null, 0.6]), "unconfirmed")
  strictEqual(after([0.6, 0.6, 0.6, null, 0.6]), "settled")
  strictEqual(after([0.6, 0.6, 0.6, null, null, 0.6]), "settled")
  strictEqual(after([0.6, 0.6, 0.6, null, null, null, 0.6]), "running")
  // Beyond the first point that is 40 minutes old, nothing counts.
  strictEqual(after([0.6, 0.6, 0.6, 0.6, 0.5]), "settled")
})

Deno.test("gate 5: a running move needs the tick before beyond half of it, or trades", () => {
  strictEqual(after([0.55005, 0.5]), "running")
  strictEqual(after([0.55, 0.5]), "unconfirmed")
  strictEqual(after([null, 0.58, 0.5]), "running")
  strictEqual(after([null, null, 0.58]), "unconfirmed")
  strictEqual(after([]), "unconfirmed")
  const traded = (usd: number | null, move: Partial<MoveInput> = {}) =>
    judged({ points: [] }, move, usd)
  const overDay = { window: "24h", start: { at: now - day, mid: 0.5 } } as const
  strictEqual(traded(100), "running")
  strictEqual(traded(99.99), "unconfirmed")
  strictEqual(traded(500, overDay), "running")
  strictEqual(traded(499.99, overDay), "unconfirmed")
})

Deno.test("a price that runs .17, .39, .58, .76, .95 is published at every tick", () => {
  const run = [0.17, 0.39, 0.58, 0.76, 0.95]
  const point = (mid: number, n: number) => ({ at: now - (4 - n) * hour, mid })
  const ticks = run.slice(1).map((mid, n) => ({
    ...bookWith({ mid, spread: 0.002 }),
    now: now - (3 - n) * hour,
    tickIntervalMs: hour,
    start: point(run[n] ?? 0, n),
  }))
  const phases = ticks.map((tick, n) => {
    const move = Result.getOrThrow(screenMove(moveInput(tick)))
    const found = judgeMove(move, { points: run.slice(0, n + 1).map(point), emitted: [] })
    return Result.getOrThrow(confirmMove(Result.getOrThrow(found), 100)).phase
  })
  deepStrictEqual(phases, ["running", "running", "running", "running"])
})
