/**
 * One clock for all processes of a soak, which a controller moves forward.
 *
 * Between two jumps it runs as fast as the machine's. Other processes read it through libfaketime,
 * which adds the seconds of a file to every clock that a program reads, monotonic ones too.
 *
 * @module
 */
import { type Clock, Duration, Effect } from "effect"

const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"

export const hasFaketime = exists(library)

export interface SteppedClock {
  /** The clock of this process. */
  readonly clock: Clock.Clock
  /** The variables that put another process on it. */
  readonly env: Readonly<Record<string, string>>
  /**
   * Moves all clocks forward, by whole seconds: at least `ms`. A process that waits for a timer
   * notices at its next event.
   */
  readonly jump: (ms: number) => Promise<void>
  /** Ends the waits in this process that a jump has made due. */
  readonly wakeDue: () => void
  readonly now: () => number
  /** Waits on this clock. */
  readonly wait: (ms: number) => Promise<void>
}

interface Sleeper {
  readonly untilMs: number
  readonly wake: () => void
}

/** Starts at the machine's time. The file is in `dir`, which every user can enter. */
export async function startSteppedClock(dir: string): Promise<SteppedClock> {
  const file = `${dir}/clock`
  // Whole seconds: libfaketime sets seconds and nanoseconds one after the other, without a lock. Another
  // thread could read a time that is ahead, then an earlier one, and after that Deno fires no timer.
  let offsetSeconds = 0
  const sleepers = new Set<Sleeper>()
  const now = () => Date.now() + offsetSeconds * 1_000

  const write = async () => {
    // Renamed, so that no process reads half a line.
    await Deno.writeTextFile(`${file}.new`, `+${offsetSeconds}\n`)
    await Deno.rename(`${file}.new`, file)
  }
  const sleepUntil = (untilMs: number, done: () => void): () => void => {
    const end = () => {
      clearTimeout(timer)
      sleepers.delete(sleeper)
    }
    const sleeper = {
      untilMs,
      wake: () => {
        end()
        done()
      },
    }
    const timer = setTimeout(sleeper.wake, Math.max(0, untilMs - now()))
    sleepers.add(sleeper)
    return end
  }
  await write()
  const nanos = () => BigInt(now()) * 1_000_000n
  return {
    now,
    env: { LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: "1" },
    jump: async (ms) => {
      offsetSeconds += Math.max(0, Math.ceil(ms / 1_000))
      await write()
    },
    wakeDue: () => {
      for (const sleeper of [...sleepers]) if (sleeper.untilMs <= now()) sleeper.wake()
    },
    wait: (ms) => new Promise((done) => sleepUntil(now() + ms, done)),
    clock: {
      currentTimeMillisUnsafe: now,
      currentTimeMillis: Effect.sync(now),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: (duration) =>
        Effect.callback<void>((resume) => {
          const end = sleepUntil(now() + Duration.toMillis(duration), () => resume(Effect.void))
          return Effect.sync(end)
        }),
    },
  }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile
  } catch {
    return false
  }
}
