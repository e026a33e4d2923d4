/**
 * The port to the log of counted results.
 *
 * `CountingStore.saveCounted` keeps what it counts as records, in its own transaction. `close` joins the
 * records since the last batch to the next one. Nothing in the log is ever changed or deleted: a
 * correction is a later record, and a new count of everything is a batch whose totals begin again.
 *
 * @module
 */
import { Context, type Effect, type Option } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import type { CanonicalValue } from "../signing/domain/canonicalJson.ts"
import type { CountedHead, CountedProof } from "./domain/countedLog.ts"
import type { WalletTotals } from "./domain/score.ts"

/** The signed head of a day (the time of its start). */
interface CountedDay extends CountedHead {
  readonly day: EpochMs
  readonly jws: string
}

export class CountedLog extends Context.Service<CountedLog, {
  /**
   * Appends a batch if anything was counted, or the totals changed, since the last one. The first batch
   * that is closed in a UTC day is always appended, and signed as the head of the day before. Returns
   * false when nothing was appended, also when another replica was first.
   */
  readonly close: (
    at: EpochMs,
    sign: (statement: CanonicalValue) => string,
  ) => Effect.Effect<boolean>
  /** The newest batch; batch 0, without totals, before the first. */
  readonly latest: Effect.Effect<{ readonly head: CountedHead; readonly totals: WalletTotals }>
  /** A batch, the newest for null, with the path to it from the newest; none if there is no such batch. */
  readonly proof: (batch: number | null) => Effect.Effect<Option.Option<CountedProof>>
  /** The signed heads, newest first, at most `limit`. */
  readonly days: (limit: number) => Effect.Effect<ReadonlyArray<CountedDay>>
}>()("bellwether/whales/CountedLog") {}
