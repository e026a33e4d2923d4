/**
 * A clock and a scheduler without a machine behind them: whose turn it is chance decides, and time
 * passes only when nobody has anything left to do. The same seed gives the same run.
 *
 * @module
 */
import { Clock, Duration, Effect, type Fiber, Scheduler } from "effect"
import type { Random } from "../../support/random.ts"

interface Sleeper {
  readonly at: number
  readonly order: number
  readonly wake: () => void
}

/** The steps a fiber may take before another may come in between. */
const stepsMax = 120

export class VirtualTime implements Clock.Clock, Scheduler.Scheduler {
  readonly executionMode = "sync"
  /** How many turns were given, in all. */
  turns = 0
  #nowMs: number
  #steps: number
  #order = 0
  #ready: Array<() => void> = []
  #sleepers: Array<Sleeper> = []
  readonly #random: Random

  constructor(startMs: number, random: Random) {
    this.#nowMs = startMs
    this.#random = random
    this.#steps = this.#drawSteps()
  }

  /** Runs an effect to its end, all of it now; dies after so many turns. */
  run<A>(effect: Effect.Effect<A>, turnsMax: number): A {
    const timed = effect.pipe(
      Effect.provideService(Clock.Clock, this),
      Effect.provideService(Scheduler.Scheduler, this),
    )
    const fiber = Effect.runFork(timed, { scheduler: this })
    let exit = fiber.pollUnsafe()
    while (exit === undefined) {
      if (!this.#turn()) throw new Error("Nobody has anything left to do, and the run goes on")
      if (this.turns > turnsMax) throw new Error(`The run goes on after ${turnsMax} turns`)
      exit = fiber.pollUnsafe()
    }
    return Effect.runSync(exit)
  }

  /** Runs one task; false when no task can ever run again. */
  #turn(): boolean {
    this.turns++
    const task = this.#drawReady()
    if (task !== undefined) {
      task()
      return true
    }
    const sleeper = this.#sleepers.shift()
    if (sleeper === undefined) return false
    this.#nowMs = sleeper.at
    sleeper.wake()
    return true
  }

  #drawReady(): (() => void) | undefined {
    const last = this.#ready.pop()
    if (last === undefined || this.#ready.length === 0) return last
    const index = this.#random.below(this.#ready.length + 1)
    const drawn = this.#ready[index]
    if (drawn === undefined) return last
    this.#ready[index] = last
    return drawn
  }

  #drawSteps(): number {
    return 1 + this.#random.below(stepsMax)
  }

  shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    if (fiber.currentOpCount < this.#steps) return false
    this.#steps = this.#drawSteps()
    return true
  }

  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return {
      scheduleTask: (task) => {
        this.#ready.push(task)
      },
      flush: () => {},
    }
  }

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const ms = Duration.toMillis(duration)
    if (ms <= 0) return Effect.yieldNow
    return Effect.callback<void>((resume) => {
      const sleeper = {
        at: this.#nowMs + ms,
        order: this.#order++,
        wake: () => resume(Effect.void),
      }
      this.#insert(sleeper)
      return Effect.sync(() => {
        const index = this.#sleepers.indexOf(sleeper)
        if (index >= 0) this.#sleepers.splice(index, 1)
      })
    })
  }

  /** Earliest first; of several at one time, the one that went to sleep first. */
  #insert(sleeper: Sleeper): void {
    let low = 0
    let high = this.#sleepers.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = this.#sleepers[middle]
      if (other !== undefined && other.at <= sleeper.at) low = middle + 1
      else high = middle
    }
    this.#sleepers.splice(low, 0, sleeper)
  }

  currentTimeMillisUnsafe(): number {
    return this.#nowMs
  }
  readonly currentTimeMillis = Effect.sync(() => this.#nowMs)
  currentTimeNanosUnsafe(): bigint {
    return BigInt(Math.floor(this.#nowMs * 1_000_000))
  }
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  monotonicTimeNanosUnsafe(): bigint {
    return this.currentTimeNanosUnsafe()
  }
  readonly monotonicTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
}
