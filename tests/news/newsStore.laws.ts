/**
 * The laws of every `NewsStore`.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Effect, Schema } from "effect"
import type { Headline } from "../../src/news/domain/headline.ts"
import { hour } from "../../src/core/domain/time.ts"
import { MarketId } from "../../src/markets/domain/market.ts"
import { NewsStore, type StoredVerdict } from "../../src/news/NewsStore.ts"

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

/** Sequences of store operations; times and addresses repeat often. */
export const anyOperations = Arbitrary.array(
  Arbitrary.schema(Schema.Union([
    Schema.Struct({
      do: Schema.tag("add"),
      rows: Schema.Array(
        Schema.Struct({ url: int(0, 9), title: int(0, 3), hoursAgo: int(0, 30) }),
      ).check(Schema.isMaxLength(6)),
    }),
    Schema.Struct({
      do: Schema.tag("saveRead"),
      source: int(0, 2),
      hoursAgo: int(0, 6),
      answered: Schema.Boolean,
    }),
    Schema.Struct({ do: Schema.tag("prune"), hoursAgo: int(0, 6), max: int(0, 8) }),
    Schema.Struct({ do: Schema.tag("since"), hoursAgo: int(0, 30), limit: int(0, 5) }),
    Schema.Struct({ do: Schema.tag("answered"), hoursAgo: int(0, 8) }),
  ])),
  { maxLength: 12 },
)
type Operations = typeof anyOperations extends Arbitrary.Arbitrary<infer A> ? A : never

/** Runs the operations; returns every result and the final content of the store. */
export const runOperations = (operations: Operations) =>
  Effect.gen(function* () {
    const store = yield* NewsStore
    const answers: Array<unknown> = []
    for (const operation of operations) {
      switch (operation.do) {
        case "add": {
          const rows = operation.rows.map(({ url, title, hoursAgo }) =>
            headline(url, hoursAgo, { title: `Title ${title}` })
          )
          answers.push(yield* store.add(rows, now))
          break
        }
        case "saveRead": {
          const { source, hoursAgo, answered } = operation
          yield* store.saveRead(`s${source}`, now - hoursAgo * hour, answered)
          break
        }
        case "prune":
          yield* store.prune(now - operation.hoursAgo * hour, operation.max)
          break
        case "since":
          answers.push(yield* store.since(now - operation.hoursAgo * hour, operation.limit))
          break
        case "answered":
          answers.push(yield* store.answered(now - operation.hoursAgo * hour))
          break
      }
    }
    return [answers, yield* store.answered(0), yield* store.since(0, 100)]
  })

export interface NewsLaw {
  readonly name: string
  readonly body: Effect.Effect<void, unknown, NewsStore>
}

export const newsLaws: ReadonlyArray<NewsLaw> = [
  {
    name:
      "add() stores a headline as it is, the first of an address and of a source's title in a day",
    body: Effect.gen(function* () {
      const store = yield* NewsStore
      const rows = [headline(1, 3), headline(2, 1), headline(1, 2, { title: "Another" })]
      equal(yield* store.add(rows, now), 2)
      equal(yield* store.add([headline(2, 0, { source: "B" })], now), 0)
      equal(yield* store.since(0, 9), [headline(2, 1), headline(1, 3)])
      equal(yield* store.add([], now), 0)
      const { title } = headline(1, 3)
      const again = [headline(3, 2, { title }), headline(4, 2, { title, source: "B" })]
      equal(yield* store.add([...again, headline(5, 3 + 12, { title })], now), 2)
    }),
  },
  {
    name: "add() stores titles of any characters, and the other headlines",
    body: Effect.gen(function* () {
      const store = yield* NewsStore
      const odd = ["a\0b", "\ud800", "'; DROP TABLE headline; --", "{}", '"', "\\u0000"]
      const rows = odd.map((title, n) => headline(n, n, { title }))
      equal(yield* store.add(rows, now), odd.length)
      equal((yield* store.since(0, 99)).length, odd.length)
    }),
  },
  {
    name: "add() stores more headlines than fit into one statement",
    body: Effect.gen(function* () {
      const store = yield* NewsStore
      const rows = Array.from({ length: 1_203 }, (_, n) => headline(n, 1))
      equal(yield* store.add(rows, now), 1_203)
      yield* store.prune(0, 203)
      equal((yield* store.since(0, 9_999)).length, 203)
    }),
  },
  {
    name: "the first verdict on a pair stays, and goes with its headline",
    body: Effect.gen(function* () {
      const store = yield* NewsStore
      const [old, fresh] = [headline(1, 3), headline(2, 1)]
      yield* store.add([old, fresh], now)
      const [m1, m2, m3] = ["m1", "m2", "m3"].map((id) => MarketId.make(id))
      if (m1 === undefined || m2 === undefined || m3 === undefined) return
      const verdict = { outcome: "Ja “x”", bears: "against", decides: true, quote: "ü 🗞" } as const
      const none = { outcome: null, bears: null, decides: false, quote: "Title" } as const
      const rows: ReadonlyArray<StoredVerdict> = [
        { marketId: m1, url: old.url, verdict },
        { marketId: m1, url: fresh.url, verdict: none },
        { marketId: m2, url: fresh.url, verdict: "unrelated" },
      ]
      yield* store.addVerdicts([], now)
      yield* store.addVerdicts(rows, now)
      yield* store.addVerdicts([
        ...rows.map((row) => ({ ...row, verdict: "refused" as const })),
        { marketId: m1, url: "https://a.example/pruned", verdict },
      ], now)
      const of = (...ids: ReadonlyArray<MarketId>) =>
        Effect.map(store.verdicts(ids), (all) => all.toSorted((a, b) => a.url < b.url ? -1 : 1))
      equal([yield* of(), yield* of(m3), yield* of(m1)], [[], [], rows.slice(0, 2)])
      equal(yield* of(m2, m3), rows.slice(2))
      yield* store.prune(now - 2 * hour, 9)
      equal(yield* of(m1), rows.slice(1, 2))
    }),
  },
]
