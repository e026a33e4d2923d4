/**
 * The life of one simulated market: its words, its size, its dates and its end, from its key.
 *
 * @module
 */
import { MarketId, type MechanicalSign, Slug, TokenId } from "../../markets/domain/market.ts"
import { day, type EpochMs, hour, minute, second } from "../../core/domain/time.ts"
import {
  matchPhrases,
  mechanicalAssets,
  mechanicalTitle,
  ordinaryPhrases,
  type Phrases,
  slugOf,
} from "./phrases.ts"
import { between, decimals, hex, type Key, mix, uniform } from "./seed.ts"

export interface CatalogueOptions {
  readonly seed: number
  /** Live markets at any instant; a whole number, at most 9,999,999. */
  readonly markets: number
  readonly origin: EpochMs
  readonly mechanicalShare: number
  readonly sportsShare: number
  /** Share of the ordinary and sports markets with volume and depth above the quality gate. */
  readonly gateShare: number
  readonly oddBookShare: number
  /** An ordinary market is listed for a time between these; the shorter the likelier. */
  readonly lifeDays: readonly [number, number]
  readonly bounceOnly: boolean
  /** No market has siblings: as many events as markets. */
  readonly loneMarkets: boolean
  /** Share of decided, sound ordinary markets above the gate whose quotes lag behind their outcome. */
  readonly laggardShare: number
}

/** A whole life of one market: everything about it that does not change. */
export interface SimulatedMarket {
  readonly seat: number
  readonly turn: number
  readonly key: Key
  readonly eventKey: Key
  readonly kind: "ordinary" | "sports" | "mechanical"
  readonly id: MarketId
  readonly tokenIds: readonly [TokenId, TokenId]
  readonly slug: Slug
  readonly question: string
  readonly eventSlug: string
  readonly eventTitle: string
  /** Markets of the same event, this one included. */
  readonly siblings: number
  readonly category: string
  readonly outcomes: readonly [string, string]
  readonly opensAt: EpochMs
  readonly revealsAt: EpochMs
  readonly closesAt: EpochMs
  readonly proposedAt: EpochMs
  /** Until then quotes may stay where they were at `revealsAt`; `revealsAt` itself for most. */
  readonly lagsUntil: EpochMs
  readonly resolvedAt: EpochMs
  /** As listed; a match ends as listed when it begins. */
  readonly endsAt: EpochMs
  readonly mechanical: MechanicalSign | null
  readonly takerFeeRate: number
  /** True when volume and depth are above the quality gate throughout. */
  readonly aboveGate: boolean
  readonly volumeAtOpenUsd: number
  readonly volumePerDayUsd: number
  /** USD of resting orders within 5 cents of the mid, both sides, of the first token's book. */
  readonly depthUsd: number
  /** At a probability of one half. */
  readonly spread: number
  readonly fineTicks: boolean
  readonly bookHabit: "sound" | "one_sided" | "ghost" | "crossed"
  readonly end: "decided" | "push" | "cancelled"
}

/** Five minutes: the interval of the mechanical markets. */
export const interval = 5 * minute
/** Turns are written into ids from here, so that turns before the origin have a spelling too. */
export const turnZero = 10_000_000
/** What the markets of an event share, turn after turn. */
export interface EventPlan {
  readonly key: Key
  readonly first: number
  readonly members: number
  readonly sports: boolean
  readonly period: number
  /** Where turn 0 opens. */
  readonly base: EpochMs
}

