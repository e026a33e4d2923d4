/**
 * Judges what a service published about its history, from its answers alone: no network here.
 *
 * Every answer, every item and every earlier record claims hashes of items. Two claims about one index
 * that differ are a rewritten history, whichever is the first. Every signature is compared with the
 * published keys.
 *
 * @module
 */
import { createPublicKey, verify } from "node:crypto"
import { Buffer } from "node:buffer"
import { Option, Schema } from "effect"
import type { freeRows } from "../src/catalog/domain/freeRow.ts"
import { day, type EpochMs, IsoTime } from "../src/core/domain/time.ts"
import { sha256 } from "../src/core/sha256.ts"
import {
  type ChainHead,
  type ChainLink,
  contentText,
  dailyHeadsMax,
  headStatement,
  linkText,
  noHash,
  proofFault,
  skipIndex,
} from "../src/feed/domain/chain.ts"
import { contentOf, FeedItem, feedRetentionMs } from "../src/feed/domain/item.ts"
import { canonicalJson, type CanonicalValue } from "../src/signing/domain/canonicalJson.ts"
import type { Outcome } from "../src/track-record/domain/outcomes.ts"

type Body<Id extends keyof typeof freeRows> = typeof freeRows[Id]["body"]["Type"]

/** A public key, as in /.well-known/jwks.json. */
export const JwkSet = Schema.Struct({
  keys: Schema.Array(Schema.Struct({ kid: Schema.String, x: Schema.String })),
})

/** What was seen of a service; kept in a file, it is compared with later answers. */
export const Seen = Schema.Struct({
  heads: Schema.Array(Schema.Struct({
    index: Schema.Int,
    hash: Schema.String,
    /** When the item was published; absent where it is not known. */
    createdAt: Schema.optionalKey(IsoTime),
  })),
  days: Schema.Array(Schema.Struct({ day: Schema.String, jws: Schema.String })),
})
export type Seen = typeof Seen.Type

export const noneSeen: Seen = { heads: [], days: [] }

/** The answers of a service, and what the caller has. */
export interface Evidence {
  readonly readAt: EpochMs
  readonly index: Pick<Body<"index">, "head" | "index" | "lastUpdated">
  readonly heads: Body<"feed_heads">
  readonly keys: typeof JwkSet.Type
  /** The proofs that were read, and the indices for which the service has none. */
  readonly proofs: ReadonlyArray<Body<"feed_proof">>
  readonly unproven: ReadonlyArray<number>
  /** The outcomes of the caller's items, as far as they are published. */
  readonly outcomes: Body<"outcomes">["data"]
  /** Items that the caller bought, as they were received. */
  readonly items: ReadonlyArray<unknown>
  /** Signed offers and receipts, of the service now and of what the caller has. */
  readonly statements: ReadonlyArray<string>
  readonly earlier: Seen
}

/** What a check found: the faults, or what was checked without one. */
export interface Finding {
  readonly check: string
  readonly checked: string
  readonly faults: ReadonlyArray<string>
}

export function judge(evidence: Evidence): ReadonlyArray<Finding> {
  const items = evidence.items.map(readItem)
  return [
    chainOfHeads(evidence),
    signatures(evidence),
    proofs(evidence, items),
    itemsInChain(evidence, items),
    oneHistory(evidence, items),
    outcomes(evidence, items),
    offersAndReceipts(evidence),
  ]
}

/** What this visit adds to a record. */
export function seenOf({ index: { head, index, lastUpdated }, heads, earlier }: Evidence): Seen {
  const isSeen = earlier.heads.some((old) => old.index === head.index)
  const createdAt = head.index === index && lastUpdated !== null ? { createdAt: lastUpdated } : {}
  const known = new Set(earlier.days.map(({ day }) => day))
  const days = heads.days.filter(({ day }) => !known.has(day))
  return {
    heads: isSeen ? earlier.heads : [...earlier.heads, { ...head, ...createdAt }],
    days: [...earlier.days, ...days.map(({ day, jws }) => ({ day, jws }))],
  }
}

interface ReadItem {
  readonly item: FeedItem | null
  readonly link: ChainLink | null
  readonly fault: string | null
}

const decodeItem = Schema.decodeUnknownOption(FeedItem)

