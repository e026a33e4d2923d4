/**
 * What `deno task verify` finds: every single edit of what a service published, and nothing else.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Option } from "effect"
import { day, hour, isoTime, minute } from "../../src/core/domain/time.ts"
import { sha256 } from "../../src/core/sha256.ts"
import { headStatement, linkText } from "../../src/feed/domain/chain.ts"
import type { FeedItem } from "../../src/feed/domain/item.ts"
import { jwkSet } from "../../src/signing/domain/keys.ts"
import type { Outcome } from "../../src/track-record/domain/outcomes.ts"
import { type Evidence, judge, seenOf } from "../../tools/history.ts"
import { linksOf, proofOf } from "../support/feed/chain.ts"
import { sampleItem } from "../support/feed/items.ts"
import { Random } from "../support/random.ts"
import { keyOf, testKey } from "../support/signing/key.ts"
import { sized } from "../support/size.ts"

const start = Date.UTC(2026, 10, 1)
const itemsPerDay = 8
const daysCount = 5

/** The history of a service: its items with their places in the chain. */
function historyOf(count: number): ReadonlyArray<FeedItem> {
  const items = Array.from(
    { length: count },
    (_, n) => sampleItem(n + 1, start + n * day / itemsPerDay),
  )
  const salts = items.map((_, n) => sha256(`salt ${n}`).slice(0, 32))
  const salted = items.map((item, n) => ({ ...item, chain: placeOf(salts[n] ?? "", 0) }))
  const links = linksOf(salted)
  return salted.map((item, n) => ({ ...item, chain: placeOf(salts[n] ?? "", links[n]) }))
}

function placeOf(salt: string, link: ReturnType<typeof linksOf>[number] | undefined | 0) {
  const { previousHash, skipHash, hash } = link || { previousHash: "", skipHash: "", hash: "" }
  return { salt, previousHash, skipHash, hash }
}

const published = (item: FeedItem): Outcome => {
  assert.ok(item.type === "mover")
  const { priceStart, priceNow } = item.data
  return {
    feedIndex: item.feedIndex,
    publishedAt: item.createdAt,
    type: "mover",
    after1h: { state: "persisted", price: priceNow, drift: 0 },
    after6h: { state: "reverted", price: priceStart, drift: -Math.abs(priceStart - priceNow) },
    after24h: { state: "unknown", price: null, drift: null },
  }
}

/** What a service with these items answers, and what a caller has who bought some of them. */
function evidenceOf(
  items: ReadonlyArray<FeedItem>,
  bought: ReadonlyArray<FeedItem>,
  sign = testKey.sign,
): Evidence {
  const links = linksOf(items)
  const at = (index: number) => ({ index, hash: links[index - 1]?.hash ?? "" })
  const head = at(items.length)
  const days = Array.from({ length: daysCount }, (_, n) => {
    const name = isoTime(start + n * day).slice(0, 10)
    const of = at((n + 1) * itemsPerDay)
    return {
      day: name,
      ...of,
      madeAt: isoTime(start + (n + 1) * day + minute),
      jws: sign(headStatement(name, of)),
    }
  }).toReversed()
  const proofs = [...bought.map(({ feedIndex }) => feedIndex), ...days.map(({ index }) => index)]
    .map((feedIndex) => ({
      success: true as const,
      feedIndex,
      ...Option.getOrThrow(proofOf(items, feedIndex)),
    }))
  return {
    readAt: start + daysCount * day,
    index: { index: items.length, head, lastUpdated: items.at(-1)?.createdAt ?? null },
    heads: { success: true, head, days },
    keys: jwkSet(testKey.keys) as unknown as Evidence["keys"],
    proofs,
    unproven: [],
    outcomes: items.slice(0, -itemsPerDay).map(published),
    items: bought,
    statements: [sign({ amount: "10000" })],
    earlier: { heads: [], days: [] },
  }
}

const items = historyOf(daysCount * itemsPerDay + 5)
const bought = items.filter(({ feedIndex }) => feedIndex % 3 === 0)
const honest = evidenceOf(items, bought)
/** A caller who looked before: three days, and the head of then. */
const earlierItems = items.slice(0, 3 * itemsPerDay + 2)
const seen = seenOf({
  ...honest,
  index: {
    index: earlierItems.length,
    lastUpdated: earlierItems.at(-1)?.createdAt ?? null,
    head: { index: earlierItems.length, hash: earlierItems.at(-1)?.chain?.hash ?? "" },
  },
  heads: { ...honest.heads, days: honest.heads.days.slice(-3) },
})
const evidence: Evidence = {
  ...honest,
  proofs: [...honest.proofs, {
    success: true,
    feedIndex: earlierItems.length,
    ...Option.getOrThrow(proofOf(items, earlierItems.length)),
  }],
  earlier: seen,
}

