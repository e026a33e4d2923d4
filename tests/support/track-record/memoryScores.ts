/**
 * A `ScoreStore` in memory: the model that the real store is compared with.
 *
 * @module
 */
import { Effect } from "effect"
import type { MarketId, SeriesPoint } from "../../../src/markets/domain/market.ts"
import type { Resolution } from "../../../src/markets/domain/resolution.ts"
import { horizons, type MoveOutcome } from "../../../src/track-record/domain/moverDrift.ts"
import {
  type CheckVerdict,
  firstDueAt,
  isEntryCheck,
  type ScoreCheck,
  type VerdictCounts,
} from "../../../src/track-record/domain/selfScore.ts"
import { dueAtOf, type Forecast } from "../../../src/track-record/domain/resolutionForecasts.ts"
import { estimatesKeptMs, type EstimateTotals } from "../../../src/track-record/domain/estimates.ts"
import { addClusters, clusterOf, noClusters } from "../../../src/core/domain/clusteredMean.ts"
import type { StoredOutcome } from "../../../src/track-record/domain/outcomes.ts"
import type { PublishedEntry } from "../../../src/track-record/domain/entryScore.ts"
import {
  readingsOf,
  type ScoredEntry,
  type StoredReading,
  totalsOf,
  walletSumsOf,
} from "./memoryEntries.ts"
import { totalsOfMoves } from "./moveTotals.ts"
import { type EpochMs, hour } from "../../../src/core/domain/time.ts"
import type { ScoreStore } from "../../../src/track-record/ScoreStore.ts"

/** The counts before the first item. */
export const noVerdicts: VerdictCounts = {
  mover_1h: {},
  mover_6h: {},
  mover_24h: {},
  predetermined: {},
  contested: {},
  contestedMeanPrice: null,
}

const hoursOf = { "1h": 1, "6h": 6, "24h": 24 }

interface StoredMarket {
  requestedAt: EpochMs
  version: number
  resolution: Resolution | null
  endedAt: EpochMs | null
}
interface StoredForecast {
  readonly forecast: Forecast
  judged: boolean
  value: number | null
}
interface StoredCheck {
  readonly check: ScoreCheck
  dueAt: EpochMs | null
  verdict: CheckVerdict | null
  value: number | null
  point: SeriesPoint | null
  outcome: MoveOutcome | null
}

const isSameResolution = (a: Resolution | null, b: Resolution): boolean =>
  a !== null && a.state === b.state && a.resolvedAt === (b.resolvedAt ?? a.resolvedAt) &&
  (a.state !== "paid" || b.state !== "paid" || a.payouts.join() === b.payouts.join())

