/**
 * The port to the memory of headlines, and of when each source was last heard.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Headline } from "./domain/headline.ts"
import type { EpochMs } from "../core/domain/time.ts"

/** How a source did when it was last asked. */
export interface SourceStatus {
  readonly name: string
  /** When it last answered; null when it never did. */
  readonly answeredAt: EpochMs | null
  readonly askedAt: EpochMs
}

export class NewsStore extends Context.Service<NewsStore, {
  /** Keeps those whose address is not known yet; returns how many. Any number; batched inside. */
  readonly add: (headlines: ReadonlyArray<Headline>, seenAt: EpochMs) => Effect.Effect<number>
  /** A word older than the one held changes nothing. */
  readonly heard: (source: string, askedAt: EpochMs, answered: boolean) => Effect.Effect<void>
  /** By name. */
  readonly sources: Effect.Effect<ReadonlyArray<SourceStatus>>
  /** Published in `[from, to]`, newest first and then by address, at most `limit`. */
  readonly between: (
    range: { readonly from: EpochMs; readonly to: EpochMs },
    limit: number,
  ) => Effect.Effect<ReadonlyArray<Headline>>
  /**
   * Forgets headlines published before `before`, all but the newest `most`, and sources not asked
   * since `before`; returns how many headlines went.
   */
  readonly prune: (before: EpochMs, most: number) => Effect.Effect<number>
}>()("bellwether/news/NewsStore") {}
