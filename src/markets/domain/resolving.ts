/**
 * Markets that are expected to resolve soon, and whether their price has converged.
 *
 * @module
 */
import { Result, Schema } from "effect"
import { described, marketName, text } from "../../core/domain/fields.ts"
import { Amount, Price, Rate } from "../../core/domain/number.ts"
import {
  bookPrice,
  fromHalfSteps,
  halfSteps,
  Microstructure as MicrostructureBody,
  microstructure,
  type OrderBook,
} from "./book.ts"
import {
  type ExpectedResolution,
  expectedResolution,
  ResolutionBasis,
} from "./expectedResolution.ts"
import { liquidityText, type Market } from "./market.ts"
import type { Proposal } from "./proposal.ts"
import { day, type EpochMs, hour, IsoTime, isoTime } from "../../core/domain/time.ts"

export interface ResolvingQuery {
  /** 1..72. */
  readonly withinHours: number
  /** USD; at least 1,000. */
  readonly minLiquidity: number
  /** Whether mechanical short-interval markets count too. */
  readonly includeNoise: boolean
}

/** Rows of one answer, the soonest first. Thousands of markets can end within three days. */
export const resolvingRowsMax = 200
/**
 * Markets whose price and proposal are read for one answer: twice the rows, because some stored markets
 * are decided already and some have no known price.
 */
const resolvingMarketsMax = 2 * resolvingRowsMax
/**
 * Markets of one answer that the store returns from each of three groups: schedule ahead (the nearest
 * first), schedule passed (the latest first), and outcome proposed (the most liquid first).
 */
export const candidatesPerGroupMax = 400
/** A market this long past its schedule is not looked for, unless its outcome is proposed. */
export const overdueMsMax = 30 * day
/** The first rows, which include their microstructure. */
const microstructureRowsMax = 10
/** A mid is converged at or below `low`, and at or above `high`; in half price steps. */
const convergedAt = { low: halfSteps(0.1), high: halfSteps(0.9) }

const Convergence = Schema.Literals(["contested", "converged"]).annotate({
  description: "converged: yesMid is at most 0.10 or at least 0.90. contested: it is between",
})
type Convergence = typeof Convergence.Type

const Hours = Schema.NullOr(Amount)

/** One market that is expected to resolve soon: a wire shape. */
export const ResolvingRow = Schema.Struct({
  ...marketName,
  outcome: text(
    "Name of the outcome that yesMid is the price of: the market's first, not always Yes",
  ),
  eventEndDate: Schema.NullOr(IsoTime).annotate({
    description: "The scheduled end, not the time of resolution; null when the venue names none",
  }),
  hoursRemaining: Hours.annotate({
    description: "Hours until eventEndDate; 0 when it has passed, null when there is none",
  }),
  expectedResolution: Schema.Struct({
    at: IsoTime.annotate({
      description: "Median time of the resolution: as likely before as after",
    }),
    hoursRemaining: Amount.annotate({ description: "Hours until `at`" }),
    probability24h: Rate.annotate({
      description:
        "Probability, 0 to 1, that it resolves within 24 hours; scored in /v1/track-record",
    }),
    basis: ResolutionBasis.annotate({
      description:
        "The evidence. proposal: one that is not disputed; dispute: one that is; price: at or beyond 0.01 or 0.99; game_start; end_date: the scheduled end",
    }),
    proposed: described(
      Schema.NullOr(Schema.String),
      "The outcome that is proposed at the venue; null for none, or while it cannot be read",
    ),
  }).annotate({
    description: "Computed from how long after such an instant past markets resolved",
  }),
  overdue: Schema.Boolean.annotate({
    description:
      "Whether its schedule has passed: the end date, or for a game its start plus the usual delay",
  }),
  hoursOverdue: Hours.annotate({ description: "Hours since its schedule; null unless overdue" }),
  /** The mid of the first outcome. */
  yesMid: described(
    Price,
    "Price of `outcome`, USD per share: the book's mid or its one side, else the venue's last price",
  ),
  convergence: Convergence,
  liquidityUsd: described(Amount, liquidityText),
  /** Only in the first `microstructureRowsMax` rows; null when no valid book was available. */
  microstructure: Schema.optionalKey(described(
    Schema.NullOr(MicrostructureBody),
    `Only in the first ${microstructureRowsMax} rows; null when no valid book was available`,
  )),
}).annotate({ identifier: "ResolvingMarket" })
export type ResolvingRow = typeof ResolvingRow.Type

