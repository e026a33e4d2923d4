/**
 * A simulated clock and scheduler: it picks the next task at random, and time passes only when no
 * task is ready. The same seed gives the same run.
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

/** The largest number of operations that a fiber runs before it yields. */
const operationsMax = 120

export class VirtualTime implements Clock.Clock, Scheduler.Scheduler {
  readonly executionMode = "sync"
  /** The steps so far: tasks that ran and sleepers that woke. */
  steps = 0
  #nowMs: number
  #operationsBeforeYield: number
  #order = 0
  #ready: Array<() => void> = []
  #sleepers: Array<Sleeper> = []
  readonly #random: Random

  constructor(startMs: number, random: Random) {
    this.#nowMs = startMs
    this.#random = random
    this.#operationsBeforeYield = this.#drawOperations()
  }

  /** Runs an effect to its end; throws when no task is left or after `stepsMax` steps. */
  run<A>(effect: Effect.Effect<A>, stepsMax: number): A {
    const timed = effect.pipe(
      Effect.provideService(Clock.Clock, this),
      Effect.provideService(Scheduler.Scheduler, this),
    )
    const fiber = Effect.runFork(timed, { scheduler: this })
    let exit = fiber.pollUnsafe()
    while (exit === undefined) {
      if (!this.#step()) {
        throw new Error("No task is ready and no fiber sleeps, but the run has not ended")
      }
      if (this.steps > stepsMax) throw new Error(`The run has not ended after ${stepsMax} steps`)
      exit = fiber.pollUnsafe()
    }
    return Effect.runSync(exit)
  }

  /** Runs a ready task or wakes the next sleeper; false when there is neither. */
  #step(): boolean {
    this.steps++
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

  #drawOperations(): number {
    return 1 + this.#random.below(operationsMax)
  }

  shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    if (fiber.currentOpCount < this.#operationsBeforeYield) return false
    this.#operationsBeforeYield = this.#drawOperations()
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

  /** Inserts by wake time; sleepers with the same time wake in the order of their insertion. */
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
