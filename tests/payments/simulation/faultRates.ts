/**
 * The rates of faults in one run, drawn once from its seed.
 *
 * @module
 */
import { Duration } from "effect"
import type { Misbehaviour, SimulationOptions } from "../../support/payments/simulated.ts"
import type { Random } from "../../support/random.ts"

/** The probability of each fault in one call. */
export interface FaultRates {
  readonly crash: number
  readonly store: number
  readonly facilitator: number
  readonly defect: number
  /** The probability that the chain is unavailable during an interval of ten seconds. */
  readonly chain: number
}

export const noFaults: FaultRates = { crash: 0, store: 0, facilitator: 0, defect: 0, chain: 0 }
/** The share of runs without faults, which check the ordinary case. */
const faultlessShare = 0.15

export function drawFaultRates(random: Random): FaultRates {
  if (random.chance(faultlessShare)) return noFaults
  const rate = (max: number) => random.chance(0.3) ? 0 : random.between(0, max)
  return {
    crash: rate(0.02),
    store: rate(0.06),
    facilitator: rate(0.7),
    defect: rate(0.03),
    chain: rate(0.4),
  }
}

const misbehaviours: readonly [Misbehaviour, ...ReadonlyArray<Misbehaviour>] = [
  "success_without_transaction",
  "failure_after_broadcast",
  "double_broadcast",
  "late_broadcast",
  "error_after_broadcast",
  "html",
  "garbage",
  "silence",
  "silence_after_broadcast",
]
const outageMs = 10_000

/** The options of a facilitator and a chain with these faults. */
export function simulationOf(
  random: Random,
  faultRates: () => FaultRates,
  nowMs: () => number,
): SimulationOptions {
  const outages = new Map<number, "down" | "silent" | null>()
  const outage = () => {
    const interval = Math.floor(nowMs() / outageMs)
    const known = outages.get(interval)
    if (known !== undefined && faultRates().chain > 0) return known
    const drawn = !random.chance(faultRates().chain) ? null : random.chance(0.5) ? "down" : "silent"
    outages.set(interval, drawn)
    return drawn
  }
  return {
    delay: Duration.millis(random.below(2_000)),
    late: Duration.millis(random.below(150_000)),
    safeAfterSeconds: random.below(30),
    misbehave: () => random.chance(faultRates().facilitator) ? random.pick(misbehaviours) : null,
    chainDown: () => outage() === "down",
    chainSilent: () => outage() === "silent",
  }
}

/** The outcome of one call to a store or an adapter. */
export type CallOutcome =
  | "done"
  /** Takes effect and returns after every caller has timed out. */
  | "late"
  | "defect before"
  | "defect after"
  | "silence before"
  | "silence after"
  | "crash before"
  | "crash after"

export function drawCallOutcome(
  random: Random,
  { crash, store, defect }: FaultRates,
  stored: boolean,
): CallOutcome {
  const when = () => random.chance(0.5) ? "before" : "after"
  if (random.chance(crash)) return `crash ${when()}`
  if (!random.chance(stored ? store : defect)) return "done"
  if (!stored) return `defect ${when()}`
  return random.pick(["late", `defect ${when()}`, `silence ${when()}`] as const)
}