/** The content is hashed as it was received, with fields that this version does not know. */
function readItem(received: unknown): ReadItem {
  const decoded = decodeItem(received)
  if (decoded._tag === "None") return { item: null, link: null, fault: "an item has another shape" }
  const item = decoded.value
  const { feedIndex, chain } = item
  if (chain === undefined) {
    return { item, link: null, fault: `item ${feedIndex} was sold without its place in the chain` }
  }
  const { salt, previousHash, skipHash, hash } = chain
  const content = contentOf(received as FeedItem)
  const contentHash = sha256(contentText(content as CanonicalValue, salt))
  const link = { contentHash, feedIndex, previousHash, skipHash }
  const fault = sha256(linkText(link)) === hash
    ? null
    : `item ${feedIndex} is not what its hash was made of`
  return { item, link, fault }
}

function chainOfHeads({ index, heads, proofs, earlier }: Evidence): Finding {
  const { days, head } = heads
  // Answers are some seconds old, so one may be behind another.
  const newest = [head, index.head, ...proofs.map(({ head }) => head)]
  const faults = dayFaults(days, newest, earlier)
  if (index.head.index > index.index) faults.push("the chain is longer than the feed")
  return {
    check: "heads",
    checked: `${days.length} days, ${earlier.days.length} seen before`,
    faults,
  }
}

type SignedDay = ChainHead & Seen["days"][number]

/** What is wrong with the signed days of a log, the newest first, and with the heads of now. */
function dayFaults(
  days: ReadonlyArray<SignedDay>,
  heads: ReadonlyArray<ChainHead>,
  earlier: Seen,
): Array<string> {
  const faults: Array<string> = []
  for (const [n, { day, index }] of days.entries()) {
    const before = days[n + 1]
    if (before !== undefined && before.day >= day) faults.push(`${day} is not after ${before.day}`)
    if (before !== undefined && before.index > index) faults.push(`the head of ${day} goes back`)
  }
  const newest = Math.max(0, ...heads.map(({ index }) => index))
  if (newest < (days[0]?.index ?? 0)) faults.push("the head is before the last signed one")
  if (earlier.heads.some((old) => old.index > newest)) faults.push("the head went back")
  const kept = new Map(days.map(({ day, jws }) => [day, jws]))
  const oldest = days.at(-1)?.day ?? ""
  for (const { day, jws } of earlier.days) {
    const now = kept.get(day)
    // Only the newest are listed, so an older one may be missing from a full list.
    const isListed = days.length < dailyHeadsMax || day >= oldest
    if (now === undefined ? isListed : now !== jws) {
      faults.push(`the head of ${day} was signed again, or removed`)
    }
  }
  return faults
}

function signatures({ heads, keys, earlier }: Evidence): Finding {
  return {
    check: "signatures",
    checked: `${heads.days.length + earlier.days.length} signatures by ${keys.keys.length} keys`,
    faults: signatureFaults(heads.days, keys, earlier),
  }
}

function signatureFaults(
  days: ReadonlyArray<SignedDay>,
  keys: Evidence["keys"],
  earlier: Seen,
): ReadonlyArray<string> {
  const now = days.flatMap(({ day, index, hash, jws }) =>
    signs(jws, keys, canonicalJson(headStatement(day, { index, hash })))
      ? []
      : [`the signature of ${day} is not valid`]
  )
  const before = earlier.days.flatMap(({ day, jws }) =>
    signs(jws, keys, null) ? [] : [`the recorded signature of ${day} is not valid`]
  )
  return [...now, ...before]
}

/** Whether a compact JWS is signed by a published key, over this text if one is given. */
function signs(jws: string, { keys }: Evidence["keys"], payload: string | null): boolean {
  const parts = jws.split(".")
  const [header = "", body = "", signature = ""] = parts
  // Base64 with bits that mean nothing would be another text of the same signature.
  const isExact = parts.length === 3 &&
    parts.every((part) => Buffer.from(part, "base64url").toString("base64url") === part)
  if (!isExact) return false
  try {
    const { alg, kid } = JSON.parse(Buffer.from(header, "base64url").toString())
    const key = keys.find((key) => key.kid === kid)
    const isPayload = payload === null || Buffer.from(body, "base64url").toString() === payload
    if (key === undefined || alg !== "EdDSA" || !isPayload) return false
    const jwk = { kty: "OKP", crv: "Ed25519", x: key.x }
    return verify(
      null,
      Buffer.from(`${header}.${body}`),
      createPublicKey({ key: jwk, format: "jwk" }),
      Buffer.from(signature, "base64url"),
    )
  } catch {
    return false
  }
}

