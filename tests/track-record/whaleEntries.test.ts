/**
 * The score of published whale entries through the service: readings of the book, later prices,
 * payouts and corrections, by two replicas.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { Context, Effect } from "effect"
import type { Resolution } from "../../src/markets/domain/resolution.ts"
import { day, hour, minute, second } from "../../src/core/domain/time.ts"
import { type EntryLabel, entrySummary } from "../../src/track-record/domain/entryScore.ts"
import type { ScoreStore } from "../../src/track-record/ScoreStore.ts"
import { WhaleMarketStore } from "../../src/whales/WhaleMarketStore.ts"
import { now } from "../support/movers/market.ts"
import { cancelled, marketOf, onScores as on, paid } from "../support/track-record/scoring.ts"
import { newWhaleItem } from "../support/track-record/whaleItems.ts"

/** Stores markets that ended, as the whale tick does. */
const endOf =
  (ports: Context.Context<WhaleMarketStore>) => (resolutions: ReadonlyArray<Resolution>) =>
    Context.get(ports, WhaleMarketStore).saveResolutions(resolutions, [], now)

const scoreOf = (store: ScoreStore["Service"]) => (label: EntryLabel) =>
  Effect.map(store.entries, (entries) => {
    // Each ten times, in as many events, so that there is a figure.
    const many = entries.flatMap((one) =>
      Array.from({ length: 10 }, (_, n) => ({ ...one, eventKey: `${one.eventKey} ${n}` }))
    )
    return { ...entrySummary(entries).byLabel[label], mean: entrySummary(many).byLabel[label] }
  })

/** An entry in the n-th market, published at noon. */
const entry = (n: number, fields: Partial<Parameters<typeof newWhaleItem>[0]> = {}) =>
  newWhaleItem({ market: marketOf(n), createdAt: now, ...fields })

on(
  "readBooks() reads both sides of each book 1 and 60 minutes after publication",
  Effect.fnUntraced(function* ({ venue, read, publish, store }) {
    yield* publish([entry(0), entry(1, { label: "fade" })])
    venue.books = { 0: [0.49, 0.51, 5_000], 1: [0.49, 0.51, 150] }
    equal((yield* read(now + minute - 1)).readings, {})
    equal((yield* read(now + minute)).readings, { read: 2 })
    venue.books = {}
    equal((yield* read(now + 61 * minute)).readings, { no_book: 2 })
    equal((yield* read(now + day)).readings, {})
    // 150 shares at 0.51 are 77 USD, and as many at 0.51 of the other outcome.
    equal((yield* store.entries).map(({ readings }) => readings), [
      [{ delayMinutes: 1, prices: [0.51, 0.51] }],
      [{ delayMinutes: 1, prices: [null, null] }],
    ])
  }),
)

on(
  "a late reading is missed: not taken as one in time, and not read at all",
  Effect.fnUntraced(function* ({ venue, read, publish, store }) {
    yield* publish([entry(0)])
    venue.books = { 0: [0.49, 0.51, 5_000] }
    equal((yield* read(now + 3 * minute + 1)).readings, { missed: 1 })
    strictEqual(venue.bookRequests, 0)
    venue.down = true
    const down = yield* read(now + 60 * minute)
    equal([down.failed, down.readings], [["books"], {}])
    strictEqual((yield* store.dueReadings(now + hour, 9)).length, 1)
    venue.down = false
    equal((yield* read(now + 62 * minute)).readings, { read: 1 })
    equal((yield* store.entries).map(({ readings }) => readings.length), [1])
  }),
)

on(
  "a venue that answers too late gives no reading in time",
  Effect.fnUntraced(function* ({ venue, read, publish }) {
    yield* publish([entry(0)])
    venue.books = { 0: [0.49, 0.51, 5_000] }
    venue.delayMs = 20 * second
    equal((yield* read(now + 3 * minute - 10 * second)).readings, { missed: 1 })
    equal((yield* read(now + 62 * minute - 20 * second)).readings, { read: 1 })
  }),
)

on(
  "the last result of a market counts, a push pays half, and a cancelled market counts apart",
  Effect.fnUntraced(function* ({ ports, store, tick, publish }) {
    const [end, score] = [endOf(ports), scoreOf(store)]
    yield* publish([
      entry(0, { label: "follow" }),
      entry(0, { label: "fade", outcome: 1, wallet: "0xb", book: { bid: 0.4, ask: 0.44 } }),
      entry(1, { label: "follow", wallet: "0xb" }),
      entry(2, { label: "follow" }),
      entry(3, { label: "follow", book: null }),
    ])
    yield* tick(now + minute)
    yield* end([paid(0, 1), paid(1, 0.5), cancelled(2), paid(3, 1)])
    const roi = (...payouts: ReadonlyArray<number>) =>
      Math.round(
        1e4 * payouts.reduce((to, payout) => to + payout / 0.51 - 1, 0) / payouts.length,
      ) / 1e4
    const { resolved, cancelled: apart, withoutBook, mean } = yield* score("follow")
    equal([resolved, apart, withoutBook, mean.roiAtAsk?.value], [2, 1, 1, roi(1, 0.5)])
    // Fading the second outcome is buying the first, at its own ask.
    const faded = Effect.map(score("fade"), ({ mean }) => mean.roiAtAsk?.value)
    strictEqual(yield* faded, Math.round(1e4 * (1 / 0.44 - 1)) / 1e4)
    yield* end([paid(0, 0)])
    strictEqual((yield* score("follow")).mean.roiAtAsk?.value, roi(0, 0.5))
    strictEqual(yield* faded, -1)
  }),
)
