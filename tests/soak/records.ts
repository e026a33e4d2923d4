/**
 * What a soak measures once per simulated hour.
 *
 * @module
 */
import { Effect } from "effect"
import { median } from "./slopes.ts"
import type { StoreReader } from "./store.ts"
import type { World } from "./world.ts"
import { cpuSeconds, procBytes, residentBytes } from "../support/processUse.ts"

export interface HourRecord {
  readonly hour: number
  /** Figures by name; their limits are in `limits.ts`. */
  readonly figures: Readonly<Record<string, number>>
  readonly tableBytes: Readonly<Record<string, number>>
  readonly openPayments: number
}

/** Milliseconds of the requests of an hour, and the service's processor time when it began. */
export interface Latencies {
  readonly free: Array<number>
  readonly paid: Array<number>
  readonly cpu: { pid: number | null; seconds: number }
}

const mega = 1_000_000
/** Of the kernel's counters of processor time. */

export const recordHour = Effect.fnUntraced(function* (
  { service, worker, cluster }: World,
  store: StoreReader,
  latencies: Latencies,
  hour: number,
) {
  const tableBytes = Object.fromEntries(yield* store.tableBytes)
  const connections = yield* store.connections
  const figures = {
    "service MB": (residentBytes(service.pid()) ?? NaN) / mega,
    "worker MB": (residentBytes(worker.pid()) ?? NaN) / mega,
    "PostgreSQL MB": proportionalBytes(cluster.pid()) / mega,
    connections,
    "service descriptors": descriptors(service.pid()) ?? NaN,
    "service CPU s": latencies.cpu.pid === service.pid()
      ? cpuSeconds(service.pid()) - latencies.cpu.seconds
      : NaN,
    "free ms": median(latencies.free),
    "paid ms": median(latencies.paid),
    "store MB": Object.values(tableBytes).reduce((sum, bytes) => sum + bytes, 0) / mega,
  }
  Object.assign(latencies.cpu, { pid: service.pid(), seconds: cpuSeconds(service.pid()) })
  latencies.free.length = 0
  latencies.paid.length = 0
  const record: HourRecord = {
    ...{ hour, figures, tableBytes },
    openPayments: yield* store.openPayments,
  }
  return record
})

/** Of a process and its children; shared memory is counted once. */
function proportionalBytes(pid: number | null): number {
  if (pid === null) return NaN
  const pids = [pid, ...childrenOf(pid)]
  return pids.reduce((sum, id) => sum + (procBytes(id, "smaps_rollup", "Pss") ?? 0), 0)
}

function childrenOf(pid: number): ReadonlyArray<number> {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`)
      .split(" ").filter((id) => id !== "").map(Number)
  } catch {
    return []
  }
}

function descriptors(pid: number | null): number | null {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/fd`)].length
  } catch {
    return null
  }
}
