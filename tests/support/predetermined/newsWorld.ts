/**
 * A simulated venue with its news, asked hour by hour like the service, and how many of the published
 * outcomes were right.
 *
 * Half of the outlets word their reports themselves, the others copy one text, as in `words.json`.
 *
 * @module
 */
import { Result } from "effect"
import type { Detection, DetectionQuestion } from "../../../src/predetermined/domain/detection.ts"
import {
  headlineFinder,
  reportsCompletedEvent,
} from "../../../src/predetermined/domain/headlineChecks.ts"
import {
  isOpenPrice,
  judgeDetection,
  screenEvidence,
} from "../../../src/predetermined/domain/predetermined.ts"
import type { Market } from "../../../src/markets/domain/market.ts"
import type { Proposal } from "../../../src/markets/domain/proposal.ts"
import { day, type EpochMs, hour } from "../../../src/core/domain/time.ts"
import { midOf } from "../../../src/venues/simulated/books.ts"
import { rulesOf } from "../../../src/venues/simulated/endings.ts"
import { type Article, makeNewsArchive, outlets } from "../../../src/venues/simulated/news.ts"
import type { World } from "../../../src/venues/simulated/world.ts"

/** How an outlet of its own wording writes a report; the first rule that fits is used. */
const rewordings: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(.+?) win the most seats in (\w+), final count shows$/, "$2 election: $1 takes most seats"],
  [
    /^(.+?) do not win the most seats in (\w+), final count shows$/,
    "$2: $1 loses the race for most seats, final results show",
  ],
  [
    /^(.+?) and (.+?) let (\w+ \d+) pass and do not sign (?:a )?(.+)$/,
    "No $4: $1 and $2 did not sign it by $3",
  ],
  [/^(.+?) and (.+?) sign (?:a )?(.+)$/, "$3 signed by $2 and $1"],
  [/^(“.+?”) wins the festival grand prize in (.+)$/, "Festival grand prize of $2 goes to $1"],
  [
    /^(“.+?”) leaves the festival of (.+?) without the grand prize$/,
    "$1 misses out on festival grand prize in $2",
  ],
  [/^(.+?) tops the open leaderboard on (.+)$/, "Open leaderboard on $2: $1 finished first"],
  [
    /^(.+?) does not top the open leaderboard on (.+)$/,
    "$1 did not finish first on open leaderboard on $2",
  ],
  [/^(.+?) beat (.+)$/, "$2 lose to $1"],
  [/^(.+?) ends with (more|fewer) than (\S+) in total$/, "$2 than $3 points in all in $1"],
  [/^(.+?) annual inflation was above (\S+) in (.+?), .+$/, "Inflation in $1 exceeded $2 in $3"],
  [
    /^(.+?) annual inflation did not exceed (\S+) in (.+?), .+$/,
    "Inflation in $1 stayed below $2 in $3",
  ],
  [
    /^Highest temperature in (.+?) was (\S+) or more on (.+?), .+$/,
    "$1 temperature reached $2 on $3",
  ],
  [
    /^Highest temperature in (.+?) stayed below (\S+) on (.+?), .+$/,
    "$1 temperature was below $2 on $3",
  ],
]

function reworded(title: string): string {
  const [, label = "", text = ""] = /^(Correction: )?(.*)$/.exec(title) ?? []
  const [rule] = rewordings.filter(([pattern]) => pattern.test(text))
  return rule === undefined ? title : `${label}${text.replace(rule[0], rule[1])}`
}

export interface WorldQuestion {
  readonly question: DetectionQuestion
  /** The outcome that pays. */
  readonly truth: 0 | 1
  /** Whether a headline of the evidence is a true report about this very market. */
  readonly isReported: boolean
}

export type WorldDetector = (asked: WorldQuestion) => Detection

export interface WorldScore {
  /** Markets with a true report while their price was open. */
  readonly reported: number
  /** Published outcomes that rest on news, and how many of them were right. */
  readonly published: number
  readonly right: number
}

/** Asks about every ordinary market with an open price in `[from, from + hours)`. */
export function scoreOf(
  world: World,
  { from, hours }: { readonly from: EpochMs; readonly hours: number },
  detect: WorldDetector,
): WorldScore {
  const articles = articlesOf(world, from, hours)
  const [reported, published] = [new Set<string>(), new Map<string, boolean>()]
  const asked = new Map<string, string>()
  for (let n = 0; n < hours; n++) {
    const now = from + n * hour
    for (const input of openQuestions(world, articles, now)) {
      const { market, truth, mid, isReported } = input
      if (isReported) reported.add(market.id)
      const key = JSON.stringify([input.headlines.map(({ url }) => url), input.proposal])
      if (published.has(market.id) || asked.get(market.id) === key) continue
      asked.set(market.id, key)
      const evidence = screenEvidence(input)
      if (Result.isFailure(evidence)) continue
      const question = { ...input, mid, evidence: evidence.success }
      const judged = judgeDetection(question, detect({ question, truth, isReported }))
      if (Result.isSuccess(judged) && judged.success.kind === "evidence") {
        published.set(market.id, judged.success.outcome === truth)
      }
    }
  }
  const right = [...published.values()].filter((isRight) => isRight).length
  return { reported: reported.size, published: published.size, right }
}