/** A lane of an asset holds every `lanes`-th interval, listed from when the last one was paid out. */
export function lanePlan(
  lane: number,
  lanes: number,
): { readonly period: number; readonly base: EpochMs } {
  const period = lanes * interval
  const step = Math.floor(lane / mechanicalAssets.length)
  return { period, base: (step + 1) * interval + minute - period }
}
export function makeMarket(
  options: CatalogueOptions,
  event: EventPlan,
  seat: number,
  turn: number,
): SimulatedMarket {
  const eventKey = mix(event.key, turn + turnZero)
  const index = seat - event.first
  const key = mix(eventKey, index + 1)
  const opensAt = event.base + turn * event.period
  const resolvedAt = opensAt + event.period
  const fate = uniform(mix(key, 20))
  const end = fate < 0.015 ? "push" : fate < 0.02 ? "cancelled" : "decided"
  const shape = size(options, key)
  const mayLag = !event.sports && end === "decided" && shape.aboveGate &&
    shape.bookHabit === "sound" && uniform(mix(key, 21)) < options.laggardShare
  const life = options.bounceOnly
    ? still(resolvedAt)
    : mayLag
    ? laggardLife(key, eventKey, opensAt, resolvedAt)
    : lifeOf(eventKey, event.sports, resolvedAt)
  const endsAt = event.sports
    ? Math.floor((resolvedAt - 5 * hour) / (15 * minute)) * 15 * minute
    : Math.floor(life.closesAt / hour) * hour
  const phrases = event.sports ? matchPhrases(eventKey, endsAt) : ordinaryPhrases(eventKey, endsAt)
  const words = phrases.sibling(index)
  return {
    ...identity(key, seat, turn),
    ...eventWords(event, eventKey, turn, phrases),
    ...shape,
    ...life,
    kind: event.sports ? "sports" : "ordinary",
    slug: Slug.make(`${slugOf(words.stem)}-${seat}-${turn + turnZero}`),
    question: words.question,
    outcomes: words.outcomes,
    opensAt,
    resolvedAt,
    endsAt,
    mechanical: null,
    end,
  }
}

function eventWords(event: EventPlan, eventKey: Key, turn: number, phrases: Phrases) {
  return {
    eventKey,
    eventTitle: phrases.title,
    eventSlug: `${slugOf(phrases.stem)}-${event.first}-${turn + turnZero}`,
    siblings: event.members,
    category: phrases.category,
    takerFeeRate: phrases.takerFeeRate,
  }
}

type Life = Pick<
  SimulatedMarket,
  "revealsAt" | "closesAt" | "proposedAt" | "lagsUntil"
>

function still(resolvedAt: EpochMs): Life {
  return {
    revealsAt: resolvedAt,
    closesAt: resolvedAt,
    proposedAt: resolvedAt,
    lagsUntil: resolvedAt,
  }
}

/** Hours for which the quotes of a laggard may stay where they were after its outcome is known. */
const lagHours = [6, 60] as const

/** The outcome is known and proposed long before it is paid, and nobody looks until shortly before. */
function laggardLife(key: Key, eventKey: Key, opensAt: EpochMs, resolvedAt: EpochMs): Life {
  const whole = (ms: number) => Math.floor(ms / second) * second
  const lagsUntil = whole(resolvedAt - between(mix(key, 22), 0.5, 1.5) * hour)
  const closesAt = whole(lagsUntil - between(mix(key, 23), ...lagHours) * hour)
  const revealsAt = whole(closesAt - between(mix(key, 24), 6, 36) * hour)
  const waits = between(mix(key, 25), 1, 20) * minute
  return revealsAt - day < opensAt
    ? lifeOf(eventKey, false, resolvedAt)
    : { revealsAt, closesAt, proposedAt: whole(closesAt + waits), lagsUntil }
}

function lifeOf(eventKey: Key, sports: boolean, resolvedAt: EpochMs): Life {
  const disputed = !sports && uniform(mix(eventKey, 10)) < 0.015
  const settling = disputed
    ? 4 * day
    : sports
    ? 2.5 * hour
    : between(mix(eventKey, 11), 2.5, 8) * hour
  const closesAt = Math.floor((resolvedAt - settling) / second) * second
  const reveal = sports ? 2.25 * hour : between(mix(eventKey, 12), 6, 36) * hour
  const waits = between(mix(eventKey, 13), 1, 20) * minute
  const revealsAt = Math.floor((closesAt - reveal) / second) * second
  return {
    closesAt,
    revealsAt,
    lagsUntil: revealsAt,
    proposedAt: Math.floor((closesAt + waits) / second) * second,
  }
}

