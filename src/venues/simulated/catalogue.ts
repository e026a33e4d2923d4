/**
 * The markets of a simulated world: which there are, when each is live, and its properties.
 *
 * The world is a list of slots. A slot has one market at a time: when it is paid out, the next one opens.
 * A slot has no first and no last market. So the market of a slot at any instant is computed by
 * arithmetic, and a market's id contains its slot and generation.
 *
 * @module
 */
import { day, type EpochMs, hour, minute, second } from "../../core/domain/time.ts"
import { MarketId, type MechanicalSign, Slug, TokenId } from "../../markets/domain/market.ts"
import { makeMemo, marketCacheSize } from "./memo.ts"
import type { WorldOptions } from "./options.ts"
import { between, decimals, hex, type Key, mix, pick, uniform } from "./seed.ts"
import {
  matchWords,
  mechanicalAssets,
  mechanicalTitle,
  ordinaryWords,
  type Subject,
  topicOf,
} from "./words.ts"

export interface Catalogue {
  readonly slots: number
  readonly at: (slot: number, instant: EpochMs) => SimulatedMarket
  readonly generation: (slot: number, generation: number) => SimulatedMarket
  readonly byId: (id: string) => SimulatedMarket | undefined
  readonly byToken: (
    tokenId: string,
  ) => { readonly market: SimulatedMarket; readonly outcome: 0 | 1 } | undefined
}

/** All properties of one market that do not change over its life. */
export interface SimulatedMarket {
  readonly slot: number
  readonly generation: number
  /** Slot and generation as one number. */
  readonly number: number
  readonly key: Key
  readonly eventKey: Key
  readonly kind: "ordinary" | "sports" | "mechanical"
  /** Whether it is an ordinary market that lasts one day. */
  readonly daily: boolean
  readonly id: MarketId
  readonly tokenIds: readonly [TokenId, TokenId]
  readonly slug: Slug
  readonly question: string
  /** The words of headlines about it; null for mechanical markets, which have no headlines. */
  readonly subject: Subject | null
  readonly eventSlug: string
  readonly eventTitle: string
  /** Its place on the ladder of its event, from 0 for the easiest; null when it is on none. */
  readonly rung: number | null
  readonly category: string
  readonly outcomes: readonly [string, string]
  readonly opensAt: EpochMs
  /** From here the true probability moves to the outcome. */
  readonly revealsAt: EpochMs
  /** From here the outcome is known. */
  readonly closesAt: EpochMs
  readonly proposedAt: EpochMs
  /** Until then the quotes may stay as they were at `revealsAt`; equal to `revealsAt` in most markets. */
  readonly quotesLagUntil: EpochMs
  readonly resolvedAt: EpochMs
  /** The scheduled end; for a match, its start. */
  readonly endsAt: EpochMs
  /** The end in the listing: `endsAt`, a time before the market opened, or null for none. */
  readonly listedEndsAt: EpochMs | null
  readonly mechanical: MechanicalSign | null
  readonly takerFeeRate: number
  /** True when volume and depth are above the quality gate throughout. */
  readonly aboveGate: boolean
  readonly volumeAtOpenUsd: number
  readonly volumePerDayUsd: number
  /** USD of resting orders within 5 cents of the mid, both sides, of the first token's book. */
  readonly depthUsd: number
  /** In USD, at a probability of one half. */
  readonly spread: number
  readonly bookKind: "valid" | "one_sided" | "ghost"
  readonly end: "decided" | "push" | "cancelled"
}

/** Added to the generation in ids, so that generations before the origin are not negative. */
const generationZero = 10_000_000

