/**
 * The news of a simulated world: stories are about its events, and never before them.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import type { SimulatedMarket } from "../../../src/venues/simulated/catalogue.ts"
import {
  type Article,
  feedOf,
  feedRowsMax,
  indexName,
  indexRowsMax,
  layer,
  makeNewsArchive,
  outlets,
  searchIndex,
  storiesAbout,
} from "../../../src/venues/simulated/news.ts"
import { devWorld } from "../../../src/venues/simulated/venue.ts"
import type { World } from "../../../src/venues/simulated/world.ts"
import type { Headline } from "../../../src/news/domain/headline.ts"
import { day, hour, minute } from "../../../src/core/domain/time.ts"
import { type NewsSource, NewsSources } from "../../../src/news/NewsSources.ts"
import { test } from "../../support/effect.ts"

const world = devWorld(1)
const start = world.options.origin + 20 * day
const archive = makeNewsArchive(world)

/** Markets around the start: the live one of each slot and the two before it. */
function lives(of: World = world): ReadonlyArray<SimulatedMarket> {
  return Array.from({ length: of.catalogue.slots }, (_, slot) => {
    const { generation } = of.catalogue.at(slot, start)
    return [0, 1, 2].map((ago) => of.catalogue.generation(slot, generation - ago))
  }).flat()
}

const week = { from: start - 7 * day, to: start }
const published: ReadonlyArray<Article> = outlets.flatMap((outlet) =>
  archive.published(outlet, week)
)

const read = (sources: ReadonlyArray<NewsSource>, topics: ReadonlyArray<ReadonlyArray<string>>) =>
  Effect.map(
    Effect.forEach(sources, (source) => source.read(topics)),
    (answers) => answers.flatMap(({ rows }): ReadonlyArray<Headline> => rows),
  )

Deno.test("every category has stories, and mechanical markets have none", () => {
  const written = new Map<string, number>()
  for (const market of lives()) {
    const stories = storiesAbout(world, market)
    if (market.kind === "mechanical") equal(stories, [])
    else written.set(market.category, (written.get(market.category) ?? 0) + stories.length)
  }
  ok(written.size >= 8, [...written.keys()].join())
  for (const [category, count] of written) ok(count > 10, `${category}: ${count}`)
  ok(!published.some(({ title }) => title.includes("undefined")))
})

Deno.test("a story about an outcome appears after it exists, and reports the right one", () => {
  let [checked, wrong] = [0, 0]
  for (const market of lives()) {
    const stories = storiesAbout(world, market)
    const done = stories.find(({ kind }) => kind === "done")
    const misreport = stories.find(({ kind }) => kind === "misreport")
    const correction = stories.find(({ kind }) => kind === "correction")
    for (const story of [done, misreport, correction]) {
      ok(story === undefined || story.at > market.closesAt, "before the outcome exists")
    }
    ok((misreport === undefined) === (correction === undefined))
    if (misreport !== undefined) {
      ok(world.truth.firstProposalIsWrong(market) && (correction?.at ?? 0) > misreport.at)
      wrong++
    }
    if (market.category !== "Geopolitics") continue
    const yes = world.truth.payouts(market)?.[0] === 1
    for (
      const [story, reportsYes] of [[done, yes], [misreport, !yes], [correction, yes]] as const
    ) {
      if (story === undefined) continue
      ok(story.title.includes("do not sign") !== reportsYes, `${market.question} ${story.title}`)
      checked++
    }
  }
  ok(checked > 30 && wrong > 10, `${checked} checked, ${wrong} wrong`)
})

Deno.test("a story near a jump reports its direction, and is before or after it as its kind says", () => {
  const ways = { before_jump: 0, after_jump: 0 }
  for (const market of lives()) {
    const jumps = world.truth.jumps(market, market.opensAt, market.closesAt)
    for (const { kind, at, title } of storiesAbout(world, market)) {
      if (kind !== "before_jump" && kind !== "after_jump") continue
      const sign = kind === "before_jump" ? 1 : -1
      const near = jumps.filter((jump) => {
        const ahead = sign * (jump.at - at)
        return ahead >= -1_000 && ahead <= 45 * minute
      })
      ok(near.length > 0 || at === market.opensAt, "no jump is near")
      if (market.category === "Politics" && near.length === 1) {
        const [jump] = near
        const rises = (jump?.to ?? 0) > (jump?.from ?? 0)
        ok(title.includes(rises ? " gain in " : " lose ground in "), title)
      }
      ways[kind]++
    }
  }
  ok(ways.before_jump > 50 && ways.after_jump > 50, JSON.stringify(ways))
})

