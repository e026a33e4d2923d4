/**
 * The scorecard counts every wallet once, includes losing ones, and lists wallets independently of the
 * results of their entries.
 *
 * @module
 */
import { entrySummary } from "../../../src/track-record/domain/entryScore.ts"
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { Scorecard, scorecard, topWalletsMax } from "../../../src/track-record/domain/scorecard.ts"
import { selfScore } from "../../../src/track-record/domain/selfScore.ts"
import { law } from "../../support/effect.ts"
import { alike } from "../../support/whales/records.ts"
import { type KnownEntry, type KnownWallet, storeOf } from "../../support/whales/whales.ts"
import { trackedWallet } from "../../support/whales/entries.ts"

import { noForecasts } from "../../../src/track-record/domain/forecasts.ts"

const now = Date.parse("2026-11-21T12:00:00.000Z")
const verdicts = {
  mover_1h: { persisted: 3, open: 1 },
  mover_6h: { open: 4 },
  mover_24h: { open: 4 },
  predetermined: {},
}
/** Neither entries nor movers were scored. */
const unscored = {
  ...{
    entries: entrySummary([]),
    moves: [],
    forecasts: { resolution: noForecasts, price: noForecasts },
  },
  readAt: { wallets: now, scores: now },
}
const cardOf = (wallets: ReadonlyArray<KnownWallet>) =>
  scorecard({ ...storeOf(wallets), verdicts, ...unscored })

const entry = Schema.Struct({
  cents: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 99 })),
  stakeUsd: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5_000 })),
  won: Schema.NullOr(Schema.Boolean),
})
const wallet = Schema.Struct({
  history: Schema.Literals(["reading", "whole", "whole", "whole", "truncated"]),
  label: Schema.Literals(["follow", "fade", "neutral"]),
  /** Repeats every entry, so that some wallets have enough. */
  times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 })),
  entries: Schema.Array(entry).check(Schema.isMaxLength(5)),
})
type Drawn = typeof wallet.Type
const anyWallets = Arbitrary.schema(Schema.Array(wallet).check(Schema.isMaxLength(25)))

const known = (drawn: Drawn, n: number): KnownWallet => ({
  wallet: `0x${n.toString(16).padStart(40, "0")}`,
  history: drawn.history,
  label: drawn.label,
  computedAt: now - 1_000 * (n + 1),
  entries: Array.from({ length: drawn.times }, () => drawn.entries).flat()
    .map(({ cents, stakeUsd, won }) => ({ price: cents / 100, stakeUsd, won })),
})
const knownAll = (drawn: ReadonlyArray<Drawn>) => drawn.map(known)

law("scorecard() matches its schema for any wallets", anyWallets, (drawn) => {
  ok(Schema.is(Scorecard)(cardOf(knownAll(drawn))))
})

law(
  "scorecard() counts every tracked wallet as labelled or left out, once",
  anyWallets,
  (drawn) => {
    const { coverage: { trackedWallets, labeledWallets, leftOut }, labels } = cardOf(
      knownAll(drawn),
    )
    const { unread, truncated, farms, tooFew } = leftOut
    strictEqual(labeledWallets + unread + truncated + farms + tooFew, trackedWallets)
    strictEqual(labels.follow + labels.fade + labels.neutral, labeledWallets)
    strictEqual(trackedWallets, drawn.length)
  },
)

law(
  "scorecard() counts every entry of a complete history, in one band or as cancelled",
  anyWallets,
  (
    drawn,
  ) => {
    const wallets = knownAll(drawn)
    const { coverage, oddsBands, overall } = cardOf(wallets)
    const entries = wallets.filter(({ history }) => history === "whole").flatMap((row) =>
      row.entries
    )
    const cancelled = entries.filter(({ won }) => won === null)
    // Sweeps are apart.
    const decided = entries.filter(({ won, price }) => won !== null && price < 0.95)
    const inBands = oddsBands.reduce((sum, band) => sum + band.entries, 0)
    equal(
      [coverage.resolvedEntries, coverage.cancelledEntries, inBands],
      [decided.length, cancelled.length, decided.length],
    )
    for (const { from, to, entries } of oddsBands) {
      const last = to === 1
      const within = ({ price }: KnownEntry) => from <= price && (price < to || last)
      strictEqual(entries, decided.filter(within).length)
    }
    if (decided.length === 0) return withoutFigures(overall)
    const wins = decided.filter(({ won }) => won).length
    near(overall.holdToResolutionWinRate, wins / decided.length)
    near(
      overall.meanEntryPrice,
      decided.reduce((sum, { price }) => sum + price, 0) / decided.length,
    )
  },
)

law("scorecard() does not depend on the order of wallets", anyWallets, (drawn) => {
  const { tracked, sums, whales } = storeOf(knownAll(drawn))
  const reversed = {
    tracked: tracked.toReversed(),
    sums: sums.toReversed(),
    whales: whales.toReversed(),
  }
  // Another order of a sum can round its last published digit the other way.
  ok(alike(
    scorecard({ ...reversed, verdicts, ...unscored }),
    scorecard({ tracked, sums, whales, verdicts, ...unscored }),
    1.01e-4,
  ))
})

