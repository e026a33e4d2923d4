/**
 * One clock for all processes of a soak, which a controller moves forward.
 *
 * Between two jumps it runs as fast as the machine's. Other processes read it through `clock.c`, which
 * adds the offset in a shared file to every clock that a program reads, monotonic ones too.
 *
 * @module
 */
import { type Clock, Duration, Effect } from "effect"

const compiler = "/usr/bin/cc"

export const hasCompiler = Deno.build.os === "linux" && exists(compiler) &&
  exists("/usr/include/linux/futex.h")

export interface SteppedClock {
  /** The clock of this process. */
  readonly clock: Clock.Clock
  /** The variables that put another process on it. */
  readonly env: Readonly<Record<string, string>>
  /** Moves all clocks forward. A process that waits for a timer notices at its next event. */
  readonly jump: (ms: number) => void
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

/** Starts at the machine's time. Its files are in `dir`, which every user can enter. */
export async function startSteppedClock(dir: string): Promise<SteppedClock> {
  const file = `${dir}/clock`
  await Deno.writeFile(file, new Uint8Array(8))
  const library = await compiledLibrary(dir)
  // PostgreSQL reads both as another user.
  await Promise.all([file, library].map((path) => Deno.chmod(path, 0o755)))
  const offset = openOffset(library, file)
  let offsetMs = 0
  const sleepers = new Set<Sleeper>()
  const now = () => Date.now() + offsetMs

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
  const nanos = () => BigInt(now()) * 1_000_000n
  return {
    now,
    env: { LD_PRELOAD: library, STEPPED_CLOCK: file },
    jump: (ms) => {
      offsetMs += Math.max(0, Math.ceil(ms))
      offset.set(offsetMs)
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

/** Compiles `clock.c`. */
export async function compiledLibrary(dir: string): Promise<string> {
  const library = `${dir}/clock.so`
  const source = new URL("clock.c", import.meta.url).pathname
  const { success, stderr } = await new Deno.Command(compiler, {
    args: ["-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"],
  }).output()
  if (!success) throw new Error(new TextDecoder().decode(stderr))
  return library
}

/**
 * The offset of the processes that read `file`, in milliseconds. This process's own clock stays as it is.
 * Nothing else may write the file: a file that is cut and written again ends its readers with SIGBUS.
 */
export function openOffset(
  library: string,
  file: string,
): { readonly set: (ms: number) => void } {
  const { symbols } = Deno.dlopen(library, {
    stepped_clock_open: { parameters: ["buffer"], result: "i32" },
    stepped_clock_set: { parameters: ["i64"], result: "void" },
  })
  if (symbols.stepped_clock_open(new TextEncoder().encode(`${file}\0`)) !== 0) {
    throw new Error(`The clock's file cannot be shared: ${file}`)
  }
  return { set: (ms) => symbols.stepped_clock_set(BigInt(ms) * 1_000_000n) }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile
  } catch {
    return false
  }
}
