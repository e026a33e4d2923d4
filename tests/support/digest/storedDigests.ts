/**
 * Stored digests, for tests of the code that serves and sells them.
 *
 * @module
 */
import { Effect, Layer, Ref } from "effect"
import { digestEvery } from "../../../src/digest/domain/digest.ts"
import { type EpochMs, isoTime } from "../../../src/core/domain/time.ts"
import { Digest } from "../../../src/digest/Digest.ts"
import { DigestStore, type StoredDigest } from "../../../src/digest/DigestStore.ts"
import { FeedStore } from "../../../src/feed/FeedStore.ts"
import { JobSlots } from "../../../src/core/JobSlots.ts"
import { MarketStore } from "../../../src/markets/MarketStore.ts"
import { Narrator } from "../../../src/writing/Narrator.ts"
import { News } from "../../../src/news/News.ts"
import { VenueClient } from "../../../src/markets/VenueClient.ts"
import { EntryStore } from "../../../src/whales/EntryStore.ts"
import { ScoreStore } from "../../../src/track-record/ScoreStore.ts"
import { TrackRecord } from "../../../src/track-record/TrackRecord.ts"
import { WalletStore } from "../../../src/whales/WalletStore.ts"
import { WhaleMarketStore } from "../../../src/whales/WhaleMarketStore.ts"

/** A digest of the slot that contains `createdAt`, with placeholder text. */
export function storedDigest(createdAt: EpochMs, title = "Nothing repriced"): StoredDigest {
  const slot = createdAt - createdAt % digestEvery
  return {
    slot,
    until: createdAt,
    feedIndex: 0,
    belowThreshold: false,
    digest: {
      id: `digest-${isoTime(slot).slice(0, 13)}`,
      title,
      summary: `A summary of ${title}.`,
      fullAnalysis: `## What repriced\n\n${title}.`,
      sourcesUsed: ["a simulated venue"],
      createdAt: isoTime(createdAt),
      facts: [{ id: "F1", statement: `${title}.`, about: null }],
      paragraphs: [{ slug: null, marketId: null, facts: ["F1"] }],
      narrator: "template",
    },
  }
}

/** A digest service that serves `store` while `storeUp` is true, and writes nothing. */
export const digestsOver = (store: DigestStore["Service"], storeUp: Ref.Ref<boolean>) => {
  const whenUp = <A>(read: Effect.Effect<A>) =>
    Effect.flatMap(Ref.get(storeUp), (up) => up ? read : Effect.die("the store is down"))
  return Digest.layer({ venue: "a simulated venue", methodUrl: null }).pipe(Layer.provide([
    Layer.succeed(DigestStore, {
      ...store,
      latest: whenUp(store.latest),
      since: (since, limit) => whenUp(store.since(since, limit)),
    }),
    Layer.mock(FeedStore, {}),
    Layer.mock(MarketStore, {}),
    Layer.mock(WalletStore, {}),
    Layer.mock(WhaleMarketStore, {}),
    Layer.mock(News, {}),
    Layer.mock(JobSlots, {}),
    Narrator.layerNone,
    Layer.mock(VenueClient, { wallets: null }),
    Layer.mock(EntryStore, {}),
    Layer.mock(TrackRecord, {}),
    Layer.mock(ScoreStore, {}),
  ]))
}
