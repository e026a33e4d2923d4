/**
 * The score of published entries in simulated worlds whose wallets have a known edge: it shows the edge
 * with the right sign, its intervals contain the true return, and without skill they contain the fee.
 *
 * @module
 */
import { ok } from "node:assert/strict"
import { Result } from "effect"
import { microstructure } from "../../src/markets/domain/book.ts"
import { day, type EpochMs, minute } from "../../src/core/domain/time.ts"
import {
  costOf,
  delaysMinutes,
  type EntryLabel,
  EntryScores,
  entrySummary,
  publishedEntry,
  readingOf,
  type ScoredEntry,
} from "../../src/track-record/domain/entryScore.ts"
import {
  checksOf,
  priceOfBought,
  priceOfOutcomeAt,
} from "../../src/track-record/domain/selfScore.ts"
import type { Resolution } from "../../src/markets/domain/resolution.ts"
import type { World } from "../../src/venues/simulated/world.ts"
import { sized } from "../support/size.ts"
import { defaultGroups, type Episode, makeTradingWorld } from "../support/venues/strategies.ts"
import { whaleItem } from "../support/track-record/whaleItems.ts"

const [bettors] = defaultGroups
const group = (edge: number) => {
  if (bettors === undefined) throw new Error("no group")
  return { ...bettors, count: 4, edge, prices: [0.2, 0.8] as const, entriesPerDay: 2 }
}

/** The label that each group's entries are published with: right, wrong for the unskilled, or none. */
const groups = [
  { label: "follow", edge: 0.12 },
  { label: "fade", edge: -0.12 },
  { label: "neutral", edge: 0 },
] as const satisfies ReadonlyArray<{ label: EntryLabel; edge: number }>
type Label = (typeof groups)[number]["label"]

const midAt = (world: World, token: string, at: EpochMs) => {
  const book = world.book(token, at)
  const read = book === undefined ? undefined : microstructure(book)
  return read !== undefined && Result.isSuccess(read) ? read.success : null
}

/** An entry as the service publishes and scores it; null when its market ended before publication. */
function scoredEntry(world: World, feedIndex: number, label: Label, episode: Episode) {
  const { market: planted, outcome } = episode
  const at = Math.ceil(episode.lastFillAt / (10 * minute)) * 10 * minute
  const payouts = world.truth.payouts(planted)
  if (at >= planted.closesAt) return null
  const market = world.listed(planted, at)
  const [token] = market.tokenIds
  const book = midAt(world, token, at)
  const item = whaleItem(feedIndex, {
    ...{ market, outcome, label, wallet: episode.wallet.address, entryPrice: episode.price },
    ...{ createdAt: at, book: book && { bid: book.bestBid, ask: book.bestAsk } },
  })
  const resolution: Resolution = payouts === null
    ? { marketId: market.id, resolvedAt: planted.resolvedAt, source: "book", state: "cancelled" }
    : {
      marketId: market.id,
      resolvedAt: planted.resolvedAt,
      source: "book",
      state: "paid",
      payouts,
    }
  const [later] = checksOf(item, market).flatMap((check) => {
    if (check.kind !== "whale_24h") return []
    const seen = midAt(world, token, check.at)
    const point = seen === null ? null : { at: check.at, mid: seen.mid }
    const price = priceOfOutcomeAt(check.at, point, resolution)
    return [price === null ? "unknown" as const : priceOfBought(check, price)]
  })
  const readings = delaysMinutes.map((delayMinutes) => {
    const dueAt = at + delayMinutes * minute
    return { delayMinutes, result: readingOf({ outcome, dueAt }, world.book(token, dueAt), dueAt) }
  })
  return {
    ...publishedEntry(item, market),
    ...{ result: resolution.state, payout: payouts?.[outcome] ?? null, later, readings },
  } satisfies ScoredEntry
}

/** Scores of one world, and the true mean returns at the ask. */
function play(seed: number) {
  const world = makeTradingWorld({
    ...{ seed, markets: 120, lifeDays: [2, 8], wallets: groups.map(({ edge }) => group(edge)) },
  })
  const { origin } = world.options
  const entries: Array<ScoredEntry> = []
  const truths = new Map<Label, Array<number>>()
  for (const wallet of world.wallets) {
    const { label, edge } = groups.find((one) => one.edge === wallet.group.edge) ?? groups[2]
    for (const episode of world.episodes(wallet, origin, origin + 12 * day)) {
      const scored = episode.hedge ? null : scoredEntry(world, entries.length, label, episode)
      if (scored === null) continue
      entries.push(scored)
      const ask = scored.asks?.[label === "fade" ? 1 : 0] ?? null
      if (ask === null || scored.result !== "paid") continue
      const chance = label === "fade" ? 1 - episode.price - edge : episode.price + edge
      const truth = chance / costOf(ask, scored.feeRate) - 1
      truths.set(label, [...truths.get(label) ?? [], truth])
    }
  }
  const mean = (label: Label) => {
    const of = truths.get(label) ?? []
    return of.reduce((sum, one) => sum + one, 0) / of.length
  }
  return { scores: entrySummary(entries).byLabel, mean }
}

const worlds = Array.from({ length: sized({ short: 24, full: 200 }) }, (_, n) => play(100 + n))

const share = (of: (world: (typeof worlds)[number]) => boolean | null) => {
  const known = worlds.map(of).filter((one) => one !== null)
  ok(known.length >= 0.9 * worlds.length, `only ${known.length} worlds have a figure`)
  return known.filter((one) => one).length / known.length
}

type Scored = (typeof EntryScores.Type)[Label]

const meanOver = (figure: (score: Scored) => { readonly value: number } | null, label: Label) => {
  const known = worlds.flatMap(({ scores }) => figure(scores[label])?.value ?? [])
  return known.reduce((sum, one) => sum + one, 0) / known.length
}

for (const { label } of groups) {
  Deno.test(`the interval of ${label} entries contains the true return at the ask`, () => {
    const covered = share(({ scores, mean }) => {
      const { roiAtAsk } = scores[label]
      return roiAtAsk && roiAtAsk.low <= mean(label) && mean(label) <= roiAtAsk.high
    })
    ok(covered >= 0.87, `${covered}`)
  })
}

Deno.test("followed winners and faded losers have a positive return, and the others lose the fee", () => {
  const roi = ({ roiAtAsk }: Scored) => roiAtAsk
  ok(meanOver(roi, "follow") > 0.1, `${meanOver(roi, "follow")}`)
  ok(meanOver(roi, "fade") > 0.05, `${meanOver(roi, "fade")}`)
  const neutral = meanOver(roi, "neutral")
  ok(neutral < 0.01 && neutral > -0.1, `${neutral}`)
  const proven = share(({ scores }) => scores.neutral.roiAtAsk && scores.neutral.roiAtAsk.low > 0)
  ok(proven <= 0.1, `${proven} of the worlds show a return without skill`)
})

Deno.test("the price of wallets with an edge rises in the day after; without, it does not", () => {
  const later = ({ closingLine }: Scored) => closingLine.fromEntryPrice
  ok(meanOver(later, "follow") > 0.03, `${meanOver(later, "follow")}`)
  ok(meanOver(later, "fade") > 0.03, `${meanOver(later, "fade")}`)
  ok(Math.abs(meanOver(later, "neutral")) < 0.02, `${meanOver(later, "neutral")}`)
})

Deno.test("a copy of 100 USD made a minute later still gains from wallets with an edge", () => {
  const later = meanOver(({ byDelay }) => byDelay[0]?.roi ?? null, "follow")
  ok(later > 0.05, `${later}`)
})
