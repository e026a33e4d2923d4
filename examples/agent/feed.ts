/**
 * What the agent wants of this service: which answers it reads, what it buys next, and what it says
 * of each item. Replace this file to buy something else.
 *
 * The feed comes first. A digest is read once when there is a new one, a report bought on the market
 * of the strongest move, and both only if enough is left to continue with the feed.
 *
 * @module
 */
import { Option, Schema } from "effect"
import { type Ledger, left, type Limits, objection } from "./budget.ts"
import { type Contract, type Offer, offerAt } from "./discover.ts"
import { plain, quoted } from "./http.ts"

export const paths = {
  index: "/v1/index",
  health: "/health",
  items: "/v1/signals",
  digest: "/v1/digest",
  report: "/v1/research",
} as const

const { Finite, Int, String: Text, Struct } = Schema

export const Index = Struct({
  status: Text,
  index: Int.check(Schema.isGreaterThanOrEqualTo(0)),
  totalToday: Int,
  digest: Schema.NullOr(Struct({ latestAt: Text, title: Text })),
})
export type Index = typeof Index.Type

const head = { feedIndex: Int, title: Text }
const Book = Struct({ spread: Finite, depthUsdWithin5c: Struct({ total: Finite }) })
const Calibration = Struct({ label: Text, resolved: Int, winRate: Finite, edge: Finite })

/** An item as far as it is read; one of a type that is not known is shown by its title. */
export const Item = Schema.Union([
  Struct({
    ...head,
    type: Schema.Literal("mover"),
    data: Struct({
      market: Struct({ slug: Text }),
      window: Text,
      priceStart: Finite,
      priceNow: Finite,
      delta: Finite,
      zScore: Finite,
      confirmedBy: Text,
      microstructure: Book,
    }),
  }),
  Struct({
    ...head,
    type: Schema.Literal("whale_entry"),
    data: Struct({
      pseudonym: Text,
      outcome: Text,
      entryPrice: Finite,
      stakeUsd: Finite,
      calibration: Schema.NullOr(Calibration),
    }),
  }),
  Struct({
    ...head,
    type: Schema.Literal("predetermined"),
    data: Struct({
      outcome: Text,
      statement: Text,
      confidence: Text,
      marketPrice: Finite,
      evidence: Schema.Array(Struct({ title: Text, source: Text })),
    }),
  }),
  Struct({ ...head, type: Text }),
])
export type Item = typeof Item.Type

const Digest = Struct({ title: Text, summary: Text, fullAnalysis: Text, createdAt: Text })
const Analysis = Struct({ thesis: Text, confidence: Text, bottomLine: Text })
const Report = Struct({ market: Struct({ question: Text }), analysis: Analysis })
const readItems = Schema.decodeUnknownOption(Struct({ data: Schema.Array(Item) }))
const readDigest = Schema.decodeUnknownOption(Struct({ data: Digest }))
const readReport = Schema.decodeUnknownOption(Struct({ cached: Schema.Boolean, data: Report }))

export interface Memory {
  /** The last feed index that was read or given up; null before the first look. */
  readonly seen: number | null
  /** The digest that was read or given up. */
  readonly digestAt: string | null
  /** Markets a report was bought for. */
  readonly reported: ReadonlyArray<string>
  /** The strongest move among the items read so far that has no report. */
  readonly mover: { readonly market: string; readonly zScore: number } | null
  /** How often in a row the feed was not available. */
  readonly misses: number
}
export const blank: Memory = { seen: null, digestAt: null, reported: [], mover: null, misses: 0 }

export type Want =
  | { readonly kind: "items"; readonly since: number }
  | { readonly kind: "digest"; readonly at: string }
  | { readonly kind: "report"; readonly market: string }

/** How many items back an agent begins that has seen nothing yet. */
const firstLook = 10
/** A move of so many times its expected size is worth a report. */
const strongZ = 6
/** Extras leave money for so many more calls of the feed. */
const feedCallsKept = 2
/** How often in a row the feed may be missed before the agent ends. */
export const missesMax = 3

/** What an agent would like to buy, the most useful first. */
export function wants(memory: Memory, { index, digest }: Index): ReadonlyArray<Want> {
  const seen = memory.seen ?? Math.max(0, index - firstLook)
  const found: Array<Want> = []
  if (index > seen) found.push({ kind: "items", since: seen })
  if (digest !== null && digest.latestAt !== memory.digestAt) {
    found.push({ kind: "digest", at: digest.latestAt })
  }
  if (memory.mover !== null) found.push({ kind: "report", market: memory.mover.market })
  return found
}

export type Decision =
  | { readonly kind: "buy"; readonly offer: Offer; readonly price: bigint; readonly path: string }
  /** Not this one; another want may still be bought. */
  | { readonly kind: "pass"; readonly why: string }
  /** The feed itself cannot be bought any more: there is nothing left to do. */
  | { readonly kind: "stop"; readonly why: string }

/** Whether the budget lets a want be bought. */
export function decide(want: Want, contract: Contract, ledger: Ledger, limits: Limits): Decision {
  const path = paths[want.kind]
  const refuse = (why: string): Decision => ({
    kind: want.kind === "items" ? "stop" : "pass",
    why: `${path} ${why}`,
  })
  const offer = offerAt(contract, path)
  const price = offer?.price ?? null
  if (offer === undefined || price === null) return refuse("is not for sale here")
  const against = objection(price, ledger, limits)
  if (against !== null) return refuse(`would go ${against}`)
  const feed = offerAt(contract, paths.items)?.price ?? 0n
  if (want.kind !== "items" && left(ledger, limits) - price < feed * BigInt(feedCallsKept)) {
    return refuse("would leave too little for the feed")
  }
  return { kind: "buy", offer, price, path: `${path}${queryOf(want, offer)}` }
}

