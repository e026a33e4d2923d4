/**
 * What pages show of feed items: their types, the markets that they are about, and of an old one what it
 * said and what became of it.
 *
 * @module
 */
import type { Child } from "hono/jsx"
import type { FeedType } from "../../feed/domain/item.ts"
import type { PageBodies } from "../free/pageData.ts"
import { marketsPrefix } from "../documents/addresses.ts"
import type { Card } from "./sections.tsx"
import { cents, type Inline, link, name, num, price, quoted, say, time, wholeUsd } from "./text.tsx"

const typeNames = {
  mover: "Mover",
  whale_entry: "Whale entry",
  predetermined: "Predetermined",
} as const satisfies { [Type in FeedType]: string }

/** Each type in one sentence. */
export const typeTexts = {
  mover: "The price moved far for this market, and stayed there.",
  whale_entry: "A tracked wallet bought a position that is large enough to report.",
  predetermined:
    "Headlines report an outcome, or the venue has a proposed one, while the price says otherwise.",
} as const satisfies { [Type in FeedType]: string }

export const badge = (type: FeedType): Child => (
  <span class="badge">{typeNames[type]}</span>
)

/** The question of a market, as a link to its page. */
export const marketLink = ({ slug, question }: { slug: string; question: string }): Child =>
  link(marketsPrefix + encodeURIComponent(slug), name(question))

type Row = PageBodies["opened"]["items"][number]
type Item = Row["item"]
type Outcome = NonNullable<Row["outcome"]>

/** An item of yesterday. */
export const openedCard = ({ item, outcome }: Row): Card => ({
  title: [marketLink(item.data.market)],
  blocks: [
    say`${badge(item.type)} ${time(item.createdAt)}`,
    said(item),
    say`What became of it: ${outcome === null ? "not scored yet." : became(outcome)}`,
  ],
})

const statementLengthMax = 160
export const windowTexts = { "1h": "an hour", "24h": "a day" } as const

function said({ type, data }: Item): Inline {
  const outcome = name(data.outcome, 40)
  switch (type) {
    case "mover":
      return say`${outcome} moved from ${num(data.priceStart, price)} to ${
        num(data.priceNow, price)
      } within ${windowTexts[data.window]}, with ${num(data.tradedUsd, wholeUsd)} traded.`
    case "whale_entry":
      return say`${name(data.pseudonym, 40)} bought ${outcome} for ${
        num(data.stakeUsd, wholeUsd)
      } at ${num(data.entryPrice, price)}; label: ${
        data.calibration?.label ?? "none, too short a record"
      }.`
    case "predetermined":
      return say`${quoted(data.statement, statementLengthMax)} ${outcome} traded at ${
        num(data.marketPrice, price)
      }.`
  }
}

const moveStates = {
  persisted: "it kept at least half of the move",
  reverted: "it went back by more than half",
  unknown: "no price was known",
  open: "not judged yet",
} as const

const payouts = {
  correct: "the outcome was paid.",
  wrong: "another outcome was paid.",
  uneven: "the payout was split.",
  cancelled: "the market was cancelled.",
  open: "the market has not resolved yet.",
} as const

function became(outcome: Outcome): Inline {
  if (outcome.type === "predetermined") return payouts[outcome.state]
  if (outcome.type === "whale_entry" && outcome.state === "cancelled") return payouts.cancelled
  if (outcome.type === "whale_entry" && outcome.state === "paid") {
    return say`the market paid ${num(outcome.payout, price)} a share.`
  }
  if (outcome.type === "whale_entry") {
    const { price: later, closingLineValue } = outcome.after24h
    return later === null
      ? payouts.open
      : say`a day later the price was ${num(later, price)} (${
        num(closingLineValue, cents)
      }); not resolved yet.`
  }
  const { price: later, state, drift } = outcome.after24h
  return later === null
    ? `a day later, ${moveStates[state]}.`
    : say`a day later, at ${num(later, price)}, ${moveStates[state]} (${num(drift, cents)} since).`
}