/** The markets with an open price, with the news about them and their siblings. */
function openQuestions(world: World, articles: ReadonlyArray<Article>, now: EpochMs) {
  const listed = world.list(now, 0, world.catalogue.slots)
  const byEvent = Map.groupBy(listed, ({ eventSlug }) => eventSlug)
  const fresh = articles.filter(({ publishedAt }) =>
    publishedAt <= now && publishedAt >= now - 2 * day
  )
  const about = headlineFinder(fresh)
  return listed.flatMap((market) => {
    const simulated = world.catalogue.byId(market.id)
    const payout = simulated === undefined ? undefined : world.truth.payouts(simulated)?.[0]
    if (simulated === undefined || simulated.kind === "mechanical") return []
    const quote = world.quote(simulated, now)
    if (quote === null || quote.fault !== "none" || payout !== 0 && payout !== 1) return []
    const mid = midOf(quote)
    const event = byEvent.get(market.eventSlug) ?? []
    const headlines = [...new Set(event.flatMap(({ question }) => about(question)))]
    if (!isOpenPrice(mid) || headlines.length === 0) return []
    return [{
      ...{ market, siblings: event.filter(({ id }) => id !== market.id), headlines, now, mid },
      ...{ rules: rulesOf(simulated), proposal: proposalOf(world, market, now) },
      truth: payout === 1 ? 0 as const : 1 as const,
      isReported: headlines.some(({ marketId, kind }) =>
        marketId === market.id && (kind === "done" || kind === "correction")
      ),
    }]
  })
}

function articlesOf(world: World, from: EpochMs, hours: number): ReadonlyArray<Article> {
  const archive = makeNewsArchive(world)
  const range = { from: from - 2 * day, to: from + hours * hour }
  return outlets.flatMap((outlet, n) =>
    archive.published(outlet, range).map((article) =>
      n % 2 === 0 ? article : { ...article, title: reworded(article.title) }
    )
  )
}

function proposalOf(world: World, market: Market, now: EpochMs): Proposal | null {
  const simulated = world.catalogue.byId(market.id)
  const record = simulated === undefined ? null : world.proposal(simulated, now)
  const price = record?.second ?? record?.first
  if (record === null || (price !== 0 && price !== 1)) return null
  return {
    marketId: market.id,
    outcome: price === 1 ? 0 : 1,
    ...{ proposedAt: record.changedAt, settlesAt: record.settlesAt },
    disputed: record.status !== "proposed",
  }
}

const nothing: Detection = {
  ...{ determined: false, outcome: null, statement: "", confidence: "low" },
  ...{ evidence: [], decisiveWords: "" },
}

/** Knows what is true, and says so once a true report is among the headlines. */
export const careful: WorldDetector = ({ question: { market, evidence }, truth, isReported }) => {
  const [first] = evidence.filter(({ kind, title }) =>
    kind === "news" && reportsCompletedEvent(title)
  )
  if (!isReported || first === undefined) return nothing
  return {
    ...{ determined: true, outcome: market.outcomes[truth], statement: "", confidence: "high" },
    evidence: evidence.map(({ id }) => id),
    decisiveWords: first.title,
  }
}

/** Believes the first headline that sounds completed, whatever it is about. */
export const hasty: WorldDetector = ({ question: { market, evidence } }) => {
  const [first] = evidence.filter(({ kind, title }) =>
    kind === "news" && reportsCompletedEvent(title)
  )
  if (first === undefined) return nothing
  const at = market.outcomes.map((outcome) => first.title.indexOf(outcome))
  const isNamed = at.some((place) => place >= 0)
  const isSecond = isNamed
    ? (at[0] ?? 0) < 0 || (at[1] ?? -1) >= 0 && (at[1] ?? 0) < (at[0] ?? 0)
    : /\b(?:not|without|below|fewer|short)\b/.test(first.title)
  return {
    ...{ determined: true, outcome: market.outcomes[isSecond ? 1 : 0], statement: "" },
    ...{ confidence: "high", evidence: evidence.map(({ id }) => id) },
    decisiveWords: first.title,
  }
}