function queryOf(want: Want, { countMax }: Offer): string {
  switch (want.kind) {
    case "items":
      return `?since=${want.since}${countMax === null ? "" : `&count=${countMax}`}`
    case "digest":
      return ""
    case "report":
      return `?market=${encodeURIComponent(want.market)}`
  }
}

/** What is remembered of a want that was bought or given up, so that it is not bought again. */
export function closed(memory: Memory, want: Want, index: Index): Memory {
  switch (want.kind) {
    case "items":
      return { ...memory, seen: Math.max(want.since, index.index), misses: 0 }
    case "digest":
      return { ...memory, digestAt: want.at }
    case "report":
      return { ...memory, reported: [...memory.reported, want.market], mover: null }
  }
}

/** What is remembered of a want that failed: the feed is asked for again, an extra is not. */
export function missed(memory: Memory, want: Want, index: Index): Memory {
  return want.kind === "items"
    ? { ...memory, misses: memory.misses + 1 }
    : closed(memory, want, index)
}

/** What is remembered of items that were read: where they end, and the strongest move. */
export function learned(memory: Memory, since: number, items: ReadonlyArray<Item>): Memory {
  const seen = items.reduce((last, { feedIndex }) => Math.max(last, feedIndex), since)
  let { mover } = memory
  for (const item of items) {
    if (!("data" in item) || item.type !== "mover") continue
    const [market, zScore] = [item.data.market.slug, Math.abs(item.data.zScore)]
    if (zScore < strongZ || memory.reported.includes(market)) continue
    if (mover === null || zScore > mover.zScore) mover = { market, zScore }
  }
  return { ...memory, seen, mover, misses: 0 }
}

/** What a body that was bought says, in lines, and what is remembered of it. */
export function readBought(
  want: Want,
  body: unknown,
  index: Index,
  memory: Memory,
): [ReadonlyArray<string>, Memory] {
  const over = closed(memory, want, index)
  const lines = <A>(read: Option.Option<A>, of: (read: A) => ReadonlyArray<string>) =>
    Option.match(read, { onNone: () => ["  it cannot be read"], onSome: of })
  switch (want.kind) {
    case "items": {
      const read = readItems(body)
      const items = Option.getOrUndefined(read)?.data ?? []
      if (items.length > 0) return [items.map(itemLine), learned(memory, want.since, items)]
      return [lines(read, () => ["  no items"]), over]
    }
    case "digest":
      return [lines(readDigest(body), digestLines), over]
    case "report":
      return [lines(readReport(body), reportLines), over]
  }
}

/** One item, in one line. */
export function itemLine(item: Item): string {
  const head = `  #${item.feedIndex}`
  const title = quoted(item.title)
  if (!("data" in item)) return `${head} ${plain(item.type, 20)}: ${title}`
  switch (item.type) {
    case "mover": {
      const { window, priceStart, priceNow, delta, zScore, confirmedBy, microstructure } = item.data
      const { spread, depthUsdWithin5c: depth } = microstructure
      return `${head} moved: ${title} ${priceStart} -> ${priceNow} (${sign(delta)}) in ` +
        `${plain(window, 8)}, z ${zScore.toFixed(1)}, confirmed by ${plain(confirmedBy, 20)}; ` +
        `spread ${spread}, ${dollars(depth.total)} within 5 cents`
    }
    case "whale_entry": {
      const { pseudonym, outcome, entryPrice, stakeUsd, calibration } = item.data
      const record = calibration === null
        ? "no record yet"
        : `${plain(calibration.label, 20)}: won ${Math.round(calibration.winRate * 100)}% of ` +
          `${calibration.resolved} resolved, edge ${sign(calibration.edge)}`
      return `${head} whale: ${quoted(pseudonym)} (${record}) bought ${quoted(outcome)} of ` +
        `${title} at ${entryPrice} for ${dollars(stakeUsd)}`
    }
    case "predetermined": {
      const { outcome, statement, confidence, marketPrice, evidence } = item.data
      const sources = evidence.slice(0, 2).map(({ title, source }) =>
        `${plain(source, 40)}: ${quoted(title)}`
      )
      return `${head} decided: ${quoted(outcome)} of ${title}, ${plain(confidence, 20)} ` +
        `confidence, while the price is ${marketPrice}. ${plain(statement, 240)} ` +
        `(${sources.join("; ")})`
    }
  }
}

function digestLines({ data }: { data: typeof Digest.Type }): ReadonlyArray<string> {
  const words = data.fullAnalysis.split(/\s+/).length
  return [
    `  digest of ${plain(data.createdAt, 30)}: ${quoted(data.title)}, ${words} words`,
    `  ${plain(data.summary, 240)}`,
  ]
}

function reportLines(
  { cached, data: { market, analysis } }: { cached: boolean; data: typeof Report.Type },
): ReadonlyArray<string> {
  const age = cached ? ", made within the last half hour" : ""
  return [
    `  report on ${quoted(market.question)}, ${plain(analysis.confidence, 20)} confidence${age}`,
    `  ${plain(analysis.thesis, 240)}`,
    `  ${plain(analysis.bottomLine, 240)}`,
  ]
}

function dollars(amount: number): string {
  return `$${Math.round(amount).toLocaleString("en-US")}`
}

function sign(value: number): string {
  return value > 0 ? `+${value}` : `${value}`
}
