/**
 * The digest service for tests, on real stores that a test may replace with faulty ones.
 *
 * @module
 */
import { Clock, Context, Deferred, Effect, Layer, Option, Ref } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as digestStore from "../../../src/digest/postgres/digestStore.ts"
import * as feedStore from "../../../src/feed/postgres/feedStore.ts"
import * as jobStore from "../../../src/postgres/jobSlots.ts"
import * as marketStore from "../../../src/markets/postgres/marketStore.ts"
import * as newsStore from "../../../src/news/postgres/newsStore.ts"
import type { NewFeedItem } from "../../../src/feed/domain/item.ts"
import { Digest } from "../../../src/digest/Digest.ts"
import { DigestStore } from "../../../src/digest/DigestStore.ts"
import { FeedStore } from "../../../src/feed/FeedStore.ts"
import { JobSlots } from "../../../src/core/JobSlots.ts"
import { MarketStore } from "../../../src/markets/MarketStore.ts"
import { VenueClient } from "../../../src/markets/VenueClient.ts"
import type { DraftRequest } from "../../../src/writing/domain/claims.ts"
import { Narrator } from "../../../src/writing/Narrator.ts"
import { News } from "../../../src/news/News.ts"
import { NewsReader } from "../../../src/news/NewsReader.ts"
import { NewsSources } from "../../../src/news/NewsSources.ts"
import { NewsStore } from "../../../src/news/NewsStore.ts"
import { sampleScorecard } from "../catalog/samples.ts"
import * as scoreStore from "../../../src/track-record/postgres/scoreStore.ts"
import { ScoreStore } from "../../../src/track-record/ScoreStore.ts"
import { TrackRecord } from "../../../src/track-record/TrackRecord.ts"
import { postgresWhales, type WhalePorts } from "../whales/whaleStores.ts"
import { narrator, type NarratorBehaviour } from "./digestNarrators.ts"
import { sampleItem } from "../feed/items.ts"

export type Ports =
  | FeedStore
  | MarketStore
  | WhalePorts
  | JobSlots
  | DigestStore
  | NewsStore
  | News
  | TrackRecord
  | ScoreStore
  | VenueClient

/** One news source without headlines; tests add headlines to the store. */
const sources = Layer.succeed(NewsSources, [{
  name: "wire.example",
  read: () => Effect.succeed({ rows: [], rejected: {} }),
}])

const nothing = () => Effect.succeed({ rows: [], rejected: {} })
/** A venue without proposals, books and rules. */
export const bareVenue = Layer.mock(VenueClient, {
  ...{ wallets: null, proposals: nothing, books: nothing, rules: nothing },
})

/** The record of the sample, which gives no view of any market. */
export const sampleRecord = Layer.mock(TrackRecord, {
  scorecard: Effect.map(Clock.currentTimeMillis, sampleScorecard),
})

/** All ports, on the PostgreSQL client of the test. */
export const portsLayer: Layer.Layer<Ports, never, SqlClient> = News.layer.pipe(
  Layer.provide([sources, NewsReader.layerNone]),
  Layer.provideMerge(Layer.mergeAll(
    feedStore.layer,
    marketStore.layer,
    postgresWhales,
    jobStore.layer,
    digestStore.layer,
    newsStore.layer,
    bareVenue,
    sampleRecord,
    scoreStore.layer,
  )),
)

/** These ports with a venue that is always read in full, and many watched markets. */
export const reading = (ports: Context.Context<Ports>) =>
  ports.pipe(
    Context.add(JobSlots, {
      ...Context.get(ports, JobSlots),
      lastOk: () => Effect.map(Clock.currentTimeMillis, Option.some),
    }),
    Context.add(MarketStore, {
      ...Context.get(ports, MarketStore),
      watched: () => Effect.succeed(120),
    }),
  )

/** A narrator with adjustable behaviour, and the calls it received. */
export const makeNarrator = Effect.gen(function* () {
  const behaviour = yield* Ref.make<NarratorBehaviour>("writes")
  const calls: Array<DraftRequest> = []
  const hanging = yield* Deferred.make<void>()
  const current = Effect.tap(
    Ref.get(behaviour),
    (current) => current === "hangs" ? Deferred.succeed(hanging, undefined) : Effect.void,
  )
  const service = narrator(current, (request) => calls.push(request))
  return { behaviour, calls, hanging, service }
})

/** A new replica over these ports. */
export const digestsOn = (ports: Context.Context<Ports>, narrator: Narrator["Service"]) =>
  Effect.provide(
    Digest,
    Layer.fresh(Digest.layer({ venue: "a simulated venue", methodUrl: null })).pipe(
      Layer.provide(Layer.succeed(Narrator, narrator)),
      Layer.provide(Layer.succeedContext(ports)),
    ),
  )

/** The n-th mover, created at `at`. */
export function moverAt(n: number, at: number): NewFeedItem {
  const { feedIndex: _, ...item } = sampleItem(n, at)
  // Of the union only the mover is left.
  return { ...item, dedupeKey: `mover ${n}` } as NewFeedItem
}

/** The names in the facts of the last brief. */
export const namesInLastBrief = (calls: ReadonlyArray<DraftRequest>) =>
  new Set(calls.at(-1)?.facts.flatMap(({ names }) => names))
