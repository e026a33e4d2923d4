/**
 * The facts that only a digest states: its counts with their denominators, what could not be read, a
 * dated cause, how long a card holds, and what concerns several markets.
 *
 * @module
 */
import { digestAgeMax, digestEvery } from "./digest.ts"
import {
  type DigestMarket,
  type DigestMaterial,
  type DigestPart,
  type DigestStory,
  isEnded,
  isLabelled,
  isRecent,
  type Move,
  type MoverItem,
  unexplainedUsdMin,
  type WhaleEntryItem,
} from "./material.ts"
import { day, type EpochMs, minute } from "../../core/domain/time.ts"
import { readableName } from "../../core/domain/untrusted.ts"
import { isDecidedPrice } from "../../markets/domain/book.ts"
import { quoteOfOutcome } from "../../markets/domain/quote.ts"
import { phrase, type Statement } from "../../writing/domain/statement.ts"
import {
  type About,
  cents,
  count,
  date,
  factOf,
  named,
  type NewFact,
  part,
  price,
  rounded,
  time,
  type Titled,
  titleOf,
  usd,
  word,
} from "../../writing/facts/fact.ts"
import { citation } from "../../writing/facts/headlines.ts"
import { halfLevelOf, nowWords } from "../../writing/facts/moves.ts"
import { doubtedBelow } from "../../writing/facts/proposals.ts"
import { isDoubted, priceOfOutcome } from "../../writing/facts/view.ts"

/** The venue is read every ten minutes; an older reading means that something may be missing. */
const readingAgeMax = 30 * minute
/** The least size of a move that is published, USD a share. */
const moveMin = 0.05
/** Facts of one list, and of that of moves. */
const othersMax = 4
const movesMax = 8
/** Characters of a market and of an outcome in a list. */
const listedMax = { market: 80, outcome: 30 }

/**
 * Whether all that a count is of was seen: every item was read, and the count is of no longer than one
 * digest covers, as it is after an outage, of which an hour is read at most.
 */
const isWhole = ({ coverage: { itemsUnread }, until }: DigestMaterial, from: EpochMs): boolean =>
  itemsUnread === 0 && until - from <= digestAgeMax

/** Before a count of which some may not have been seen. */
const least = (material: DigestMaterial, from: EpochMs): Statement =>
  isWhole(material, from) ? phrase`` : phrase`At least `
const counted = (text: Statement): ReadonlyArray<NewFact> => [factOf("coverage", null, text)]

/** When the digest after one that is written now is due. */
export const nextDigestAt = (now: EpochMs): EpochMs => now - now % digestEvery + digestEvery

/** In place of a trade, for the markets with a card. */
export const idleFact = (cards: number): NewFact =>
  factOf(
    "coverage",
    null,
    cards === 0
      ? phrase`Nothing to do: nothing came up that can be acted on.`
      : phrase`Nothing to buy: in ${
        count("cards", cards, "market")
      } with news no ask leaves a cent a share at our fair price.`,
  )

/** What a digest covers, and until when it is valid. */
export function windowFacts({ from, until }: DigestMaterial): readonly [NewFact, NewFact] {
  const [start, end] = [time("startsAt", from, until), time("endsAt", until, from)]
  const next = time("nextAt", nextDigestAt(until), until)
  return [
    factOf(
      "coverage",
      null,
      phrase`This digest of ${date("day", until)} covers ${start} to ${end}.`,
    ),
    factOf("coverage", null, phrase`The next one is due at ${next}.`),
  ]
}

/** How many moved, bought and are proposed, each of how many. */
export function countFacts(material: DigestMaterial): ReadonlyArray<NewFact> {
  return [
    ...movedFact(material),
    ...buyersFact(material),
    ...openProposalsFact(material),
  ]
}