const faultsOf = (evidence: Evidence) => judge(evidence).flatMap(({ faults }) => faults)

Deno.test("judge() finds no fault in an honest history", () => {
  assert.deepEqual(faultsOf(evidence), [])
  assert.deepEqual(judge(evidence).map(({ check }) => check), [
    ...["heads", "signatures", "proofs", "items", "one history", "outcomes"],
    "offers and receipts",
  ])
})

const withheldFrom = (found: ReadonlyArray<string>) =>
  found.flatMap((fault) =>
    /^there is no proof of item (\d+), which is kept$/.exec(fault)?.[1] ?? []
  )
    .map(Number)

Deno.test("judge() finds each proof that is withheld of an item that must still be kept", () => {
  const wanted = evidence.proofs.map(({ feedIndex }) => feedIndex)
  const secondDay = evidence.heads.days.at(-2)?.index ?? assert.fail()
  const silent: Evidence = { ...evidence, proofs: [], unproven: wanted }
  assert.deepEqual(withheldFrom(faultsOf(silent)), wanted)
  // With nothing bought or seen, how old the head of the first day is is not known.
  const stranger = { ...silent, items: [], earlier: { heads: [], days: [] } }
  assert.deepEqual(
    withheldFrom(faultsOf(stranger)),
    wanted.filter((index) => index >= secondDay),
  )
  const returned = { ...stranger, earlier: { ...seen, days: [] } }
  const [head = assert.fail()] = seen.heads
  assert.ok(withheldFrom(faultsOf(returned)).includes(head.index))
  // A proof of an older item shows that the others are kept.
  const proven = { ...stranger, readAt: start + 400 * day, proofs: evidence.proofs.slice(0, 1) }
  assert.equal(withheldFrom(faultsOf(proven)).length, wanted.length)
})

Deno.test("judge() finds no fault where the items are older than the service keeps them", () => {
  const wanted = evidence.proofs.map(({ feedIndex }) => feedIndex)
  const later = start + daysCount * day + 90 * day
  assert.deepEqual(faultsOf({ ...evidence, readAt: later, proofs: [], unproven: wanted }), [])
})

Deno.test("judge() finds the days that are left out of a list that is not full", () => {
  const { heads } = evidence
  const newest = { ...evidence, heads: { ...heads, days: heads.days.slice(0, 1) } }
  assert.match(faultsOf(newest).join(), /the head of 2026-11-01 was signed again, or removed/)
})

/** Every place of a value that a single edit can change. */
function leavesOf(value: unknown, path: ReadonlyArray<string | number> = []): Array<typeof path> {
  if (typeof value !== "object" || value === null) return [path]
  const entries: Array<[string | number, unknown]> = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value)
  return entries.flatMap(([key, part]) => leavesOf(part, [...path, key]))
}

function edited(
  value: unknown,
  [key, ...rest]: ReadonlyArray<string | number>,
  random: Random,
): unknown {
  if (key === undefined) return other(value, random)
  if (Array.isArray(value)) return value.with(Number(key), edited(value[Number(key)], rest, random))
  const object = value as Record<string, unknown>
  return { ...object, [key]: edited(object[key], rest, random) }
}

function other(value: unknown, random: Random): unknown {
  if (typeof value === "number") return value + (random.below(2) === 0 ? 1 : 0.01)
  if (typeof value === "boolean") return !value
  if (typeof value !== "string") return 0.5
  const at = random.below(value.length)
  const character = value[at] ?? ""
  const changed = /\d/.test(character)
    ? String((Number(character) + 1) % 10)
    : character === "a"
    ? "b"
    : "a"
  return value.slice(0, at) + changed + value.slice(at + 1)
}

/** The service changes one thing in an item, and makes all hashes from then on again. */
function rewritten(random: Random): Evidence {
  const at = random.below(earlierItems.length)
  const item = items[at] ?? assert.fail()
  const { chain, ...rest } = item
  const leaves = leavesOf(rest).filter(([key]) => key !== "feedIndex" && key !== "type")
  const leaf = leaves[random.below(leaves.length)] ?? []
  const changed = { ...(edited(rest, leaf, random) as FeedItem), chain }
  const history = items.with(at, changed as FeedItem)
  const links = linksOf(history)
  const service = history.map((item, n) => ({
    ...item,
    chain: placeOf(item.chain?.salt ?? "", links[n]),
  }))
  return answersOf(service, bought)
}

/** What a service with another history answers. It cannot change what the caller holds. */
function answersOf(history: ReadonlyArray<FeedItem>, held: typeof bought): Evidence {
  const answers = evidenceOf(history, held)
  const feedIndex = earlierItems.length
  const proof = Option.getOrThrow(proofOf(history, feedIndex))
  return {
    ...answers,
    outcomes: honest.outcomes,
    proofs: [...answers.proofs, { success: true, feedIndex, ...proof }],
    earlier: seen,
  }
}

