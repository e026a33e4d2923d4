/**
 * What goes wrong in one run, and how often: drawn once from its seed.
 *
 * @module
 */
import { Duration } from "effect"
import type {
  Misbehaviour,
  SimulationOptions,
} from "../../../src/payments/simulated/facilitator.ts"
import type { Random } from "../../support/random.ts"

/** How often each thing goes wrong, a call. */
export interface Weather {
  readonly crash: number
  readonly store: number
  readonly facilitator: number
  readonly defect: number
  /** Chance that the chain is away in any one stretch of ten seconds. */
  readonly chain: number
}

const calm: Weather = { crash: 0, store: 0, facilitator: 0, defect: 0, chain: 0 }
/** Nothing goes wrong in this part of the runs, so that the plain way is tried too. */
const calmRuns = 0.15

export function drawWeather(random: Random): Weather {
  if (random.chance(calmRuns)) return calm
  const some = (most: number) => random.chance(0.3) ? 0 : random.between(0, most)
  return {
    crash: some(0.02),
    store: some(0.06),
    facilitator: some(0.7),
    defect: some(0.03),
    chain: some(0.4),
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
]
const outageMs = 10_000

/** The facilitator and the chain under this weather, for as long as it lasts. */
export function simulationOf(
  random: Random,
  weather: () => Weather,
  nowMs: () => number,
): SimulationOptions {
  const outages = new Map<number, "down" | "silent" | null>()
  const outage = () => {
    const stretch = Math.floor(nowMs() / outageMs)
    const known = outages.get(stretch)
    if (known !== undefined && weather().chain > 0) return known
    const drawn = !random.chance(weather().chain) ? null : random.chance(0.5) ? "down" : "silent"
    outages.set(stretch, drawn)
    return drawn
  }
  return {
    delay: Duration.millis(random.below(2_000)),
    late: Duration.millis(random.below(150_000)),
    safeAfterSeconds: random.below(30),
    misbehave: () => random.chance(weather().facilitator) ? random.pick(misbehaviours) : null,
    chainDown: () => outage() === "down",
    chainSilent: () => outage() === "silent",
  }
}

/** What comes of one call to a store or an adapter. */
export type Fate =
  | "done"
  /** Executed, with a response that comes after every timeout. */
  | "late"
  | "defect before"
  | "defect after"
  | "silence before"
  | "silence after"
  | "crash before"
  | "crash after"

export function drawFate(random: Random, { crash, store, defect }: Weather, stored: boolean): Fate {
  const when = () => random.chance(0.5) ? "before" : "after"
  if (random.chance(crash)) return `crash ${when()}`
  if (!random.chance(stored ? store : defect)) return "done"
  if (!stored) return `defect ${when()}`
  return random.pick(["late", `defect ${when()}`, `silence ${when()}`] as const)
}