function movedFact(material: DigestMaterial): ReadonlyArray<NewFact> {
  const { coverage, from, moves, until } = material
  const { marketsWatched, missing, venueReadAt } = coverage
  if (marketsWatched === 0 || missing.includes("markets")) return []
  const watched = count("watched", marketsWatched, "watched market")
  if (moves.length === 0) {
    const isRead = venueReadAt !== null && until - venueReadAt <= readingAgeMax
    return isRead && isWhole(material, from)
      ? counted(phrase`None of ${watched} had a confirmed move of ${cents("moveMin", moveMin)}.`)
      : []
  }
  const rose = moves.filter(({ item }) => item.data.delta > 0).length
  const small = moves.filter(isSmall).length
  return counted(
    phrase`${least(material, from)}${part("moved", moves.length)} ${watched} moved: ${
      count("rose", rose, "up", "up")
    }, ${count("fell", moves.length - rose, "down", "down")}${
      small === 0
        ? phrase``
        : phrase`; ${count("small", small, "of them", "of them")} on less than ${
          usd("smallUsd", unexplainedUsdMin)
        }`
    }.`,
  )
}

/** Whether hardly any money was behind it. */
const isSmall = ({ item: { data: { tradedUsd = null } } }: Move): boolean =>
  (tradedUsd ?? Infinity) < unexplainedUsdMin

function buyersFact(material: DigestMaterial): ReadonlyArray<NewFact> {
  const { coverage: { missing, wallets }, from, until, whaleEntries } = material
  if (missing.includes("whales") || wallets.tracked === 0) return []
  const tracked = count("wallets", wallets.tracked, "tracked wallet")
  const since = wallets.from > from
    ? phrase` since ${time("since", wallets.from, until)}`
    : phrase` in that time`
  if (whaleEntries.length === 0) {
    return isRecent(wallets.readAt, until) && isWhole(material, wallets.from)
      ? counted(phrase`None of ${tracked} opened a published position${since}.`)
      : []
  }
  const buyers = new Set(whaleEntries.map(({ data }) => data.wallet)).size
  const labelled = stakeOf(whaleEntries.filter(isLabelled))
  return counted(
    phrase`${least(material, wallets.from)}${
      part("buyers", buyers)
    } ${tracked} opened published positions${since}, for ${
      usd("stake", stakeOf(whaleEntries))
    } in all; ${
      labelled === 0
        ? "none of them has a label"
        : phrase`those with a label for ${usd("labelled", labelled)}`
    }.`,
  )
}

/** Open proposals are counted whenever they were made; not counted unless all were read. */
function openProposalsFact(material: DigestMaterial): ReadonlyArray<NewFact> {
  const { coverage: { missing, proposalsUnread, venueReadAt }, quoted, until } = material
  if (missing.includes("markets") || missing.includes("proposals")) return []
  if (proposalsUnread > 0 || !isRecent(venueReadAt, until)) return []
  const proposed = quoted.filter(({ proposal }) => proposal !== null).length
  if (proposed === 0) {
    const priced = count("priced", quoted.length, "priced market")
    return quoted.length === 0
      ? []
      : counted(phrase`None of the ${priced} of this digest has an open proposal.`)
  }
  const doubted = doubtedProposals(material).length
  const all = count("proposed", proposed, "open proposal")
  const below = phrase`priced below ${price("doubtedBelow", doubtedBelow)}`
  return counted(
    doubted === 0
      ? phrase`None of ${all} is ${below}.`
      : phrase`${part("doubted", doubted)} ${all} ${
        word("verb", doubted === 1 ? "is" : "are")
      } ${below}.`,
  )
}

/** The open proposals that traders doubt, as the counts and the lists of a digest have them. */
function doubtedProposals(material: DigestMaterial) {
  const missing = ({ proposal, quote }: DigestMaterial["quoted"][number]) =>
    1 - priceOfOutcome({ quote }, proposal?.outcome ?? 0)
  return material.quoted.filter((one) => isDoubted(one) && !isEnded(material, one.market))
    .toSorted((a, b) => missing(b) - missing(a) || (a.market.slug < b.market.slug ? -1 : 1))
}

const unread: Readonly<Record<DigestPart, string>> = {
  markets: "Prices of markets",
  proposals: "The venue's proposals",
  whales: "The tracked wallets",
  news: "The news",
  record: "Our own record",
}

