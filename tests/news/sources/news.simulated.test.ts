/**
 * The adapters of real news over a socket, against the press of a simulated world: they hear what was
 * published, each form of it.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Clock, Effect, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import { layer as real } from "../../../src/news/sources/sources.ts"
import {
  feedOf,
  makeNewsArchive,
  type NewsArchive,
  outlets,
  searchIndex,
} from "../../../src/venues/simulated/news.ts"
import { makeWorld } from "../../../src/venues/simulated/world.ts"
import type { Headline } from "../../../src/news/domain/headline.ts"
import { day } from "../../../src/core/domain/time.ts"
import { type NewsSource, NewsSources } from "../../../src/news/NewsSources.ts"
import type { Decoded } from "../../../src/markets/VenueClient.ts"
import { liveTest, startingAt } from "../../support/effect.ts"
import { feedPath, searchPath, serveNews } from "../../support/news/newsServer.ts"

const startsAt = Date.parse("2026-11-20T12:00:00Z")

interface Heard {
  readonly press: NewsArchive
  readonly sources: ReadonlyArray<NewsSource>
  readonly now: number
}

/** Runs `use` on the real adapters, which read a press that has been at work for weeks. */
function hearing(
  use: (heard: Heard) => Effect.Effect<void, unknown>,
): Effect.Effect<void, unknown, Scope.Scope> {
  const used = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const world = makeWorld({ seed: 4, markets: 120, origin: now - 20 * day, laggardShare: 0.5 })
    const url = yield* serveNews(world)
    const feeds = outlets.map(({ name }, n) => ({ name, url: url + feedPath(n) }))
    const sources = yield* Effect.flatMap(NewsSources, Effect.succeed).pipe(
      Effect.provide(real({
        feeds,
        ...{ gdelt: true, gdeltUrl: url + searchPath, home: "https://bellwether.example" },
        limits: { gdeltEveryMs: 1 },
      })),
      Effect.provide(FetchHttpClient.layer),
    )
    yield* use({ press: makeNewsArchive(world), sources, now })
  })
  return startingAt(startsAt, used)
}

/** What was out a moment ago is compared: more may come out while the test runs. */
function known(rows: ReadonlyArray<Headline>, { now }: Heard): ReadonlyArray<string> {
  return rows.filter(({ publishedAt }) => publishedAt <= now && publishedAt > now - 23 * 3_600_000)
    .map(({ title, url, source, publishedAt }) => `${publishedAt} ${url} ${source} ${title}`)
    .toSorted()
}

liveTest(
  "every feed is heard as it was published, in RSS and in Atom, and again unchanged",
  () =>
    hearing(Effect.fnUntraced(function* (heard) {
      const { press, sources, now } = heard
      const feeds = sources.filter(({ name }) => outlets.some((outlet) => outlet.name === name))
      strictEqual(feeds.length, outlets.length)
      for (const [n, outlet] of outlets.entries()) {
        const published = known(feedOf(press, outlet, now), heard)
        ok(published.length > 10, `${published.length}`)
        for (let time = 0; time < 2; time++) {
          const answer = yield* feeds[n]?.read([]) ?? Effect.die("no feed")
          equal(known(answer.rows, heard), published)
          equal(answer.rejected, {})
        }
      }
    })),
)

liveTest(
  "the search finds what was published about a topic",
  () =>
    hearing(Effect.fnUntraced(function* (heard) {
      const { press, sources, now } = heard
      const [search] = sources.filter(({ name }) => !outlets.some((outlet) => outlet.name === name))
      ok(search !== undefined)
      for (
        const topic of [["annual inflation"], ["new poll", "lose ground"], ["fisheries treaty"]]
      ) {
        const { rows }: Decoded<Headline> = yield* search.read([topic])
        equal(known(rows, heard), known(searchIndex(press, [topic], now), heard))
      }
      const nothing = yield* search.read([["nobody writes this"]])
      equal(nothing.rows, [])
    })),
)