export function memoryScores(): ScoreStore["Service"] {
  let cursor = 0
  let revision = 0
  const markets = new Map<MarketId, StoredMarket>()
  const checks: Array<StoredCheck> = []
  let forecasts: Array<StoredForecast> = []
  const marketOf = (id: MarketId): StoredMarket => {
    const market = markets.get(id) ??
      { requestedAt: -Infinity, version: 0, resolution: null, endedAt: null }
    markets.set(id, market)
    return market
  }
  const entries: Array<PublishedEntry> = []
  const readings: Array<StoredReading> = []
  const scored = (): ReadonlyArray<ScoredEntry> =>
    entries.map((entry) => {
      const ofEntry = checks.filter(({ check }) => check.feedIndex === entry.feedIndex)
      return {
        entry,
        checks: ofEntry.map(({ check: { kind }, verdict, value }) => ({ kind, verdict, value })),
        readings: readings.filter(({ feedIndex }) => feedIndex === entry.feedIndex),
      }
    })
  const checksOfMarket = (id: MarketId) => checks.filter(({ check }) => check.marketId === id)

  /** The mid that was read from the book an hour after publication. */
  const hourlyMid = ({ kind, feedIndex }: ScoreCheck): SeriesPoint | null => {
    const result = readings.find((one) => one.feedIndex === feedIndex && one.delayMinutes === 60)
      ?.result
    return kind === "whale_1h" && result?.state === "read" && result.mid !== null
      ? { at: result.readAt, mid: result.mid }
      : null
  }

  const dueMarkets: ScoreStore["Service"]["dueMarkets"] = (query) =>
    Effect.sync(() => {
      const isDue = (id: MarketId, { requestedAt, endedAt }: StoredMarket) => {
        const ofMarket = checksOfMarket(id)
        const hasOutcome = ofMarket.some(({ check }) => check.kind === "predetermined")
        const lastMoverAt = Math.max(
          ...ofMarket.flatMap(({ check }) => check.kind.startsWith("mover") ? [check.at] : []),
        )
        const recent = endedAt === null
          ? query.endedAfter <= lastMoverAt && lastMoverAt <= query.now
          : endedAt > query.endedAfter
        return hasOutcome && endedAt === null && requestedAt < query.requestedBefore ||
          recent && requestedAt < query.requestedAgainBefore ||
          forecasts.some(({ forecast, judged }) =>
            forecast.marketId === id && !judged && dueAtOf(forecast) <= query.now &&
            requestedAt < dueAtOf(forecast)
          ) ||
          ofMarket.some(({ dueAt }) => dueAt !== null && dueAt <= query.now && requestedAt < dueAt)
      }
      return [...markets]
        .filter(([id, market]) => isDue(id, market))
        .sort(([a, { requestedAt: one }], [b, { requestedAt: other }]) =>
          one - other || (a < b ? -1 : 1)
        )
        .slice(0, query.limit)
        .map(([id]) => id)
    })

  return {
    cursor: Effect.sync(() => cursor),
    addChecks: (from, to, added, published = []) =>
      Effect.sync(() => {
        if (cursor !== from) return false
        cursor = to
        if (added.length > 0) revision += 1
        for (const { marketId } of added) {
          if (marketId !== null) marketOf(marketId)
        }
        for (const check of added) {
          const ended = check.marketId !== null && markets.get(check.marketId)?.resolution !== null
          const dueAt = firstDueAt(check) ?? (ended ? check.at : null)
          checks.push({ check, dueAt, verdict: null, value: null, point: null, outcome: null })
          if (check.kind === "whale_entry") {
            const entry = published.find(({ feedIndex }) => feedIndex === check.feedIndex)
            if (entry !== undefined) readings.push(...readingsOf(check, entry.label))
          }
        }
        entries.push(...published)
        return true
      }),
    dueMarkets,
    saveResolutions: (resolutions, requested, at) =>
      Effect.sync(() => {
        for (const id of requested) {
          const market = markets.get(id)
          if (market !== undefined) market.requestedAt = Math.max(market.requestedAt, at)
        }
        let changed = 0
        for (const incoming of new Map(resolutions.map((row) => [row.marketId, row])).values()) {
          const market = markets.get(incoming.marketId)
          if (market === undefined || isSameResolution(market.resolution, incoming)) continue
          changed += 1
          market.version += 1
          market.endedAt = incoming.resolvedAt ?? market.endedAt ?? at
          const resolvedAt = incoming.resolvedAt ?? market.resolution?.resolvedAt ?? null
          market.resolution = { ...incoming, resolvedAt }
          for (const check of checksOfMarket(incoming.marketId)) check.dueAt ??= check.check.at
        }
        return changed
      }),
    dueChecks: ({ now, overdueBefore, limit }) =>
      Effect.sync(() =>
        checks
          .flatMap((stored) => stored.dueAt === null ? [] : [{ ...stored, dueAt: stored.dueAt }])
          .filter(({ check: { marketId }, dueAt }) => {
            const requestedAt = marketId === null
              ? Infinity
              : markets.get(marketId)?.requestedAt ?? 0
            return dueAt <= now && (requestedAt >= dueAt || dueAt < overdueBefore)
          })
          .sort((a, b) => a.dueAt - b.dueAt || a.check.feedIndex - b.check.feedIndex ||
            (a.check.kind < b.check.kind ? -1 : 1)
          )
          .slice(0, limit)
          .map(({ check, verdict, point }) => {
            const market = check.marketId === null ? undefined : markets.get(check.marketId)
            return {
              check,
              version: market?.version ?? 0,
              resolution: market?.resolution ?? null,
              hasVerdict: verdict !== null,
              point: point ?? (verdict === null ? hourlyMid(check) : null),
            }
          })
      ),
    saveVerdicts: (judged) =>
      Effect.sync(() => {
        let written = 0
        let changed = false
        for (const judgement of judged) {
          const { check, version, verdict, point, outcome, value = null, dueAt = null } = judgement
          const stored = checks.find((stored) =>
            stored.check.feedIndex === check.feedIndex && stored.check.kind === check.kind
          )
          const market = check.marketId === null ? undefined : markets.get(check.marketId)
          if (stored === undefined || (market?.version ?? 0) !== version) continue
          written += 1
          changed ||= stored.verdict !== verdict || stored.value !== value ||
            stored.outcome?.drift !== outcome?.drift
          Object.assign(stored, { verdict, point, value, outcome, dueAt })
        }
        if (changed) revision += 1
        return written
      }),
    outcomes: (since, items) =>
      Effect.sync(() =>
        checks.flatMap(({ check, verdict, outcome, value }): ReadonlyArray<StoredOutcome> =>
          check.feedIndex <= since ? [] : [{
            ...{ feedIndex: check.feedIndex, kind: check.kind, at: check.at, verdict, value },
            priceStart: "priceStart" in check ? check.priceStart : null,
            priceNow: "priceStart" in check ? check.priceNow : null,
            drift: outcome?.drift ?? null,
            entryPrice: entries.find(({ feedIndex }) =>
              feedIndex === check.feedIndex
            )?.entryPrice ?? null,
          }]
        ).toSorted((a, b) => a.feedIndex - b.feedIndex || (a.kind < b.kind ? -1 : 1)).slice(
          0,
          4 * items,
        )
      ),
    counts: Effect.sync(() => {
      type Counts = Record<
        Exclude<keyof VerdictCounts, "contestedMeanPrice">,
        Partial<Record<CheckVerdict | "open", number>>
      >
      const counts: Counts = {
        mover_1h: {},
        mover_6h: {},
        mover_24h: {},
        predetermined: {},
        contested: {},
      }
      for (const { check, verdict } of checks) {
        if (isEntryCheck(check)) continue
        const kind = check.kind === "predetermined" && check.contestedPrice !== null
          ? "contested"
          : check.kind
        counts[kind][verdict ?? "open"] = (counts[kind][verdict ?? "open"] ?? 0) + 1
      }
      const prices = checks.flatMap(({ check, verdict }) =>
        check.kind === "predetermined" && verdict !== null ? check.contestedPrice ?? [] : []
      )
      const contestedMeanPrice = prices.length === 0
        ? null
        : prices.reduce((sum, price) => sum + price, 0) / prices.length
      return checks.length === 0 ? noVerdicts : { ...counts, contestedMeanPrice }
    }),
    dueReadings: (now, limit) =>
      Effect.sync(() =>
        readings
          .filter(({ result, dueAt }) => result === null && dueAt <= now)
          .sort((a, b) =>
            a.dueAt - b.dueAt || a.feedIndex - b.feedIndex || a.delayMinutes - b.delayMinutes
          )
          .slice(0, limit)
          .map(({ result: _, ...due }) => due)
      ),
    saveReadings: (judged) =>
      Effect.sync(() => {
        let saved = 0
        for (const { feedIndex, delayMinutes, result } of judged) {
          const stored = readings.find((one) =>
            one.feedIndex === feedIndex && one.delayMinutes === delayMinutes
          )
          if (stored === undefined || stored.result !== null) continue
          stored.result = result
          saved += 1
        }
        if (saved > 0) revision += 1
        return saved
      }),
    entryTotals: Effect.sync(() => totalsOf(scored())),
    walletEntrySums: Effect.sync(() => walletSumsOf(scored())),
    moveTotals: Effect.sync(() =>
      totalsOfMoves(checks.flatMap(({ check, outcome }) => {
        if (!("priceStart" in check) || check.move === null || outcome === null) return []
        const horizon = horizons.find((name) => check.kind === `mover_${name}`) ?? "1h"
        const publishedAt = check.at - hoursOf[horizon] * hour
        return [{ horizon, ...check.move, ...outcome, publishedAt }]
      }))
    ),
    version: Effect.sync(() => `${revision}`),
    forecastsMadeAt: Effect.sync(() =>
      Math.max(
        0,
        ...forecasts.flatMap(({ forecast: { kind, madeAt } }) =>
          kind === "resolution" ? [madeAt] : []
        ),
      )
    ),
    addForecasts: (added) =>
      Effect.sync(() => {
        for (const forecast of added) {
          marketOf(forecast.marketId)
          const isKnown = forecasts.some((one) => isSame(one.forecast, forecast))
          if (!isKnown) forecasts.push({ forecast, judged: false, value: null })
        }
        const newest = Math.max(...added.map(({ madeAt }) => madeAt))
        forecasts = forecasts.filter(({ forecast: { kind, madeAt } }) =>
          kind === "resolution" || madeAt >= newest - estimatesKeptMs
        )
        if (added.length > 0) revision += 1
      }),
    dueForecasts: ({ now, overdueBefore, limit }) =>
      Effect.sync(() =>
        forecasts
          .map(({ forecast, judged }) => {
            const { requestedAt, resolution } = marketOf(forecast.marketId)
            const dueAt = dueAtOf(forecast)
            return { forecast, judged, resolution, dueAt, requested: requestedAt >= dueAt }
          })
          .filter(({ judged, dueAt, requested }) =>
            !judged && dueAt <= now && (requested || dueAt < overdueBefore)
          )
          .sort((a, b) => a.dueAt - b.dueAt || orderOf(a.forecast, b.forecast))
          .slice(0, limit)
          .map(({ forecast, resolution, requested }) => ({ forecast, resolution, requested }))
      ),
    saveForecastVerdicts: (judged) =>
      Effect.sync(() => {
        let saved = 0
        for (const { forecast, value } of judged) {
          const stored = forecasts.find((one) => isSame(one.forecast, forecast))
          if (stored === undefined || stored.judged) continue
          Object.assign(stored, { judged: true, value })
          saved += 1
        }
        if (saved > 0) revision += 1
        return saved
      }),
    forecastCounts: Effect.sync(() => {
      const all = forecasts.flatMap(({ forecast, judged, value }) =>
        forecast.kind === "resolution" ? [{ ...forecast, judged, value }] : []
      )
      const error = (of: (it: (typeof all)[number]) => number) =>
        all.reduce((sum, it) => sum + (it.value === null ? 0 : (of(it) - it.value) ** 2), 0)
      return {
        forecasts: all.length,
        resolved: all.filter(({ value }) => value === 1).length,
        open: all.filter(({ value }) => value === 0).length,
        unknown: all.filter(({ judged, value }) => judged && value === null).length,
        squaredError: error(({ probability }) => probability),
        endDateSquaredError: error(({ endWithin }) => endWithin ? 1 : 0),
      }
    }),
    estimateTotals: Effect.sync(() => totalsOfEstimates(forecasts)),
  }
}

