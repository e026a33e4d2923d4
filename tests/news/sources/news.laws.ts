/**
 * The laws of the memory of headlines.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Effect, Schema } from "effect"
import type { Headline } from "../../../src/news/domain/headline.ts"
import { hour } from "../../../src/core/domain/time.ts"
import { NewsStore } from "../../../src/news/NewsStore.ts"

const now = Date.UTC(2026, 10, 20, 12)
const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const headline = (url: number, hoursAgo: number, more: Partial<Headline> = {}): Headline => ({
  title: `Title “${url}” — ü 🗞`,
  url: `https://a.example/${url}?q='x'`,
  source: "A",
  publishedAt: now - hoursAgo * hour + 7,
  ...more,
})

/** What is done to a memory, one thing after another; times and addresses meet often. */
const anyDeeds = Arbitrary.array(
  Arbitrary.schema(Schema.Union([
    Schema.Struct({
      do: Schema.tag("add"),
      rows: Schema.Array(Schema.Struct({ url: int(0, 9), hoursAgo: int(0, 6) })).check(
        Schema.isMaxLength(6),
      ),
    }),
    Schema.Struct({
      do: Schema.tag("heard"),
      source: int(0, 2),
      hoursAgo: int(0, 6),
      answered: Schema.Boolean,
    }),
    Schema.Struct({ do: Schema.tag("prune"), hoursAgo: int(0, 6), most: int(0, 8) }),
    Schema.Struct({
      do: Schema.tag("between"),
      fromHoursAgo: int(0, 6),
      toHoursAgo: int(0, 6),
      limit: int(0, 5),
    }),
  ])),
  { maxLength: 12 },
)
type Deeds = typeof anyDeeds extends Arbitrary.Arbitrary<infer A> ? A : never

/** Everything a memory answered, and all it holds in the end. */
const story = (deeds: Deeds) =>
  Effect.gen(function* () {
    const store = yield* NewsStore
    const answers: Array<unknown> = []
    for (const deed of deeds) {
      switch (deed.do) {
        case "add": {
          const rows = deed.rows.map(({ url, hoursAgo }) => headline(url, hoursAgo))
          answers.push(yield* store.add(rows, now))
          break
        }
        case "heard":
          yield* store.heard(`s${deed.source}`, now - deed.hoursAgo * hour, deed.answered)
          break
        case "prune":
          answers.push(yield* store.prune(now - deed.hoursAgo * hour, deed.most))
          break
        case "between": {
          const range = { from: now - deed.fromHoursAgo * hour, to: now - deed.toHoursAgo * hour }
          answers.push(yield* store.between(range, deed.limit))
          break
        }
      }
    }
    return [answers, yield* store.sources, yield* store.between({ from: 0, to: now + hour }, 100)]
  })

export interface NewsLaw {
  readonly name: string
  readonly body: Effect.Effect<void, unknown, NewsStore>
}

export const newsLaws: ReadonlyArray<NewsLaw> = [
  {
    name: "a headline comes back as it was given, the first of its address stands",
    body: Effect.gen(function* () {
      const store = yield* NewsStore
      const rows = [headline(1, 3), headline(2, 1), headline(1, 2, { title: "Another" })]
      equal(yield* store.add(rows, now), 2)
      equal(yield* store.add([headline(2, 0, { source: "B" })], now), 0)
      equal(yield* store.between({ from: 0, to: now + hour }, 9), [headline(2, 1), headline(1, 3)])
      equal(yield* store.add([], now), 0)
    }),
  },
  {
    name: "both ends of a range are in it, and the newest come first",
    body: Effect.gen(function* () {
      const store = yield* NewsStore
      const rows = Array.from({ length: 5 }, (_, n) => headline(n, n))
      yield* store.add(rows, now)
      const range = { from: rows[3]?.publishedAt ?? 0, to: rows[1]?.publishedAt ?? 0 }
      equal(yield* store.between(range, 9), rows.slice(1, 4))
      equal(yield* store.between(range, 2), rows.slice(1, 3))
    }),
  },
  {
    name: "a title of any characters harms no other",
    body: Effect.gen(function* () {
      const store = yield* NewsStore
      const odd = ["a\0b", "\ud800", "'; DROP TABLE headline; --", "{}", '"', "\\u0000"]
      const rows = odd.map((title, n) => headline(n, n, { title }))
      equal(yield* store.add(rows, now), odd.length)
      equal((yield* store.between({ from: 0, to: now + hour }, 99)).length, odd.length)
    }),
  },
  {
    name: "more than one statement takes are all kept",
    body: Effect.gen(function* () {
      const store = yield* NewsStore
      const rows = Array.from({ length: 1_203 }, (_, n) => headline(n, 1))
      equal(yield* store.add(rows, now), 1_203)
      equal(yield* store.prune(0, 203), 1_000)
      equal((yield* store.between({ from: 0, to: now }, 9_999)).length, 203)
    }),
  },
  {
    name: "a source that failed keeps the time it last answered, an older word changes nothing",
    body: Effect.gen(function* () {
      const store = yield* NewsStore
      yield* store.heard("a", now - 2 * hour, true)
      yield* store.heard("a", now, false)
      yield* store.heard("a", now - hour, true)
      yield* store.heard("b", now, false)
      equal(yield* store.sources, [
        { name: "a", askedAt: now, answeredAt: now - 2 * hour },
        { name: "b", askedAt: now, answeredAt: null },
      ])
    }),
  },
]

export { anyDeeds, story }