/** What could not be read, so that silence means nothing. */
export function gapFacts({ coverage, until }: DigestMaterial): ReadonlyArray<NewFact> {
  const { itemsUnread, missing, news, venueReadAt, wallets } = coverage
  const at = (slot: string, of: EpochMs) => time(slot, of, until)
  const gaps: ReadonlyArray<readonly [boolean, Statement]> = [
    ...missing.map((part) => [true, phrase`${unread[part]} could not be read.`] as const),
    [venueReadAt === null, phrase`The venue was not read at all, so quiet here means nothing.`],
    [
      venueReadAt !== null && until - venueReadAt > readingAgeMax,
      phrase`The venue was last read at ${at("readAt", venueReadAt ?? until)}.`,
    ],
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

/** Money behind a move: `Traded while it moved: $937 at 0.475 or more.` Null where no trades were read. */
export function tradedFact(
  { slug }: About,
  { delta, priceNow, priceStart, tradedUsd = null }: MoverItem["data"],
): NewFact | null {
  if (tradedUsd === null) return null
  const half = halfLevelOf({ from: priceStart, to: priceNow })
  return factOf(
    "mover",
    slug,
    phrase`Traded while it moved: ${usd("traded", tradedUsd)} at ${rounded("half", half)} or ${
      word("side", delta < 0 ? "less" : "more")
    }.`,
  )
}

/** A headline about a market of the digest, and the market's price. */
export function contextFact(
  story: DigestStory,
  { market, quote }: DigestMarket,
  until: EpochMs,
): NewFact {
  const { reading } = story
  const { outcomes, slug } = market
  const outcome = reading?.outcome === outcomes[1] ? 1 : 0
  const side = named("outcome", outcomes[outcome])
  const relation = reading === null || reading.bears === null
    ? phrase`, which no model read, matches`
    : phrase` is model-read ${reading.bears} ${side} in`
  const at = quote === null
    ? phrase``
    : phrase`, ${side} now at ${price("price", quoteOfOutcome(quote, outcome).mid)}`
  return factOf(
    "news",
    slug,
    phrase`${citation(story, until)}${relation} ${titleOf(market)}${at}.`,
    { links: [story.url] },
  )
}

/** The strongest moves of markets that are not `placed`, of money that is no noise. */
export function otherMoveFacts(
  { moves, quoted, ...material }: DigestMaterial,
  placed: ReadonlySet<string>,
): ReadonlyArray<NewFact> {
  return moves.filter((move) =>
    !placed.has(move.item.data.market.slug) && !isEnded(material, move.item.data.market) &&
    !isSmall(move)
  ).slice(0, movesMax).map(({ item: { data: { delta, market, priceNow } } }) => {
    const own = quoted.find((one) => one.market.slug === market.slug)
    const titled = inList(own?.market ?? { ...market, endsAt: null })
    const side = named("outcome", market.outcomes[0], listedMax.outcome)
    return factOf(
      "mover",
      market.slug,
      phrase`${titled}: ${side} ${cents("change", delta)} ${delta < 0 ? "down" : "up"} to ${
        price("to", priceNow)
      }${nowWords(priceNow, own?.quote?.mid ?? null, "now", ",")}.`,
    )
  })
}

/** The first sentence of a card with a trade or a proposal, and what the digest before said of one. */
const call =
  /^(.+?)(?: in “.+)?(?: at (0\.\d+) or less(?: before the fee|: bid)|(?: is proposed.* priced|, proposed) at (0\.\d+)(?:\.$|: bid))/

/** The markets of such sentences. */
export const calledSlugs = (facts: NonNullable<DigestMaterial["previous"]>) =>
  facts.flatMap(({ about, statement }) => about !== null && call.test(statement) ? [about] : [])

/** What became of the trades and proposals of the digests before, until they end; of markets not `placed`. */
export function calledFacts(
  { previous, quoted, resolutions }: DigestMaterial,
  placed: ReadonlySet<string>,
): ReadonlyArray<NewFact> {
  const facts = (previous ?? []).flatMap(({ about, statement }) => {
    const [, side = "", limit, proposed] = call.exec(statement) ?? []
    const ended = resolutions.find(({ market }) => market.slug === about)
    const own = quoted.find(({ market }) => market.slug === about)
    const market = ended?.market ?? own?.market
    const at = limit ?? proposed
    if (at === undefined || market === undefined || placed.has(market.slug)) return []
    const outcome = market.outcomes.findIndex((name) => readableName(name) === side)
    if (outcome !== 0 && outcome !== 1) return []
    const now = own === undefined || own.quote === null ? null : quoteOfOutcome(own.quote, outcome)
    const { resolution } = ended ?? {}
    const result = resolution === undefined
      ? now === null || now.bid === null ? null : phrase`bid ${price("bid", now.bid)} now`
      : resolution.state === "paid"
      ? phrase`paid ${price("paid", resolution.payouts[outcome])}`
      : phrase`cancelled`
    return result === null ? [] : [factOf(
      "resolution",
      market.slug,
      phrase`${named("outcome", market.outcomes[outcome], listedMax.outcome)} in ${
        inList({ endsAt: null, ...market })
      }${limit === undefined ? ", proposed" : ""} at ${price("limit", Number(at))}${
        limit === undefined ? "" : " or less"
      }: ${result}.`,
    )]
  })
  const isFirst = ({ subject }: NewFact, n: number) =>
    facts.findIndex((fact) => fact.subject === subject) === n
  return facts.filter(isFirst).slice(0, othersMax)
}

/** The doubted proposals of markets that are not `placed`, and how many more there are. */
export function otherProposalFacts(
  material: DigestMaterial,
  placed: ReadonlySet<string>,
): ReadonlyArray<NewFact> {
  const doubted = doubtedProposals(material).filter(({ market }) => !placed.has(market.slug))
  const more = doubted.length - othersMax
  const rest = more <= 0 ? [] : [
    factOf("resolution", null, phrase`${count("more", more, "more", "more")}.`),
  ]
  return [
    ...doubted.slice(0, othersMax).map(({ market, proposal, quote }) => {
      const outcome = proposal?.outcome ?? 0
      const side = named("outcome", market.outcomes[outcome], listedMax.outcome)
      const at = price("price", quote === null ? 0 : priceOfOutcome({ quote }, outcome))
      const state = proposal?.disputed === true ? ", disputed" : ""
      return factOf(
        "resolution",
        market.slug,
        phrase`${side} in ${inList(market)} at ${at}${state}.`,
      )
    }),
    ...rest,
  ]
}

/** How far ahead a digest looks, and what it lists there. */
const aheadMs = day
const aheadMax = 4

/** What starts or ends in the next day, of markets with a card or with money of tracked wallets. */
export function aheadFacts(
  material: DigestMaterial,
  cards: ReadonlyArray<{ readonly market: string }>,
): ReadonlyArray<NewFact> {
  const { markets, quoted, until } = material
  const slugs = new Set<string>([
    ...cards.map(({ market }) => market),
    ...markets.flatMap(({ entries, market }) =>
      entries.some(({ marketMaker }) => !marketMaker) ? [market.slug] : []
    ),
  ])
  const events = quoted.flatMap(({ market, quote }) => {
    const at = market.gameStartsAt ?? market.endsAt
    const isAhead = at !== null && at > until && at <= until + aheadMs && slugs.has(market.slug)
    return quote === null || isDecidedPrice(quote.mid) || isEnded(material, market) || !isAhead
      ? []
      : [{ market, at, quote }]
  }).toSorted((a, b) =>
    b.market.liquidityUsd - a.market.liquidityUsd || (a.market.slug < b.market.slug ? -1 : 1)
  )
  return [...Map.groupBy(events, ({ market }) => market.eventKey).values()]
    .flatMap(([largest]) => largest ?? []).slice(0, aheadMax).toSorted((a, b) => a.at - b.at)
    .map(({ market, at, quote }) =>
      factOf(
        "upcoming",
        market.slug,
        phrase`${time("at", at, until)}: ${
          word("why", market.gameStartsAt === null ? "end" : "kick-off")
        } of ${inList(market)}, ${named("outcome", market.outcomes[0], listedMax.outcome)} at ${
          price("price", quote.mid)
        }.`,
      )
    )
}

/** A market in a list: shorter than where it stands alone. */
const inList = (market: Titled) => titleOf(market, "market", listedMax.market)

/** Sums in a fixed order, so that floating-point rounding does not depend on the input order. */
function stakeOf(entries: ReadonlyArray<WhaleEntryItem>): number {
  return entries.map(({ data }) => data.stakeUsd).sort((a, b) => a - b)
    .reduce((sum, usd) => sum + usd, 0)
}
