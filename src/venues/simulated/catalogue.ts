/**
 * Which markets a simulated world has, and when each lives.
 *
 * The world is a row of seats. A seat holds one market at a time: when one has been paid out the
 * next opens, for ever, in both directions of time. So the market of any seat at any instant is
 * arithmetic, and a market's id says which seat and which turn it is.
 *
 * @module
 */
import { day, type EpochMs, minute, second } from "../../core/domain/time.ts"
import {
  type CatalogueOptions,
  type EventPlan,
  interval,
  lanePlan,
  makeMarket,
  makeMechanical,
  type SimulatedMarket,
  turnZero,
} from "./lives.ts"
import { makeMemo, marketsKept } from "./memo.ts"
import { mechanicalAssets } from "./phrases.ts"
import { between, mix, uniform } from "./seed.ts"

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

/** Events are laid out in blocks of 12 seats, each cut into events of these sizes. */
const blockSize = 12
const loneCut = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] as const
const blockCuts = [
  [1, 1, 1, 1, 1, 2, 2, 3],
  [6, 2, 1, 1, 1, 1],
  [4, 3, 1, 1, 1, 1, 1],
  loneCut,
  [5, 2, 2, 1, 1, 1],
] as const
export function makeCatalogue(options: CatalogueOptions): Catalogue {
  const world = mix(0x5eed, options.seed)
  const mechanicalSeats = Math.round(options.markets * options.mechanicalShare)
  const otherSeats = options.markets - mechanicalSeats
  const lanes = Math.ceil(mechanicalSeats / mechanicalAssets.length)
  const memo = makeMemo<SimulatedMarket>(marketsKept(options.markets))

  const eventOf = (seat: number): EventPlan => {
    const block = Math.floor(seat / blockSize)
    const cut = options.loneMarkets
      ? loneCut
      : blockCuts[mix(mix(world, 1), block) % blockCuts.length] ?? blockCuts[0]
    let first = block * blockSize
    for (const size of cut) {
      if (seat < first + size) {
        const key = mix(mix(world, 2), first)
        const sports = uniform(mix(key, 1)) < options.sportsShare
        const [shortest, longest] = options.lifeDays
        const days = sports
          ? between(mix(key, 2), 2, 5)
          : shortest + (longest - shortest) * uniform(mix(key, 2)) ** 2
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