function proofs(evidence: Evidence, items: ReadonlyArray<ReadItem>): Finding {
  const { proofs, unproven } = evidence
  const faults = proofs.flatMap(({ feedIndex, head, path }) => {
    const fault = proofFault({ head, path }, sha256) ??
      (path.at(-1)?.feedIndex === feedIndex ? null : "it ends at another item")
    return fault === null ? [] : [`the proof of item ${feedIndex}: ${fault}`]
  })
  const oldest = oldestKept(evidence, items)
  const withheld = unproven.filter((index) => index >= oldest)
    .map((index) => `there is no proof of item ${index}, which is kept`)
  const gone = unproven.length - withheld.length
  const checked = `${proofs.length} proofs${gone === 0 ? "" : `, none of ${gone} older items`}`
  return { check: "proofs", checked, faults: [...faults, ...withheld] }
}

/**
 * The oldest item that the service still has, as far as it is known: all later ones are kept too.
 * Infinity when none is known.
 */
function oldestKept(
  { readAt, proofs, heads: { days }, earlier }: Evidence,
  items: ReadonlyArray<ReadItem>,
): number {
  // A day less, for clocks that differ.
  const since = readAt - feedRetentionMs + day
  const isKept = (createdAt: string | undefined) =>
    createdAt !== undefined && Date.parse(createdAt) > since
  return Math.min(
    Infinity,
    ...proofs.map(({ feedIndex }) => feedIndex),
    ...items.flatMap(({ item }) => item !== null && isKept(item.createdAt) ? item.feedIndex : []),
    ...earlier.heads.flatMap(({ index, createdAt }) => isKept(createdAt) ? index : []),
    // The head of a day is younger than the head before, if it is another item.
    ...days.flatMap(({ index }, n) => {
      const before = days[n + 1]
      return before !== undefined && before.index < index && isKept(before.madeAt) ? index : []
    }),
  )
}

function itemsInChain({ proofs }: Evidence, items: ReadonlyArray<ReadItem>): Finding {
  const proven = new Map(proofs.map((proof) => [proof.feedIndex, proof.path.at(-1)]))
  const faults = items.flatMap(({ item, link, fault }) => {
    if (fault !== null) return [fault]
    const inChain = proven.get(item?.feedIndex ?? 0)
    const isSame = link !== null && inChain !== undefined && linkText(inChain) === linkText(link)
    return isSame || inChain === undefined
      ? []
      : [`item ${item?.feedIndex} is not the one in the chain`]
  })
  const unproven = items.filter(({ item }) => !proven.has(item?.feedIndex ?? 0)).length
  const checked = `${items.length} items` + (unproven === 0 ? "" : `, ${unproven} without a proof`)
  return { check: "items", checked, faults }
}

/** Every hash that anything claims of an item is the same, and that of no other item. */
function oneHistory(
  { index, heads, proofs, earlier }: Evidence,
  items: ReadonlyArray<ReadItem>,
): Finding {
  const claims = claimsOf()
  for (const head of [index.head, heads.head, ...heads.days, ...earlier.heads]) claims.head(head)
  claims.signed(earlier.days)
  for (const { head, path } of proofs) {
    claims.head(head)
    path.forEach(claims.link)
  }
  for (const { item, link } of items) {
    if (link !== null) claims.link(link)
    if (item?.chain !== undefined) claims.head({ index: item.feedIndex, hash: item.chain.hash })
  }
  return { check: "one history", ...claims.found() }
}

