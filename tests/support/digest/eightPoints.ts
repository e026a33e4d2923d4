/**
 * The eight points of a digest as a program. It recomputes from the material what each paragraph must
 * say, and lists what is missing or false.
 *
 * @module
 */
import type { DigestPage } from "../../../src/digest/domain/digest.ts"
import { digestSections } from "../../../src/digest/domain/digest.ts"
import {
  type DigestMarket,
  type DigestMaterial,
  isEnded,
  isThin,
  type Move,
} from "../../../src/digest/domain/material.ts"
import { hour, minute } from "../../../src/core/domain/time.ts"
import { readableName } from "../../../src/core/domain/untrusted.ts"
import { clauseOf } from "../../../src/markets/domain/clause.ts"
import { placedStories } from "../../../src/writing/facts/view.ts"
import type { Fact } from "../../../src/writing/domain/facts.ts"
import { contradictedAbsences } from "../absences.ts"
import type { Slot } from "../../../src/writing/domain/page.ts"

interface Paragraph {
  readonly topic: string
  readonly text: string
  readonly facts: ReadonlyArray<Fact>
}

const cardTopics = ["report", "proposal", "wallet", "move"]

const doubted = ({ proposal, quote }: Pick<DigestMarket, "proposal" | "quote">) =>
  proposal !== null && quote !== null &&
  (proposal.outcome === 0 ? quote.mid : 1 - quote.mid) < 0.9 - 1e-9

/** What the page lacks, or states falsely; empty for a good one. */
export function eightPoints(material: DigestMaterial, page: DigestPage): ReadonlyArray<string> {
  const read = ({ sentences, topic }: Slot): Paragraph => ({
    topic,
    text: sentences.map(({ text }) => text).join(" "),
    facts: sentences.flatMap(({ facts }) => page.facts.filter(({ id }) => facts.includes(id))),
  })
  const paragraphs = digestSections.flatMap((section) => page.sections[section])
    .map(({ market, slot }) => ({ ...read(slot), market }))
  const lead = [page.title, page.summary].map(read)
  const cards = paragraphs.flatMap((paragraph) => {
    const one = material.markets.find(({ market }) => market.slug === paragraph.market?.slug)
    if (one === undefined || !cardTopics.includes(paragraph.topic)) return []
    return [{ one, paragraph }]
  })
  const placed = new Set(
    paragraphs.flatMap(({ market, topic }) =>
      market !== null && [...cardTopics, "line"].includes(topic) ? [market.slug] : []
    ),
  )
  const open = material.quoted.filter((one) => doubted(one) && !isEnded(material, one.market))
  const left = open.filter(({ market }) => !placed.has(market.slug)).length
  const stated = paragraphs.filter(({ topic }) => topic === "proposals")
    .flatMap(({ facts }) => facts)
    .reduce((sum, { values: { more } }) => sum + (more?.type === "count" ? more.value : 1), 0)
  return [
    ...cards.flatMap(({ one, paragraph }) => faultsOf(material, one, paragraph)),
    ...cards.flatMap(({ paragraph }) => contradictedAbsences(paragraph.facts)),
    ...stated === left
      ? []
      : [`1 ${stated} of ${left} doubted proposals without a card are listed`],
    ...countFaults(material, [...lead, ...paragraphs].map(({ text }) => text).join("\n")),
    ...[...lead, ...paragraphs].some(({ text }) => trade.test(text)) &&
        lead.some(({ text }) => text.includes("Nothing to "))
      ? ["nothing to buy, but a trade"]
      : [],
    ...paragraphs.flatMap(({ facts }) => facts)
      .filter((fact, n, all) => all.indexOf(fact) < n)
      .map(({ statement }) => `said twice: ${statement}`),
    ...headlineFaults(material, page),
    ...[
      [page.title, page.summary],
      ...digestSections.map((section) => page.sections[section].map(({ slot }) => slot)),
    ].flatMap((slots) =>
      orderFaults(slots.flatMap(({ sentences }) => sentences.map(({ text }) => text)))
    ),
  ]
}

