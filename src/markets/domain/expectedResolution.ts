/**
 * When a market is expected to resolve. The scheduled end is not the time of resolution: markets end
 * early, games carry an end date days after the game, and a payout waits for a proposal.
 *
 * Every estimate is a distribution of the resolution around one instant (the anchor), conditioned on
 * the market being open now: its median, and its share within 24 hours. Both follow from one survival
 * function, so the expected time never goes back as time passes and is never before now.
 *
 * `docs/markets.md` has the rows that the tables were measured on.
 *
 * @module
 */
import { Schema, Struct } from "effect"
import { halfSteps } from "./book.ts"
import type { Market } from "./market.ts"
import { challengeWindowMs, type Proposal } from "./proposal.ts"
import { day, type EpochMs, hour } from "../../core/domain/time.ts"

/**
 * What an estimate rests on, the strongest first. `dispute`: a disputed proposal. `proposal`: an
 * undisputed one. `price`: a converged price, with the game's start or the end date. `game_start`: the
 * start of the game. `end_date`: the scheduled end.
 */
export const ResolutionBasis = Schema.Literals([
  ...["dispute", "proposal", "price", "game_start", "end_date"] as const,
])
export type ResolutionBasis = typeof ResolutionBasis.Type

export interface ExpectedResolution {
  /** The median; at or after now. */
  readonly at: EpochMs
  /** The probability that the market resolves within 24 hours from now, 0..1. */
  readonly probability24h: number
  readonly basis: ResolutionBasis
  /**
   * When the market should have resolved by its schedule: its end date, or for a game its start plus
   * the median delay of its sport. Null without either.
   */
  readonly scheduledAt: EpochMs | null
}

export interface ResolutionEvidence {
  readonly market: Pick<
    Market,
    "slug" | "eventSlug" | "endsAt" | "gameStartsAt" | "status" | "mechanical"
  >
  /** The price of the first outcome; null when unknown. */
  readonly mid: number | null
  /** Null for none, and for one that could not be read. */
  readonly proposal: Proposal | null
}

/** Shares of markets resolved by these hours after an anchor, ascending in both. */
interface DelayTable {
  readonly resolvedBy: ReadonlyArray<readonly [hours: number, share: number]>
  /** After the last entry the share still open halves in this many hours. */
  readonly tailHours: number
}

/**
 * Hours from the start of a game to the payout, measured on 4,404 closed markets with a game start and
 * an end date at most 15 days later (public Gamma rows of 2024 and 2025). The tail: of those open 12 to
 * 72 hours after the start, half closed 17 to 27 hours later.
 */
const gameTail = 24
const gameShares = [0, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98] as const
const gameHours = {
  basketball: [3.5, 4.3, 4.5, 4.7, 4.9, 6.2, 8.1, 10],
  football: [2.3, 4.8, 5.2, 5.5, 5.9, 6.7, 10.2, 29.1],
  hockey: [4, 4.5, 4.7, 4.9, 5, 5.1, 5.3, 6.2],
  soccer: [3.5, 5, 5.1, 5.2, 5.3, 5.5, 5.6, 7],
  other: [0, 2, 4, 5.4, 15.8, 70.8, 75.2, 124.4],
} as const

/** The sports whose delay was measured, with the first words of the venue's slugs. */
const sports: Readonly<Record<Exclude<keyof typeof gameHours, "other">, ReadonlyArray<string>>> = {
  basketball: ["nba", "wnba", "cbb", "ncaab"],
  football: ["nfl", "cfb", "cfp"],
  hockey: ["nhl"],
  soccer: "epl ucl uel europa uefa euro copa conmebol carabao mls lal bun sea fl1".split(" "),
}

/**
 * A game's market whose end date is later than this after the start asks about more than the game.
 * Tennis and baseball carry an end date 7 to 14 days after the game.
 */
export const gameEndMsMax = 15 * day