export function makeCatalogue(options: WorldOptions): Catalogue {
  const world = mix(0x5eed, options.seed)
  const slots = slotsOf(options)
  const lanes = Math.ceil(slots.mechanical / mechanicalAssets.length)
  const cached = makeMemo<SimulatedMarket>(marketCacheSize(options.markets))
  const cachedEvents = makeMemo<EventPlan>(marketCacheSize(options.markets))
  const eventAt = (slot: number): EventPlan =>
    cachedEvents(slot, () => eventOf(options, world, slot, slots.ordinary))

  const generation = (slot: number, index: number): SimulatedMarket =>
    cached(
      numberOf(slot, index),
      () =>
        slot < slots.ordinary ? makeMarket(options, eventAt(slot), slot, index) : makeMechanical(
          options,
          mix(world, 3),
          { slot, lane: slot - slots.ordinary, lanes },
          index,
        ),
    )

  const at = (slot: number, instant: EpochMs): SimulatedMarket => {
    const { base, periodMs } = slot < slots.ordinary
      ? eventAt(slot)
      : lanePlan(slot - slots.ordinary, lanes)
    return generation(slot, Math.floor((instant - base) / periodMs))
  }

  const known = (slot: number, index: number): SimulatedMarket | undefined =>
    slot >= 0 && slot < options.markets && Math.abs(index) < generationZero
      ? generation(slot, index)
      : undefined

  const byId = (id: string): SimulatedMarket | undefined => {
    if (!/^0x[0-9a-f]{64}$/.test(id)) return undefined
    const [slot, ordinal] = [parseInt(id.slice(42, 50), 16), parseInt(id.slice(50, 58), 16)]
    const market = known(slot, ordinal - generationZero)
    return market?.id === id ? market : undefined
  }

  const byToken: Catalogue["byToken"] = (tokenId) => {
    if (!/^1[01]\d{75}$/.test(tokenId)) return undefined
    const market = known(Number(tokenId.slice(2, 9)), Number(tokenId.slice(9, 18)) - generationZero)
    const outcome = tokenId[1] === "0" ? 0 : 1
    return market?.tokenIds[outcome] === tokenId ? { market, outcome } : undefined
  }

  return { slots: options.markets, at, generation, byId, byToken }
}

/** Ordinary and sports markets have the first slots, mechanical ones the rest. */
export function slotsOf({ markets, mechanicalShare }: WorldOptions) {
  const mechanical = Math.round(markets * mechanicalShare)
  return { mechanical, ordinary: markets - mechanical }
}

function numberOf(slot: number, generation: number): number {
  return slot * 2 ** 26 + generation + generationZero
}