function identity(key: Key, seat: number, turn: number) {
  const place = (seat >>> 0).toString(16).padStart(8, "0") +
    (turn + turnZero).toString(16).padStart(8, "0")
  const token = (outcome: 0 | 1): TokenId =>
    TokenId.make(
      `1${outcome}${seat.toString().padStart(7, "0")}` +
        `${(turn + turnZero).toString().padStart(9, "0")}${decimals(mix(key, 30 + outcome), 59)}`,
    )
  return {
    seat,
    turn,
    key,
    id: MarketId.make(`0x${hex(mix(key, 32), 40)}${place}${hex(mix(key, 33), 8)}`),
    tokenIds: [token(0), token(1)] as const,
  }
}

/** Volume, depth and spread. Above the gate both are clear of it, so that book noise never decides. */
function size(options: CatalogueOptions, key: Key) {
  const aboveGate = uniform(mix(key, 40)) < options.gateShare
  const shallow = !aboveGate && uniform(mix(key, 41)) < 0.5
  const scale = uniform(mix(key, 42))
  const odd = uniform(mix(key, 43)) < options.oddBookShare
  const habits = ["one_sided", "ghost", "crossed"] as const
  return {
    aboveGate,
    volumeAtOpenUsd: aboveGate || shallow ? 12_000 * Math.exp(4 * scale) : 4_000 * scale,
    volumePerDayUsd: aboveGate || shallow ? 2_000 * Math.exp(3.5 * scale) : 40 * scale,
    depthUsd: aboveGate ? 4_000 * Math.exp(2.5 * scale) : shallow ? 300 + 1_500 * scale : 3_500,
    spread: aboveGate
      ? [0.01, 0.01, 0.02, 0.03][mix(key, 44) % 4] ?? 0.01
      : [0.02, 0.03, 0.04, 0.06, 0.08][mix(key, 44) % 5] ?? 0.04,
    fineTicks: uniform(mix(key, 45)) < 0.25,
    bookHabit: odd ? habits[mix(key, 46) % 3] ?? "ghost" : "sound" as const,
  }
}

export function makeMechanical(
  options: CatalogueOptions,
  key: Key,
  place: { readonly seat: number; readonly lane: number; readonly lanes: number },
  turn: number,
): SimulatedMarket {
  const plan = lanePlan(place.lane, place.lanes)
  const opensAt = plan.base + turn * plan.period
  const resolvedAt = opensAt + plan.period
  const endsAt = resolvedAt - minute
  const startsAt = endsAt - interval
  const [short, name] = mechanicalAssets[place.lane % mechanicalAssets.length] ??
    mechanicalAssets[0]
  const own = mix(mix(key, place.seat), turn)
  const slug = Slug.make(`${short}-updown-5m-${Math.round(startsAt / second)}`)
  const title = mechanicalTitle(name, startsAt, endsAt)
  const life = options.bounceOnly ? still(resolvedAt) : {
    revealsAt: Math.max(opensAt, startsAt),
    closesAt: endsAt,
    proposedAt: resolvedAt,
    lagsUntil: Math.max(opensAt, startsAt),
  }
  return {
    ...identity(own, place.seat, turn),
    ...size(options, own),
    kind: "mechanical",
    eventKey: own,
    slug,
    question: title,
    eventSlug: slug,
    eventTitle: title,
    siblings: 1,
    category: "Crypto",
    outcomes: ["Up", "Down"],
    opensAt,
    ...life,
    resolvedAt,
    endsAt,
    mechanical: "recurrence",
    takerFeeRate: 0.07,
    end: "decided",
  }
}
