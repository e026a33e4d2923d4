/**
 * What a stated probability is computed from: each record on its own market, and nothing of another.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect, Fiber, References } from "effect"
import { TestClock } from "effect/testing"
import { sampleScorecard } from "../support/catalog/samples.ts"
import { day, hour, isoTime } from "../../src/core/domain/time.ts"
import type { FeedItem } from "../../src/feed/domain/item.ts"
import { MarketId, Slug } from "../../src/markets/domain/market.ts"
import { quoteOf } from "../../src/markets/domain/quote.ts"
import type { ReportMaterial } from "../../src/research/domain/material.ts"
import { estimateOn, readEstimate, storeEstimate } from "../../src/research/estimating.ts"
import type { Scorecard } from "../../src/track-record/domain/scorecard.ts"
import { test } from "../support/effect.ts"
import { sampleItem } from "../support/feed/items.ts"
import { market, now } from "../support/movers/market.ts"
import { whaleRow } from "../support/products.ts"
import {
  bookWith,
  headline,
  openEntry,
  reportMaterial,
  story,
} from "../support/research/reports.ts"

type Mover = Extract<FeedItem, { type: "mover" }>

const card = sampleScorecard(now)
const drifting = (meanDrift: number) => ({
  ...card.movers.drift.after24h.settled,
  ...{ meanDrift, driftLow: meanDrift - 0.001, driftHigh: meanDrift + 0.001 },
})
const { byKind } = card.predetermined
const upheld = { proposals: 200, upheld: 190, upheldRate: 0, upheldRateLow: 0, upheldRateHigh: 0 }

/** Settled movers go on by 5 cents and running ones back by 8; proposals at 0.60 are upheld 19 times in 20. */
const record: Scorecard = {
  ...card,
  predetermined: {
    ...card.predetermined,
    byKind: {
      ...byKind,
      proposal: { ...byKind.proposal, record: upheld, meanPrice: 0.6 },
    },
  },
  movers: {
    ...card.movers,
    drift: {
      ...card.movers.drift,
      after24h: { settled: drifting(0.05), running: drifting(-0.08) },
    },
  },
}

const rose = (slug: string, fields: Partial<Mover["data"]> = {}): Mover => {
  const item = sampleItem(1, now - 12 * hour)
  if (item.type !== "mover") throw new Error(item.type)
  const data = { ...item.data, market: { ...item.data.market, slug }, delta: 0.2, ...fields }
  return { ...item, createdAt: isoTime(now - 12 * hour), data }
}

const own = market({ endsAt: now + 10 * day })
const quiet = { book: bookWith({ mid: 0.5 }), entries: [], market: own }

/** The ingredients of the estimate, and their shifts in thousandths. */
const basisOf = (...given: Parameters<typeof estimated>) =>
  Effect.map(
    estimated(...given),
    ({ basis }) =>
      basis.map(({ ingredient, shift }) => [ingredient, Math.round(1_000 * shift)] as const),
  )

const estimated = (
  fields: Partial<ReportMaterial>,
  movers: ReadonlyArray<Mover> = [],
  scorecard = record,
) =>
  estimateOn({
    feed: { moversSince: () => Effect.succeed(movers) },
    scores: { addForecasts: () => Effect.void },
    trackRecord: { scorecard: Effect.succeed(scorecard) },
  }, reportMaterial({ ...quiet, ...fields }))

test("a market that ends soon has no interval", () =>
  Effect.gen(function* () {
    const later = yield* estimated({})
    equal([(later.low ?? 0) > 0.1, (later.high ?? 1) < 0.9], [true, true])
    for (const ends of [{ endsAt: now }, { endsAt: own.endsAt, gameStartsAt: now + day }]) {
      const { low, high } = yield* estimated({ market: market(ends) })
      equal([low, high], [null, null])
    }
  }))

test("a published move of the market counts for what is left of its day, by its own record", () =>
  Effect.gen(function* () {
    equal(yield* basisOf({}), [])
    equal(yield* basisOf({}, [rose("another-market")]), [])
    equal(yield* basisOf({}, [rose(own.slug.toUpperCase())]), [["move", 25]])
    equal(yield* basisOf({}, [rose(own.slug, { delta: -0.2 })]), [["move", -25]])
    equal(yield* basisOf({}, [rose(own.slug, { phase: "running" })]), [["move", -40]])
    const worse = { ...record, estimates: { ...record.estimates, comparison: "worse" as const } }
    equal(yield* basisOf({}, [rose(own.slug)], worse), [])
  }))

test("a doubted proposal counts, by its outcome; a disputed or decided one does not", () =>
  Effect.gen(function* () {
    const proposal = (outcome: 0 | 1, disputed = false) => ({
      proposal: { marketId: own.id, outcome, proposedAt: now - hour, settlesAt: null, disputed },
    })
    const [[ingredient, up] = []] = yield* basisOf(proposal(0))
    equal(ingredient, "proposal")
    equal(yield* basisOf(proposal(1)), [["proposal", -(up ?? 0)]])
    equal(yield* basisOf(proposal(0, true)), [])
    const fresh = { ...proposal(0).proposal, proposedAt: now - hour + 1 }
    equal(yield* basisOf({ proposal: fresh }), [])
    equal(yield* basisOf({ ...proposal(0), book: bookWith({ mid: 0.3 }) }), [])
    equal(yield* basisOf({ ...proposal(0), book: bookWith({ mid: 0.98, spread: 0.01 }) }), [])
  }))

