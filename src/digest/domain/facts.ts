/**
 * The facts that only a digest states: its counts with their denominators, what could not be read, a
 * dated cause, how long a card holds, and what concerns several markets.
 *
 * @module
 */
import { digestEvery } from "./digest.ts"
import { byRecord } from "./chosen.ts"
import {
  type DigestMarket,
  type DigestMaterial,
  type DigestPart,
  type DigestStory,
  type EndedMarket,
  isEnded,
  isLabelled,
  isRecent,
  type PredeterminedItem,
  type WhaleEntryItem,
} from "./material.ts"
import { day, type EpochMs, minute } from "../../core/domain/time.ts"
import { mechanicalSign } from "../../markets/domain/market.ts"
import { quoteOfOutcome } from "../../markets/domain/quote.ts"
import { convergenceOf } from "../../markets/domain/resolving.ts"
import { joined, listed, phrase, type Statement } from "../../writing/domain/statement.ts"
import {
  type About,
  cents,
  count,
  factOf,
  named,
  type NewFact,
  outcomeOf,
  price,
  time,
  usd,
  word,
} from "../../writing/facts/fact.ts"

/** The venue is read every ten minutes; an older reading means that something may be missing. */
const readingAgeMax = 30 * minute
/** Names in one sentence. */
const namesMax = 3
const othersMax = 3
/** Characters of a market and of an outcome in a list. */
const listedMax = { market: 80, outcome: 30 }

/** `12 of`: the part of a whole that follows it. */
const part = (slot: string, of: number) => count(slot, of, "of", "of")
/** Before a count of which some was not read. */
const least = (unread: number): Statement => unread > 0 ? phrase`At least ` : phrase``
const counted = (text: Statement): ReadonlyArray<NewFact> => [factOf("coverage", null, text)]

/** When the digest after one that is written now is due. */
export const nextDigestAt = (now: EpochMs): EpochMs => now - now % digestEvery + digestEvery

/** How many moved, bought, are proposed and ended, each of how many; never empty. */
export function countFacts(
  material: DigestMaterial,
): readonly [NewFact, ...ReadonlyArray<NewFact>] {
  const { from, until } = material
  const window = phrase`This digest covers ${time("startsAt", from, until)} to ${
    time("endsAt", until, from)
  }. It is valid until ${time("nextAt", nextDigestAt(until), until)}, when the next is due.`
  return [
    factOf("coverage", null, window),
    ...movedFact(material),
    ...buyersFact(material),
    ...proposedFact(material),
    ...endedFact(material),
  ]
}

function movedFact({ coverage, moves, until }: DigestMaterial): ReadonlyArray<NewFact> {
  const { itemsUnread, marketsWatched, missing, venueReadAt } = coverage
  if (marketsWatched === 0 || missing.includes("markets")) return []
  const watched = count("watched", marketsWatched, "watched market")
  if (moves.length === 0) {
    const isWhole = venueReadAt !== null && until - venueReadAt <= readingAgeMax &&
      itemsUnread === 0
    return isWhole ? counted(phrase`None of ${watched} moved far enough.`) : []
  }
  const rose = moves.filter(({ item }) => item.data.delta > 0).length
  return counted(
    phrase`${least(itemsUnread)}${part("moved", moves.length)} ${watched} moved: ${
      count("rose", rose, "up", "up")
    }, ${count("fell", moves.length - rose, "down", "down")}.`,
  )
}

function buyersFact({ coverage, until, whaleEntries }: DigestMaterial): ReadonlyArray<NewFact> {
  const { itemsUnread, missing, wallets } = coverage
  if (missing.includes("whales") || wallets.tracked === 0) return []
  const tracked = count("wallets", wallets.tracked, "tracked wallet")
  if (whaleEntries.length === 0) {
    const isWhole = isRecent(wallets.readAt, until) && itemsUnread === 0
    return isWhole ? counted(phrase`None of ${tracked} opened a published position.`) : []
  }
  const buyers = new Set(whaleEntries.map(({ data }) => data.wallet)).size
  return counted(
    phrase`${least(itemsUnread)}${part("buyers", buyers)} ${tracked} opened positions, for ${
      usd("stake", stakeOf(whaleEntries))
    } in all.`,
  )
}