const trade = /or less before the fee| cost \$/
const sureTrade = / together cost \$(?!.*if both settle)| after the fee \(range \$/
const riskyTrade = / after the fee \(range -\$/

/** A trade that may lose stands after those that gain at both ends. */
function orderFaults(texts: ReadonlyArray<string>): ReadonlyArray<string> {
  const risky = texts.findIndex((text) => riskyTrade.test(text))
  const sure = texts.findLastIndex((text) => sureTrade.test(text))
  return risky === -1 || sure < risky ? [] : [`before a surer trade: ${texts[risky]}`]
}

function faultsOf(
  material: DigestMaterial,
  one: DigestMarket,
  { facts, text, topic }: Paragraph,
): ReadonlyArray<string> {
  const { market, proposal, quote, rules } = one
  const isHere = ({ data }: { readonly data: { readonly market: { readonly slug: string } } }) =>
    data.market.slug === market.slug
  const move = material.moves.find(({ item }) => isHere(item))
  const entries = material.whaleEntries.filter(isHere)
  const hasChanged = move !== undefined || entries.length > 0 ||
    topic === "report" &&
      one.stories.some(({ outlets }) =>
        outlets.some(({ publishedAt }) => publishedAt >= material.from)
      ) ||
    topic === "contradiction" || topic === "proposal"
  const asks = [quote?.ask ?? null, quote === null || quote.bid === null ? null : 1 - quote.bid]
  const costs = facts.flatMap(({ values: { breakEven, breakEven2 } }) =>
    [breakEven, breakEven2].flatMap((it) => it?.type === "price" ? [it.value] : [])
  )
  const isPriced = asks.some((ask) =>
    ask !== null &&
    costs.some((cost) =>
      Math.abs(cost - ask - (market.takerFeeRate ?? 0) * ask * (1 - ask)) < 0.000_6
    )
  )
  const checks: ReadonlyArray<readonly [boolean, string]> = [
    [hasChanged, "1 nothing changed there in the window"],
    [
      rules === null || facts.some(({ kind }) => kind === "rules") || /^\W*$/.test(rules),
      "2 what pays",
    ],
    [
      asks.includes(null) || isPriced || market.takerFeeRate === null,
      "3 the price after the fee",
    ],
    [
      move === undefined || isThin(move, quote) || asks[0] === null ||
      market.takerFeeRate === null || isCauseTrue(material, one, move, text),
      "4 the cause",
    ],
    [
      !one.entries.some(({ calibration, marketMaker }) =>
        !marketMaker && calibration !== null && calibration.row.label !== "neutral"
      ) ||
      /\bwallet|\((?:follow|fade): /.test(text),
      "5 who traded",
    ],
    [/payout is expected|lists no date/i.test(text), "6 time to cash"],
    [
      market.gameStartsAt === null || proposal !== null || market.status === "proposed" ||
      text.includes("Kick-off"),
      "6 the kick-off",
    ],
    [/(?:Valid|Watch) until/.test(text), "7 valid until"],
    [
      one.book !== null || !text.includes("or less before the fee") ||
      text.includes("Confidence in this price is low: there is no order book"),
      "the warning that a report has",
    ],
    [proposal === null || /proposal of | is proposed/.test(text), "the open proposal"],
    [
      market.status !== "proposed" || /proposal of|is proposed/.test(text),
      "that an outcome is proposed",
    ],
  ]
  return checks.flatMap(([isTrue, point]) => isTrue ? [] : [`${point}: ${text}`])
}

/** A cause needs a reading, of an uncorrected report that is not after the move, the way it went. */
function isCauseTrue(
  { coverage, until }: DigestMaterial,
  one: DigestMarket,
  { item, step }: Move,
  text: string,
): boolean {
  if (coverage.news === null) return !/Cause: |First headline: |Our word match/.test(text)
  const denial = "none found by our match in the 6 hours before"
  // What was read in part denies no cause.
  if (coverage.news.answered < coverage.news.sources && text.includes(denial)) return false
  const { market } = one
  const clause = one.rules === null ? null : clauseOf(market.question, one.rules)
  const stories = placedStories({ clause, market }, one.stories)
  const latest = step?.to ?? Date.parse(item.createdAt)
  const first = step?.from ?? Date.parse(item.data.startedAt)
  const fitting = stories.filter(({ corrected, firstAt, reading }) => {
    if (reading === null || reading.bears === null || corrected || firstAt > latest) return false
    const isFirst = reading.outcome !== market.outcomes[1]
    return ((reading.bears === "for") === isFirst) === item.data.delta > 0
  })
  const isIn = ({ title }: DigestMarket["stories"][number]) =>
    text.includes(readableName(title, 160).slice(0, 40))
  const isNear = ({ firstAt }: DigestMarket["stories"][number]) =>
    first - firstAt <= 6 * hour &&
    (market.gameStartsAt === null || firstAt >= market.gameStartsAt)
  const isSilent = (market.gameStartsAt ?? Infinity) <= until ||
    coverage.news.answered < coverage.news.sources
  const isAbsent = isSilent && !stories.some(isIn) ? !text.includes(denial) : text.includes(denial)
  return isAbsent
    ? stories.every((story) => story.corrected || story.firstAt > latest || !isNear(story))
    : stories.some(isIn) && (!fitting.some(isNear) || fitting.some(isIn))
}

/** Counts have denominators, and absences were read. */
function countFaults(
  { coverage, from, moves, until, whaleEntries }: DigestMaterial,
  text: string,
): ReadonlyArray<string> {
  const { itemsUnread, marketsWatched, missing, venueReadAt, wallets } = coverage
  const isSeen = itemsUnread === 0 && until - from <= 4 * hour + 20 * minute
  const areEntriesSeen = itemsUnread === 0 && until - wallets.from <= 4 * hour + 20 * minute
  const watched = new Intl.NumberFormat("en-US").format(marketsWatched)
  const isCounted = moves.length === 0 || marketsWatched === 0 || missing.includes("markets") ||
    text.includes(
      `${isSeen ? "" : "At least "}${moves.length} of ${watched} watched market`,
    )
  const isVenueRead = venueReadAt !== null && until - venueReadAt <= hour && isSeen
  const areWalletsRead = !missing.includes("whales") && wallets.readAt !== null &&
    until - wallets.readAt <= hour && areEntriesSeen && whaleEntries.length === 0
  const areProposalsRead = coverage.proposalsUnread === 0 && venueReadAt !== null &&
    until - venueReadAt <= hour
  return [
    .../ open proposals?\b/.test(text) && !areProposalsRead ? ["proposals, unread"] : [],
    ...isCounted ? [] : ["8 the moves of how many markets"],
    ...text.includes("moved far enough") && !isVenueRead ? ["no moves, unread"] : [],
    ...text.includes("opened a published position.") && !areWalletsRead
      ? ["no entries, unread"]
      : [],
  ]
}

/** No corrected headline is in any fact. */
function headlineFaults(
  { markets, predetermined }: DigestMaterial,
  { facts }: DigestPage,
): ReadonlyArray<string> {
  const stories = markets.flatMap(({ stories }) => stories)
  const named = (isCorrected: boolean) =>
    stories.filter(({ corrected }) => corrected === isCorrected)
      .map(({ title }) => readableName(title, 160))
  const doubted = new Set(stories.flatMap(({ corrected, url }) => corrected ? [url] : []))
  const evidence = predetermined.flatMap(({ data }) => data.evidence)
    .filter(({ url }) => !doubted.has(url)).map(({ title }) => readableName(title, 160))
  const good = [...named(false), ...evidence]
  const corrected = named(true).filter((title) => title !== "unnamed" && !good.includes(title))
  const stated = facts.flatMap(({ values }) => {
    const value = values["headline"] ?? values["cause"]
    return value?.type === "name" ? [value.text] : []
  })
  return stated.filter((title) => corrected.includes(title)).map((it) =>
    `a corrected headline: ${it}`
  )
}