/**
 * Hours from the scheduled end to the payout, measured on 11,668 closed markets without a game start
 * (public Gamma rows of 2024 and 2025). An end at midnight UTC names a day, and the payout follows a
 * day later than for other ends. The tail: of those open a week to a month after their end, half
 * closed 300 to 360 hours later.
 */
const endTail = 300
const endDelays: Readonly<Record<"midnight" | "other", DelayTable["resolvedBy"]>> = {
  midnight: [
    ...[[-8_760, 0], [-2_160, 0.066], [-720, 0.125], [-336, 0.16], [-168, 0.182]] as const,
    ...[[-72, 0.193], [-24, 0.213], [0, 0.218], [24, 0.255], [36, 0.486], [48, 0.521]] as const,
    ...[[72, 0.64], [120, 0.898], [168, 0.931], [336, 0.975], [720, 0.995]] as const,
  ],
  other: [
    ...[[-8_760, 0], [-2_160, 0.05], [-720, 0.11], [-336, 0.158], [-168, 0.193]] as const,
    ...[[-72, 0.226], [-24, 0.265], [0, 0.299], [4, 0.311], [8, 0.374], [12, 0.483]] as const,
    ...[[16, 0.596], [20, 0.779], [24, 0.834], [36, 0.894], [48, 0.922], [72, 0.934]] as const,
    ...[[168, 0.949], [336, 0.96], [720, 0.983]] as const,
  ],
}

/** Mechanical markets pay about a minute after their end (venue notes). */
const mechanicalDelay: DelayTable = {
  resolvedBy: [[0, 0], [0.03, 0.5], [0.1, 0.95]],
  tailHours: 1,
}

/** From the end of the challenge window: 1.3 % of proposals are disputed, for 4 to 6 days. */
const proposalDelay: DelayTable = {
  resolvedBy: [[0, 0], [0.2, 0.9], [1, 0.987], [94, 0.988], [142, 0.999]],
  tailHours: 72,
}
/** From the last change of a disputed proposal: disputes take 4 to 6 days. */
const disputeDelay: DelayTable = {
  resolvedBy: [[48, 0], [96, 0.25], [120, 0.5], [144, 0.75], [240, 0.95]],
  tailHours: 72,
}
/**
 * From now, when only the state "proposed" is known. A dispute (1.3 %) keeps the state for about 120
 * hours, an undisputed proposal for 2: so of the markets seen in it 44 % are disputed.
 */
const stateDelay: DelayTable = {
  resolvedBy: [[0, 0], [2, 0.56], [24, 0.62], [72, 0.82], [144, 0.98]],
  tailHours: 72,
}

/** A price at or beyond these limits has converged; in half price steps. */
const convergedAt = { low: halfSteps(0.01), high: halfSteps(0.99) }
/**
 * A market with a converged price resolves at 1.3 times the rate of others at the same distance from
 * its end (1.1 to 1.6 at four distances, over 158,010 observations of markets that are no games).
 */
const convergedRate = 1.3

/** Null when neither an end, a game's start nor a proposal is known: then it is unknown. */
export function expectedResolution(
  { market, mid, proposal }: ResolutionEvidence,
  now: EpochMs,
): ExpectedResolution | null {
  const schedule = scheduleOf(market)
  const scheduledAt = schedule?.scheduledAt ?? null
  if (market.status === "proposed" || proposal !== null) {
    const { anchor, table, basis } = proposalAnchor(proposal, now)
    return { ...estimate(table, anchor, 1, now), basis, scheduledAt }
  }
  if (schedule === null) return null
  const { anchor, table, basis } = schedule
  const converged = mid !== null && isConverged(mid)
  return {
    ...estimate(table, anchor, converged ? convergedRate : 1, now),
    basis: converged ? "price" : basis,
    scheduledAt,
  }
}

function isConverged(mid: number): boolean {
  const steps = halfSteps(mid)
  return steps <= convergedAt.low || steps >= convergedAt.high
}

interface Anchored {
  readonly anchor: EpochMs
  readonly table: DelayTable
  readonly basis: ResolutionBasis
}

