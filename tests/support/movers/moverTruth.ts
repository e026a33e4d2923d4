/**
 * Runs the movers' rule over a simulated world, tick by tick without a store, and compares its movers
 * with the truth.
 *
 * - A mover is *right* when the true probability moved in its direction, from `startedAt` to its
 *   tick, by at least half of its `delta`. In a simulated world the cause is a planted jump, or in the
 *   last hours of a market its run to the outcome (also planted, and gradual).
 * - The rule *should find* a planted jump that has at least five cents and falls in the first 23 of the
 *   24 hours, if its market is above the quality gate, was listed
 *   an hour and two ticks before the jump and stays listed for an hour after it. Neither the surprise
 *   of the jump nor other events around it matter.
 * - A jump is *found* when a mover of its market and direction, over a window that contains it, is
 *   emitted within an hour and a tick.
 *
 * @module
 */
import { Result } from "effect"
import type { World } from "../../../src/venues/simulated/world.ts"
import type { Jump } from "../../../src/venues/simulated/path.ts"
import {
  type BookFault,
  type Microstructure,
  microstructure,
} from "../../../src/markets/domain/book.ts"
import type { MovePhase, MoveWindow } from "../../../src/feed/domain/item.ts"
import type { Market, MarketId, SeriesPoint } from "../../../src/markets/domain/market.ts"
import {
  confirmMove,
  type EmittedMove,
  judgeMove,
  type MarketMove,
  type Mover,
  type MoverRejection,
  pointsRange,
  screenMove,
  selectMovers,
  startRange,
  tradedUsdBeyondHalf,
} from "../../../src/movers/domain/gates.ts"
import { screenMarket, spreadMax } from "../../../src/markets/domain/quality.ts"
import { day, type EpochMs, hour, minute } from "../../../src/core/domain/time.ts"

const tickIntervalMs = 10 * minute
const ticks = day / tickIntervalMs
const windows: ReadonlyArray<MoveWindow> = ["1h", "24h"]

/** A move that a rule emitted. */
export interface Claim {
  readonly marketId: MarketId
  readonly startedAt: EpochMs
  readonly now: EpochMs
  readonly delta: number
}

export interface Watched {
  readonly movers: ReadonlyArray<Mover>
  readonly rejected: Readonly<Record<string, number>>
}

/** Runs all gates over 24 hours of ticks from the world's origin, on 8 days of history. */
export function watch(world: World): Watched {
  const series = makeSeries(world)
  const movers: Array<Mover> = []
  const rejected: Record<string, number> = {}
  const count = (reason: MoverRejection) => rejected[reason] = (rejected[reason] ?? 0) + 1
  for (const now of tickTimes(world)) {
    const found: Array<Mover> = []
    for (const market of world.list(now, 0, world.catalogue.slots)) {
      if (Result.isFailure(screenMarket(market))) continue
      for (const window of windows) {
        const { notBefore, atOrBefore } = startRange(window, now, tickIntervalMs)
        const start = series.lastMid(market, notBefore, atOrBefore)
        const book = series.book(market, now)
        const move = screenMove({ market, book, window, now, tickIntervalMs, start })
        const result = Result.flatMap(move, (it) => judge(world, series, movers, it))
        if (Result.isSuccess(result)) found.push(result.success)
        else count(result.failure)
      }
    }
    const { chosen, dropped } = selectMovers(found)
    dropped.forEach(({ reason }) => count(reason))
    movers.push(...chosen)
  }
  return { movers, rejected }
}

function judge(
  world: World,
  series: SimulatedSeries,
  movers: ReadonlyArray<Mover>,
  move: MarketMove,
) {
  const judged = judgeMove(move, {
    points: series.ticks(move.market, pointsRange(move)),
    emitted: movers
      .filter((mover) => mover.market.id === move.market.id)
      .map((mover): EmittedMove => ({ ...mover, emittedAt: mover.now })),
  })
  return Result.flatMap(judged, (found) => confirmMove(found, tradedUsd(world, found)))
}

/** Trades that a tick reads of one market. */
const tradesMax = 1_000

function tradedUsd(world: World, move: MarketMove): number | null {
  const market = world.catalogue.byId(move.market.id)
  if (market === undefined) return null
  const range = { from: move.startedAt, to: move.now }
  return tradedUsdBeyondHalf(move, world.trades(market, range, tradesMax))
}

/** The naive rule: a move of five cents in an hour, and then an hour without another. */
export function watchNaively(world: World): ReadonlyArray<Claim> {
  const quietUntil = new Map<MarketId, EpochMs>()
  const claims: Array<Claim> = []
  const mid = (market: Market, at: EpochMs): number | undefined => {
    const book = world.book(market.tokenIds[0], at)
    if (book === undefined) return undefined
    const reading = microstructure(book)
    return Result.isSuccess(reading) ? reading.success.mid : undefined
  }
  for (const now of tickTimes(world)) {
    for (const market of world.list(now, 0, world.catalogue.slots)) {
      if ((quietUntil.get(market.id) ?? 0) > now) continue
      const to = mid(market, now)
      const from = mid(market, now - hour)
      if (from === undefined || to === undefined || Math.abs(to - from) < 0.05 - 1e-9) continue
      claims.push({ marketId: market.id, startedAt: now - hour, now, delta: to - from })
      quietUntil.set(market.id, now + hour)
    }
  }
  return claims
}

