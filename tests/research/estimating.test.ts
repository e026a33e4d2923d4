/**
 * What a stated probability is computed from: each record on its own market, and nothing of another.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { sampleScorecard } from "../support/catalog/samples.ts"
import { day, hour, isoTime } from "../../src/core/domain/time.ts"
import type { FeedItem } from "../../src/feed/domain/item.ts"
import { MarketId, Slug } from "../../src/markets/domain/market.ts"
import { quoteOf } from "../../src/markets/domain/quote.ts"
import type { ReportMaterial } from "../../src/research/domain/material.ts"
import { viewOf } from "../../src/research/domain/page.ts"
import type { Scorecard } from "../../src/track-record/domain/scorecard.ts"
import { estimateIn } from "../../src/writing/facts/view.ts"
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
  estimated(...given).basis
    .map(({ ingredient, shift }) => [ingredient, Math.round(1_000 * shift)] as const)

function estimated(
  fields: Partial<ReportMaterial>,
  movers: ReadonlyArray<Mover> = [],
  scorecard = record,
) {
  const material = reportMaterial({ ...quiet, ...fields })
  const estimate = estimateIn(viewOf(material), scorecard, movers, material.priceAction)
  if (estimate === null) throw new Error("no price")
  return estimate
}

Deno.test("a market that ends soon has no interval", () => {
  const later = estimated({})
  equal([(later.dayLow ?? 0) > 0.1, (later.dayHigh ?? 1) < 0.9], [true, true])
  for (const ends of [{ endsAt: now }, { endsAt: own.endsAt, gameStartsAt: now + day }]) {
    const { dayLow, dayHigh } = estimated({ market: market(ends) })
    equal([dayLow, dayHigh], [null, null])
  }
})

Deno.test("a published move of the market counts for what is left of its day, by its own record", () => {
  equal(basisOf({}), [])
  equal(basisOf({}, [rose("another-market")]), [])
  equal(basisOf({}, [rose(own.slug.toUpperCase())]), [["move", 25]])
  equal(basisOf({}, [rose(own.slug, { delta: -0.2 })]), [["move", -25]])
  equal(basisOf({}, [rose(own.slug, { phase: "running" })]), [["move", -40]])
  const worse = { ...record, estimates: { ...record.estimates, comparison: "worse" as const } }
  equal(basisOf({}, [rose(own.slug)], worse), [])
})

Deno.test("a doubted proposal counts, by its outcome; a disputed or decided one does not", () => {
  const proposal = (outcome: 0 | 1, disputed = false) => ({
    proposal: { marketId: own.id, outcome, proposedAt: now - hour, settlesAt: null, disputed },
  })
  const [[ingredient, up] = []] = basisOf(proposal(0))
  equal(ingredient, "proposal")
  equal(basisOf(proposal(1)), [["proposal", -(up ?? 0)]])
  equal(basisOf(proposal(0, true)), [])
  const fresh = { ...proposal(0).proposal, proposedAt: now - hour + 1 }
  equal(basisOf({ proposal: fresh }), [])
  equal(basisOf({ ...proposal(0), book: bookWith({ mid: 0.3 }) }), [])
  equal(basisOf({ ...proposal(0), book: bookWith({ mid: 0.98, spread: 0.01 }) }), [])
})

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

Deno.test("entries of labelled wallets count, no market maker's and none without a label", () => {
  const [[ingredient, up = 0] = []] = basisOf({ entries: [entryOf("follow")] })
  equal([ingredient, up > 20], ["wallets", true])
  equal(basisOf({ entries: [entryOf("follow", { outcome: 1 })] }), [["wallets", -up]])
  equal(basisOf({ entries: [entryOf("fade")] }), [["wallets", -up]])
  for (const entry of [entryOf("neutral"), entryOf("follow", { marketMaker: true })]) {
    equal(basisOf({ entries: [entry] }), [])
  }
})

Deno.test("an entry counts until a headline is read against its side", () => {
  const counts = (bears: "for" | "against" | null, at: number, label: "follow" | "fade") => {
    const one = story([headline({ publishedAt: now - at })], {
      reading: { outcome: own.outcomes[0], bears, decides: false, quote: "lit" },
    })
    const news = { stories: [one], sources: 1, answered: 1 }
    const entry = entryOf(label, { firstFillAt: now - 3 * hour })
    return basisOf({ entries: [entry], news }).length
  }
  equal(counts("against", 2 * hour, "follow"), 0)
  equal(counts("for", 2 * hour, "fade"), 0)
  for (const bears of ["for", null] as const) equal(counts(bears, hour, "follow"), 1)
  equal(counts("against", 4 * hour, "follow"), 1)
})

Deno.test("quotes of the event's ladder bound the probability; an old quote under a proposal does not", () => {
  const rung = (limit: number) => `Will inflation in Norland be above ${limit}.5% in November 2026?`
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
  equal(basisOf(ladder(null)), [["ladder", 100]])
  const proposed = { marketId: other.id, outcome: 0, proposedAt: now, settlesAt: null } as const
  equal(basisOf(ladder({ ...proposed, disputed: false })), [])
  equal(basisOf(ladder({ ...proposed, disputed: true })), [["ladder", 100]])
})

Deno.test("bids of the exclusive outcomes of its event leave it no more than the rest", () => {
  const rival = market({
    ...{ id: MarketId.make("m2"), slug: Slug.make("rival"), exclusive: true },
    eventSlug: own.eventSlug,
  })
  const bounded = (bidShares: number) => ({
    market: { ...own, exclusive: true },
    siblings: {
      complete: false,
      markets: [{
        ...{ market: rival, proposal: null },
        quote: quoteOf({ bestBid: 0.6, bestAsk: 0.62, bidShares }),
      }],
    },
  })
  equal(basisOf(bounded(200)), [["ladder", -100]])
  equal(basisOf(bounded(100)), [], "60 USD are too little to bound anything")
})
