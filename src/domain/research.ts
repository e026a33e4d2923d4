/**
 * The research report on one market: from what is known of it to what can be said of it.
 *
 * Every figure in the prose is one of the facts, exactly or rounded to whole USD or hours; nothing
 * that strangers wrote (a question, an outcome, a pseudonym) is repeated in it.
 *
 * @module
 */
import { Schema } from "effect"
import { fromHalfSteps, halfSteps, isPrice, Microstructure } from "./book.ts"
import type { Market, SeriesPoint } from "./market.ts"
import { depthUsdMin, spreadMax, volumeUsdMin } from "./mover.ts"
import { convergenceOf } from "./resolving.ts"
import { day, type EpochMs, hour, IsoTime, isoTime } from "./time.ts"
import { WhaleRow } from "./whale.ts"

/** How far back a report looks. */
export const priceActionMs = 7 * day

const Price = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

export const Analysis = Schema.Struct({
  thesis: Schema.String,
  whaleView: Schema.String,
  risks: Schema.Array(Schema.String),
  confidence: Schema.Literals(["low", "medium", "high"]),
  bottomLine: Schema.String,
}).annotate({ identifier: "Analysis" })
export type Analysis = typeof Analysis.Type

export const NewsItem = Schema.Struct({
  title: Schema.String,
  url: Schema.String,
  source: Schema.String,
  publishedAt: IsoTime,
})

/** What a report says of its market, and the evidence it rests on, as on the wire. */
export const Report = Schema.Struct({
  market: Schema.Struct({ question: Schema.String, slug: Schema.String }),
  analysis: Analysis,
  evidence: Schema.Struct({
    /** The last price of each hour with one, ascending. */
    priceAction: Schema.NonEmptyArray(Schema.Struct({ at: IsoTime, price: Price })),
    microstructure: Schema.NullOr(Microstructure),
    whales: Schema.Array(WhaleRow),
    news: Schema.Array(NewsItem),
  }),
}).annotate({ identifier: "Report" })
export type Report = typeof Report.Type

/** What is known of a market when a report is made. */
export interface ResearchFacts {
  readonly market: Market
  /** Of the last seven days, hourly, ascending. */
  readonly priceAction: readonly [SeriesPoint, ...ReadonlyArray<SeriesPoint>]
  /** Null when there is no sound book. */
  readonly microstructure: Microstructure | null
  readonly now: EpochMs
}

/** The last point of each hour, ascending, as exact prices; what is no price is left out. */
export function resampleHourly(points: ReadonlyArray<SeriesPoint>): ReadonlyArray<SeriesPoint> {
  const ofHour = new Map<number, SeriesPoint>()
  for (const { at, mid } of points) {
    const held = ofHour.get(Math.floor(at / hour))
    if (isPrice(mid) && (held === undefined || at >= held.at)) {
      ofHour.set(Math.floor(at / hour), { at, mid: fromHalfSteps(halfSteps(mid)) })
    }
  }
  return [...ofHour.values()].sort((a, b) => a.at - b.at)
}

/** The figures the prose may use; prices exact, USD and hours whole. */
export interface Figures {
  readonly start: number
  readonly now: number
  /** Without its sign, which is in the words. */
  readonly change: number
  readonly low: number
  readonly high: number
  readonly hoursSpanned: number
  readonly spread: number | null
  readonly depthUsd: number | null
  readonly volumeUsd: number
  /** Null without a scheduled end ahead. */
  readonly hoursLeft: number | null
}

