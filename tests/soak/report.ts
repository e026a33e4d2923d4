/**
 * The end of a soak: slopes, missing ticks and digests, tables, and the reconciliation of all payments.
 *
 * @module
 */
import { Console, Effect } from "effect"
import { isoTime } from "../../src/core/domain/time.ts"
import type { ClientContext } from "../kill/client.ts"
import { countsText, exchangeText, finalReconciliation, isChance } from "../kill/report.ts"
import { findingsOf } from "./limits.ts"
import type { HourRecord } from "./records.ts"
import type { Options } from "./run.ts"
import type { StoreReader, TickRow } from "./store.ts"
import type { World } from "./world.ts"

export interface SoakResult {
  readonly options: Options
  readonly world: World
  readonly store: StoreReader
  readonly context: ClientContext
  /** Of the stepped clock. */
  readonly startMs: number
  /** Of this process. */
  readonly startedMs: number
  readonly hours: Array<HourRecord>
  readonly ticks: Map<number, TickRow>
  readonly digests: Set<number>
}

const minute = 60_000
const tickEvery = 10 * minute
const digestEvery = 240 * minute
const tablesPrinted = 12
const linesMax = 20

/** True when nothing is wrong. */
export const printReport = Effect.fnUntraced(function* (result: SoakResult) {
  const { world, context, hours, options, startMs, startedMs } = result
  const reconciliation = yield* finalReconciliation({
    environment: world,
    context,
    seed: options.seed,
  })
  const endMs = world.clock.now()
  const missingTicks = missing(startMs, endMs - tickEvery, tickEvery, result.ticks)
  const missingDigests = missing(startMs, endMs - digestEvery, digestEvery, result.digests)
  const failedTicks = [...result.ticks.values()].filter(({ outcome }) => outcome !== "ok")
  const lateTicks = [...result.ticks.values()].filter(({ lateMs }) => lateMs > tickEvery)
  const findings = findingsOf(hours)
  const { charged, delivered, refunded, both, open, unconfirmed } = reconciliation
  yield* Console.log([
    `${(hours.length / 24).toFixed(1)} days in ${
      ((performance.now() - startedMs) / minute).toFixed(1)
    } min`,
    `facilitator: ${JSON.stringify(world.facilitator.counts)}`,
    `clients: ${countsText(context.transcripts.map(({ scenario }) => scenario))}`,
    `products: ${countsText(context.transcripts.map(({ product }) => product))}`,
    `answers: ${
      countsText(context.transcripts.flatMap(({ exchanges }) => exchanges.map(exchangeText)))
    }`,
    `ticks ${result.ticks.size}, missing ${missingTicks.length}, ` +
    `failed ${failedTicks.length}, ` +
    `late ${lateTicks.length}; digests ${result.digests.size}, missing ${missingDigests.length}`,
    `charged ${charged}, delivered ${delivered} (${unconfirmed} unconfirmed), ` +
    `refunded ${refunded}, both ${both}, open ${open}`,
    "per day in the second half: level, slope with its 95 % interval, limit",
    ...findings.map(({ name, level, slope: { median, low, high }, limit }) =>
      `  ${name}: ${level.toFixed(2)}, ${signed(median)} [${signed(low)}, ${signed(high)}], ` +
      `limit ${signed(limit)}`
    ),
    "tables, MB at a third, at two thirds and at the end",
    ...tableLines(hours),
  ].join("\n"))
  const breaches = [
    ...reconciliation.faults,
    ...(isChance(both, charged) ? [] : [`${both} both delivered and refunded`]),
    ...(charged > 0 ? [] : ["nothing was charged"]),
    ...missingTicks.map((slot) => `no tick of ${isoTime(slot)}`),
    ...failedTicks.map(({ slot, outcome }) => `the tick of ${isoTime(slot)} ended ${outcome}`),
    ...lateTicks.map(({ slot }) => `the tick of ${isoTime(slot)} ended after its slot`),
    ...missingDigests.map((slot) => `no digest of ${isoTime(slot)}`),
    ...findings.filter(({ isBreach }) => isBreach).map(({ name }) => `${name} rises`),
    ...(hours.length >= 24 * options.days ? [] : ["the time ended before the days"]),
  ]
  for (const breach of breaches.slice(0, linesMax)) yield* Console.log(`BREACH ${breach}`)
  if (breaches.length > linesMax) yield* Console.log(`and ${breaches.length - linesMax} more`)
  return breaches.length === 0
})

/** The slots that begin in a period and are not there. */
function missing(
  from: number,
  to: number,
  every: number,
  found: { readonly has: (slot: number) => boolean },
): ReadonlyArray<number> {
  const first = Math.ceil(from / every) * every
  const count = Math.max(0, Math.floor((to - first) / every) + 1)
  return Array.from({ length: count }, (_, n) => first + n * every).filter((slot) =>
    !found.has(slot)
  )
}

function tableLines(hours: ReadonlyArray<HourRecord>): ReadonlyArray<string> {
  const at = (share: number) => hours[Math.floor((hours.length - 1) * share)]?.tableBytes ?? {}
  const [third, twoThirds, end] = [at(1 / 3), at(2 / 3), at(1)]
  const mega = (bytes: number | undefined) => ((bytes ?? 0) / 1e6).toFixed(2)
  return Object.entries(end)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, tablesPrinted)
    .map(([name, bytes]) =>
      `  ${name}: ${mega(third[name])}, ${mega(twoThirds[name])}, ${mega(bytes)}`
    )
}

function signed(value: number): string {
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(3)}`
}
