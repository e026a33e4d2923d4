/**
 * A `ReportStore` in memory, on the Effect clock: what the port says, in a map.
 *
 * @module
 */
import { Clock, Duration, Effect, Layer } from "effect"
import type { MarketId } from "../../../src/markets/domain/market.ts"
import {
  type GenerationState,
  type ReportState,
  ReportStore,
  type StoredReport,
} from "../../../src/research/ReportStore.ts"

interface Making {
  readonly marketId: MarketId
  readonly generation: number
  readonly state: "making" | "made" | "failed" | "lost"
  readonly begunAt: number
  readonly leaseUntil: number
  readonly made: StoredReport | null
}

export function memoryReports(): ReportStore["Service"] {
  let makings: ReadonlyArray<Making> = []

  const of = (marketId: MarketId, generation: number) =>
    makings.find((each) => each.marketId === marketId && each.generation === generation)
  const put = (making: Making) => {
    makings = [...makings.filter((each) => each !== of(making.marketId, making.generation)), making]
  }
  /** Moves a turn that is still its maker's. */
  const move = (marketId: MarketId, generation: number, fields: Partial<Making>) => {
    const held = of(marketId, generation)
    if (held?.state !== "making") return false
    put({ ...held, ...fields })
    return true
  }
  const newest = (marketId: MarketId) =>
    makings.filter((each) => each.marketId === marketId)
      .toSorted((a, b) => b.generation - a.generation)[0]
  const at = <A>(body: (now: number) => A) => Effect.map(Clock.currentTimeMillis, body)

  return ReportStore.of({
    begin: (marketId, { ageMax, lease }) =>
      at((now): ReportState => {
        const held = newest(marketId)
        const generation = held?.generation ?? 0
        if (held?.made && held.made.generatedAt > now - Duration.toMillis(ageMax)) {
          return { state: "made", generation, ...held.made }
        }
        if (held?.state === "making" && held.leaseUntil > now) {
          return { state: "making", generation }
        }
        move(marketId, generation, { state: "lost" })
        const leaseUntil = now + Duration.toMillis(lease)
        put({
          ...{ marketId, generation: generation + 1, state: "making", made: null },
          ...{ begunAt: now, leaseUntil },
        })
        return { state: "acquired", generation: generation + 1 }
      }),
    generationState: (marketId, generation) =>
      at((now): GenerationState => {
        const held = of(marketId, generation)
        if (held?.made) return { state: "made", ...held.made }
        if (held === undefined || held.state === "made") return { state: "lost" }
        const silent = held.state === "making" && held.leaseUntil <= now
        return { state: silent ? "lost" : held.state }
      }),
    renew: (marketId, generation, lease) =>
      at((now) => move(marketId, generation, { leaseUntil: now + Duration.toMillis(lease) })),
    finish: (marketId, generation, report) =>
      at((now) =>
        move(marketId, generation, { state: "made", made: { generatedAt: now, report } })
          ? now
          : null
      ),
    fail: (marketId, generation) =>
      Effect.sync(() => move(marketId, generation, { state: "failed" })),
    prune: (before) =>
      at((now) => {
        const kept = makings.filter(({ begunAt, state, leaseUntil }) =>
          begunAt >= before || state === "making" && leaseUntil > now
        )
        const gone = makings.length - kept.length
        makings = kept
        return gone
      }),
  })
}

/** The same as a layer; what it remembers goes with its scope. */
export const memoryReportStore = Layer.sync(ReportStore, memoryReports)