/** Open proposals are counted whenever they were made; not counted unless all were read. */
function proposedFact({ coverage, quoted, until }: DigestMaterial): ReadonlyArray<NewFact> {
  const { missing, proposalsUnread, venueReadAt } = coverage
  if (missing.includes("markets") || missing.includes("proposals")) return []
  if (proposalsUnread > 0 || !isRecent(venueReadAt, until)) return []
  const proposed = quoted.filter(({ known }) => known?.state === "proposed")
  const contested =
    proposed.filter(({ quote }) => quote !== null && convergenceOf(quote.mid) === "contested")
      .length
  const all = count("proposed", proposed.length, "undisputed proposal")
  if (proposed.length === 0) {
    const priced = count("priced", quoted.length, "priced market")
    return quoted.length === 0 ? [] : counted(phrase`None of ${priced} has an undisputed proposal.`)
  }
  return counted(
    contested === 0
      ? phrase`None of ${all} has a contested price.`
      : phrase`${part("contested", contested)} ${all} ${
        word("verb", contested === 1 ? "has" : "have")
      } a contested price.`,
  )
}

function endedFact({ resolutions }: DigestMaterial): ReadonlyArray<NewFact> {
  if (resolutions.length === 0) return []
  const paid = resolutions.filter(({ resolution }) => resolution.state === "paid").length
  const all = resolutions.length
  return counted(
    paid === all
      ? phrase`${count("ended", all, "market")} of tracked wallets ended and paid out.`
      : phrase`${part("paid", paid)} ${
        count("ended", all, "ended market")
      } of tracked wallets paid out; the others were cancelled.`,
  )
}

/** How the newest ended markets were paid, no short intervals; null without any. */
export function resolvedFact({ resolutions, until }: DigestMaterial): NewFact | null {
  const names = resolutions.filter((it) => it.resolution.state === "paid" && !isInterval(it))
    .toSorted((a, b) => b.endedAt - a.endedAt || (a.market.slug < b.market.slug ? -1 : 1))
    .slice(0, namesMax)
    .map((it, n) => {
      const won = wonOf(it)
      const how = won === null
        ? phrase`with a split payout`
        : phrase`as ${outcomeInList(n, it.market.outcomes[won])}`
      const at = time(`at${n + 1}`, it.resolution.resolvedAt ?? it.endedAt, until)
      return phrase`${inList(n, it.market.question)} ${how} (${at})`
    })
  return listFact("resolution", "Resolved", names)
}

/** The largest entries of wallets without a proven record in other markets; null without any. */
export function entriesFact(
  { whaleEntries }: DigestMaterial,
  placed: ReadonlySet<string>,
): NewFact | null {
  const others = whaleEntries.filter((entry) =>
    !isLabelled(entry) && !placed.has(entry.data.market.slug)
  )
  const names = others.toSorted(byRecord).slice(0, namesMax).map(({ data }, n) =>
    phrase`${usd(`stake${n + 1}`, data.stakeUsd)} of ${outcomeInList(n, data.outcome)} in ${
      inList(n, data.market.question)
    } at ${price(`price${n + 1}`, data.entryPrice)}`
  )
  const more = others.length - names.length
  const rest = more === 0 ? [] : [count("more", more, "smaller entry", "smaller entries")]
  return listFact("whale_entry", "Bought without a proven record", [...names, ...rest])
}

/** The outcome that was paid in full; null for another payout. */
function wonOf({ resolution }: EndedMarket): 0 | 1 | null {
  if (resolution.state !== "paid") return null
  return resolution.payouts[0] === 1 ? 0 : resolution.payouts[1] === 1 ? 1 : null
}

function isInterval({ market: { slug, question } }: EndedMarket): boolean {
  const unknown = { seriesSlugs: [], recurrences: [], tags: [], resolutionSources: [] }
  return mechanicalSign({ slug, question, ...unknown }) !== null
}

