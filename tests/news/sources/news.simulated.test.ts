/**
 * The adapters of real news over a socket, against the press of a simulated world: they return the
 * published headlines in every format.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Clock, Effect, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import { layer as real } from "../../../src/news/sources/sources.ts"
import { makeNewsArchive, type NewsArchive, outlets } from "../../../src/venues/simulated/news.ts"
import { makeWorld } from "../../../src/venues/simulated/world.ts"
import type { Headline } from "../../../src/news/domain/headline.ts"
import { day } from "../../../src/core/domain/time.ts"
import { type NewsSource, NewsSources } from "../../../src/news/NewsSources.ts"
import type { Decoded } from "../../../src/markets/VenueClient.ts"
import { liveTest, startingAt } from "../../support/effect.ts"
import { feedPath, searchIndex, searchPath, serveNews } from "../../support/news/newsServer.ts"

const startsAt = Date.parse("2026-11-20T12:00:00Z")

interface Setup {
  readonly press: NewsArchive
  readonly sources: ReadonlyArray<NewsSource>
  readonly now: number
}

/** Runs `use` on the real adapters, which read a press with weeks of headlines. */
function withSources(
  use: (setup: Setup) => Effect.Effect<void, unknown>,
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

/** Only headlines up to `now` are compared: more may be published while the test runs. */
function comparable(rows: ReadonlyArray<Headline>, { now }: Setup): ReadonlyArray<string> {
  return rows.filter(({ publishedAt }) => publishedAt <= now && publishedAt > now - 23 * 3_600_000)
    .map(({ title, url, source, publishedAt }) => `${publishedAt} ${url} ${source} ${title}`)
    .toSorted()
}

liveTest(
  "every feed returns its published headlines, in RSS and in Atom, also after a 304",
  () =>
    withSources(Effect.fnUntraced(function* (setup) {
      const { press, sources, now } = setup
      const feeds = sources.filter(({ name }) => outlets.some((outlet) => outlet.name === name))
      strictEqual(feeds.length, outlets.length)
      for (const [n, outlet] of outlets.entries()) {
        const published = comparable(press(outlet, now), setup)
        ok(published.length > 10, `${published.length}`)
        for (let read = 0; read < 2; read++) {
          const answer = yield* feeds[n]?.read([]) ?? Effect.die("no feed")
          equal(comparable(answer.rows, setup), published)
          equal(answer.rejected, {})
        }
      }
    })),
)

liveTest(
  "the search finds the headlines about a topic",
  () =>
    withSources(Effect.fnUntraced(function* (setup) {
      const { press, sources, now } = setup
      const [search] = sources.filter(({ name }) => !outlets.some((outlet) => outlet.name === name))
      ok(search !== undefined)
      for (
        const topic of [["annual inflation"], ["new poll", "lose ground"], ["fisheries treaty"]]
      ) {
        const { rows }: Decoded<Headline> = yield* search.read([topic])
        equal(comparable(rows, setup), comparable(searchIndex(press, [topic], now), setup))
      }
      const none = yield* search.read([["an unknown topic"]])
      equal(none.rows, [])
    })),
)