Deno.test("headlines about a market share words with its question", () => {
  const wordsOf = (text: string) =>
    new Set(text.toLowerCase().match(/[\p{L}\d.%°]{3,}/gu)?.map((word) => word.replace(/s$/, "")))
  let about = 0
  for (const { title, kind, marketId } of published) {
    if (marketId === null) {
      ok(kind === "noise")
      continue
    }
    const words = wordsOf(world.catalogue.byId(marketId)?.question ?? "")
    const shared = [...wordsOf(title)].filter((word) => words.has(word)).length
    const least = kind === "before_jump" || kind === "after_jump" ? 1 : 2
    ok(shared >= least, `${title} shares ${shared}`)
    about++
  }
  const noise = published.length - about
  ok(about > 500 && noise > 200, `${about} about markets, ${noise} not`)
})

Deno.test("articles do not depend on earlier calls, and each URL is one headline", () => {
  const fresh = makeNewsArchive(devWorld(1))
  for (const outlet of outlets) {
    const parts = [4, 3, 2, 1].flatMap((quarter) =>
      fresh.published(outlet, {
        from: week.from + (quarter - 1) * (7 * day / 4) + (quarter === 1 ? 0 : 1),
        to: week.from + quarter * (7 * day / 4),
      })
    )
    equal(parts, archive.published(outlet, week))
  }
  equal(new Set(published.map(({ url }) => url)).size, published.length)
  for (const { url, publishedAt, source } of published) {
    const { protocol, hostname, pathname } = new URL(url)
    ok(protocol === "https:" && hostname.endsWith(".example") && pathname.length < 120, url)
    ok(publishedAt >= week.from && publishedAt <= week.to && publishedAt % 1_000 === 0)
    ok(outlets.some(({ name }) => name === source))
  }
  ok(
    new Set(published.map(({ title }) => title)).size < published.length,
    "no story is published by two outlets",
  )
})

test("the sources return articles of the last day, newest first, within their limits", () =>
  Effect.gen(function* () {
    const sources = yield* NewsSources
    equal(sources.map(({ name }) => name), [...outlets.map(({ name }) => name), indexName])
    let earlier = new Map<string, ReadonlyArray<Headline>>()
    for (let look = 0; look < 30; look++) {
      const at = start + look * 67 * minute
      yield* TestClock.setTime(at)
      const now = yield* Clock.currentTimeMillis
      for (const source of sources) {
        const { rows, rejected } = yield* source.read([["sign"], ["annual", "inflation"]])
        equal(rejected, {})
        ok(rows.length <= (source.name === indexName ? indexRowsMax : feedRowsMax))
        ok(rows.every(({ publishedAt }) => publishedAt <= now && publishedAt >= now - day))
        ok(rows.every((row, n) => row.publishedAt <= (rows[n - 1]?.publishedAt ?? Infinity)))
      }
      const feeds = new Map<string, ReadonlyArray<Headline>>()
      for (const feed of sources.slice(0, -1)) {
        const { rows } = yield* feed.read([])
        feeds.set(feed.name, rows)
        const known = new Set(rows.map(({ url }) => url))
        ok(
          rows.length >= feedRowsMax ||
            (earlier.get(feed.name) ?? []).every(({ url, publishedAt }) =>
              publishedAt < now - 20 * hour || known.has(url)
            ),
          `a headline of ${feed.name} disappeared`,
        )
      }
      earlier = feeds
    }
  }).pipe(Effect.provide(layer(world))))

Deno.test("feeds and search results keep the newest rows within their limits", () => {
  const rows = Array.from({ length: 200 }, (_, n): Article => ({
    ...{ title: `Lighthouse ${n}`, url: `https://x.example/${n}`, source: "x" },
    ...{ publishedAt: start - n * minute, kind: "noise", marketId: null },
  }))
  const busy = { published: () => rows }
  equal(
    outlets.map((outlet) => feedOf(busy, outlet, start)),
    outlets.map(() => rows.slice(0, feedRowsMax)),
  )
  const all = searchIndex(busy, [["lighthouse"]], start)
  equal([all.length, all[0]?.publishedAt], [indexRowsMax, start])
})

test("searchIndex() finds exactly the headlines with all words of a topic", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const sources = yield* NewsSources
    const feeds = yield* read(sources.slice(0, -1), [])
    const index = sources.slice(-1)
    equal(yield* read(index, []), [])
    equal(yield* read(index, [[]]), [])
    for (const topic of [["Inflation", "annual"], ["win", "seats"], ["an", "unknown", "topic"]]) {
      const matches = ({ title }: Headline) =>
        topic.every((word) => title.toLowerCase().includes(word.toLowerCase()))
      const rows = yield* read(index, [topic, []])
      ok(rows.every(matches))
      const urls = new Set(rows.map(({ url }) => url))
      ok(rows.length === indexRowsMax || feeds.filter(matches).every(({ url }) => urls.has(url)))
      ok(rows.every(({ source, url }) => new URL(url).hostname === source))
    }
    ok((yield* read(index, [["inflation"]])).length > 0)
  }).pipe(Effect.provide(layer(world))))