/** Slots are grouped in blocks of 12, each divided into events of these sizes. */
const blockSize = 12
const blockCuts = [
  [1, 1, 1, 1, 1, 2, 2, 3],
  [6, 2, 1, 1, 1, 1],
  [4, 3, 1, 1, 1, 1, 1],
  [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  [5, 2, 2, 1, 1, 1],
] as const

/** What the markets of an event share, in every generation. */
interface EventPlan {
  readonly key: Key
  readonly first: number
  readonly members: number
  readonly sports: boolean
  readonly daily: boolean
  readonly periodMs: number
  /** When generation 0 opens. */
  readonly base: EpochMs
}

/** The event of a slot, among the first `slots` slots. */
function eventOf(options: WorldOptions, world: Key, slot: number, slots: number): EventPlan {
  const block = Math.floor(slot / blockSize)
  const cut = blockCuts[mix(mix(world, 1), block) % blockCuts.length] ?? blockCuts[0]
  let [first, size] = [block * blockSize, 0]
  for (size of cut) {
    if (slot < first + size) break
    first += size
  }
  const key = mix(mix(world, 2), first)
  const sports = uniform(mix(key, 1)) < options.sportsShare
  const daily = !sports && uniform(mix(key, 4)) < options.dailyShare
  const [shortest, longest] = options.lifeDays
  const days = sports
    ? between(mix(key, 2), 2, 5)
    : daily
    ? 1
    : shortest + (longest - shortest) * uniform(mix(key, 2)) ** 2
  const periodMs = Math.round(days * day / minute) * minute
  const phase = Math.floor(uniform(mix(key, 3)) * periodMs / minute) * minute
  const members = Math.min(size, slots - first)
  return { key, first, members, sports, daily, periodMs, base: options.origin - phase }
}

function makeMarket(
  options: WorldOptions,
  event: EventPlan,
  slot: number,
  generation: number,
): SimulatedMarket {
  const ordinal = generation + generationZero
  const eventKey = mix(event.key, ordinal)
  const index = slot - event.first
  const key = mix(eventKey, index + 1)
  const opensAt = event.base + generation * event.periodMs
  const resolvedAt = opensAt + event.periodMs
  const endDraw = uniform(mix(key, 20))
  const end = endDraw < 0.015 ? "push" : endDraw < 0.02 ? "cancelled" : "decided"
  const shape = shapeOf(options, key)
  const isShort = event.sports || event.daily
  const rung = rungOf(event, eventKey, index)
  const mayLag = !isShort && rung === null && end === "decided" && shape.aboveGate &&
    shape.bookKind === "valid" && uniform(mix(key, 21)) < options.laggardShare
  const life = mayLag
    ? laggardLife(key, eventKey, opensAt, resolvedAt)
    : lifeOf(eventKey, isShort, resolvedAt)
  const endsAt = event.sports
    ? Math.floor((resolvedAt - 5 * hour) / (15 * minute)) * 15 * minute
    : Math.floor(life.closesAt / hour) * hour
  const words = (event.sports ? matchWords : ordinaryWords)(eventKey, endsAt)
  const { slug, ...own } = words.market(index)
  return {
    ...identity(key, slot, generation),
    ...shape,
    ...life,
    ...own,
    kind: event.sports ? "sports" : "ordinary",
    daily: event.daily,
    slug: Slug.make(`${slug}-${slot}-${ordinal}`),
    eventKey,
    eventTitle: words.title,
    eventSlug: `${words.slug}-${event.first}-${ordinal}`,
    rung,
    category: words.category,
    takerFeeRate: words.takerFeeRate,
    opensAt,
    resolvedAt,
    endsAt,
    listedEndsAt: event.sports ? endsAt : listedEndOf(key, opensAt, endsAt),
    mechanical: null,
    end,
  }
}

/** Of a match, the first market is its winner and the others are its totals. */
function rungOf({ sports, members }: EventPlan, eventKey: Key, index: number): number | null {
  if (sports) return index === 0 ? null : index - 1
  return members > 1 && topicOf(eventKey).level !== undefined ? index : null
}

/** A few ordinary markets are listed without an end, or with one that passed before they opened. */
function listedEndOf(key: Key, opensAt: EpochMs, endsAt: EpochMs): EpochMs | null {
  const draw = uniform(mix(key, 50))
  return draw < 0.02 ? null : draw < 0.05 ? opensAt - 60 * day : endsAt
}

type Life = Pick<SimulatedMarket, "revealsAt" | "closesAt" | "proposedAt" | "quotesLagUntil">

/** Least and greatest number of hours for which a laggard's quotes ignore its known outcome. */
const lagHours = [6, 60] as const

/** The outcome is known and proposed long before the payout; quotes follow shortly before it. */
function laggardLife(key: Key, eventKey: Key, opensAt: EpochMs, resolvedAt: EpochMs): Life {
  const wholeSecond = (ms: number) => Math.floor(ms / second) * second
  const quotesLagUntil = wholeSecond(resolvedAt - between(mix(key, 22), 0.5, 1.5) * hour)
  const closesAt = wholeSecond(quotesLagUntil - between(mix(key, 23), ...lagHours) * hour)
  const revealsAt = wholeSecond(closesAt - between(mix(key, 24), 6, 36) * hour)
  const waits = between(mix(key, 25), 1, 20) * minute
  return revealsAt - day < opensAt
    ? lifeOf(eventKey, false, resolvedAt)
    : { revealsAt, closesAt, proposedAt: wholeSecond(closesAt + waits), quotesLagUntil }
}

function lifeOf(eventKey: Key, isShort: boolean, resolvedAt: EpochMs): Life {
  const disputed = !isShort && uniform(mix(eventKey, 10)) < 0.015
  const settling = disputed
    ? 4 * day
    : isShort
    ? 2.5 * hour
    : between(mix(eventKey, 11), 2.5, 8) * hour
  const closesAt = Math.floor((resolvedAt - settling) / second) * second
  const reveal = isShort ? 2.25 * hour : between(mix(eventKey, 12), 6, 36) * hour
  const waits = between(mix(eventKey, 13), 1, 20) * minute
  const revealsAt = Math.floor((closesAt - reveal) / second) * second
  return {
    closesAt,
    revealsAt,
    quotesLagUntil: revealsAt,
    proposedAt: Math.floor((closesAt + waits) / second) * second,
  }
}

function identity(key: Key, slot: number, generation: number) {
  const ordinal = generation + generationZero
  const place = (slot >>> 0).toString(16).padStart(8, "0") + ordinal.toString(16).padStart(8, "0")
  const token = (outcome: 0 | 1): TokenId =>
    TokenId.make(
      `1${outcome}${slot.toString().padStart(7, "0")}${ordinal.toString().padStart(9, "0")}` +
        decimals(mix(key, 30 + outcome), 59),
    )
  return {
    slot,
    generation,
    number: numberOf(slot, generation),
    key,
    id: MarketId.make(`0x${hex(mix(key, 32), 40)}${place}${hex(mix(key, 33), 8)}`),
    tokenIds: [token(0), token(1)] as const,
  }
}

/** Volume, depth and spread. Values above the gate are far above it, so noise never crosses it. */
function shapeOf(options: WorldOptions, key: Key) {
  const aboveGate = uniform(mix(key, 40)) < options.gateShare
  const shallow = !aboveGate && uniform(mix(key, 41)) < 0.5
  const scale = uniform(mix(key, 42))
  const invalid = uniform(mix(key, 43)) < options.invalidBookShare
  const faults = ["one_sided", "ghost"] as const
  return {
    aboveGate,
    volumeAtOpenUsd: aboveGate || shallow ? 12_000 * Math.exp(4 * scale) : 4_000 * scale,
    volumePerDayUsd: aboveGate || shallow ? 2_000 * Math.exp(3.5 * scale) : 40 * scale,
    depthUsd: aboveGate ? 4_000 * Math.exp(2.5 * scale) : shallow ? 300 + 1_500 * scale : 3_500,
    spread: aboveGate
      ? [0.01, 0.01, 0.02, 0.03][mix(key, 44) % 4] ?? 0.01
      : [0.02, 0.03, 0.04, 0.06, 0.08][mix(key, 44) % 5] ?? 0.04,
    bookKind: invalid ? pick(mix(key, 46), faults) : "valid" as const,
  }
}

/** The length of the interval over which a mechanical market bets on a price. */
const intervalMs = 5 * minute

/**
 * An asset has `lanes` lanes, each with every `lanes`-th interval. A lane's next market opens when its
 * last one is paid out.
 */
function lanePlan(lane: number, lanes: number) {
  const periodMs = lanes * intervalMs
  const step = Math.floor(lane / mechanicalAssets.length)
  return { periodMs, base: (step + 1) * intervalMs + minute - periodMs }
}

function makeMechanical(
  options: WorldOptions,
  key: Key,
  place: { readonly slot: number; readonly lane: number; readonly lanes: number },
  generation: number,
): SimulatedMarket {
  const plan = lanePlan(place.lane, place.lanes)
  const opensAt = plan.base + generation * plan.periodMs
  const resolvedAt = opensAt + plan.periodMs
  const endsAt = resolvedAt - minute
  const startsAt = endsAt - intervalMs
  const { short, name } = mechanicalAssets[place.lane % mechanicalAssets.length] ??
    { short: "", name: "" }
  const own = mix(mix(key, place.slot), generation)
  const title = mechanicalTitle(name, startsAt, endsAt)
  const slug = Slug.make(`${short}-updown-5m-${Math.round(startsAt / second)}`)
  const revealsAt = Math.max(opensAt, startsAt)
  return {
    ...identity(own, place.slot, generation),
    ...shapeOf(options, own),
    kind: "mechanical",
    daily: false,
    eventKey: own,
    question: title,
    outcomes: ["Up", "Down"],
    slug,
    subject: null,
    eventSlug: slug,
    eventTitle: title,
    rung: null,
    category: "Crypto",
    opensAt,
    revealsAt,
    closesAt: endsAt,
    proposedAt: resolvedAt,
    quotesLagUntil: revealsAt,
    resolvedAt,
    endsAt,
    listedEndsAt: endsAt,
    mechanical: "recurrence",
    takerFeeRate: 0.07,
    end: "decided",
  }
}
