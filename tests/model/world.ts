/**
 * Everything one simulated run consists of, and the faults its seed has drawn.
 *
 * @module
 */
import type { SettlementOrder } from "../../src/catalog/domain/product.ts"
import { Chain, type ChainFaults } from "./chain.ts"
import { Database, type DatabaseFaults } from "./database.ts"
import { Kernel, type KernelFaults, type Machine } from "./kernel.ts"
import type { Mutant, Tame } from "./mutants.ts"
import { Random } from "./random.ts"

/** When the faults stop, and when everything has to be at rest. */
export const calmAt = 900
export const endAt = 2600

/** What the seed decided before anything ran. */
export interface Faults extends ChainFaults, DatabaseFaults, KernelFaults {
  /** Chance that the facilitator misbehaves, at each call. */
  misbehaviour: number
  /** Chance that the work of a product fails. */
  work: number
}

/** What a client was told, when, and what the teller had read before. */
export interface Told {
  readonly at: number
  /** When the teller had last read the row, or moved it. */
  readonly readAt: number
  readonly key: number
  /** The payer themselves, or somebody who copied the payment. */
  readonly by: "payer" | "thief"
  readonly status: 200 | 402 | 409 | 410 | 502 | 503
  readonly charged: boolean | null
  /** The request that was sent, and the one that the body answers; null without a body. */
  readonly asked: number
  readonly body: { readonly answers: number; readonly answer: number | null } | null
}

/** A world of one buyer and one payment, without any faults but these. */
export interface Lone {
  readonly order: SettlementOrder
  readonly workFails: boolean
  /** Whether the buyer comes back when they have heard nothing. */
  readonly comesBack: boolean
  /** Whether the chain cannot be read for a while from the settlement on. */
  readonly chainAway: boolean
  /** The steps at which a machine dies. */
  readonly killAt: ReadonlyArray<number>
}

export interface Options {
  readonly traced?: boolean
  readonly lone?: Lone | null
}

export class World {
  readonly random: Random
  readonly faults: Faults
  readonly kernel: Kernel
  readonly chain: Chain
  readonly database: Database
  readonly broken: ReadonlySet<Mutant | Tame>
  readonly seed: number
  readonly lone: Lone | null
  readonly told: Array<Told> = []
  /** When a second treasury takes over; null when it never does. */
  readonly rotationAt: number | null
  /** When an older backup of the database is restored; null when none is. */
  readonly restoreAt: number | null
  /** How often something worth counting happened. */
  readonly counts = new Map<string, number>()
  readonly trace:
    | Array<{ readonly at: number; readonly key: number | null; readonly text: string }>
    | null
  /** Where all that lives that never crashes. */
  readonly outside: Machine = {
    name: "outside",
    life: 0,
    mortal: false,
    skew: 0,
    restart: () => {},
    crashed: () => {},
  }
  #answers = 0

  constructor(
    seed: number,
    broken: ReadonlySet<Mutant | Tame>,
    { traced = false, lone = null }: Options,
  ) {
    this.seed = seed
    this.lone = lone
    this.broken = broken
    this.trace = traced ? [] : null
    this.random = new Random(seed)
    this.faults = this.faultFree ? { ...noFaults } : drawFaults(this.random)
    if (broken.has("logs are complete") || broken.has("only settlements go wrong")) {
      this.faults.incomplete = 0
    }
    if (lone?.workFails === true) this.faults.work = 1
    this.kernel = new Kernel(this.random, this.faults)
    const restoreAt = this.random.between(100, 850)
    this.restoreAt = !this.payersBehave && this.random.chance(0.25) ? restoreAt : null
    const rotationAt = restoreAt + this.random.between(-100, 100)
    this.rotationAt = this.random.chance(0.4) ? rotationAt : null
    this.chain = new Chain(this.kernel, this.faults, this.random.pick([3, 15]))
    this.database = new Database(this.kernel, this.faults, broken)
  }

  /** An identity of its own for every answer that is computed. */
  nextAnswer(): number {
    return ++this.#answers
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  note(key: number | null, text: string): void {
    this.trace?.push({ at: this.kernel.now, key, text })
  }

  /** Whether faults are drawn at all in this run. */
  get faultFree(): boolean {
    return this.lone !== null || this.seed % 20 < 3
  }

  /** Whether nobody pays past us or copies payments, and no backup is restored. */
  get payersBehave(): boolean {
    return this.faultFree || this.broken.has("only facilitators cheat") ||
      this.broken.has("only settlements go wrong")
  }

  calm(): void {
    Object.assign(this.faults, noFaults)
    this.database.awayUntil = 0
    this.chain.unreadableUntil = 0
  }
}

const noFaults: Faults = {
  crash: 0,
  stall: 0,
  reorg: 0,
  unreadable: 0,
  lagging: 0,
  incomplete: 0,
  away: 0,
  unknown: 0,
  misbehaviour: 0,
  work: 0,
}

function drawFaults(random: Random): Faults {
  const upTo = (most: number) => random.chance(0.7) ? random.between(0, most) : 0
  return {
    crash: upTo(0.006),
    stall: upTo(0.002),
    reorg: upTo(0.04),
    unreadable: upTo(0.05),
    lagging: upTo(0.2),
    incomplete: upTo(0.1),
    away: upTo(0.03),
    unknown: upTo(0.03),
    misbehaviour: upTo(0.7),
    work: upTo(0.3),
  }
}
