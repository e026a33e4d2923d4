/**
 * Worlds for the pages: one with something to show on every page, under given names, and one that
 * has just started.
 *
 * @module
 */
import { Clock, Effect, Ref } from "effect"
import { sampleItems, sampleScorecard } from "../catalog/samples.ts"
import { day, hour, isoTime, minute } from "../../../src/core/domain/time.ts"
import { digestEvery } from "../../../src/digest/domain/digest.ts"
import type { FeedItem } from "../../../src/feed/domain/item.ts"
import { Slug } from "../../../src/markets/domain/market.ts"
import { storedDigest } from "../digest/storedDigests.ts"
import { endingMarket, pricesOver } from "../products.ts"
import { makeWorld } from "./httpService.ts"

/** The names of things that strangers choose. */
export interface Names {
  readonly question: string
  readonly slug: string
  readonly pseudonym: string
  readonly digestTitle: string
  readonly headline: string
  readonly outcome: string
}

export const plainNames: Names = {
  question: "Will the bridge open?",
  slug: "name-plain",
  pseudonym: "A Wallet",
  digestTitle: "The bridge repriced",
  headline: "The bridge is nearly done",
  outcome: "Yes",
}

const itemCount = 50
const digestCount = 8

/** The n-th item: all types in turn, and five items on each market. */
function itemOf(n: number, at: number, { question, slug, ...names }: Names): FeedItem {
  const sample = sampleItems[n % sampleItems.length] ?? sampleItems[0]
  const number = Math.floor(n / 5)
  const { outcome, headline, pseudonym } = names
  const market = {
    ...sample.data.market,
    question: `${question} ${number}`,
    slug: `${slug}-${number}`,
    url: `https://venue.example/market/${encodeURIComponent(slug)}-${number}`,
    outcomes: [outcome, `Not ${outcome}`] as const,
  }
  const shared = { feedIndex: n + 1, createdAt: isoTime(at), title: market.question }
  switch (sample.type) {
    case "mover":
      return { ...sample, ...shared, data: { ...sample.data, market, outcome } }
    case "whale_entry":
      return { ...sample, ...shared, data: { ...sample.data, market, outcome, pseudonym } }
    case "predetermined": {
      const evidence = [{ ...sample.data.evidence[0], title: headline }] as const
      return { ...sample, ...shared, data: { ...sample.data, market, outcome, evidence } }
    }
  }
}

/** A world with a long record, a full feed, a week of prices and digests, under these names. */
export const filledWorld = Effect.fnUntraced(function* (names: Names = plainNames) {
  const world = yield* makeWorld(0)
  const now = yield* Clock.currentTimeMillis
  const items = Array.from(
    { length: itemCount },
    (_, n) => itemOf(n, now - (itemCount - n) * 40 * minute, names),
  )
  yield* Ref.set(world.items, items)
  // The last prices are those of the last tick, so that the pulse has movers.
  yield* Ref.set(world.lastTickAt, now)
  yield* Ref.set(world.scorecard, sampleScorecard(now))
  yield* world.digests.prune(Number.MAX_SAFE_INTEGER)
  for (let n = 0; n < digestCount; n++) {
    yield* world.digests.add(storedDigest(now - n * digestEvery, names.digestTitle))
  }
  const { markets, series, listed } = world.productPorts
  const named = Array.from({ length: itemCount / 5 }, (_, n) =>
    endingMarket(n + 1, now + day, {
      slug: Slug.make(`${names.slug}-${n}`),
      question: `${names.question} ${n}`,
    }))
  yield* Ref.set(markets, named)
  yield* Ref.set(listed, named)
  yield* Ref.set(series, pricesOver(7 * day / hour, now, { from: 0.35, to: 0.62 }))
  return world
})

/** A world before its first tick: nothing is published, nothing counted. */
export const emptyWorld = Effect.gen(function* () {
  const world = yield* makeWorld(0)
  yield* Ref.set(world.lastTickAt, null)
  yield* Ref.set(world.productPorts.jobsOkAt, null)
  yield* world.digests.prune(Number.MAX_SAFE_INTEGER)
  return world
})
