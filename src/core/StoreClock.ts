/**
 * One clock for all replicas: the store's. It replaces this machine's clock in the whole process.
 *
 * Between two readings the time runs on the monotonic clock, which no one sets. A reading is trusted
 * while this machine's clock or the time that has passed agrees with it, so that neither a wrong
 * machine nor a store whose clock jumps dates what is published. While the two clocks disagree, a service
 * runs no leased job and is not ready; the refund worker goes on, by the store's time.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Metric, Option, Schedule } from "effect"
import type { EpochMs } from "./domain/time.ts"
import { StoreProbe } from "./StoreProbe.ts"

/** The clocks of the store and of a machine may differ by this much. */
const clockDifferenceMsMax = 5_000
const readEvery = Duration.seconds(5)
/** A slower reading says too little about the time. */
const readTimeout = Duration.seconds(2)

/** A reading of the store's clock, at a time of the monotonic clock. */
interface Reading {
  readonly storeMs: EpochMs
  readonly monotonicMs: number
  /** Half of the time that the reading took. */
  readonly errorMs: number
}

export class StoreClock extends Context.Service<StoreClock, {
  /** Why this replica must not write the public record now; null while the clocks agree. */
  readonly disagreement: Effect.Effect<string | null>
}>()("bellwether/core/StoreClock") {
  /** Also provides `Clock`. Before the first reading succeeds, time is this machine's. */
  static readonly layer: Layer.Layer<StoreClock, never, StoreProbe> = Layer.effectContext(
    Effect.gen(make),
  )
}

const difference = Metric.gauge("clock_difference_seconds", {
  description: "This machine's clock minus the store's, in seconds",
})

function* make() {
  const machine = yield* Clock.Clock
  const { now } = yield* StoreProbe
  const monotonicMs = () => Number(machine.monotonicTimeNanosUnsafe()) / 1e6
  let trusted: Reading | null = null
  let disagreement: string | null = null

  const read = Effect.gen(function* () {
    const startedAt = monotonicMs()
    const storeMs = yield* now
    const errorMs = (monotonicMs() - startedAt) / 2
    const reading = { storeMs, monotonicMs: startedAt + errorMs, errorMs }
    const machineMs = machine.currentTimeMillisUnsafe() - errorMs
    yield* Metric.update(difference, (machineMs - storeMs) / 1_000)
    const before = disagreement
    ;({ trusted, disagreement } = judged(trusted, reading, machineMs))
    if (disagreement !== null && before === null) {
      yield* Effect.logError(
        `${disagreement}: time is the store's, and a service runs no leased job meanwhile`,
      )
    }
    if (disagreement === null && before !== null) {
      yield* Effect.logInfo("The clocks of this machine and of the store agree again")
    }
  }).pipe(
    Effect.timeoutOption(readTimeout),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logDebug("Cannot read the store's clock", cause), Option.none())
    ),
  )
  yield* read
  yield* Effect.forkScoped(Effect.repeat(read, Schedule.spaced(readEvery)))

  const currentMs = () =>
    trusted === null ? machine.currentTimeMillisUnsafe() : timeAt(
      trusted,
      monotonicMs(),
    )
  return Context.make(StoreClock, { disagreement: Effect.sync(() => disagreement) }).pipe(
    Context.add(Clock.Clock, clockOf(machine, currentMs)),
  )
}

const timeAt = ({ storeMs, monotonicMs }: Reading, at: number): EpochMs =>
  Math.round(storeMs + at - monotonicMs)

/** What is known after a reading; `machineMs` is this machine's clock at that moment. */
function judged(trusted: Reading | null, reading: Reading, machineMs: EpochMs) {
  const machineOffMs = machineMs - reading.storeMs
  const passedOffMs = trusted === null ? 0 : timeAt(trusted, reading.monotonicMs) - reading.storeMs
  const machineAgrees = Math.abs(machineOffMs) <= clockDifferenceMsMax
  const passedAgrees = Math.abs(passedOffMs) <= clockDifferenceMsMax
  // A reading within its own error changes nothing, so that time does not tremble.
  const isNews = trusted === null || Math.abs(passedOffMs) > reading.errorMs
  return {
    trusted: isNews && (machineAgrees || passedAgrees) ? reading : trusted,
    disagreement: machineAgrees
      ? null
      : `The clock of this machine is ${Math.round(Math.abs(machineOffMs) / 1_000)} s ${
        machineOffMs > 0 ? "ahead of" : "behind"
      } the store's`,
  }
}

/** `machine` with another time of day. */
function clockOf(machine: Clock.Clock, currentMs: () => EpochMs): Clock.Clock {
  const currentNanos = () => BigInt(currentMs()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: currentMs,
    currentTimeMillis: Effect.sync(currentMs),
    currentTimeNanosUnsafe: currentNanos,
    currentTimeNanos: Effect.sync(currentNanos),
    monotonicTimeNanosUnsafe: () => machine.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: machine.monotonicTimeNanos,
    sleep: (duration) => machine.sleep(duration),
  }
}
