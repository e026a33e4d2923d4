/**
 * The chain of hashes over the feed, as its readers see it, and the job that keeps it complete.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, type Option } from "effect"
import { day, isoTime } from "../core/domain/time.ts"
import { SigningKey } from "../signing/SigningKey.ts"
import { type ChainProof, dailyHeadsMax, headStatement } from "./domain/chain.ts"
import { type DailyHead, FeedStore } from "./FeedStore.ts"

/** Items of an earlier version that one transaction adds to the chain, and transactions per run. */
const linkItemsMax = 500
const linkBatchesMax = 200

export class FeedChain extends Context.Service<FeedChain, {
  /**
   * The path from the head of the chain to an item, the newest for null; none for an item that is not
   * in the feed.
   */
  readonly proof: (feedIndex: number | null) => Effect.Effect<Option.Option<ChainProof>>
  /** The newest signed heads, newest first, at most `dailyHeadsMax`. */
  readonly dailyHeads: Effect.Effect<ReadonlyArray<DailyHead>>
  /**
   * Adds the items of an earlier version to the chain, and then signs the head of yesterday unless that
   * was done. Returns how many items still wait.
   */
  readonly update: Effect.Effect<number>
}>()("bellwether/feed/FeedChain") {
  static readonly layer = Layer.effect(
    FeedChain,
    Effect.gen(function* () {
      const store = yield* FeedStore
      const { sign } = yield* SigningKey

      const update = Effect.gen(function* () {
        let waiting = Infinity
        for (let batch = 0; batch < linkBatchesMax && waiting > 0; batch++) {
          waiting = yield* store.link(linkItemsMax)
        }
        if (waiting > 0) return waiting
        const now = yield* Clock.currentTimeMillis
        const yesterday = now - now % day - day
        yield* store.addDailyHead(
          yesterday,
          (head) => sign(headStatement(isoTime(yesterday), head)),
        )
        return waiting
      }).pipe(Effect.withSpan("FeedChain.update"))

      return FeedChain.of({
        proof: store.proof,
        dailyHeads: store.dailyHeads(dailyHeadsMax),
        update,
      })
    }),
  )
}