export function convergenceOf(yesMid: number): Convergence {
  const steps = halfSteps(yesMid)
  return steps <= convergedAt.low || steps >= convergedAt.high ? "converged" : "contested"
}

/** A market, its price, and when it is expected to resolve. */
export interface ExpectedMarket {
  readonly market: Market
  /** Of the first outcome; null when unknown. */
  readonly mid: number | null
  readonly expected: ExpectedResolution
  readonly proposal: Proposal | null
}

/** What is known about a market besides its listing. */
interface Reading {
  readonly mid: number | null
  readonly proposal: Proposal | null
}

/**
 * The markets whose scheduled end is ahead and within these hours, those whose expected resolution is, and
 * those that pass `alsoIf`: the soonest first, at most `resolvingMarketsMax`. A market without any schedule
 * or proposal is left out.
 */
export function soonestMarkets(
  markets: ReadonlyArray<Market>,
  reading: (market: Market) => Reading,
  { withinHours }: Pick<ResolvingQuery, "withinHours">,
  now: EpochMs,
  alsoIf: (market: Market) => boolean = () => false,
): ReadonlyArray<ExpectedMarket> {
  const until = now + withinHours * hour
  return markets
    .flatMap((market): ReadonlyArray<ExpectedMarket> => {
      const { mid, proposal } = reading(market)
      const expected = expectedResolution({ market, mid, proposal }, now)
      return expected === null ? [] : [{ market, mid, expected, proposal }]
    })
    .filter(({ market, expected }) => {
      const endsAt = market.endsAt ?? 0
      return (endsAt > now && endsAt <= until) || expected.at <= until || alsoIf(market)
    })
    .sort((a, b) => a.expected.at - b.expected.at || (a.market.slug < b.market.slug ? -1 : 1))
    .slice(0, resolvingMarketsMax)
}

/**
 * A market's price: from its live book, else the last point of its series if it is fresh, else from
 * the venue's listing.
 */
export function priceOf(
  { listed }: Market,
  book: OrderBook | undefined,
  lastMid: number | undefined,
): number | null {
  const live = book === undefined ? null : bookPrice(book)
  if (live !== null || lastMid !== undefined) return live ?? lastMid ?? null
  if (listed === null) return null
  return fromHalfSteps((halfSteps(listed.bestBid) + halfSteps(listed.bestAsk)) / 2)
}

/** The rows of these markets, in their order, at most `resolvingRowsMax`; none without a price. */
export function resolvingRows(
  markets: ReadonlyArray<ExpectedMarket>,
  bookOf: (market: Market) => OrderBook | undefined,
  now: EpochMs,
): ReadonlyArray<ResolvingRow> {
  const priced = markets.flatMap(({ mid, ...rest }) => mid === null ? [] : [{ ...rest, mid }])
  return priced.slice(0, resolvingRowsMax).map(({ market, expected, mid, proposal }, index) => {
    const { at, probability24h, basis, scheduledAt } = expected
    const { endsAt } = market
    return {
      question: market.question,
      slug: market.slug,
      outcome: market.outcomes[0],
      eventEndDate: endsAt === null ? null : isoTime(endsAt),
      hoursRemaining: endsAt === null ? null : hoursOf(Math.max(0, endsAt - now)),
      expectedResolution: {
        at: isoTime(at),
        hoursRemaining: hoursOf(at - now),
        probability24h: Math.round(probability24h * 1_000) / 1_000,
        basis,
        proposed: proposal === null ? null : market.outcomes[proposal.outcome],
      },
      overdue: scheduledAt !== null && scheduledAt < now,
      hoursOverdue: scheduledAt !== null && scheduledAt < now ? hoursOf(now - scheduledAt) : null,
      yesMid: mid,
      convergence: convergenceOf(mid),
      liquidityUsd: market.liquidityUsd,
      ...(index < microstructureRowsMax
        ? { microstructure: validBook(market, bookOf(market)) }
        : {}),
    }
  })
}

function validBook(
  { outcomes: [outcome] }: Market,
  book: OrderBook | undefined,
): MicrostructureBody | null {
  const valid = book === undefined ? null : Result.getOrElse(microstructure(book), () => null)
  return valid === null ? null : { outcome, ...valid }
}

/** With two decimals. */
const hoursOf = (ms: number): number => Math.round(ms / (hour / 100)) / 100
