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
import {
  dueAtOf,
  type ForecastVerdict,
  type ResolutionForecast,
} from "../../../src/track-record/domain/resolutionForecasts.ts"
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
}

const hoursOf = { "1h": 1, "6h": 6, "24h": 24 }

interface StoredMarket {
  requestedAt: EpochMs
  version: number
  resolution: Resolution | null
  endedAt: EpochMs | null
}
interface StoredForecast {
  readonly forecast: ResolutionForecast
  verdict: ForecastVerdict | null
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
  const forecasts: Array<StoredForecast> = []
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
          forecasts.some(({ forecast, verdict }) =>
            forecast.marketId === id && verdict === null && dueAtOf(forecast) <= query.now &&
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
      type Counts = Record<keyof VerdictCounts, Partial<Record<CheckVerdict | "open", number>>>
      const counts: Counts = {
        mover_1h: {},
        mover_6h: {},
        mover_24h: {},
        predetermined: {},
        contested: {},
      }
      for (const { check, verdict } of checks) {
        if (isEntryCheck(check)) continue
        const kind = check.kind === "predetermined" && check.contested ? "contested" : check.kind
        counts[kind][verdict ?? "open"] = (counts[kind][verdict ?? "open"] ?? 0) + 1
      }
      return checks.length === 0 ? noVerdicts : counts
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
    forecastsMadeAt: Effect.sync(() => Math.max(0, ...forecasts.map((it) => it.forecast.madeAt))),
    addForecasts: (added) =>
      Effect.sync(() => {
        for (const forecast of added) {
          marketOf(forecast.marketId)
          const isKnown = forecasts.some(({ forecast: { marketId, madeAt } }) =>
            marketId === forecast.marketId && madeAt === forecast.madeAt
          )
          if (!isKnown) forecasts.push({ forecast, verdict: null })
        }
        if (added.length > 0) revision += 1
      }),
    dueForecasts: ({ now, overdueBefore, limit }) =>
      Effect.sync(() =>
        forecasts
          .map(({ forecast, verdict }) => {
            const { requestedAt, resolution } = marketOf(forecast.marketId)
            const dueAt = dueAtOf(forecast)
            return { forecast, verdict, resolution, dueAt, requested: requestedAt >= dueAt }
          })
          .filter(({ verdict, dueAt, requested }) =>
            verdict === null && dueAt <= now && (requested || dueAt < overdueBefore)
          )
          .sort((a, b) => a.dueAt - b.dueAt || (a.forecast.marketId < b.forecast.marketId ? -1 : 1))
          .slice(0, limit)
          .map(({ forecast, resolution, requested }) => ({ forecast, resolution, requested }))
      ),
    saveForecastVerdicts: (judged) =>
      Effect.sync(() => {
        let saved = 0
        for (const { forecast, verdict } of judged) {
          const stored = forecasts.find((it) =>
            it.forecast.marketId === forecast.marketId && it.forecast.madeAt === forecast.madeAt
          )
          if (stored === undefined || stored.verdict !== null) continue
          stored.verdict = verdict
          saved += 1
        }
        if (saved > 0) revision += 1
        return saved
      }),
    forecastCounts: Effect.sync(() => {
      const of = (verdict: ForecastVerdict) => forecasts.filter((it) => it.verdict === verdict)
      const judged = forecasts.flatMap(({ forecast, verdict }) =>
        verdict === "resolved" || verdict === "open" ? [{ ...forecast, is: verdict } as const] : []
      )
      const error = (of: (it: (typeof judged)[number]) => number) =>
        judged.reduce((sum, it) => sum + (of(it) - (it.is === "resolved" ? 1 : 0)) ** 2, 0)
      return {
        forecasts: forecasts.length,
        resolved: of("resolved").length,
        open: of("open").length,
        unknown: of("unknown").length,
        squaredError: error(({ probability }) => probability),
        endDateSquaredError: error(({ endWithin }) => endWithin ? 1 : 0),
      }
    }),
  }
}