/** Collects claims of hashes, and finds two that differ. */
function claimsOf() {
  const known = new Map<number, string>()
  const indexOf = new Map<string, number>()
  const faults = new Set<string>()
  const head = ({ index, hash }: ChainHead) => {
    // Before the first entry of the chain there is nothing to be claimed.
    if (hash === noHash) return
    if ((known.get(index) ?? hash) !== hash) faults.add(`there are two hashes of item ${index}`)
    if ((indexOf.get(hash) ?? index) !== index) {
      faults.add(`item ${index} has the hash of another`)
    }
    known.set(index, hash)
    indexOf.set(hash, index)
  }
  return {
    head,
    link: (link: ChainLink) => {
      const { feedIndex, previousHash, skipHash } = link
      head({ index: feedIndex, hash: sha256(linkText(link)) })
      head({ index: feedIndex - 1, hash: previousHash })
      head({ index: skipIndex(feedIndex), hash: skipHash })
    },
    signed: (days: Seen["days"]) =>
      days.map(({ jws }) => statementOf(jws)).forEach((signed) => signed === null || head(signed)),
    found: () => ({ checked: `${known.size} hashes`, faults: [...faults] }),
  }
}

const decodeStatement = Schema.decodeUnknownOption(
  Schema.Struct({ index: Schema.Int, hash: Schema.String }),
)

function statementOf(jws: string): ChainHead | null {
  try {
    const payload = JSON.parse(Buffer.from(jws.split(".")[1] ?? "", "base64url").toString())
    return Option.getOrNull(decodeStatement(payload))
  } catch {
    return null
  }
}

function outcomes({ outcomes }: Evidence, items: ReadonlyArray<ReadItem>): Finding {
  const byIndex = new Map(outcomes.map((outcome) => [outcome.feedIndex, outcome]))
  const last = outcomes.at(-1)?.feedIndex ?? 0
  const faults = items.flatMap(({ item }) => {
    // An outcome is published a day after its item, in the order of the feed.
    if (item === null || item.feedIndex > last) return []
    const outcome = byIndex.get(item.feedIndex)
    if (outcome === undefined) return [`item ${item.feedIndex} has no outcome`]
    const fault = outcomeFault(item, outcome)
    return fault === null ? [] : [`the outcome of item ${item.feedIndex}: ${fault}`]
  })
  return { check: "outcomes", checked: `${outcomes.length} outcomes`, faults }
}

function offersAndReceipts({ statements, keys }: Evidence): Finding {
  const faults = statements.flatMap((jws, n) =>
    signs(jws, keys, null) ? [] : [`signature ${n + 1} is of no published key`]
  )
  return { check: "offers and receipts", checked: `${statements.length} signatures`, faults }
}

/** Prices are on half steps of the venue. */
const priceTolerance = 1e-6
/** A closing line value has four decimals; the price of an entry is a mean of buys. */
const closingLineTolerance = 5.1e-5

const isNear = (a: number | null, b: number, tolerance = priceTolerance) =>
  a !== null && Math.abs(a - b) <= tolerance

/** Why an outcome does not follow from its item; null when it does, as far as the item says it. */
export function outcomeFault(item: FeedItem, outcome: Outcome): string | null {
  if (outcome.type !== item.type) return "it is of another type"
  if (outcome.publishedAt !== item.createdAt) return "it has another time of publication"
  if (outcome.type === "mover" && item.type === "mover") {
    const { after1h, after6h, after24h } = outcome
    return moveFault(item.data, after1h) ?? moveFault(item.data, after6h) ??
      moveFault(item.data, after24h)
  }
  if (outcome.type === "whale_entry" && item.type === "whale_entry") {
    const { price, closingLineValue } = outcome.after24h
    const expected = price === null ? null : price - item.data.entryPrice
    if (expected !== null && !isNear(closingLineValue, expected, closingLineTolerance)) {
      return "a closing line value is not price minus entryPrice"
    }
    return (outcome.state === "paid") === (outcome.payout !== null)
      ? null
      : "it has a payout only when it is paid"
  }
  return null
}

function moveFault(
  { priceStart, priceNow }: Extract<FeedItem, { type: "mover" }>["data"],
  { state, price, drift }: Extract<Outcome, { type: "mover" }>["after1h"],
): string | null {
  if (price === null) return drift === null ? null : "a drift without a price"
  const direction = Math.sign(priceNow - priceStart)
  if (!isNear(drift, direction * (price - priceNow))) return "a drift is not that of its price"
  // Half of the move from `priceStart`, in the direction of the move.
  const beyond = direction * (price - (priceStart + priceNow) / 2)
  const kept = beyond >= -priceTolerance ? "persisted" : "reverted"
  return state === kept ? null : `it is ${kept} by its price, not ${state}`
}
