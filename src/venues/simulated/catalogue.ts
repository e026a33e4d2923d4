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
import { MarketId, Slug, TokenId } from "../../markets/domain/market.ts"
import { makeMemo } from "./memo.ts"
import type { WorldOptions } from "./options.ts"
import { between, hex, type Key, mix, uniform } from "./seed.ts"
import { topicOf, wordsOf } from "./words.ts"

export type Catalogue = ReturnType<typeof makeCatalogue>

type Words = Omit<ReturnType<typeof wordsOf>, "slug">

/** All properties of one market that do not change over its life. */
export interface SimulatedMarket extends Life, Shape, Words {
  readonly slot: number
  readonly generation: number
  /** Slot and generation as one number. */
  readonly number: number
  readonly key: Key
  readonly eventKey: Key
  readonly kind: "ordinary" | "sports"
  /** Whether it is an ordinary market that lasts one day. */
  readonly daily: boolean
  readonly id: MarketId
  readonly tokenIds: readonly [TokenId, TokenId]
  readonly slug: Slug
  /** Its place among the markets of its event that share one path; null where each has its own. */
  readonly rung: number | null
  /** How many outcomes of its event exclude each other; 0 on a ladder, where rung 0 is the easiest. */
  readonly rivals: number
  readonly end: "decided" | "push" | "cancelled"
}

interface Life {
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
}

interface Shape {
  /** True when volume and depth are above the quality gate throughout. */
  readonly aboveGate: boolean
  readonly volumeAtOpenUsd: number
  readonly volumePerDayUsd: number
  /** USD of resting orders within 5 cents of the mid, both sides, of the first token's book. */
  readonly depthUsd: number
  /** In USD, at a probability of one half. */
  readonly spread: number
}

const shares = { sports: 0.1, push: 0.015, cancelled: 0.005 }

/** Added to the generation in ids, so that generations before the origin are not negative. */
const generationZero = 10_000_000

export function makeCatalogue(options: WorldOptions) {
  const world = mix(0x5eed, options.seed)
  const cached = makeMemo<SimulatedMarket>(options.markets)
  const cachedEvents = makeMemo<EventPlan>(options.markets)
  const eventAt = (slot: number): EventPlan =>
    cachedEvents(slot, () => eventOf(options, world, slot))
  const generation = (slot: number, index: number): SimulatedMarket =>
    cached(numberOf(slot, index), () => makeMarket(options, eventAt(slot), slot, index))
  const known = (slot: number, ordinal: number): SimulatedMarket | undefined =>
    slot < options.markets ? generation(slot, ordinal - generationZero) : undefined
  return {
    slots: options.markets,
    generation,
    at: (slot: number, instant: EpochMs) => {
      const { base, periodMs } = eventAt(slot)
      return generation(slot, Math.floor((instant - base) / periodMs))
    },
    byId: (id: string) => {
      const [, slot = "", ordinal = ""] = /^0x([0-9a-f]{8})([0-9a-f]{8})/.exec(id) ?? []
      const market = known(parseInt(slot, 16), parseInt(ordinal, 16))
      return market?.id === id ? market : undefined
    },
    byToken: (tokenId: string) => {
      const [, first, slot, ordinal] = /^1([01])(\d{7})(\d{9})/.exec(tokenId) ?? []
      const market = known(Number(slot), Number(ordinal))
      const outcome: 0 | 1 = first === "0" ? 0 : 1
      return market?.tokenIds[outcome] === tokenId ? { market, outcome } : undefined
    },
  }
}

function numberOf(slot: number, generation: number): number {
  return slot * 2 ** 26 + generation + generationZero
}

/** Slots are grouped in blocks, each divided into events of these sizes. */
const blockCut = [5, 3, 2, 1, 1]
const blockSize = blockCut.reduce((sum, size) => sum + size, 0)

/** What the markets of an event share, in every generation. */
interface EventPlan extends Pick<SimulatedMarket, "key" | "kind" | "daily"> {
  /** Its number among all events. */
  readonly nth: number
  readonly first: number
  readonly members: number
  readonly periodMs: number
  /** When generation 0 opens. */
  readonly base: EpochMs
}

function eventOf(options: WorldOptions, world: Key, slot: number): EventPlan {
  const block = Math.floor(slot / blockSize)
  let [first, size, place] = [block * blockSize, 0, 0]
  for ([place, size] of blockCut.entries()) {
    if (slot < first + size) break
    first += size
  }
  const nth = options.seed + block * blockCut.length + place
  const key = mix(mix(world, 2), first)
  const kind = uniform(mix(key, 1)) < shares.sports ? "sports" : "ordinary"
  const daily = kind === "ordinary" && uniform(mix(key, 4)) < options.dailyShare
  const [shortest, longest] = options.lifeDays
  const days = kind === "sports"
    ? between(mix(key, 2), 2, 5)
    : daily
    ? 1
    : shortest + (longest - shortest) * uniform(mix(key, 2)) ** 2
  const periodMs = Math.round(days * day / minute) * minute
  const phase = Math.floor(uniform(mix(key, 3)) * periodMs / minute) * minute
  const members = Math.min(size, options.markets - first)
  return { key, kind, daily, nth, first, members, periodMs, base: options.origin - phase }
}