export function claimsOf(
  movers: ReadonlyArray<Mover>,
  phases: ReadonlyArray<MovePhase>,
): ReadonlyArray<Claim> {
  return movers.filter(({ phase }) => phases.includes(phase))
    .map((mover) => ({ ...mover, marketId: mover.market.id }))
}

/** Counts, which can be added over many worlds. */
export interface Score {
  readonly emitted: number
  readonly right: number
  readonly jumps: number
  readonly found: number
}

export function score(world: World, claims: ReadonlyArray<Claim>): Score {
  const jumps = jumpsToFind(world)
  const found = jumps.filter(({ marketId, jump }) =>
    claims.some((claim) =>
      claim.marketId === marketId && contains(claim, jump) &&
      claim.now <= jump.at + hour + tickIntervalMs
    )
  )
  return {
    emitted: claims.length,
    right: claims.filter((claim) => isRight(world, claim)).length,
    jumps: jumps.length,
    found: found.length,
  }
}

export function total(scores: ReadonlyArray<Score>): Score {
  const sum = (of: (score: Score) => number) => scores.reduce((all, one) => all + of(one), 0)
  return {
    emitted: sum((one) => one.emitted),
    right: sum((one) => one.right),
    jumps: sum((one) => one.jumps),
    found: sum((one) => one.found),
  }
}

function isRight(world: World, claim: Claim): boolean {
  const market = world.catalogue.byId(claim.marketId)
  if (market === undefined) return false
  const moved = world.truth.probability(market, claim.now) -
    world.truth.probability(market, claim.startedAt)
  return moved * Math.sign(claim.delta) >= Math.abs(claim.delta) / 2
}

/** Whether the jump is in the claim's window and has its direction. */
function contains(claim: Claim, jump: Jump): boolean {
  return claim.startedAt < jump.at && jump.at <= claim.now &&
    Math.sign(jump.to - jump.from) === Math.sign(claim.delta)
}

/** The planted jumps that the rule should find; see the header. */
function jumpsToFind(
  world: World,
): ReadonlyArray<{ readonly marketId: MarketId; readonly jump: Jump }> {
  const { origin } = world.options
  const listed = new Map(
    tickTimes(world).flatMap((now) =>
      Array.from({ length: world.catalogue.slots }, (_, slot) => world.catalogue.at(slot, now))
    ).map((market) => [market.id, market]),
  )
  return [...listed.values()]
    .filter((market) => market.aboveGate)
    .flatMap((market) =>
      world.truth.jumps(market, origin, origin + day - hour)
        .filter((jump) => Math.abs(jump.to - jump.from) >= 0.05)
        .filter((jump) => market.opensAt <= jump.at - hour - 2 * tickIntervalMs)
        .filter((jump) => market.resolvedAt >= jump.at + hour + tickIntervalMs)
        .map((jump) => ({ marketId: market.id, jump }))
    )
}

function tickTimes(world: World): ReadonlyArray<EpochMs> {
  return Array.from({ length: ticks }, (_, i) => world.options.origin + (i + 1) * tickIntervalMs)
}

/** The content of a store after eight days of ticks, computed on demand. */
interface SimulatedSeries {
  readonly book: (
    market: Market,
    at: EpochMs,
  ) => Result.Result<Microstructure, BookFault> | null
  /** The last point of the series in the range. */
  readonly lastMid: (market: Market, from: EpochMs, to: EpochMs) => SeriesPoint | undefined
  /** The points in the range. */
  readonly ticks: (
    market: Market,
    range: { readonly from: EpochMs; readonly to: EpochMs },
  ) => ReadonlyArray<SeriesPoint>
}

function makeSeries(world: World): SimulatedSeries {
  const mids = new Map<MarketId, Map<EpochMs, number | null>>()
  const book = (market: Market, at: EpochMs) => {
    const found = world.book(market.tokenIds[0], at)
    return found === undefined ? null : microstructure(found)
  }
  const midAt = (market: Market, at: EpochMs): number | null => {
    const series = mids.get(market.id) ?? new Map<EpochMs, number | null>()
    mids.set(market.id, series)
    const cached = series.get(at)
    if (cached !== undefined) return cached
    const reading = book(market, at)
    const mid = reading !== null && Result.isSuccess(reading) && reading.success.spread <= spreadMax
      ? reading.success.mid
      : null
    series.set(at, mid)
    return mid
  }
  const lastMid = (market: Market, from: EpochMs, to: EpochMs): SeriesPoint | undefined => {
    for (let at = to; at >= from; at -= tickIntervalMs) {
      const mid = midAt(market, at)
      if (mid !== null) return { at, mid }
    }
    return undefined
  }
  return {
    book,
    lastMid,
    ticks: (market, { from, to }) => {
      const first = Math.ceil(from / tickIntervalMs) * tickIntervalMs
      const points: Array<SeriesPoint> = []
      for (let at = first; at <= to; at += tickIntervalMs) {
        const point = lastMid(market, at, at)
        if (point !== undefined) points.push(point)
      }
      return points
    },
  }
}
