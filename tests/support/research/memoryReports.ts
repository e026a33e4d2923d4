/**
 * A `ReportStore` in memory, on the Effect clock.
 *
 * @module
 */
import { Clock, Duration, Effect, Layer } from "effect"
import { pruneStepMs } from "../../../src/core/domain/time.ts"
import type { MarketId } from "../../../src/markets/domain/market.ts"
import {
  type ReportState,
  ReportStore,
  type StoredReport,
} from "../../../src/research/ReportStore.ts"

interface Generation {
  readonly marketId: MarketId
  readonly generation: number
  readonly state: "making" | "made" | "failed" | "lost"
  readonly begunAt: number
  readonly leaseUntil: number
  readonly stored: StoredReport | null
}

export function memoryReports(): ReportStore["Service"] {
  let generations: ReadonlyArray<Generation> = []

  const of = (marketId: MarketId, generation: number) =>
    generations.find((each) => each.marketId === marketId && each.generation === generation)
  const put = (changed: Generation) => {
    const previous = of(changed.marketId, changed.generation)
    generations = [...generations.filter((each) => each !== previous), changed]
  }
  /** Changes a generation that is still being written. */
  const update = (marketId: MarketId, generation: number, fields: Partial<Generation>) => {
    const current = of(marketId, generation)
    if (current?.state !== "making") return false
    put({ ...current, ...fields })
    return true
  }
  const newest = (marketId: MarketId) =>
    generations.filter((each) => each.marketId === marketId)
      .toSorted((a, b) => b.generation - a.generation)[0]
  const isValid = ({ generatedAt, report }: StoredReport, ageMax: Duration.Duration, at: number) =>
    Math.min(
      generatedAt + Duration.toMillis(ageMax),
      Date.parse(report.decision.validUntil),
    ) > at
  const at = <A>(body: (now: number) => A) => Effect.map(Clock.currentTimeMillis, body)

  return ReportStore.of({
    begin: (marketId, { ageMax, lease }) =>
      at((now): ReportState => {
        const last = newest(marketId)
        const generation = last?.generation ?? 0
        if (last?.stored && isValid(last.stored, ageMax, now)) {
          return { state: "made", ...last.stored }
        }
        if (last?.state === "making" && last.leaseUntil > now) return { state: "making" }
        update(marketId, generation, { state: "lost" })
        const leaseUntil = now + Duration.toMillis(lease)
        put({
          ...{ marketId, generation: generation + 1, state: "making", stored: null },
          ...{ begunAt: now, leaseUntil },
        })
        return { state: "acquired", generation: generation + 1 }
      }),
    isMade: (marketId, { ageMax, later }) =>
      at((now) => {
        const stored = newest(marketId)?.stored
        return !!stored && isValid(stored, ageMax, now + Duration.toMillis(later))
      }),
    renew: (marketId, generation, lease) =>
      at((now) => update(marketId, generation, { leaseUntil: now + Duration.toMillis(lease) })),
    finish: (marketId, generation, report) =>
      at((now) => {
        const stored = report === null ? null : { generatedAt: now, report }
        const state = report === null ? "failed" : "made"
        return update(marketId, generation, { state, stored }) ? now : null
      }),
    prune: (before) =>
      at((now) => {
        const ended = generations.filter(({ state, leaseUntil }) =>
          state !== "making" || leaseUntil <= now
        )
        const end = Math.min(before, Math.min(...ended.map((it) => it.begunAt)) + pruneStepMs)
        const kept = generations.filter((it) => it.begunAt >= end || !ended.includes(it))
        const deleted = generations.length - kept.length
        generations = kept
        return deleted
      }),
  })
}

/** The same as a layer; its content lives as long as the layer. */
export const memoryReportStore = Layer.sync(ReportStore, memoryReports)
