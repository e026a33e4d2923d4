/**
 * A scripted venue, news service and detector, and the service that looks for predetermined outcomes,
 * on its own store.
 *
 * @module
 */
import { Context, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as detectionStore from "../../../src/predetermined/postgres/detectionStore.ts"
import * as feedStore from "../../../src/feed/postgres/feedStore.ts"
import type { Detection, DetectionQuestion } from "../../../src/predetermined/domain/detection.ts"
import type { Proposal } from "../../../src/markets/domain/proposal.ts"
import { isAbout } from "../../../src/predetermined/domain/headlineChecks.ts"
import { type Market, MarketId, Slug, TokenId } from "../../../src/markets/domain/market.ts"
import type { Headline } from "../../../src/news/domain/headline.ts"
import { rulesDetection } from "../../../src/predetermined/domain/predetermined.ts"
import { hour, minute } from "../../../src/core/domain/time.ts"
import type { ProposalRecord } from "../../../src/feed/domain/item.ts"
import { ContestedRecord } from "../../../src/predetermined/ContestedRecord.ts"
import { Detector } from "../../../src/predetermined/Detector.ts"
import type { ModelFailed } from "../../../src/writing/Model.ts"
import { DetectionStore } from "../../../src/predetermined/DetectionStore.ts"
import { FeedStore } from "../../../src/feed/FeedStore.ts"
import { MarketStore } from "../../../src/markets/MarketStore.ts"
import { News } from "../../../src/news/News.ts"
import { Predetermined } from "../../../src/predetermined/Predetermined.ts"
import { VenueClient, VenueUnavailable } from "../../../src/markets/VenueClient.ts"
import { market, now } from "../movers/market.ts"
import { bookOf } from "../products.ts"
import { embeddedStore } from "../stores.ts"

export const tickIntervalMs = 10 * minute

/** The answers of the ports; a test changes them in place between ticks. */
export interface Script {
  markets: ReadonlyArray<Market>
  proposals: ReadonlyArray<Proposal>
  headlines: ReadonlyArray<Headline>
  /** USD on each side of every book. */
  depthUsd: (market: Market) => number
  /** The best bid of books that have no asks; null for books with both sides. */
  oneSidedAt: number | null
  down: ReadonlySet<"books" | "proposals" | "rules" | "news">
  detector: string
  /** The stored record of contested proposals. */
  record: ProposalRecord | null
  detect: (question: DetectionQuestion) => Effect.Effect<Detection, ModelFailed>
  /** Every question to the detector, in order. */
  readonly questions: Array<DetectionQuestion>
}

export const makeScript = (fields: Partial<Script> = {}): Script => ({
  ...{ markets: [], proposals: [], headlines: [], depthUsd: () => 10_000, down: new Set() },
  ...{ detector: "rules", record: null, oneSidedAt: null },
  detect: (question) => Effect.succeed(rulesDetection(question)),
  ...fields,
  questions: [],
})

export const towns = [
  ...["Marenport", "Ostria", "Tellmark", "Brindle", "Quarrow", "Vessing", "Harrowgate", "Lindholm"],
  ...["Ostermoor", "Calder", "Penrith", "Dunmere"],
]

/** The n-th market; each question is about a different place. */
export const candidate = (n: number, fields: Partial<Market> = {}): Market =>
  market({
    id: MarketId.make(`m${n}`),
    slug: Slug.make(`lighthouse-${n}`),
    question: `Will the ${placeOf(n)} lighthouse be opened?`,
    eventSlug: `event-${n}`,
    tokenIds: [TokenId.make(`yes-${n}`), TokenId.make(`no-${n}`)],
    status: "proposed",
    ...fields,
  })

/** A place name that shares no word with those of other markets. */
const placeOf = (n: number): string =>
  `${towns[n % towns.length]}${"abcdefghijklmnopqrstuvwxyz"[n / 12 | 0]}`

/** A proposal of an hour ago that settles in an hour. */
export const proposed = (n: number, fields: Partial<Proposal> = {}): Proposal => ({
  ...{ marketId: MarketId.make(`m${n}`), outcome: 0, disputed: false },
  ...{ proposedAt: now - hour, settlesAt: now + hour },
  ...fields,
})

/** Two independent headlines that the n-th lighthouse was opened. */
export const litTwice = (n: number): ReadonlyArray<Headline> => [
  litNews(n),
  litNews(n, {
    title: `Visitors climb the lamp as ${placeOf(n)} lighthouse opens`,
    url: `https://post.example/${n}`,
    source: "Post",
  }),
]

/** A headline that the n-th lighthouse was opened. */
export const litNews = (n: number, fields: Partial<Headline> = {}): Headline => ({
  title: `${placeOf(n)} lighthouse opened by the mayor`,
  url: `https://wire.example/${n}`,
  source: "Wire",
  publishedAt: now - 5 * minute,
  ...fields,
})

/** A detector that believes every headline. */
export const credulous = (question: DetectionQuestion): Effect.Effect<Detection> =>
  Effect.succeed({
    determined: true,
    outcome: "Yes",
    confidence: "high",
    decisiveWords: question.evidence.find(({ kind }) => kind === "news")?.title ?? "",
    evidence: question.evidence.filter(({ kind }) => kind === "news").map(({ id }) => id),
  })

const unavailable = (operation: string) => new VenueUnavailable({ operation, reason: "down" })

/** The ports with the answers of the script. */
const scriptedPorts = (of: Script) => {
  const answer = <A>(
    operation: "books" | "proposals" | "rules",
    rows: () => ReadonlyArray<A>,
  ): Effect.Effect<
    { rows: ReadonlyArray<A>; rejected: Record<string, number> },
    VenueUnavailable
  > =>
    Effect.suspend(() =>
      of.down.has(operation)
        ? Effect.fail(unavailable(operation))
        : Effect.succeed({ rows: rows(), rejected: {} })
    )
  const coverage = { sources: 1, answered: 1, lastAt: now }
  const newsAnswer = (headlines: () => ReadonlyArray<Headline>) =>
    Effect.suspend(() =>
      of.down.has("news")
        ? Effect.die("the news is down")
        : Effect.succeed({ headlines: headlines(), coverage })
    )
  return Layer.mergeAll(
    Layer.mock(VenueClient, {
      wallets: null,
      books: (tokens) =>
        answer(
          "books",
          () =>
            of.markets.filter(({ tokenIds }) => tokens.includes(tokenIds[0])).map((market) => {
              const book = bookOf(market, now)
              const size = of.depthUsd(market)
              if (of.oneSidedAt !== null) {
                return { ...book, bids: [{ price: of.oneSidedAt, size }], asks: [] }
              }
              return {
                ...book,
                bids: book.bids.map(({ price }) => ({ price, size })),
                asks: book.asks.map(({ price }) => ({ price, size })),
              }
            }),
        ),
      proposals: (ids) =>
        answer("proposals", () => of.proposals.filter(({ marketId }) => ids.includes(marketId))),
      rules: (ids) =>
        answer("rules", () => ids.map((marketId) => ({ marketId, text: "Lit means lit." }))),
    }),
    Layer.mock(MarketStore, {
      recentlyPriced: () =>
        Effect.sync(() => of.markets.map((market) => ({ market, price: { at: now, mid: 0.6 } }))),
    }),
    Layer.mock(News, {
      recent: () => newsAnswer(() => of.headlines),
      relatedTo: ({ question }) =>
        newsAnswer(() => of.headlines.filter(({ title }) => isAbout(title, question))),
    }),
    Layer.succeed(ContestedRecord, { read: Effect.sync(() => of.record) }),
    Layer.succeed(Detector, {
      get name() {
        return of.detector
      },
      detect: (question) =>
        Effect.suspend(() => {
          of.questions.push(question)
          return of.detect(question)
        }),
    }),
  )
}

export type Ports = Context.Context<
  VenueClient | MarketStore | News | Detector | ContestedRecord | FeedStore | DetectionStore
>

/** On the live clock: the store's periodic work must not run for every day that a test skips. */
export const portsOf = (of: Script) =>
  TestClock.withLive(Layer.build(
    Layer.mergeAll(
      scriptedPorts(of),
      Layer.merge(feedStore.layer, detectionStore.layer).pipe(Layer.provide(embeddedStore)),
    ),
  ))

/** One tick in a new process. */
export const tickOf = (ports: Ports, slot: number) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(slot)
    return yield* Effect.flatMap(Predetermined, ({ tick }) => tick(slot)).pipe(
      Effect.provide(Layer.fresh(Predetermined.layer({ tick: Duration.millis(tickIntervalMs) }))),
      Effect.provide(ports),
    )
  })

/** Every predetermined item of the feed. */
export const itemsOf = Effect.fnUntraced(function* (ports: Ports) {
  const items = yield* Context.get(ports, FeedStore).page({
    ...{ since: 0, count: 1_000, type: "predetermined" },
  })
  return items.flatMap((item) => item.type === "predetermined" ? [item] : [])
})
