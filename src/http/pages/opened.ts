/**
 * Items of yesterday, opened: what each said, and what became of it.
 *
 * @module
 */
import { pageRows } from "../../catalog/domain/pageRow.ts"
import { cite, type Cited, items } from "./cited.ts"
import { badge, marketLink } from "./items.tsx"
import type { Card } from "./sections.tsx"
import { cents, type Inline, name, num, price, quoted, say, time, wholeUsd } from "./text.tsx"

type Opened = typeof pageRows["opened"]["body"]["Type"]
type Row = Opened["items"][number]
type Item = Row["item"]
type Outcome = NonNullable<Row["outcome"]>
type OfType<Of, Type> = Extract<Of, { readonly type: Type }>

/** A card for each item. */
export const openedCards = (opened: Opened): ReadonlyArray<Card> =>
  items(cite(pageRows.opened.path, opened).at("items")).map((row) => {
    const { item, outcome } = row.value
    const { market } = item.data
    return {
      title: [marketLink(market.slug, market.question)],
      blocks: [
        say`${badge(item.type)} ${time(item.createdAt)}`,
        said(row.at("item")),
        say`What became of it: ${
          outcome === null ? "not scored yet." : became(row.at("outcome") as Cited<Outcome>)
        }`,
      ],
    }
  })

const lengthMax = 160
const windowTexts = { "1h": "an hour", "24h": "a day" } as const

function said(of: Cited<Item>): Inline {
  switch (of.value.type) {
    case "mover": {
      const data = (of as Cited<OfType<Item, "mover">>).at("data")
      return say`${name(data.value.outcome, 40)} moved from ${
        num(data.at("priceStart"), price)
      } to ${num(data.at("priceNow"), price)} within ${windowTexts[data.value.window]}, with ${
        num(data.at("tradedUsd"), wholeUsd)
      } traded.`
    }
    case "whale_entry": {
      const data = (of as Cited<OfType<Item, "whale_entry">>).at("data")
      return say`${name(data.value.pseudonym, 40)} bought ${name(data.value.outcome, 40)} for ${
        num(data.at("stakeUsd"), wholeUsd)
      } at ${num(data.at("entryPrice"), price)}; label: ${
        data.value.calibration?.label ?? "none, too short a record"
      }.`
    }
    case "predetermined": {
      const data = (of as Cited<OfType<Item, "predetermined">>).at("data")
      return say`${quoted(data.value.statement, lengthMax)} ${
        name(data.value.outcome, 40)
      } traded at ${num(data.at("marketPrice"), price)}.`
    }
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

function became(of: Cited<Outcome>): Inline {
  switch (of.value.type) {
    case "mover": {
      const later = (of as Cited<OfType<Outcome, "mover">>).at("after24h")
      return later.value.price === null
        ? `a day later, ${moveStates[later.value.state]}.`
        : say`a day later, at ${num(later.at("price"), price)}, ${moveStates[later.value.state]} (${
          num(later.at("drift"), cents)
        } since).`
    }
    case "whale_entry": {
      const entry = of as Cited<OfType<Outcome, "whale_entry">>
      const later = entry.at("after24h")
      return entry.value.state === "paid"
        ? say`the market paid ${num(entry.at("payout"), price)} a share.`
        : entry.value.state === "cancelled"
        ? "the market was cancelled."
        : later.value.price === null
        ? "the market has not resolved yet."
        : say`a day later the price was ${num(later.at("price"), price)} (${
          num(later.at("closingLineValue"), cents)
        }); not resolved yet.`
    }
    case "predetermined":
      return payouts[of.value.state]
  }
}
