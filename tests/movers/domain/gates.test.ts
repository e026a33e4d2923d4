/**
 * The seven gates: both sides of each boundary, and the laws for any move.
 *
 * @module
 */
import { deepStrictEqual, strictEqual } from "node:assert"
import { Arbitrary, Result, Schema } from "effect"
import { type MarketStatus, TokenId, type Trade } from "../../../src/markets/domain/market.ts"
import { tradedUsdBeyondHalf } from "../../../src/movers/domain/confirmation.ts"
import type { MarketMove, MoveContext, MoveInput } from "../../../src/movers/domain/priceMove.ts"
import { historyRange, judgeMove, screenMove } from "../../../src/movers/domain/gates.ts"
import { screenMarket } from "../../../src/markets/domain/quality.ts"
import { day, hour } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"
import {
  alternatingHours,
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

function judged(fields: Partial<MoveContext>, move: Partial<MoveInput> = {}): string {
  const result = judgeMove(moveOf(move), moveContext(fields))
  return Result.isFailure(result) ? result.failure : "mover"
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

Deno.test("gate 3: a price at .97 or .03 is settlement when an outcome is proposed, else not", () => {
  const at = (mid: number, status: MarketStatus) =>
    screened({ ...bookWith({ mid, spread: 0.002 }), market: market({ status }) })
  strictEqual(at(0.97, "proposed"), "in_settlement")
  strictEqual(at(0.03, "proposed"), "in_settlement")
  strictEqual(at(0.9699, "proposed"), "passed")
  strictEqual(at(0.0301, "proposed"), "passed")
  strictEqual(at(0.97, "open"), "passed")
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

law("judgeMove() returns a finite zScore of at least 2 for any history", anyInput, (input) => {
  const move = screenMove(input)
  if (Result.isFailure(move)) return true
  return [[], alternatingHours(move.success.startedAt, 0.5, 0), alternatingHours(now, 0.999, 9)]
    .every(
      (history) => {
        const recent = settledAt(move.success.priceNow)
        const mover = judgeMove(move.success, moveContext({ history, recent }))
        if (Result.isFailure(mover)) return true
        return Number.isFinite(mover.success.zScore) && mover.success.zScore >= 2
      },
    )
})

/** History for which the move from .50 to .60 is this many standard deviations. */
function historyForSigmas(sigmas: number): MoveContext["history"] {
  const sigma = Math.log(0.6 / 0.4) / sigmas
  // The standard deviation of 167 alternating returns of plus and minus one is not quite one.
  const returns = Array.from({ length: 167 }, (_, i) => i % 2 === 0 ? 1 : -1)
  const mean = returns.reduce((sum, x) => sum + x, 0) / 167
  const deviation = Math.sqrt(returns.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 166)
  return alternatingHours(now - hour, 0.5, sigma / deviation)
}

Deno.test("gate 7: two standard deviations of the hours before pass, 1.999 do not", () => {
  strictEqual(judged({ history: historyForSigmas(2) }), "mover")
  strictEqual(judged({ history: historyForSigmas(1.999) }), "unsurprising")
})

Deno.test("gate 7: over 24 hours the same move must be root 24 times rarer", () => {
  const over = (sigmas: number) =>
    judged(
      {
        history: historyForSigmas(sigmas).map((point) => ({ ...point, at: point.at - 23 * hour })),
      },
      { window: "24h", start: { at: now - day, mid: 0.5 } },
    )
  strictEqual(over(2 * Math.sqrt(24)), "mover")
  strictEqual(over(1.999 * Math.sqrt(24)), "unsurprising")
})

Deno.test("gate 7: only the week before the window counts for the volatility", () => {
  const calm = alternatingHours(now - hour, 0.5, 0)
  const during = Array.from({ length: 6 }, (_, i) => ({ at: now - i * tickIntervalMs, mid: i % 2 }))
  const longAgo = alternatingHours(now - hour - 7 * day - 1, 0.5, 3)
  strictEqual(judged({ history: [...during, ...calm, ...longAgo] }), "mover")
  strictEqual(
    judged({ history: [...calm.slice(0, 60), ...longAgo.map(fourDaysLater)] }),
    "unsurprising",
  )
})

Deno.test("gate 7: with fewer than 24 returns the prior applies, wider outside .10-.90", () => {
  const calm = alternatingHours(now - day, 0.5, 0)
  const overDay = (mid: number, from: number, history: MoveContext["history"]) =>
    judged({ history, recent: settledAt(mid) }, {
      ...bookWith({ mid, spread: 0.002 }),
      window: "24h",
      start: { at: now - day, mid: from },
    })
  strictEqual(overDay(0.6, 0.5, calm.slice(0, 24)), "unsurprising")
  strictEqual(overDay(0.6, 0.5, calm.slice(0, 25)), "mover")
  // 1.203 on the logit scale: in a day more than twice 0.10, less than twice 0.15.
  strictEqual(overDay(0.9, 0.73, []), "mover")
  strictEqual(overDay(0.9001, 0.73, []), "unsurprising")
  strictEqual(overDay(0.1, 0.27, []), "mover")
  strictEqual(overDay(0.0999, 0.27, []), "unsurprising")
})

function fourDaysLater({ at, mid }: { readonly at: number; readonly mid: number }) {
  return { at: at + 4 * day, mid }
}

Deno.test("gate 5: a return from a quote that strayed for one tick is no move", () => {
  const around = (before: number | null, after: number | null) => {
    const ticks = [
      ...(before === null ? [] : [{ at: now - hour - tickIntervalMs, mid: before }]),
      ...(after === null ? [] : [{ at: now - hour + tickIntervalMs, mid: after }]),
    ]
    const calm = moveContext().history.filter(({ at }) => at <= now - hour)
    return judged({ history: [...calm, ...ticks] })
  }
  strictEqual(around(0.6, 0.6), "stray_start")
  strictEqual(around(0.55005, 0.55005), "stray_start")
  strictEqual(around(0.55, 0.6), "mover")
  strictEqual(around(0.6, 0.55), "mover")
  strictEqual(around(0.5, 0.6), "mover")
  strictEqual(around(0.4, 0.4), "mover")
  strictEqual(around(null, 0.6), "mover")
  strictEqual(around(0.6, null), "mover")
})

Deno.test("historyRange() covers the week before the start, and the two ticks after it", () => {
  const { from, to } = historyRange(moveOf())
  strictEqual(from, now - hour - 7 * day)
  strictEqual(to, now - hour + 2 * tickIntervalMs)
})

Deno.test("gate 5: the nearest tick on each side of the start counts, if it is within two ticks", () => {
  const calm = moveContext().history
  const at = (ticks: number, mid: number) => ({ at: now - hour + ticks * tickIntervalMs, mid })
  const history = (...points: ReadonlyArray<ReturnType<typeof at>>) =>
    judged({ history: [...calm, ...points] })
  strictEqual(history(at(-2, 0.6), at(2, 0.6)), "stray_start")
  strictEqual(history(at(-2.1, 0.6), at(2, 0.6)), "mover")
  strictEqual(history(at(-2, 0.6), at(2.1, 0.6)), "mover")
  strictEqual(history(at(-2, 0.6), at(-1, 0.5), at(1, 0.6)), "mover")
  strictEqual(history(at(-1, 0.5), at(-2, 0.6), at(1, 0.6)), "mover")
  strictEqual(history(at(-1, 0.6), at(2, 0.6), at(1, 0.5)), "mover")
  strictEqual(history(at(-1, 0.6), at(1, 0.5), at(2, 0.6)), "mover")
})

Deno.test("gate 6: a move that the feed has just published is not novel", () => {
  const emitted = [{ window: "1h", delta: 0.1, emittedAt: now - tickIntervalMs }] as const
  strictEqual(judged({ emitted }), "not_novel")
  strictEqual(judged({ emitted: [{ ...emitted[0], delta: 0.08 }] }), "mover")
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
  const recent = mids.flatMap((mid, n) =>
    mid === null ? [] : [{ at: now - (n + 1) * tickIntervalMs, mid }]
  )
  return judged({ recent }, move)
}

Deno.test("gate 5: a price has settled when 40 minutes stayed within a third of the move", () => {
  const from = { start: { at: now - hour, mid: 0.48 } }
  strictEqual(after([0.6, 0.6, 0.6, 0.6], from), "mover")
  strictEqual(after([0.56, 0.56, 0.56, 0.56], from), "mover")
  strictEqual(after([0.6, 0.6, 0.6, 0.55995], from), "unconfirmed")
  strictEqual(after([0.55995, 0.6, 0.6, 0.6], from), "unconfirmed")
  strictEqual(after([0.64, 0.6, 0.6, 0.6], from), "mover")
  strictEqual(after([0.64005, 0.6, 0.6, 0.6], from), "unconfirmed")
  strictEqual(after([0.62, 0.58, 0.6, 0.6], from), "mover")
  strictEqual(after([0.62, 0.57995, 0.6, 0.6], from), "unconfirmed")
})

Deno.test("gate 5: the points reach back 40 minutes, and at most two ticks are missing", () => {
  strictEqual(after([0.6, 0.6, 0.6]), "unconfirmed")
  strictEqual(after([null, null, 0.6, 0.6]), "mover")
  strictEqual(after([null, null, null, 0.6]), "unconfirmed")
  strictEqual(after([0.6, 0.6, 0.6, null, 0.6]), "mover")
  strictEqual(after([0.6, 0.6, 0.6, null, null, 0.6]), "mover")
  strictEqual(after([0.6, 0.6, 0.6, null, null, null, 0.6]), "unconfirmed")
  // Beyond the first point that is 40 minutes old, nothing counts.
  strictEqual(after([0.6, 0.6, 0.6, 0.6, 0.5]), "mover")
})

Deno.test("a mover at .97 or .03 is converged", () => {
  const at = (mid: number, from: number) => {
    const move = moveOf({
      ...bookWith({ mid, spread: 0.002 }),
      start: { at: now - hour, mid: from },
    })
    return Result.getOrThrow(judgeMove(move, moveContext({ recent: settledAt(mid) }))).converged
  }
  deepStrictEqual([at(0.97, 0.8), at(0.9699, 0.8), at(0.03, 0.2), at(0.0301, 0.2)], [
    ...[true, false, true, false],
  ])
})