const unread: Readonly<Record<DigestPart, string>> = {
  markets: "Prices of markets",
  proposals: "The venue's proposals",
  whales: "The tracked wallets",
  news: "The news",
}

/** What could not be read, so that silence means nothing. */
export function gapFacts({ coverage, until }: DigestMaterial): ReadonlyArray<NewFact> {
  const { itemsUnread, marketsWatched, missing, news, venueReadAt, wallets } = coverage
  const at = (slot: string, of: EpochMs) => time(slot, of, until)
  const gaps: ReadonlyArray<readonly [boolean, Statement]> = [
    ...missing.map((part) => [true, phrase`${unread[part]} could not be read.`] as const),
    [venueReadAt === null, phrase`The venue was not read at all, so quiet here means nothing.`],
    [
      venueReadAt !== null && until - venueReadAt > readingAgeMax,
      phrase`The venue was last read at ${at("readAt", venueReadAt ?? until)}.`,
    ],
    [venueReadAt !== null && marketsWatched === 0, phrase`No market was watched.`],
    [!missing.includes("whales") && wallets.tracked === 0, phrase`No wallet is tracked yet.`],
    [
      wallets.tracked > 0 && !isRecent(wallets.readAt, until),
      wallets.readAt === null
        ? phrase`Entries of tracked wallets were not read yet.`
        : phrase`Entries of tracked wallets were last read at ${at("walletsAt", wallets.readAt)}.`,
    ],
    [news === null && !missing.includes("news"), phrase`News is off, so no cause is named.`],
    [
      news !== null && news.answered < news.sources,
      phrase`${part("silent", (news?.sources ?? 0) - (news?.answered ?? 0))} ${
        count("sources", news?.sources ?? 0, "news source")
      } did not answer.`,
    ],
    [itemsUnread > 0, phrase`${count("unread", itemsUnread, "feed item")} could not be read.`],
  ]
  return gaps.flatMap(([isMissing, text]) => isMissing ? counted(text) : [])
}

/** A report before the step whose words, as a model read them, point the way the price went. */
export function causeFact({ slug }: About, story: DigestStory, until: EpochMs): NewFact {
  return factOf(
    "news",
    slug,
    phrase`Likely cause, model-read: ${named("cause", story.title)} (${
      named("publisher", story.source)
    }, ${time("publishedAt", story.firstAt, until)}).`,
    { links: [story.url] },
  )
}

/** Only where the news was read. */
export const noCauseFact = ({ slug }: About): NewFact =>
  factOf("news", slug, phrase`No cause found by our match.`)

/** What ends a card before the next digest. */
export function endsFact({ slug }: About, flip: string, level: number | null): NewFact {
  const at = level === null ? phrase`` : phrase` at ${price("level", level)}`
  return factOf("method", slug, phrase`Valid until ${word("flip", flip)}${at}.`)
}

/** The quotes of a market that were not read. */
export const noQuoteFact = ({ slug }: About): NewFact =>
  factOf("book", slug, phrase`Its quotes could not be read.`)

/** Money behind a move; null when the trades could not be read. */
export function tradedFact({ slug }: About, tradedUsd: number | null): NewFact | null {
  if (tradedUsd === null) return null
  return factOf(
    "mover",
    slug,
    tradedUsd < 1
      ? phrase`Hardly anything was traded past half of the move.`
      : phrase`${usd("traded", tradedUsd)} was traded past half of the move.`,
  )
}

/** An outcome that the feed found reported. */
export function findingFact(
  about: About,
  outcome: 0 | 1,
  [first, ...others]: PredeterminedItem["data"]["evidence"],
  until: EpochMs,
): NewFact {
  const more = others.length === 0
    ? phrase``
    : phrase`, and ${count("others", others.length, "more report")}`
  return factOf(
    "predetermined",
    about.slug,
    phrase`${outcomeOf(about, outcome)} is reported: ${named("headline", first.title)} (${
      named("publisher", first.source)
    }, ${time("publishedAt", Date.parse(first.publishedAt), until)}${more}).`,
  )
}

