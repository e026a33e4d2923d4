/**
 * The chain of feed items: what a buyer of one item needs to check that it was not changed later.
 *
 *     contentHash = SHA-256 of {"item": {type, title, createdAt, data}, "salt"}
 *     hash        = SHA-256 of {"contentHash", "feedIndex", "previousHash", "skipHash"}
 *
 * Both are hashes of canonical JSON (RFC 8785). `previousHash` is the hash of the item before, and
 * `skipHash` that of the item at `skipIndex`; before the first item of the chain it is `noHash`. By
 * the skips, the path from any item to any later one is short: at most three steps for each bit of the
 * index. The salt is sold with the item, so a hash says nothing of the content of an unsold one.
 *
 * @module
 */
import { Schema } from "effect"
import { text } from "../../core/domain/fields.ts"
import { Count } from "../../core/domain/number.ts"
import { canonicalJson, type CanonicalValue } from "../../signing/domain/canonicalJson.ts"

/** A SHA-256 of text, or a function from text to it. */
const Hash = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))
  .annotate({ identifier: "Hash", description: "A SHA-256, 64 hexadecimal digits" })
type Hash = typeof Hash.Type
type HashText = (text: string) => Hash

/** In place of the hash of an item that was never in the chain. */
export const noHash: Hash = "0".repeat(64)

/** An item's place in the chain, sold with it. */
export const ChainPlace = Schema.Struct({
  salt: text("Random, 32 hexadecimal digits; part of what is hashed"),
  previousHash: Hash,
  skipHash: Hash,
  hash: Hash,
}).annotate({
  identifier: "ChainPlace",
  description:
    "The item's place in the chain of hashes, from which a later change would show; /llms-full.txt " +
    "says how to check it",
})
export type ChainPlace = typeof ChainPlace.Type

/** The newest item of the chain. */
export const ChainHead = Schema.Struct({
  index: Count.annotate({ description: "feedIndex of the newest item in the chain; 0 before it" }),
  hash: Hash.annotateKey({ description: "Its hash; zeros before the first item" }),
}).annotate({ identifier: "ChainHead", description: "The newest item in the chain of hashes" })
export type ChainHead = typeof ChainHead.Type

/** What the hash of an item is made of, without its content. */
export const ChainLink = Schema.Struct({
  contentHash: Hash,
  feedIndex: Count.annotate({ description: "Which item it is" }),
  previousHash: Hash,
  skipHash: Hash,
}).annotate({ identifier: "ChainLink", description: "What the hash of an item is made of" })
export type ChainLink = typeof ChainLink.Type

/** The newest daily heads that are listed: as many days as items are kept, and a margin. */
export const dailyHeadsMax = 100

/** What the signature of a daily head signs: the head at the first run after the end of `day`. */
export function headStatement(day: string, { index, hash }: ChainHead) {
  return { type: "bellwether-feed-head", day: day.slice(0, "2026-11-24".length), index, hash }
}

/** The path from a head to an item: the head's link first, the item's last. */
export interface ChainProof {
  readonly head: ChainHead
  readonly path: ReadonlyArray<ChainLink>
}

/**
 * Where the skip of an item leads: past the smallest part of its index as a sum of numbers 2^k - 1,
 * the largest first (skew binary: Myers, Information Processing Letters 17, 1983). 11 = 7 + 3 + 1 skips
 * to 10, 10 = 7 + 3 to 7, and 7 to 0.
 */
export function skipIndex(feedIndex: number): number {
  let rest = feedIndex
  let part = 0
  while (rest > 0) {
    for (part = 1; 2 * part + 1 <= rest;) part = 2 * part + 1
    rest -= part
  }
  return feedIndex - part
}

/** The indices of the shortest path from `head` down to `feedIndex`, both included; 1 <= feedIndex <= head. */
export function pathOf(head: number, feedIndex: number): ReadonlyArray<number> {
  const path = [head]
  for (let at = head; at > feedIndex;) {
    const skip = skipIndex(at)
    at = skip >= feedIndex ? skip : at - 1
    path.push(at)
  }
  return path
}

/** What the content hash of an item is the hash of. */
export function contentText(item: CanonicalValue, salt: string): string {
  return canonicalJson({ item, salt })
}

/** What the hash of an item is the hash of. */
export function linkText({ contentHash, feedIndex, previousHash, skipHash }: ChainLink): string {
  return canonicalJson({ contentHash, feedIndex, previousHash, skipHash })
}

/** Why a proof does not hold; null when it does. The last link of its path is then in the chain. */
export function proofFault({ head, path }: ChainProof, hashOf: HashText): string | null {
  let known = new Map([[head.index, head.hash]])
  for (const link of path) {
    const { feedIndex, previousHash, skipHash } = link
    const expected = known.get(feedIndex)
    if (expected === undefined) return `number ${feedIndex} cannot follow in the path`
    if (hashOf(linkText(link)) !== expected) return `number ${feedIndex} has another hash`
    known = new Map([[skipIndex(feedIndex), skipHash], [feedIndex - 1, previousHash]])
  }
  return path.length === 0 ? "the path is empty" : null
}
