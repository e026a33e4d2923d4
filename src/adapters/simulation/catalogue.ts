/**
 * Which markets a simulated world has, and when each lives.
 *
 * The world is a row of seats. A seat holds one market at a time: when one has been paid out the
 * next opens, for ever, in both directions of time. So the market of any seat at any instant is
 * arithmetic, and a market's id says which seat and which turn it is.
 *
 * @module
 */
import { type MarketId, type MechanicalSign, type Slug, type TokenId } from "../../domain/market.ts"
import {
  MarketId as marketId,
  Slug as slugBrand,
  TokenId as tokenIdBrand,
} from "../../domain/market.ts"
import { day, type EpochMs, hour, minute, second } from "../../domain/time.ts"
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
  readonly bounceOnly: boolean
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

export interface Catalogue {
  readonly seats: number
  readonly at: (seat: number, instant: EpochMs) => SimulatedMarket
  readonly turn: (seat: number, turn: number) => SimulatedMarket
  readonly byId: (id: string) => SimulatedMarket | undefined
  readonly byToken: (
    tokenId: string,
  ) => { readonly market: SimulatedMarket; readonly outcome: 0 | 1 } | undefined
  readonly bySlug: (slug: string) => SimulatedMarket | undefined
}

/** Five minutes: the interval of the mechanical markets. */
const interval = 5 * minute
/** Turns are written into ids from here, so that turns before the origin have a spelling too. */
const turnZero = 10_000_000
/** Events are laid out in blocks of 12 seats, each cut into events of these sizes. */
const blockSize = 12
const blockCuts = [
  [1, 1, 1, 1, 1, 2, 2, 3],
  [6, 2, 1, 1, 1, 1],
  [4, 3, 1, 1, 1, 1, 1],
  [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  [5, 2, 2, 1, 1, 1],
] as const
/** Markets kept at hand; the oldest half is forgotten when the newest half is full. */
const kept = 8_192

export function makeCatalogue(options: CatalogueOptions): Catalogue {
  const world = mix(0x5eed, options.seed)
  const mechanicalSeats = Math.round(options.markets * options.mechanicalShare)
  const otherSeats = options.markets - mechanicalSeats
  const lanes = Math.ceil(mechanicalSeats / mechanicalAssets.length)
  const memo = makeMemo<SimulatedMarket>(kept)

  const eventOf = (seat: number): EventPlan => {
    const block = Math.floor(seat / blockSize)
    const cut = blockCuts[mix(mix(world, 1), block) % blockCuts.length] ?? blockCuts[0]
    let first = block * blockSize
    for (const size of cut) {
      if (seat < first + size) {
        const key = mix(mix(world, 2), first)
        const sports = uniform(mix(key, 1)) < options.sportsShare
        const days = sports ? between(mix(key, 2), 2, 5) : 14 + 76 * uniform(mix(key, 2)) ** 2
        const period = Math.round(days * day / minute) * minute
        const phase = Math.floor(uniform(mix(key, 3)) * period / minute) * minute
        const members = Math.min(size, otherSeats - first)
        return { key, first, members, sports, period, base: options.origin - phase }
      }
      first += size
    }
    return eventOf(block * blockSize)
  }

  const turn = (seat: number, index: number): SimulatedMarket => {
    const name = seat * 2 ** 26 + (index + turnZero)
    const known = memo.get(name)
    if (known !== undefined) return known
    const market = seat < otherSeats
      ? makeMarket(options, eventOf(seat), seat, index)
      : makeMechanical(options, mix(world, 3), { seat, lane: seat - otherSeats, lanes }, index)
    memo.set(name, market)
    return market
  }

  const at = (seat: number, instant: EpochMs): SimulatedMarket => {
    const plan = seat < otherSeats ? eventOf(seat) : lanePlan(seat - otherSeats, lanes)
    return turn(seat, Math.floor((instant - plan.base) / plan.period))
  }

  const known = (seat: number, index: number): SimulatedMarket | undefined =>
    seat >= 0 && seat < options.markets && Math.abs(index) < turnZero
      ? turn(seat, index)
      : undefined

  const byId = (id: string): SimulatedMarket | undefined => {
    if (!/^0x[0-9a-f]{64}$/.test(id)) return undefined
    const market = known(parseInt(id.slice(42, 50), 16), parseInt(id.slice(50, 58), 16) - turnZero)
    return market?.id === id ? market : undefined
  }

  const byToken: Catalogue["byToken"] = (tokenId) => {
    if (!/^1[01]\d{75}$/.test(tokenId)) return undefined
    const market = known(Number(tokenId.slice(2, 9)), Number(tokenId.slice(9, 18)) - turnZero)
    const outcome = tokenId[1] === "0" ? 0 : 1
    return market?.tokenIds[outcome] === tokenId ? { market, outcome } : undefined
  }

  const bySlug = (slug: string): SimulatedMarket | undefined => {
    const short = /^([a-z]+)-updown-5m-(\d{10})$/.exec(slug)
    if (short !== null) {
      const asset = mechanicalAssets.findIndex(([name]) => name === short[1])
      const index = Number(short[2]) * second / interval
      const lane = asset + mechanicalAssets.length * (index % Math.max(1, lanes))
      const market = known(otherSeats + lane, Math.floor(index / lanes))
      return market?.slug === slug ? market : undefined
    }
    const numbers = /-(\d{1,7})-(\d{1,9})$/.exec(slug)
    if (numbers === null) return undefined
    const market = known(Number(numbers[1]), Number(numbers[2]) - turnZero)
    return market?.slug === slug ? market : undefined
  }

  return { seats: options.markets, at, turn, byId, byToken, bySlug }
}

interface EventPlan {
  readonly key: Key
  readonly first: number
  readonly members: number
  readonly sports: boolean
  readonly period: number
  /** Where turn 0 opens. */
  readonly base: EpochMs
}

/** A lane of an asset holds every `lanes`-th interval, listed from when the last one was paid out. */
function lanePlan(
  lane: number,
  lanes: number,
): { readonly period: number; readonly base: EpochMs } {
  const period = lanes * interval
  const step = Math.floor(lane / mechanicalAssets.length)
  return { period, base: (step + 1) * interval + minute - period }
}

function makeMarket(
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
  const life = options.bounceOnly
    ? { revealsAt: resolvedAt, closesAt: resolvedAt, proposedAt: resolvedAt }
    : lifeOf(eventKey, event.sports, resolvedAt)
  const endsAt = event.sports
    ? Math.floor((resolvedAt - 5 * hour) / (15 * minute)) * 15 * minute
    : Math.floor(life.closesAt / hour) * hour
  const phrases = event.sports ? matchPhrases(eventKey, endsAt) : ordinaryPhrases(eventKey, endsAt)
  const words = phrases.sibling(index)
  const fate = uniform(mix(key, 20))
  return {
    ...identity(key, seat, turn),
    ...eventWords(event, eventKey, turn, phrases),
    ...size(options, key),
    ...life,
    kind: event.sports ? "sports" : "ordinary",
    slug: slugBrand.make(`${slugOf(words.stem)}-${seat}-${turn + turnZero}`),
    question: words.question,
    outcomes: words.outcomes,
    opensAt,
    resolvedAt,
    endsAt,
    mechanical: null,
    end: fate < 0.015 ? "push" : fate < 0.02 ? "cancelled" : "decided",
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

function lifeOf(eventKey: Key, sports: boolean, resolvedAt: EpochMs) {
  const disputed = !sports && uniform(mix(eventKey, 10)) < 0.015
  const settling = disputed
    ? 4 * day
    : sports
    ? 2.5 * hour
    : between(mix(eventKey, 11), 2.5, 8) * hour
  const closesAt = Math.floor((resolvedAt - settling) / second) * second
  const reveal = sports ? 2.25 * hour : between(mix(eventKey, 12), 6, 36) * hour
  const waits = between(mix(eventKey, 13), 1, 20) * minute
  return {
    closesAt,
    revealsAt: Math.floor((closesAt - reveal) / second) * second,
    proposedAt: Math.floor((closesAt + waits) / second) * second,
  }
}

function identity(key: Key, seat: number, turn: number) {
  const place = (seat >>> 0).toString(16).padStart(8, "0") +
    (turn + turnZero).toString(16).padStart(8, "0")
  const token = (outcome: 0 | 1): TokenId =>
    tokenIdBrand.make(
      `1${outcome}${seat.toString().padStart(7, "0")}` +
        `${(turn + turnZero).toString().padStart(9, "0")}${decimals(mix(key, 30 + outcome), 59)}`,
    )
  return {
    seat,
    turn,
    key,
    id: marketId.make(`0x${hex(mix(key, 32), 40)}${place}${hex(mix(key, 33), 8)}`),
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

function makeMechanical(
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
  const slug = slugBrand.make(`${short}-updown-5m-${Math.round(startsAt / second)}`)
  const title = mechanicalTitle(name, startsAt, endsAt)
  const still = options.bounceOnly
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
    revealsAt: still ? resolvedAt : startsAt,
    closesAt: still ? resolvedAt : endsAt,
    proposedAt: resolvedAt,
    resolvedAt,
    endsAt,
    mechanical: "recurrence",
    takerFeeRate: 0.07,
    end: "decided",
  }
}

export interface Memo<A> {
  readonly get: (name: number) => A | undefined
  readonly set: (name: number, value: A) => void
}

/** A memory of bounded size: at most `capacity` values, the older half forgotten at a time. */
export function makeMemo<A>(capacity: number): Memo<A> {
  let young = new Map<number, A>()
  let old = new Map<number, A>()
  const set = (name: number, value: A) => {
    if (young.size >= capacity / 2) {
      old = young
      young = new Map()
    }
    young.set(name, value)
  }
  return {
    get: (name) => {
      const value = young.get(name)
      if (value !== undefined) return value
      const aged = old.get(name)
      if (aged !== undefined) set(name, aged)
      return aged
    },
    set,
  }
}