/** A headline about markets of the digest. */
export function contextFact(
  story: DigestStory,
  markets: ReadonlyArray<DigestMarket["market"]>,
  until: EpochMs,
): NewFact {
  const others = story.outlets.length - 1
  const more = others > 0 ? phrase`, ${count("outlets", others, "more outlet")}` : phrase``
  const names = markets.slice(0, 2).map(({ question }, n) => named(`market${n + 1}`, question))
  return factOf(
    "news",
    null,
    phrase`${named("headline", story.title)} (${named("publisher", story.source)}, ${
      time("publishedAt", story.firstAt, until)
    }${more}) ${story.reading === null ? "shares words with" : "is about"} ${listed(names)}.`,
    { links: [story.url] },
  )
}

/** The strongest moves of markets that are not `placed`; null without any. */
export function otherMovesFact(
  material: DigestMaterial,
  placed: ReadonlySet<string>,
): NewFact | null {
  const names = material.moves.map(({ item }) => item.data)
    .filter(({ market }) => !placed.has(market.slug) && !isEnded(material, market))
    .slice(0, othersMax).map(({ delta, market, priceNow }, n) =>
      phrase`${inList(n, market.question)}, ${cents(`change${n + 1}`, delta)} ${
        delta < 0 ? "down" : "up"
      } to ${price(`to${n + 1}`, priceNow)}`
    )
  return listFact("mover", "Also moved", names)
}

/** The open proposals at a contested price of markets that are not `placed`; null without any. */
export function otherProposalsFact(
  material: DigestMaterial,
  placed: ReadonlySet<string>,
): NewFact | null {
  const open = material.markets.filter(({ market }) => !isEnded(material, market))
  const names = open.toSorted((a, b) => a.market.slug < b.market.slug ? -1 : 1)
    .flatMap(({ market, proposal, quote }) => {
      const isOpen = proposal !== null && quote !== null && !placed.has(market.slug) &&
        convergenceOf(quote.mid) === "contested"
      return isOpen ? [{ market, outcome: proposal.outcome, quote }] : []
    })
    .slice(0, othersMax).map(({ market, outcome, quote }, n) =>
      phrase`${outcomeInList(n, market.outcomes[outcome])} in ${inList(n, market.question)} at ${
        price(`price${n + 1}`, quoteOfOutcome(quote, outcome).mid)
      }`
    )
  return listFact("resolution", "Also proposed", names)
}

/** Open markets of the digest that pay within a day, the soonest first; null without any. */
export function soonFact(material: DigestMaterial): NewFact | null {
  const { markets, until } = material
  const names = markets.flatMap(({ expected, market, quote }) =>
    expected === null || quote === null || expected.at > until + day ||
      convergenceOf(quote.mid) === "converged" || isEnded(material, market)
      ? []
      : [{ at: expected.at, market, mid: quote.mid }]
  ).toSorted((a, b) => a.at - b.at || (a.market.slug < b.market.slug ? -1 : 1))
    .slice(0, othersMax).map(({ at, market, mid }, n) =>
      phrase`${outcomeInList(n, market.outcomes[0])} in ${inList(n, market.question)} at ${
        price(`price${n + 1}`, mid)
      }, about ${time(`at${n + 1}`, at, until)}`
    )
  return listFact("upcoming", "Payouts expected next", names)
}

/** A market in a list: shorter than where it stands alone. */
const inList = (n: number, question: string) => named(`market${n + 1}`, question, listedMax.market)

const outcomeInList = (n: number, outcome: string) =>
  named(`outcome${n + 1}`, outcome, listedMax.outcome)

function listFact(
  kind: NewFact["kind"],
  start: string,
  items: ReadonlyArray<Statement>,
): NewFact | null {
  return items.length === 0 ? null : factOf(kind, null, phrase`${start}: ${joined(items, "; ")}.`)
}

/** Sums in a fixed order, so that floating-point rounding does not depend on the input order. */
function stakeOf(entries: ReadonlyArray<WhaleEntryItem>): number {
  return entries.map(({ data }) => data.stakeUsd).sort((a, b) => a - b)
    .reduce((sum, usd) => sum + usd, 0)
}