function proposalAnchor(proposal: Proposal | null, now: EpochMs): Anchored {
  if (proposal === null) return { anchor: now, table: stateDelay, basis: "proposal" }
  const { disputed, proposedAt, settlesAt } = proposal
  if (disputed) return { anchor: proposedAt, table: disputeDelay, basis: "dispute" }
  const anchor = settlesAt ?? proposedAt + challengeWindowMs
  return { anchor, table: proposalDelay, basis: "proposal" }
}

/** The schedule of a market: its game, else its end date; null without either. */
function scheduleOf(
  { slug, eventSlug, endsAt, gameStartsAt, mechanical }: ResolutionEvidence["market"],
): Anchored & { readonly scheduledAt: EpochMs } | null {
  const isGame = gameStartsAt !== null && mechanical === null &&
    (endsAt === null || endsAt - gameStartsAt <= gameEndMsMax)
  if (isGame) {
    const hours = gameHours[sportOf(eventSlug) ?? sportOf(slug) ?? "other"]
    const table: DelayTable = {
      resolvedBy: gameShares.map((share, n) => [hours[n] ?? 0, share]),
      tailHours: gameTail,
    }
    const scheduledAt = gameStartsAt + medianOf(table)
    return { anchor: gameStartsAt, table, basis: "game_start", scheduledAt }
  }
  if (endsAt === null) return null
  const kind = endsAt % day === 0 ? "midnight" : "other"
  const table = mechanical === null
    ? { resolvedBy: endDelays[kind], tailHours: endTail }
    : mechanicalDelay
  return { anchor: endsAt, table, basis: "end_date", scheduledAt: endsAt }
}

function sportOf(slug: string) {
  const [word = ""] = slug.toLowerCase().split("-", 1)
  return Struct.keys(sports).find((sport) => sports[sport].includes(word))
}

/** The delay by which half of a table's markets are resolved, in milliseconds. */
const medianOf = (table: DelayTable): number => hoursAt(table, -1) * hour

/**
 * The median of what remains, and the share within a day. `rate` is a hazard ratio: the share still
 * open is that of the table, to this power.
 */
function estimate(
  table: DelayTable,
  anchor: EpochMs,
  rate: number,
  now: EpochMs,
): Pick<ExpectedResolution, "at" | "probability24h"> {
  const passed = (now - anchor) / hour
  const open = log2Open(table, passed)
  const openAfter = log2Open(table, passed + day / hour)
  return {
    at: Math.max(now, Math.round(anchor + hoursAt(table, open - 1 / rate) * hour)),
    probability24h: 1 - 2 ** (rate * (openAfter - open)),
  }
}

/** The binary logarithm of the share that is open these hours after the anchor; at most 0. */
function log2Open({ resolvedBy, tailHours }: DelayTable, hours: number): number {
  const next = resolvedBy.findIndex(([at]) => at > hours)
  if (next === 0) return 0
  const [at, share] = resolvedBy.at(next === -1 ? -1 : next - 1) ?? [0, 0]
  const after = next === -1 ? undefined : resolvedBy[next]
  return after === undefined
    ? Math.log2(1 - share) - (hours - at) / tailHours
    : Math.log2(1 - share - (hours - at) / (after[0] - at) * (after[1] - share))
}

/** The hours after the anchor at which this share is still open: the inverse of `log2Open`. */
function hoursAt({ resolvedBy, tailHours }: DelayTable, log2Share: number): number {
  const open = 2 ** log2Share
  const next = resolvedBy.findIndex(([, share]) => 1 - share <= open)
  const after = resolvedBy[next]
  if (after === undefined) {
    const [last, share] = resolvedBy.at(-1) ?? [0, 0]
    return last + tailHours * (Math.log2(1 - share) - log2Share)
  }
  const before = resolvedBy[next - 1]
  if (before === undefined) return after[0]
  return before[0] + (1 - open - before[1]) / (after[1] - before[1]) * (after[0] - before[0])
}