function makeMarket(
  options: WorldOptions,
  event: EventPlan,
  slot: number,
  generation: number,
): SimulatedMarket {
  const { kind, daily, first, members, nth } = event
  const ordinal = generation + generationZero
  const eventKey = mix(event.key, ordinal)
  const key = mix(eventKey, slot - first + 1)
  const shape = shapeOf(options, key)
  const topic = topicOf(nth, kind)
  const rivals = topic.exclusive === true && members > 1 ? members : 0
  const rung = rivals > 0 || members > 1 && topic.level !== undefined ? slot - first : null
  const endDraw = rivals > 0 ? 1 : uniform(mix(key, 20)) - shares.push
  const end = endDraw < 0 ? "push" : endDraw < shares.cancelled ? "cancelled" : "decided"
  // Rivals lag together.
  const lagKey = rivals > 0 ? eventKey : key
  const lags = kind === "ordinary" && end === "decided" &&
    (rivals > 0 || rung === null && shape.aboveGate) && event.periodMs > laggardLifeMin &&
    uniform(mix(lagKey, 21)) < options.laggardShare
  const life = lifeOf(event, lags ? lagKey : eventKey, generation, lags)
  const words = wordsOf(topic, eventKey, slot - first, life.endsAt)
  const place = hex32(slot) + hex32(ordinal)
  const token = (outcome: 0 | 1): TokenId =>
    TokenId.make(`1${outcome}${digits(slot, 7)}${digits(ordinal, 9)}${digits(key, 59)}`)
  return {
    ...{ slot, generation, number: numberOf(slot, generation), key, eventKey, kind, daily },
    ...shape,
    ...life,
    ...words,
    id: MarketId.make(`0x${place}${hex(key, 48)}`),
    tokenIds: [token(0), token(1)],
    slug: Slug.make(`${words.slug}-${slot}-${ordinal}`),
    eventSlug: `${words.eventSlug}-${first}-${ordinal}`,
    rung,
    rivals,
    end,
  }
}

const hex32 = (value: number) => value.toString(16).padStart(8, "0")
const digits = (value: number, length: number) => value.toString().padStart(length, "0")

/** Least and greatest number of hours for which a laggard's quotes ignore its known outcome. */
const lagHours = [6, 60] as const
/** A market lives at least this long if its quotes lag. */
const laggardLifeMin = 4 * day

function lifeOf(
  { kind, daily, base, periodMs }: EventPlan,
  key: Key,
  generation: number,
  lags: boolean,
): Life {
  const opensAt = base + generation * periodMs
  const resolvedAt = opensAt + periodMs
  const wholeSecond = (ms: number) => Math.floor(ms / second) * second
  const isShort = kind === "sports" || daily
  const caughtUpAt = wholeSecond(resolvedAt - between(mix(key, 22), 0.5, 1.5) * hour)
  const closesAt = wholeSecond(
    lags
      ? caughtUpAt - between(mix(key, 23), ...lagHours) * hour
      : resolvedAt - (isShort ? 2.5 : between(mix(key, 11), 2.5, 8)) * hour,
  )
  const revealing = isShort ? 2.25 : between(mix(key, 12), 6, 36)
  const endsAt = kind === "sports"
    ? Math.floor((resolvedAt - 5 * hour) / (15 * minute)) * 15 * minute
    : Math.floor(closesAt / hour) * hour
  const oddEnd = kind === "sports" ? 1 : uniform(mix(key, 50))
  const revealsAt = Math.max(opensAt, wholeSecond(closesAt - revealing * hour))
  return {
    opensAt,
    resolvedAt,
    closesAt,
    revealsAt,
    quotesLagUntil: lags ? caughtUpAt : revealsAt,
    proposedAt: wholeSecond(closesAt + between(mix(key, 13), 1, 20) * minute),
    endsAt,
    listedEndsAt: oddEnd < 0.02 ? null : oddEnd < 0.05 ? opensAt - 60 * day : endsAt,
  }
}

/** Values above the gate are far above it, so noise never crosses it. */
function shapeOf(options: WorldOptions, key: Key): Shape {
  const aboveGate = uniform(mix(key, 40)) < options.gateShare
  const scale = uniform(mix(key, 42))
  return {
    aboveGate,
    volumeAtOpenUsd: aboveGate ? 12_000 * Math.exp(4 * scale) : 4_000 * scale,
    volumePerDayUsd: aboveGate ? 2_000 * Math.exp(3.5 * scale) : 40 * scale,
    depthUsd: aboveGate ? 4_000 * Math.exp(2.5 * scale) : 300 + 1_500 * scale,
    spread: aboveGate ? between(mix(key, 44), 0.01, 0.03) : between(mix(key, 44), 0.02, 0.08),
  }
}
