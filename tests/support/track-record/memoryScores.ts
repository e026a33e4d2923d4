/**
 * A `ScoreStore` in memory: the model that the real store is compared with.
 *
 * @module
 */
import { Effect } from "effect"
import type { MarketId, SeriesPoint } from "../../../src/markets/domain/market.ts"
import type { Resolution } from "../../../src/markets/domain/resolution.ts"
import {
  type CheckVerdict,
  judgingDelayMs,
  type ScoreCheck,
  type VerdictCounts,
} from "../../../src/track-record/domain/selfScore.ts"
import type { EpochMs } from "../../../src/core/domain/time.ts"
import type { ScoreStore } from "../../../src/track-record/ScoreStore.ts"

/** The counts before the first item. */
export const noVerdicts: VerdictCounts = { mover_1h: {}, mover_24h: {}, predetermined: {} }

interface StoredMarket {
  requestedAt: EpochMs
  version: number
  resolution: Resolution | null
  endedAt: EpochMs | null
}
interface StoredCheck {
  readonly check: ScoreCheck
  dueAt: EpochMs | null
  verdict: CheckVerdict | null
  point: SeriesPoint | null
}

const isSameResolution = (a: Resolution | null, b: Resolution): boolean =>
  a !== null && a.state === b.state && a.resolvedAt === (b.resolvedAt ?? a.resolvedAt) &&
  (a.state !== "paid" || b.state !== "paid" || a.payouts.join() === b.payouts.join())

export function memoryScores(): ScoreStore["Service"] {
  let cursor = 0
  let revision = 0
  const markets = new Map<MarketId, StoredMarket>()
  const checks: Array<StoredCheck> = []
  const checksOfMarket = (id: MarketId) => checks.filter(({ check }) => check.marketId === id)

  const dueMarkets: ScoreStore["Service"]["dueMarkets"] = (query) =>
    Effect.sync(() => {
      const isDue = (id: MarketId, { requestedAt, endedAt }: StoredMarket) => {
        const ofMarket = checksOfMarket(id)
        const hasOutcome = ofMarket.some(({ check }) => check.kind === "predetermined")
        const lastMoverAt = Math.max(
          ...ofMarket.flatMap(({ check }) => check.kind === "predetermined" ? [] : [check.at]),
        )
        const recent = endedAt === null
          ? query.endedAfter <= lastMoverAt && lastMoverAt <= query.now
          : endedAt > query.endedAfter
        return hasOutcome && endedAt === null && requestedAt < query.requestedBefore ||
          recent && requestedAt < query.requestedAgainBefore ||
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
    addChecks: (from, to, added) =>
      Effect.sync(() => {
        if (cursor !== from) return false
        cursor = to
        if (added.length > 0) revision += 1
        for (const { marketId } of added) {
          if (marketId === null || markets.has(marketId)) continue
          markets.set(marketId, {
            requestedAt: -Infinity,
            version: 0,
            resolution: null,
            endedAt: null,
          })
        }
        for (const check of added) {
          const ended = check.marketId !== null && markets.get(check.marketId)?.resolution !== null
          const dueAt = check.kind !== "predetermined"
            ? check.at + judgingDelayMs
            : ended
            ? check.at
            : null
          checks.push({ check, dueAt, verdict: null, point: null })
        }
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
              point,
            }
          })
      ),
    saveVerdicts: (judged) =>
      Effect.sync(() => {
        let written = 0
        let changed = false
        for (const { check, version, verdict, point } of judged) {
          const stored = checks.find((stored) =>
            stored.check.feedIndex === check.feedIndex && stored.check.kind === check.kind
          )
          const market = check.marketId === null ? undefined : markets.get(check.marketId)
          if (stored === undefined || (market?.version ?? 0) !== version) continue
          written += 1
          changed ||= stored.verdict !== verdict
          Object.assign(stored, { verdict, point, dueAt: null })
        }
        if (changed) revision += 1
        return written
      }),
    counts: Effect.sync(() => {
      const counts: Record<ScoreCheck["kind"], Partial<Record<CheckVerdict | "open", number>>> = {
        ...{ mover_1h: {}, mover_24h: {}, predetermined: {} },
      }
      for (const { check: { kind }, verdict } of checks) {
        counts[kind][verdict ?? "open"] = (counts[kind][verdict ?? "open"] ?? 0) + 1
      }
      return checks.length === 0 ? noVerdicts : counts
    }),
    version: Effect.sync(() => `${revision}`),
  }
}