test("no estimate after trading has ended, nor one that is not read or stored", () =>
  Effect.gen(function* () {
    let stored = 0
    const ports = {
      feed: { moversSince: () => Effect.succeed([]) },
      scores: { addForecasts: () => Effect.sync(() => void stored++) },
      trackRecord: { scorecard: Effect.succeed(record) },
    }
    const open = reportMaterial(quiet)
    const estimate = yield* readEstimate(ports, open)
    equal(estimate?.probability, 0.5)
    for (const status of ["resolved", "closed"] as const) {
      const ended = reportMaterial({ ...quiet, market: { ...own, status } })
      equal(yield* readEstimate(ports, ended), null)
    }
    const unread = { ...ports, trackRecord: { scorecard: Effect.die("down") } }
    equal(yield* readEstimate(unread, open), null)
    equal(yield* storeEstimate(ports, open), true)
    equal(stored, 0)
    equal(yield* storeEstimate(ports, { ...open, estimate }), true)
    equal(stored, 1)
    const faults: ReadonlyArray<Effect.Effect<never>> = [Effect.die("down"), Effect.never]
    for (const fault of faults) {
      const faulty = { ...ports, scores: { addForecasts: () => fault } }
      const storing: Fiber.Fiber<boolean> = yield* Effect.forkChild(
        storeEstimate(faulty, { ...open, estimate }),
      )
      yield* TestClock.adjust("2 seconds")
      equal(yield* Fiber.join(storing), false)
    }
  }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

const band = (winRate: number) => ({
  ...{ band: "", from: 0.5, to: 0.75, entries: 400, meanEntryPrice: 0.55, winRate },
  ...{ winRateLow: 0, winRateHigh: 1, followRoi: 0.1, fadeRoi: null },
})
const entryOf = (label: "follow" | "fade" | "neutral", fields: object = {}) =>
  openEntry({
    price: 0.5,
    calibration: {
      computedAt: now - day,
      row: whaleRow({
        ...{ label, resolved: 400, meanEntryPrice: 0.55, edgeLow: 0.05, edgeHigh: 0.15 },
        oddsBands: [band(label === "fade" ? 0.45 : 0.65)],
      }),
    },
    ...fields,
  })

test("entries of labelled wallets count, no market maker's and none without a label", () =>
  Effect.gen(function* () {
    const [[ingredient, up = 0] = []] = yield* basisOf({ entries: [entryOf("follow")] })
    equal([ingredient, up > 20], ["wallets", true])
    equal(yield* basisOf({ entries: [entryOf("follow", { outcome: 1 })] }), [["wallets", -up]])
    equal(yield* basisOf({ entries: [entryOf("fade")] }), [["wallets", -up]])
    for (const entry of [entryOf("neutral"), entryOf("follow", { marketMaker: true })]) {
      equal(yield* basisOf({ entries: [entry] }), [])
    }
  }))

test("an entry counts until a headline is read against its side", () =>
  Effect.gen(function* () {
    const counts = (bears: "for" | "against" | null, at: number, label: "follow" | "fade") => {
      const one = story([headline({ publishedAt: now - at })], {
        reading: { outcome: own.outcomes[0], bears, decides: false, quote: "lit" },
      })
      const news = { stories: [one], sources: 1, answered: 1 }
      const entry = entryOf(label, { firstFillAt: now - 3 * hour })
      return Effect.map(basisOf({ entries: [entry], news }), ({ length }) => length)
    }
    equal(yield* counts("against", 2 * hour, "follow"), 0)
    equal(yield* counts("for", 2 * hour, "fade"), 0)
    for (const bears of ["for", null] as const) equal(yield* counts(bears, hour, "follow"), 1)
    equal(yield* counts("against", 4 * hour, "follow"), 1)
  }))

test("quotes of the event's ladder bound the probability; an old quote under a proposal does not", () =>
  Effect.gen(function* () {
    const rung = (limit: number) =>
      `Will inflation in Norland be above ${limit}.5% in November 2026?`
    const other = market({
      ...{ id: MarketId.make("m2"), slug: Slug.make("harder"), question: rung(5) },
      endsAt: own.endsAt,
    })
    const ladder = (proposal: ReportMaterial["proposal"]) => ({
      market: { ...own, question: rung(4) },
      siblings: {
        complete: true,
        markets: [{
          market: other,
          quote: quoteOf({ bestBid: 0.6, bestAsk: 0.62, bidShares: 200 }),
          proposal,
        }],
      },
    })
    equal(yield* basisOf(ladder(null)), [["ladder", 100]])
    const proposed = { marketId: other.id, outcome: 0, proposedAt: now, settlesAt: null } as const
    equal(yield* basisOf(ladder({ ...proposed, disputed: false })), [])
    equal(yield* basisOf(ladder({ ...proposed, disputed: true })), [["ladder", 100]])
  }))
