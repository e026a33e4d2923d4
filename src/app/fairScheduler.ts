/**
 * A scheduler for Effect that lets the event loop serve sockets while fibers are busy.
 *
 * Effect resumes a fiber that yields with `setImmediate`. Deno reads no socket while there is an
 * immediate to run, so fibers that compute and yield would block every request until they have
 * finished. After some time of such work, this scheduler waits for a timer instead.
 *
 * @module
 */
import { clearImmediate, setImmediate } from "node:timers"
import { Scheduler } from "effect"

/** How long fibers run in immediates before sockets get a turn. */
const turnMsMax = 8

/** Milliseconds of work in immediates since the last turn. */
let busyMs = 0

export const fairScheduler = new Scheduler.MixedScheduler("async", (run) => {
  if (busyMs > turnMsMax) {
    const timer = setTimeout(() => {
      busyMs = 0
      timed(run)
    }, 0)
    return () => clearTimeout(timer)
  }
  const immediate = setImmediate(timed, run)
  return () => clearImmediate(immediate)
})

function timed(run: () => void): void {
  const began = performance.now()
  run()
  busyMs += performance.now() - began
}
