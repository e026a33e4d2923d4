/**
 * The chain of hashes over the feed, as its readers see it, and the job that signs its head.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, type Option } from "effect"
import { day, isoTime } from "../core/domain/time.ts"
import { SigningKey } from "../signing/SigningKey.ts"
import { type ChainProof, dailyHeadsMax, headStatement } from "./domain/chain.ts"
import { type DailyHead, FeedStore } from "./FeedStore.ts"

export class FeedChain extends Context.Service<FeedChain, {
  /**
   * The path from the head of the chain to an item, the newest for null; none for an item that is not
   * in the feed.
   */
  readonly proof: (feedIndex: number | null) => Effect.Effect<Option.Option<ChainProof>>
  /** The newest signed heads, newest first, at most `dailyHeadsMax`. */
  readonly dailyHeads: Effect.Effect<ReadonlyArray<DailyHead>>
  /** Signs the head of yesterday, unless that was done. */
  readonly signDay: Effect.Effect<void>
}>()("bellwether/feed/FeedChain") {
  static readonly layer = Layer.effect(
    FeedChain,
    Effect.gen(function* () {
      const store = yield* FeedStore
      const { sign } = yield* SigningKey

      const signDay = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const yesterday = now - now % day - day
        yield* store.addDailyHead(
          yesterday,
          (head) => sign(headStatement(isoTime(yesterday), head)),
        )
      }).pipe(Effect.withSpan("FeedChain.signDay"))

      return FeedChain.of({
        proof: store.proof,
        dailyHeads: store.dailyHeads(dailyHeadsMax),
        signDay,
      })
    }),
  )
}