const isSame = (a: Pick<Forecast, "kind" | "marketId" | "madeAt">, b: typeof a): boolean =>
  a.kind === b.kind && a.marketId === b.marketId && a.madeAt === b.madeAt

const orderOf = (a: Forecast, b: Forecast): number =>
  a.marketId === b.marketId ? (a.kind < b.kind ? -1 : 1) : a.marketId < b.marketId ? -1 : 1

/** The totals of judged and waiting estimates. */
export function totalsOfEstimates(
  forecasts: ReadonlyArray<Readonly<StoredForecast>>,
): EstimateTotals {
  const all = forecasts.flatMap(({ forecast, judged, value }) =>
    forecast.kind === "price" ? [{ ...forecast, judged, value }] : []
  )
  const known = all.flatMap(({ value, ...one }) => value === null ? [] : [{ ...one, value }])
  const errors = known.map(({ eventKey, probability, mid, value }) => ({
    ...{ eventKey, own: (probability - value) ** 2, mid: (mid - value) ** 2 },
  }))
  const sum = (values: ReadonlyArray<number>) => values.reduce((a, b) => a + b, 0)
  const scored = known.filter(({ value, low, high }) =>
    value > 0 && value < 1 && (low > 0 || high < 1)
  )
  return {
    estimates: all.length,
    unknown: all.filter(({ judged, value }) => judged && value === null).length,
    views: known.filter(({ probability, mid }) => probability !== mid).length,
    squaredError: sum(errors.map(({ own }) => own)),
    midSquaredError: sum(errors.map(({ mid }) => mid)),
    difference: [...Map.groupBy(errors, ({ eventKey }) => eventKey).values()].reduce(
      (sums, of) =>
        addClusters(sums, clusterOf(of.length, sum(of.map(({ own, mid }) => own - mid))), 1),
      noClusters,
    ),
    intervals: scored.length,
    covered: scored.filter(({ value, low, high }) => low <= value && value <= high).length,
  }
}
