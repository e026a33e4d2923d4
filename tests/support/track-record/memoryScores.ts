/**
 * The memory of scores as plain maps: what every store of them has to agree with.
 *
 * @module
 */
import { Effect } from "effect"
import type { MarketId, SeriesPoint } from "../../../src/markets/domain/market.ts"
import type { Resolution } from "../../../src/markets/domain/resolution.ts"
import {
  type Check,
  judgingDelayMs,
  type Verdict,
  type VerdictCounts,
} from "../../../src/track-record/domain/selfScore.ts"
import type { EpochMs } from "../../../src/core/domain/time.ts"
import type { ScoreStore } from "../../../src/track-record/ScoreStore.ts"

/** The counts before anything was told. */
export const noVerdicts: VerdictCounts = { mover_1h: {}, mover_24h: {}, predetermined: {} }

interface HeldMarket {
  askedAt: EpochMs
  version: number
  resolution: Resolution | null
  endedAt: EpochMs | null
}
interface HeldCheck {
  readonly check: Check
  dueAt: EpochMs | null
  verdict: Verdict | null
  point: SeriesPoint | null
}

const sameEnd = (a: Resolution | null, b: Resolution): boolean =>
  a !== null && a.state === b.state && a.resolvedAt === (b.resolvedAt ?? a.resolvedAt) &&
  (a.state !== "paid" || b.state !== "paid" || a.payouts.join() === b.payouts.join())

export function memoryScores(): ScoreStore["Service"] {
  let cursor = 0
  let revision = 0
  const markets = new Map<MarketId, HeldMarket>()
  const checks: Array<HeldCheck> = []
  const of = (id: MarketId) => checks.filter(({ check }) => check.marketId === id)

  const dueMarkets: ScoreStore["Service"]["dueMarkets"] = (query) =>
    Effect.sync(() => {
      const waits = (id: MarketId, { askedAt, endedAt }: HeldMarket) => {
        const held = of(id)
        const told = held.some(({ check }) => check.kind === "predetermined")
        const look = Math.max(
          ...held.flatMap(({ check }) => check.kind === "predetermined" ? [] : [check.at]),
        )
        const recent = endedAt === null
          ? query.endedAfter <= look && look <= query.now
          : endedAt > query.endedAfter
        return told && endedAt === null && askedAt < query.askedBefore ||
          recent && askedAt < query.askedAgainBefore ||
          held.some(({ dueAt }) => dueAt !== null && dueAt <= query.now && askedAt < dueAt)
      }
      return [...markets]
        .filter(([id, market]) => waits(id, market))
        .sort(([a, { askedAt: one }], [b, { askedAt: other }]) => one - other || (a < b ? -1 : 1))
        .slice(0, query.limit)
        .map(([id]) => id)
    })

  return {
    cursor: Effect.sync(() => cursor),
    take: (from, to, taken) =>
      Effect.sync(() => {
        if (cursor !== from) return false
        cursor = to
        if (taken.length > 0) revision += 1
        for (const { marketId } of taken) {
          if (marketId === null || markets.has(marketId)) continue
          markets.set(marketId, { askedAt: -Infinity, version: 0, resolution: null, endedAt: null })
        }
        for (const check of taken) {
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
    saveResolutions: (resolutions, asked, at) =>
      Effect.sync(() => {
        for (const id of asked) {
          const held = markets.get(id)
          if (held !== undefined) held.askedAt = Math.max(held.askedAt, at)
        }
        let news = 0
        for (const told of new Map(resolutions.map((row) => [row.marketId, row])).values()) {
          const held = markets.get(told.marketId)
          if (held === undefined || sameEnd(held.resolution, told)) continue
          news += 1
          held.version += 1
          held.endedAt = told.resolvedAt ?? held.endedAt ?? at
          const resolvedAt = told.resolvedAt ?? held.resolution?.resolvedAt ?? null
          held.resolution = { ...told, resolvedAt }
          for (const check of of(told.marketId)) check.dueAt ??= check.check.at
        }
        return news
      }),
    due: ({ now, overdueBefore, limit }) =>
      Effect.sync(() =>
        checks
          .flatMap((held) => held.dueAt === null ? [] : [{ ...held, dueAt: held.dueAt }])
          .filter(({ check: { marketId }, dueAt }) => {
            const askedAt = marketId === null ? Infinity : markets.get(marketId)?.askedAt ?? 0
            return dueAt <= now && (askedAt >= dueAt || dueAt < overdueBefore)
          })
          .sort((a, b) =>
            a.dueAt - b.dueAt || a.check.feedIndex - b.check.feedIndex ||
            (a.check.kind < b.check.kind ? -1 : 1)
          )
          .slice(0, limit)
          .map(({ check, verdict, point }) => {
            const market = check.marketId === null ? undefined : markets.get(check.marketId)
            return {
              check,
              version: market?.version ?? 0,
              resolution: market?.resolution ?? null,
              judged: verdict !== null,
              point,
            }
          })
      ),
    saveVerdicts: (judged) =>
      Effect.sync(() => {
        let written = 0
        let changed = false
        for (const { check, version, verdict, point } of judged) {
          const held = checks.find((held) =>
            held.check.feedIndex === check.feedIndex && held.check.kind === check.kind
          )
          const market = check.marketId === null ? undefined : markets.get(check.marketId)
          if (held === undefined || (market?.version ?? 0) !== version) continue
          written += 1
          changed ||= held.verdict !== verdict
          Object.assign(held, { verdict, point, dueAt: null })
        }
        if (changed) revision += 1
        return written
      }),
    counts: Effect.sync(() => {
      const counts: Record<Check["kind"], Partial<Record<Verdict | "open", number>>> = {
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
