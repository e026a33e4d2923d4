/**
 * A service of digests on a store of its own, with ports that a test may break.
 *
 * @module
 */
import { Context, Deferred, Effect, Layer, Ref } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as digestStore from "../../../src/digest/postgres/digestStore.ts"
import * as feedStore from "../../../src/feed/postgres/feedStore.ts"
import * as jobStore from "../../../src/postgres/jobSlots.ts"
import * as marketStore from "../../../src/markets/postgres/marketStore.ts"
import * as newsStore from "../../../src/news/postgres/newsStore.ts"
import type { DigestBrief } from "../../../src/digest/domain/digest.ts"
import type { NewFeedItem } from "../../../src/feed/domain/item.ts"
import { Detector } from "../../../src/predetermined/Detector.ts"
import { Digest } from "../../../src/digest/Digest.ts"
import { DigestStore } from "../../../src/digest/DigestStore.ts"
import { FeedStore } from "../../../src/feed/FeedStore.ts"
import { JobSlots } from "../../../src/core/JobSlots.ts"
import { MarketStore } from "../../../src/markets/MarketStore.ts"
import { DigestNarrator } from "../../../src/digest/DigestNarrator.ts"
import { News } from "../../../src/news/News.ts"
import { NewsSources } from "../../../src/news/NewsSources.ts"
import { NewsStore } from "../../../src/news/NewsStore.ts"
import { postgresWhales, type WhalePorts } from "../whales/whaleStores.ts"
import { type Mood, narrator, rulesDetector } from "./digestPress.ts"
import { sampleItem } from "../feed/items.ts"

export type Ports =
  | FeedStore
  | MarketStore
  | WhalePorts
  | JobSlots
  | DigestStore
  | NewsStore
  | News

/** News of one source that never says anything; headlines are put into its store. */
const sources = Layer.succeed(NewsSources, [{
  name: "wire.example",
  read: () => Effect.succeed({ rows: [], rejected: {} }),
}])

/** Every port, on the store. */
export const portsLayer: Layer.Layer<Ports, never, SqlClient> = News.layer.pipe(
  Layer.provide(sources),
  Layer.provideMerge(Layer.mergeAll(
    feedStore.layer,
    marketStore.layer,
    postgresWhales,
    jobStore.layer,
    digestStore.layer,
    newsStore.layer,
  )),
)

/** Who writes, and what it was asked. */
export const makeNewsArchive = Effect.gen(function* () {
  const mood = yield* Ref.make<Mood>("writes")
  const asked: Array<{ brief: DigestBrief; complaints: ReadonlyArray<string> }> = []
  const hanging = yield* Deferred.make<void>()
  const now = Effect.tap(
    Ref.get(mood),
    (is) => is === "hangs" ? Deferred.succeed(hanging, undefined) : Effect.void,
  )
  const service = narrator(now, (brief, complaints) => asked.push({ brief, complaints }))
  return { mood, asked, hanging, narrator: service }
})

/** A process of its own over these ports. */
export const digestsOn = (ports: Context.Context<Ports>, press: DigestNarrator["Service"]) =>
  Effect.provide(
    Digest,
    Layer.fresh(Digest.layer({ venue: "a simulated venue" })).pipe(
      Layer.provide(Layer.succeed(DigestNarrator, press)),
      Layer.provide(Layer.succeed(Detector, rulesDetector)),
      Layer.provide(Layer.succeedContext(ports)),
    ),
  )

/** The n-th mover, made at `at`. */
export function moverAt(n: number, at: number): NewFeedItem {
  const { feedIndex: _, ...item } = sampleItem(n, at)
  // Of the union only the mover is left.
  return { ...item, dedupeKey: `mover ${n}` } as NewFeedItem
}

/** The names in the facts that a narrator was last shown. */
export const namesTold = (asked: ReadonlyArray<{ readonly brief: DigestBrief }>) =>
  new Set(asked.at(-1)?.brief.facts.flatMap(({ names }) => names))