export function figuresOf({ market, priceAction, microstructure, now }: ResearchFacts): Figures {
  const [first] = priceAction
  const last = priceAction.at(-1) ?? first
  const steps = priceAction.map(({ mid }) => halfSteps(mid))
  const current = microstructure?.mid ?? last.mid
  const ahead = market.endsAt === null ? 0 : market.endsAt - now
  return {
    start: first.mid,
    now: current,
    change: fromHalfSteps(Math.abs(halfSteps(current) - halfSteps(first.mid))),
    low: fromHalfSteps(Math.min(...steps, halfSteps(current))),
    high: fromHalfSteps(Math.max(...steps, halfSteps(current))),
    hoursSpanned: Math.round((last.at - first.at) / hour),
    spread: microstructure?.spread ?? null,
    depthUsd: microstructure === null ? null : Math.round(microstructure.depthUsdWithin5c.total),
    volumeUsd: Math.round(market.volumeUsd),
    hoursLeft: ahead > 0 ? Math.round(ahead / hour) : null,
  }
}

/** The report, by rules alone: the same facts make the same words. */
export function reportOf(facts: ResearchFacts): Report {
  const { market, microstructure, priceAction: [first, ...rest] } = facts
  const point = ({ at, mid }: SeriesPoint) => ({ at: isoTime(at), price: mid })
  return {
    market: { question: market.question, slug: market.slug },
    analysis: analyse(facts),
    evidence: {
      priceAction: [point(first), ...rest.map(point)],
      microstructure,
      whales: [],
      news: [],
    },
  }
}

/** Never `high`: that takes news, and there is none yet. */
function analyse(facts: ResearchFacts): Analysis {
  const figures = figuresOf(facts)
  return {
    thesis: thesisOf(figures),
    whaleView:
      "No tracked wallet with a calibration is known in this market: nothing is said of it.",
    risks: risksOf(facts, figures),
    confidence: passesGate(facts) ? "medium" : "low",
    bottomLine: bottomLineOf(figures),
  }
}

function thesisOf({ start, now, change, low, high, hoursSpanned }: Figures): string {
  const moved = change === 0
    ? `The first outcome stands where it stood, at ${now}`
    : `The first outcome has gone ${
      now > start ? "up" : "down"
    } by ${change}, from ${start} to ${now}`
  return `${moved}, over the ${hoursSpanned} hours of prices at hand; it ranged from ${low} to ${high}.`
}

function risksOf({ market }: ResearchFacts, figures: Figures): ReadonlyArray<string> {
  const { spread, depthUsd, volumeUsd, hoursLeft } = figures
  const risks = ["No news was looked at: why the price stands where it does is not known."]
  if (spread === null || depthUsd === null) {
    risks.push("There is no sound order book now: the price may not be one to trade at.")
  } else {
    if (halfSteps(spread) > halfSteps(spreadMax)) {
      risks.push(`The spread is ${spread}: crossing it costs much of any edge.`)
    }
    if (depthUsd < depthUsdMin) {
      risks.push(`The book holds ${depthUsd} USD near its mid: little money moves the price.`)
    }
  }
  if (market.volumeUsd < volumeUsdMin) {
    risks.push(`Only ${volumeUsd} USD were ever traded here: the price is few people's opinion.`)
  }
  if (market.status === "proposed") {
    risks.push("An outcome is proposed at the venue: a challenge may still change it.")
  }
  if (market.mechanical !== null) {
    risks.push("This is a mechanical short-interval market: its price moves by design.")
  }
  risks.push(
    hoursLeft === null
      ? "No scheduled end lies ahead: when it will be decided is not known."
      : `The scheduled end is ${hoursLeft} hours away; the decision may come earlier or later.`,
  )
  return risks
}

function bottomLineOf({ now }: Figures): string {
  return convergenceOf(now) === "converged"
    ? `At ${now} the market treats the question as nearly decided.`
    : `At ${now} the question is open in the eyes of the market.`
}

/** The gate of quality that movers pass: below it a price says little. */
function passesGate({ market, microstructure }: ResearchFacts): boolean {
  return microstructure !== null && market.volumeUsd >= volumeUsdMin &&
    microstructure.depthUsdWithin5c.total >= depthUsdMin &&
    halfSteps(microstructure.spread) <= halfSteps(spreadMax)
}