/** One value of what is checked: an answer of the service, or an item of the caller. */
function tampered(random: Random): Evidence {
  const parts = ["heads", "proofs", "items", "index"] as const
  const part = parts[random.below(parts.length)] ?? "items"
  const leaves = leavesOf(evidence[part]).filter((path) =>
    // When a head was signed, that an answer succeeded, and items that wait are not history.
    !["madeAt", "success"].includes(String(path.at(-1))) && !(part === "index" && path.length === 1)
  )
  const leaf = leaves[random.below(leaves.length)] ?? []
  edit = `${part}.${leaf.join(".")}`
  return { ...evidence, [part]: edited(evidence[part], leaf, random) }
}

/** One item less, one more, or two in another order. */
function reordered(random: Random): Evidence {
  const at = random.below(earlierItems.length - 1)
  const [one, next] = [items[at] ?? assert.fail(), items[at + 1] ?? assert.fail()]
  const extra = sampleItem(99, start + at * hour)
  const orders = [
    items.toSpliced(at, 1),
    items.toSpliced(at, 0, { ...extra, chain: placeOf("00", 0) }),
    items.toSpliced(at, 2, next, one),
  ]
  const history = (orders[random.below(orders.length)] ?? items)
    .map((item, n) => ({ ...item, feedIndex: n + 1 }))
  return answersOf(history, bought.filter(({ feedIndex }) => feedIndex <= history.length))
}

/** What the last edit of `tampered` changed. */
let edit = ""
const edits = sized({ short: 600, full: 10_000 })

Deno.test(`judge() finds each of ${edits} single edits of a history`, () => {
  const random = new Random(21)
  const kinds = [rewritten, tampered, reordered]
  for (let n = 0; n < edits; n++) {
    const kind = kinds[n % kinds.length] ?? tampered
    const found = faultsOf(kind(random))
    assert.notEqual(found.length, 0, `edit ${n}, ${kind.name} ${edit}`)
  }
})

Deno.test("judge() finds a head that is signed by another key, or whose day is signed again", () => {
  const foreign = evidenceOf(items, bought, keyOf(2).sign)
  assert.match(faultsOf(foreign).join(), /the signature of 2026-11-05 is not valid/)
  const [first = assert.fail(), ...rest] = seen.days
  const changed = {
    ...evidence,
    earlier: { ...seen, days: [{ ...first, jws: `${first.jws}A` }, ...rest] },
  }
  assert.match(faultsOf(changed).join(), /signed again, or removed/)
})

Deno.test("judge() finds an outcome that does not follow from its item, and one that is left out", () => {
  const at = honest.outcomes.findIndex(({ feedIndex }) => feedIndex === 6)
  const outcome = honest.outcomes[at]
  assert.ok(outcome?.type === "mover" && items[5]?.type === "mover")
  const { priceStart, priceNow } = items[5].data
  const lies: ReadonlyArray<Outcome> = [
    { ...outcome, publishedAt: isoTime(start) },
    { ...outcome, after1h: { state: "reverted", price: priceNow, drift: 0 } },
    { ...outcome, after1h: { state: "persisted", price: priceNow, drift: 0.01 } },
    { ...outcome, after6h: { state: "persisted", price: null, drift: 0.01 } },
    {
      ...outcome,
      after24h: { state: "persisted", price: priceStart, drift: priceStart - priceNow },
    },
    { feedIndex: 6, publishedAt: outcome.publishedAt, type: "predetermined", state: "correct" },
  ]
  for (const lie of lies) {
    const found = faultsOf({ ...evidence, outcomes: honest.outcomes.with(at, lie) })
    assert.match(found.join(), /the outcome of item 6: /)
  }
  const less = { ...evidence, outcomes: honest.outcomes.toSpliced(at, 1) }
  assert.deepEqual(faultsOf(less), ["item 6 has no outcome"])
})

Deno.test("judge() finds an offer or receipt that no published key signed, or that was changed", () => {
  const [honestOffer = ""] = evidence.statements
  const [header, , signature] = honestOffer.split(".")
  const [, payload] = testKey.sign({ amount: "1" }).split(".")
  const lies = [keyOf(2).sign({ amount: "10000" }), [header, payload, signature].join(".")]
  for (const lie of lies) {
    const found = faultsOf({ ...evidence, statements: [honestOffer, lie] })
    assert.deepEqual(found, ["signature 2 is of no published key"])
  }
})

Deno.test("the last link of a proof is the item's own", () => {
  const [item] = bought
  const proof = evidence.proofs.find(({ feedIndex }) => feedIndex === item?.feedIndex)
  assert.equal(sha256(linkText(proof?.path.at(-1) ?? assert.fail())), item?.chain?.hash)
})