law("scorecard() does not improve with a wallet that only loses", anyWallets, (drawn) => {
  const wallets = knownAll(drawn)
  const before = cardOf(wallets).overall
  const entries = Array.from({ length: 40 }, () => ({ price: 0.4, stakeUsd: 500, won: false }))
  const loser: KnownWallet = {
    ...{ wallet: `0x${"f".repeat(40)}`, history: "whole", label: "neutral", computedAt: now },
    entries,
  }
  const after = cardOf([...wallets, loser]).overall
  ok((after.holdToResolutionWinRate ?? 1) <= (before.holdToResolutionWinRate ?? 1))
  ok((after.followRoiCostWeighted ?? 1) <= (before.followRoiCostWeighted ?? Infinity))
  ok(after.followRoiCostWeighted !== null && after.holdToResolutionWinRate !== null)
})

law("scorecard() lists the same wallets for any results of their entries", anyWallets, (drawn) => {
  const wallets = knownAll(drawn)
  const flipped = wallets.map((row) => ({
    ...row,
    label: "fade" as const,
    entries: row.entries.map((one) => ({ ...one, won: one.won === null ? null : !one.won })),
  }))
  const listed = (rows: ReadonlyArray<KnownWallet>) =>
    cardOf(rows).topWallets.map((top) => top.wallet)
  equal(listed(flipped), listed(wallets))
})

const many = (n: number, one: Partial<KnownWallet> = {}, stakeUsd = 100): KnownWallet => ({
  ...known({ history: "whole", label: "neutral", times: 1, entries: [] }, n),
  entries: Array.from({ length: 40 }, (_, i) => ({ price: 0.5, stakeUsd, won: i % 2 === 0 })),
  ...one,
})

Deno.test("scorecard() lists the ten labelled wallets with the largest stakes", () => {
  const wallets = Array.from({ length: 14 }, (_, n) => many(n, {}, 100 + n))
  const few = many(20, { entries: many(20, {}, 9_999).entries.slice(0, 29) })
  const { topWallets } = cardOf([...wallets, few, many(21, { history: "truncated" }, 9_999)])
  strictEqual(topWallets.length, topWalletsMax)
  equal(topWallets.map(({ stakeUsd }) => stakeUsd), [
    ...[4_520, 4_480, 4_440, 4_400, 4_360],
    ...[4_320, 4_280, 4_240, 4_200, 4_160],
  ])
  equal(topWallets[0], {
    ...{ pseudonym: wallets[13]?.wallet, wallet: wallets[13]?.wallet, resolvedEntries: 40 },
    ...{ stakeUsd: 4_520, meanEntryPrice: 0.5, winRate: 0.5, label: "neutral" },
  })
})

Deno.test("scorecard() counts a wallet without a label by its first reason", () => {
  const one = many(4)
  const oneEvent = { ...storeOf([one]).whales[0] }
  const { tracked, sums, whales } = storeOf([
    ...[many(0, { history: "reading" }), many(1, { history: "truncated" })],
    ...[many(2, { entries: many(2).entries.slice(0, 29) }), many(3, { entries: [] }), many(5)],
  ])
  const farm = trackedWallet({ wallet: "0xfa", farmed: 5 })
  ok(oneEvent.row !== undefined && oneEvent.computedAt !== undefined)
  const row = { ...oneEvent.row, events: 9 }
  const { coverage } = scorecard({
    ...unscored,
    verdicts,
    tracked: [...tracked, trackedWallet({ wallet: one.wallet }), farm],
    sums,
    whales: [...whales, { computedAt: oneEvent.computedAt, row }],
  })
  equal(coverage.leftOut, { unread: 1, truncated: 1, farms: 1, tooFew: 3 })
  strictEqual(coverage.labeledWallets, 1)
})

Deno.test("scorecard() has the time of the newest calibration, or null without one", () => {
  strictEqual(cardOf([]).computedAt, null)
  strictEqual(cardOf([many(3), many(1)]).computedAt, "2026-11-21T11:59:58.000Z")
})

Deno.test("scorecard() without wallets has zeros and nulls, its method and its disclaimer", () => {
  const { coverage, overall, labels, oddsBands, topWallets, ...rest } = cardOf([])
  withoutFigures(overall)
  equal(rest.sweeps.entries, 0)
  equal([coverage.trackedWallets, coverage.resolvedEntries, labels], [0, 0, {
    follow: 0,
    fade: 0,
    neutral: 0,
  }])
  equal([oddsBands, topWallets], [[], []])
  const { drift, ...movers } = rest.movers
  equal({ predetermined: rest.predetermined, movers }, selfScore(verdicts))
  const { settled, running } = drift.after24h
  equal([settled, new Set(Object.values(running))], [running, new Set([0, null])])
  equal([rest.method.anchor, rest.method.exitsTracked, rest.method.minimumResolved], [
    "entry",
    false,
    30,
  ])
  match(rest.method.reading, /to be neutral.*as if all held the same positions/)
  match(rest.disclaimer, /not the profit or loss.*exits are not tracked.*not financial advice/)
})

/** Without entries every figure is null, and worth none. */
function withoutFigures({ effectiveEntries, ...others }: Scorecard["overall"]): void {
  strictEqual(effectiveEntries, 0)
  equal(new Set(Object.values(others)), new Set([null]))
}

/** Within the rounding of a published rate. */
function near(rounded: number | null, exact: number): void {
  ok(rounded !== null && Math.abs(rounded - exact) <= 0.000_051, `${rounded} is not ${exact}`)
}
