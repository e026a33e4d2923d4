/**
 * The log of counted results: what the track record of wallets was computed from, so that no past count
 * can be changed later.
 *
 *     record      = one counted result of a wallet or of an item, or its correction, with a random salt
 *     recordsHash = hash of the list of hashes of lists of records, one list for each transaction
 *     contentHash = hash of {"closedAt", "records", "recordsHash", "totals", "wallets"}
 *     hash        = hash of {"batch", "contentHash", "previousHash", "skipHash"}
 *
 * All are SHA-256 of canonical JSON (RFC 8785). Batches are linked as items of the feed are
 * (`feed/domain/chain.ts`). `totals` are the sums over all wallets at that time, not of the batch, so
 * two batches show what was counted between them, and one is enough to compute the track record.
 *
 * @module
 */
import { Schema } from "effect"
import { Count } from "../../core/domain/number.ts"
import { type EpochMs, IsoTime, isoTime } from "../../core/domain/time.ts"
import { type ChainHead, type ChainProof, Hash } from "../../feed/domain/chain.ts"
import { canonicalJson, type CanonicalValue } from "../../signing/domain/canonicalJson.ts"
import { noBandSums } from "./oddsBands.ts"
import { noReturns } from "./returns.ts"
import type { MarketScore, WalletTotals } from "./score.ts"

/** The newest batch. */
export const CountedHead = Schema.Struct({
  batch: Count.annotate({ description: "Number of the newest counted batch; 0 before the first" }),
  hash: Hash.annotate({ description: "Its hash; zeros before the first batch" }),
}).annotate({
  identifier: "CountedHead",
  description: "The newest batch in the log of counted results",
})
export type CountedHead = typeof CountedHead.Type

/** What the hash of a batch is made of, without its content. */
export const BatchLink = Schema.Struct({
  contentHash: Hash,
  batch: Count,
  previousHash: Hash,
  skipHash: Hash,
})
export type BatchLink = typeof BatchLink.Type

/** A structure with the numbers of `shape`. */
const numbers = <Key extends string>(shape: Readonly<Record<Key, number>>) =>
  Schema.Struct(
    Object.fromEntries(Object.keys(shape).map((key) => [key, Schema.Finite])) as Record<
      Key,
      typeof Schema.Finite
    >,
  )

const Sums = numbers(noBandSums)

/** The content of a batch, on the wire. */
export const CountedBatch = Schema.Struct({
  closedAt: IsoTime,
  /** Of this batch. */
  records: Count,
  recordsHash: Hash,
  /** The wallets in `totals`: those with a whole history and a counted result. */
  wallets: Count,
  totals: Schema.Struct({
    cancelled: Schema.Finite,
    bands: Schema.Array(Sums),
    sweeps: Sums,
    returns: Schema.Struct({
      events: Schema.Finite,
      follow: numbers(noReturns.follow),
      fade: numbers(noReturns.fade),
    }),
  }),
})
export type CountedBatch = typeof CountedBatch.Type

/** The path from the newest batch to one, and what that one contains. */
export interface CountedProof extends ChainProof<BatchLink> {
  readonly content: CountedBatch
}

interface Counted {
  readonly countedAt: EpochMs
  /** Random, so that the hash of a record says neither wallet nor result. */
  readonly salt: string
}

/**
 * One result as it was counted; it replaces what was counted before.
 *
 * - Of a wallet in a market: its score, null when it no longer counts.
 * - Of an item of the feed: the verdict of one of its checks, with the price or payout that it used, and
 *   for a mover the drift in half price steps.
 */
export type CountedRecord =
  & Counted
  & ({
    readonly wallet: string
    readonly market: string
    readonly score: MarketScore | null
  } | {
    readonly feedIndex: number
    readonly kind: string
    readonly verdict: string | null
    readonly value: number | null
    readonly drift: number | null
  })

/** The text that is stored and hashed. */
export const recordText = ({ countedAt, ...record }: CountedRecord): string =>
  canonicalJson({ ...record as object, countedAt: isoTime(countedAt) })

/** What the content hash of a batch is the hash of. */
export const batchText = ({ closedAt, records, recordsHash, totals, wallets }: CountedBatch) =>
  canonicalJson({
    ...{ closedAt, records, recordsHash, wallets },
    totals: totals as WalletTotals as unknown as CanonicalValue,
  })

/** What the signature of a daily head signs: the first batch that was closed after the end of `day`. */
export function countedStatement(day: string, { index, hash }: ChainHead) {
  return { type: "bellwether-counted-head", day, batch: index, hash }
}
