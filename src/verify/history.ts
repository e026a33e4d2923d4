/**
 * Judges what a service published about its history, from its answers alone: no network here.
 *
 * Every answer, every item and every earlier record claims hashes of items. Two claims about one index
 * that differ are a rewritten history, whichever is the first.
 *
 * @module
 */
import { createPublicKey, verify } from "node:crypto"
import { Buffer } from "node:buffer"
import { Option, Schema } from "effect"
import type { freeRows } from "../catalog/domain/freeRow.ts"
import { day, type EpochMs, IsoTime } from "../core/domain/time.ts"
import { sha256 } from "../core/sha256.ts"
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
} from "../feed/domain/chain.ts"
import { contentOf, FeedItem, feedRetentionMs } from "../feed/domain/item.ts"
import { canonicalJson, type CanonicalValue } from "../signing/domain/canonicalJson.ts"
import { outcomeFault } from "../track-record/domain/outcomes.ts"

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
  readonly outcomes: Body<"outcomes">["data"]
  readonly trackRecord: Omit<Body<"track_record">, "movers"> & {
    readonly movers: Omit<Body<"track_record">["movers"], "drift">
  }
  /** Every outcome, from the first on, was read. */
  readonly isWhole: boolean
  /** Items that the caller bought, as they were received. */
  readonly items: ReadonlyArray<unknown>
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
    ...evidence.isWhole ? [counts(evidence)] : [],
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
      : [`the signature of ${day} does not hold`]
  )
  const before = earlier.days.flatMap(({ day, jws }) =>
    signs(jws, keys, null) ? [] : [`the recorded signature of ${day} does not hold`]
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
    const shown = proven.get(item?.feedIndex ?? 0)
    const isShown = link !== null && shown !== undefined && linkText(shown) === linkText(link)
    return isShown || shown === undefined
      ? []
      : [`item ${item?.feedIndex} is not the one in the chain`]
  })
  const unshown = items.filter(({ item }) => !proven.has(item?.feedIndex ?? 0)).length
  const checked = `${items.length} items` + (unshown === 0 ? "" : `, ${unshown} without a proof`)
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

function outcomes(
  { index, outcomes }: Evidence,
  items: ReadonlyArray<ReadItem>,
): Finding {
  const faults: Array<string> = []
  for (const [n, { feedIndex }] of outcomes.entries()) {
    const before = outcomes[n - 1]
    if (before !== undefined && feedIndex !== before.feedIndex + 1) {
      faults.push(`item ${before.feedIndex + 1} has no outcome`)
    }
    if (feedIndex > index.index) {
      faults.push(`item ${feedIndex} has an outcome and is not published`)
    }
  }
  const byIndex = new Map(outcomes.map((outcome) => [outcome.feedIndex, outcome]))
  let compared = 0
  for (const { item } of items) {
    const outcome = item === null ? undefined : byIndex.get(item.feedIndex)
    if (item === null || outcome === undefined) continue
    compared++
    const fault = outcomeFault(item, outcome)
    if (fault !== null) faults.push(`the outcome of item ${item.feedIndex}: ${fault}`)
  }
  const checked = `${outcomes.length} outcomes, ${compared} compared with items`
  return { check: "outcomes", checked, faults }
}

/**
 * The counts of the track record follow from the outcomes: what younger items add is at most one for
 * each of them.
 */
function counts(
  { index, outcomes, trackRecord: { movers, predetermined } }: Evidence,
): Finding {
  const younger = index.index - (outcomes.at(-1)?.feedIndex ?? 0)
  const moves = outcomes.flatMap((outcome) => outcome.type === "mover" ? [outcome] : [])
  const states = outcomes.flatMap((outcome) => outcome.type === "predetermined" ? [outcome] : [])
  const moved = (horizon: "after1h" | "after24h", ...states: ReadonlyArray<string>) =>
    moves.filter((move) => states.includes(move[horizon].state)).length
  const ended = (...of: ReadonlyArray<string>) =>
    states.filter(({ state }) => of.includes(state)).length
  const judged = ["persisted", "reverted"]
  const rows: ReadonlyArray<readonly [name: string, published: number, counted: number]> = [
    ["movers.emitted", movers.emitted, moves.length],
    ["movers.judgedAfter1h", movers.judgedAfter1h, moved("after1h", ...judged)],
    ["movers.persistedAfter1h", movers.persistedAfter1h, moved("after1h", "persisted")],
    ["movers.unknownAfter1h", movers.unknownAfter1h, moved("after1h", "unknown")],
    ["movers.judgedAfter24h", movers.judgedAfter24h, moved("after24h", ...judged)],
    ["movers.persistedAfter24h", movers.persistedAfter24h, moved("after24h", "persisted")],
    ["movers.unknownAfter24h", movers.unknownAfter24h, moved("after24h", "unknown")],
    ["predetermined.emitted", predetermined.emitted, states.length],
    ["predetermined.resolved", predetermined.resolved, ended("correct", "wrong")],
    ["predetermined.correct", predetermined.correct, ended("correct")],
    ["predetermined.uneven", predetermined.uneven, ended("uneven")],
    ["predetermined.cancelled", predetermined.cancelled, ended("cancelled")],
  ]
  const faults = rows.flatMap(([name, published, counted]) =>
    published >= counted && published <= counted + younger
      ? []
      : [`${name} is ${published}, and the outcomes give ${counted}`]
  )
  return {
    check: "track record",
    checked: `${rows.length} counts, ${younger} younger items`,
    faults,
  }
}
