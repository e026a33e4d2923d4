/**
 * The facts of a digest about headlines, and about markets that are expected to resolve soon.
 *
 * A headline is never called the cause of a move: a fact states at most that it was published in the
 * same hours.
 *
 * @module
 */
import {
  absenceFact,
  type FactAttributes,
  factOf,
  headlineName,
  labelName,
  limitFact,
  marketName,
  type NewDigestFact,
} from "./factBuilders.ts"
import type { DigestHeadline, DigestMaterial, MoverItem, UpcomingMarket } from "./material.ts"
import {
  countFigure,
  durationFigure,
  priceFigure,
  usdFigure,
  whenFigure,
} from "../../writing/domain/figures.ts"
import { convergenceOf } from "../../markets/domain/resolving.ts"
import { figure, phrase, type Statement } from "../../writing/domain/statement.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** Headlines with a fact of their own. */
const headlinesMax = 12
/** Markets that resolve soon with a fact of their own. */
const upcomingMax = 6

/** The number of headlines, and the newest of them; those that match a market come first. */
export function newsFacts(material: DigestMaterial): ReadonlyArray<NewDigestFact> {
  const { coverage, headlines } = material
  if (headlines.length === 0 && !hasAnswers(coverage)) return []
  const described = headlines.toSorted(byRelation).slice(0, headlinesMax)
  return [
    newsCount(headlines),
    ...limitFact(news, headlines.length - described.length, "headline"),
    ...described.map((headline) => newsFact(headline, material)),
  ]
}

/** Whether any source answered: only then may the digest say that there was no headline. */
function hasAnswers({ missing, news }: DigestMaterial["coverage"]): boolean {
  return !missing.includes("news") && news !== null && news.answered > 0
}

function byRelation(a: DigestHeadline, b: DigestHeadline): number {
  return Number(b.markets.length > 0) - Number(a.markets.length > 0) ||
    b.publishedAt - a.publishedAt || (a.url < b.url ? -1 : 1)
}

const news: FactAttributes = { kind: "news", topic: "count", section: "context" }

function newsCount(headlines: ReadonlyArray<DigestHeadline>): NewDigestFact {
  if (headlines.length === 0) return absenceFact(news, phrase`No headline was found.`)
  const sources = figure(
    countFigure(new Set(headlines.map(({ source }) => source)).size, "publisher"),
  )
  const matching = headlines.filter(({ markets }) => markets.length > 0).length
  return factOf(
    news,
    phrase`${headlineCount(headlines.length)} from ${sources} ${
      headlines.length === 1 ? "was" : "were"
    } read; ${headlineCount(matching)} ${
      matching === 1 ? "matches" : "match"
    } a market of this digest.`,
  )
}

function newsFact(headline: DigestHeadline, material: DigestMaterial): NewDigestFact {
  const source = labelName(headline.source)
  const statement = phrase`${headlineName(headline.title)} was published by ${source} at ${
    figure(whenFigure(headline.publishedAt, material.until))
  }`
  const relation = relationOf(headline, material)
  // Of an older headline it is not known whether its source answered in the window.
  const used = headline.publishedAt >= material.from ? { source } : {}
  return relation === null
    ? factOf({ ...news, topic: "headline", ...used }, phrase`${statement}.`)
    : factOf({ ...news, topic: "related", ...used }, phrase`${statement}, ${relation}.`)
}

/** How the headline relates to a market of the digest; claims no cause. */
function relationOf(
  { markets, publishedAt }: DigestHeadline,
  material: DigestMaterial,
): Statement | null {
  const found = new Set(markets)
  const move = material.movers
    .filter(({ data }) => found.has(data.market.slug))
    .toSorted((a, b) => b.feedIndex - a.feedIndex)
    .find((move) => isDuring(publishedAt, move))
  if (move !== undefined) {
    return phrase`in the same hours as the move in ${marketName(move.data.market)}`
  }
  const [market] = [
    ...[...material.movers, ...material.whaleEntries, ...material.predetermined]
      .map(({ data }) => data.market),
    ...material.resolutions.map(({ market }) => market),
    ...material.upcoming,
  ].filter(({ slug }) => found.has(slug)).sort(bySlug)
  return market === undefined
    ? null
    : phrase`and its words are similar to those of ${marketName(market)}`
}

/** Deterministic even if one slug had several questions. */
function bySlug(a: Named, b: Named): number {
  return `${a.slug} ${a.question}` < `${b.slug} ${b.question}` ? -1 : 1
}

type Named = { readonly slug: string; readonly question: string }

function isDuring(at: EpochMs, { createdAt, data }: MoverItem): boolean {
  return at >= Date.parse(data.startedAt) && at <= Date.parse(createdAt)
}

/** The number of markets that resolve soon, and those with the most liquidity at a contested price. */
export function upcomingFacts(
  { coverage, upcoming, until }: DigestMaterial,
): ReadonlyArray<NewDigestFact> {
  if (upcoming.length === 0 && coverage.missing.includes("upcoming")) return []
  const described = upcoming.toSorted(byOpenness).slice(0, upcomingMax)
  return [
    upcomingCount(upcoming.length),
    ...limitFact(
      upcomingTotals,
      upcoming.length - described.length,
      "expected resolution",
      "expected resolutions",
    ),
    ...described.map((market) => upcomingFact(market, until)),
  ]
}

function byOpenness(a: UpcomingMarket, b: UpcomingMarket): number {
  return openness(b) - openness(a) || a.resolvesAt - b.resolvesAt || (a.slug < b.slug ? -1 : 1)
}

/** Liquidity times mid * (1 - mid), which is the variance of the outcome. */
function openness({ liquidityUsd, mid }: UpcomingMarket): number {
  return liquidityUsd * mid * (1 - mid)
}

const upcomingTotals: FactAttributes = { kind: "upcoming", topic: "count", section: "watch" }

function upcomingCount(count: number): NewDigestFact {
  if (count === 0) {
    return absenceFact(
      upcomingTotals,
      phrase`No market with enough liquidity is expected to resolve soon.`,
    )
  }
  const all = figure(countFigure(count, "market"))
  const verbs = count === 1
    ? "is expected to resolve soon and was"
    : "are expected to resolve soon and were"
  return factOf(upcomingTotals, phrase`${all} ${verbs} checked.`)
}

function upcomingFact(market: UpcomingMarket, until: EpochMs): NewDigestFact {
  const { resolvesAt, liquidityUsd, mid, outcomes } = market
  const end = phrase`${marketName(market)} is expected to resolve at about ${
    figure(whenFigure(resolvesAt, until))
  }`
  const price = phrase`with ${labelName(outcomes[0])} at ${figure(priceFigure(mid))}`
  const open = convergenceOf(mid) === "contested"
    ? "the price is still contested"
    : "the price has converged"
  const statement = phrase`${end}, ${
    figure(durationFigure(resolvesAt - until))
  } after this digest ends, ${price}; ${open}, and the market has ${
    figure(usdFigure(liquidityUsd))
  } of liquidity.`
  return factOf({ ...upcomingTotals, topic: "upcoming" }, statement, phrase`${end}, ${price}.`)
}

function headlineCount(count: number): Statement {
  return figure(countFigure(count, "headline"))
}
