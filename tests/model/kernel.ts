/**
 * Virtual time: what happens next, in which order, and which machine dies before it does.
 *
 * A task is a generator that yields the seconds until its next step. Between any two steps its
 * machine may crash; then none of that machine's tasks ever wakes again.
 *
 * @module
 */
import type { Random } from "./random.ts"

/** The steps of a task: each yield is a wait, in seconds, and a point where its machine may die. */
export type Steps<A = void> = Generator<number, A, void>

/** Something that can crash. What it loses are its tasks; `restart` begins them anew. */
export interface Machine {
  readonly name: string
  /** Grows with every crash: tasks of an earlier life are dead. */
  life: number
  /** False for buyers and the world itself, which this model never crashes. */
  readonly mortal: boolean
  /** Seconds that this machine's clock is ahead of the world. */
  readonly skew: number
  restart: () => void
  /** What its crash does to those who are connected to it. */
  crashed: () => void
}

export interface Task {
  readonly machine: Machine
  readonly life: number
  /** The step it is in, for traces and for counting where machines died. */
  step: string
  /** Whether the effect of this step has taken place, and only its reply is still on the way. */
  done: boolean
  /** The queue entry that may wake it; an older one is stale. */
  turn: number
  /** What is left of it; null when it has ended. */
  steps: Steps | null
}

/** Marks a step in which nothing is under way: a crash there would prove nothing. */
export const idle = "idle"

interface Entry {
  readonly at: number
  readonly turn: number
  readonly task: Task | null
  readonly act: (() => void) | null
}

export interface KernelFaults {
  /** Chance of a crash at each step of a mortal machine. */
  crash: number
  /** Chance that a step takes far longer than any lease. */
  stall: number
}

export class Kernel {
  now = 0
  steps = 0
  /** Where machines died: the step, and whether its effect had taken place. */
  readonly deaths: Array<string> = []
  #turn = 0
  /** Steps, counted from 1, at which whoever takes them dies, beside those that die by chance. */
  killAt: ReadonlyArray<number> = []
  /** How many steps there were at which somebody could have died. */
  mortalSteps = 0
  readonly #heap: Array<Entry> = []
  readonly random: Random
  readonly faults: KernelFaults

  constructor(random: Random, faults: KernelFaults) {
    this.random = random
    this.faults = faults
  }

  /** Begins a task on a machine, this many seconds from now. */
  start(machine: Machine, seconds: number, steps: (me: Task) => Steps): Task {
    const { life } = machine
    const task: Task = { machine, life, step: idle, done: false, turn: 0, steps: null }
    task.steps = steps(task)
    this.#schedule(task, this.now + seconds)
    return task
  }

  /** Something the world does by itself; nothing stops it. */
  later(seconds: number, act: () => void): void {
    this.#push({ at: this.now + seconds, turn: ++this.#turn, task: null, act })
  }

  /** Ends a task's wait now. */
  wake(task: Task): void {
    if (task.steps !== null) this.#schedule(task, this.now)
  }

  /** Kills a machine; it restarts after so many seconds. */
  crash(machine: Machine, seconds: number): void {
    machine.life++
    machine.crashed()
    const { life } = machine
    this.later(seconds, () => {
      if (machine.life === life) machine.restart()
    })
  }

  /** Runs until `end`, or until `over` says so (asked every `askEvery` seconds). */
  run(end: number, over: () => boolean, askEvery: number): void {
    let nextAsk = askEvery
    for (let entry = this.#pop(); entry !== undefined; entry = this.#pop()) {
      if (entry.at > end) break
      this.now = entry.at
      if (entry.at >= nextAsk) {
        if (over()) break
        nextAsk = entry.at + askEvery
      }
      if (entry.act !== null) entry.act()
      else if (entry.task !== null) this.#resume(entry.task, entry.turn)
    }
  }

  #resume(task: Task, turn: number): void {
    if (task.turn !== turn) return
    if (task.life !== task.machine.life) task.steps = null
    if (task.steps === null) return
    this.steps++
    if (task.machine.mortal && task.step !== idle) {
      const isChosen = this.killAt.includes(++this.mortalSteps)
      if (isChosen || this.random.chance(this.faults.crash)) {
        this.deaths.push(task.done ? `${task.step}, done` : task.step)
        this.crash(task.machine, this.random.between(1, 20))
        return
      }
      if (this.random.chance(this.faults.stall)) {
        this.#schedule(task, this.now + this.random.between(20, 200))
        return
      }
    }
    const next = task.steps.next()
    if (next.done === true) task.steps = null
    else this.#schedule(task, this.now + next.value)
  }

  #schedule(task: Task, at: number): void {
    task.turn = ++this.#turn
    this.#push({ at, turn: task.turn, task, act: null })
  }

  #push(entry: Entry): void {
    const heap = this.#heap
    let index = heap.length
    heap.push(entry)
    while (index > 0) {
      const above = (index - 1) >> 1
      const parent = heap[above]
      if (parent === undefined || !before(entry, parent)) break
      heap[index] = parent
      index = above
    }
    heap[index] = entry
  }

  #pop(): Entry | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let index = 0
    for (;;) {
      let below = 2 * index + 1
      let child = heap[below]
      if (child === undefined) break
      const right = heap[below + 1]
      if (right !== undefined && before(right, child)) {
        below++
        child = right
      }
      if (!before(child, last)) break
      heap[index] = child
      index = below
    }
    heap[index] = last
    return first
  }
}

/** Ties go to whoever was scheduled first, so that a seed has one order of events. */
function before(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.turn < b.turn)
}

/** Names the step a task is in, and passes on how long it takes. */
export function wait(me: Task, step: string, seconds: number): number {
  me.step = step
  me.done = false
  return seconds
}
