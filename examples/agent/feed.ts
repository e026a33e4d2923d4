/**
 * The agent's buying plan: which answers it reads, what it buys next, and how it prints them.
 * Replace this file to buy something else.
 *
 * Feed items come first. Each new digest is bought once, and a report on the market of the
 * strongest move; both only when enough of the budget is left for the feed.
 *
 * @module
 */
import { calls, plain, quoted } from "bellwether-client"
import { Option, Schema } from "effect"

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

/** The fields of an item that the agent reads; of an unknown type it prints only the title. */
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
      kind: Schema.optionalKey(Text),
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

export interface AgentState {
  /** The last feed index that was read or skipped; null before the first poll. */
  readonly lastIndex: number | null
  /** The digest that was read or skipped. */
  readonly digestAt: string | null
  /** The markets with a bought report. */
  readonly reported: ReadonlyArray<string>
  /** The strongest move among the read items without a report. */
  readonly mover: { readonly market: string; readonly zScore: number } | null
  /** How often in a row the feed was not available. */
  readonly failures: number
}
export const initialState: AgentState = {
  lastIndex: null,
  digestAt: null,
  reported: [],
  mover: null,
  failures: 0,
}

export type WantedPurchase =
  | { readonly kind: "items"; readonly since: number }
  | { readonly kind: "digest"; readonly at: string }
  | { readonly kind: "report"; readonly market: string }

/** A new agent starts this many items before the newest. */
const firstItemsMax = 10
/** The smallest z-score of a move that is worth a report. */
const reportZScoreMin = 6
/** A digest or a report is bought only if this many feed calls can still be paid. */
const reservedFeedCalls = 2
const unitsPerUsd = 1_000_000
/** The most items of one call. */
const itemsMax = 20
/** After this many failed feed calls in a row the agent stops. */
export const feedFailuresMax = 3

/** What the agent wants to buy, the most useful first. */
export function wantedPurchases(
  state: AgentState,
  { index, digest }: Index,
): ReadonlyArray<WantedPurchase> {
  const lastIndex = state.lastIndex ?? Math.max(0, index - firstItemsMax)
  const found: Array<WantedPurchase> = []
  if (index > lastIndex) found.push({ kind: "items", since: lastIndex })
  if (digest !== null && digest.latestAt !== state.digestAt) {
    found.push({ kind: "digest", at: digest.latestAt })
  }
  if (state.mover !== null) found.push({ kind: "report", market: state.mover.market })
  return found
}

const feedTarget = new RegExp(`^${calls.get_signals.path}\\?since=(\\d{1,15})&count=${itemsMax}$`)

/**
 * The index at which an earlier run made the feed call whose payment is unclear; null when there is
 * none. The same call sends that payment again; a call at another index would sign a second one.
 */
export function unclearSince(
  payments: ReadonlyArray<{ readonly outcome: string; readonly target: string }>,
  { index }: Index,
): number | null {
  for (const { outcome, target } of payments) {
    const since = outcome === "unclear" ? feedTarget.exec(target)?.[1] : undefined
    if (since !== undefined && Number(since) < index) return Number(since)
  }
  return null
}

/** The call that makes a purchase. */
export function callOf(wanted: WantedPurchase) {
  switch (wanted.kind) {
    case "items":
      return { name: "get_signals", parameters: { since: wanted.since, count: itemsMax } } as const
    case "digest":
      return { name: "get_digest", parameters: {} } as const
    case "report":
      return { name: "get_research", parameters: { market: wanted.market } } as const
  }
}

/** Whether a purchase leaves too little for the feed, of which no item may be left out. */
export function isTooDear(wanted: WantedPurchase, leftUsd: number): boolean {
  if (wanted.kind === "items") return false
  const price = Number(calls[callOf(wanted).name].priceUsd)
  const reserve = reservedFeedCalls * Number(calls.get_signals.priceUsd)
  return Math.round((leftUsd - price - reserve) * unitsPerUsd) < 0
}

/** The state after a purchase that succeeded or was skipped: it is not bought again. */
export function markDone(state: AgentState, wanted: WantedPurchase, index: Index): AgentState {
  switch (wanted.kind) {
    case "items":
      return { ...state, lastIndex: Math.max(wanted.since, index.index), failures: 0 }
    case "digest":
      return { ...state, digestAt: wanted.at }
    case "report":
      return { ...state, reported: [...state.reported, wanted.market], mover: null }
  }
}

/** The state after a failed purchase: feed items are tried again, a digest or report is not. */
export function markFailed(state: AgentState, wanted: WantedPurchase, index: Index): AgentState {
  return wanted.kind === "items"
    ? { ...state, failures: state.failures + 1 }
    : markDone(state, wanted, index)
}

/** The state after items were read: the last index and the strongest move. */
export function markRead(state: AgentState, since: number, items: ReadonlyArray<Item>): AgentState {
  const lastIndex = items.reduce((last, { feedIndex }) => Math.max(last, feedIndex), since)
  let { mover } = state
  for (const item of items) {
    if (!("data" in item) || item.type !== "mover") continue
    const [market, zScore] = [item.data.market.slug, Math.abs(item.data.zScore)]
    if (zScore < reportZScoreMin || state.reported.includes(market)) continue
    if (mover === null || zScore > mover.zScore) mover = { market, zScore }
  }
  return { ...state, lastIndex, mover, failures: 0 }
}

/** The printed lines of a bought body, and the state after it. */
export function readPurchased(
  wanted: WantedPurchase,
  body: unknown,
  index: Index,
  state: AgentState,
): [ReadonlyArray<string>, AgentState] {
  const done = markDone(state, wanted, index)
  const lines = <A>(read: Option.Option<A>, of: (read: A) => ReadonlyArray<string>) =>
    Option.match(read, { onNone: () => ["  the answer cannot be read"], onSome: of })
  switch (wanted.kind) {
    case "items": {
      const read = readItems(body)
      const items = Option.getOrUndefined(read)?.data ?? []
      if (items.length > 0) return [items.map(itemLine), markRead(state, wanted.since, items)]
      return [lines(read, () => ["  no items"]), done]
    }
    case "digest":
      return [lines(readDigest(body), digestLines), done]
    case "report":
      return [lines(readReport(body), reportLines), done]
  }
}

/** One item as one line. */
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
      const { kind, outcome, statement, confidence, marketPrice, evidence } = item.data
      const label = kind === "contested_proposal" ? "proposed" : "decided"
      const sources = evidence.slice(0, 2).map(({ title, source }) =>
        `${plain(source, 40)}: ${quoted(title)}`
      )
      return `${head} ${label}: ${quoted(outcome)} of ${title}, ${plain(confidence, 20)} ` +
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
  const age = cached ? ", cached within the last 30 minutes" : ""
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
