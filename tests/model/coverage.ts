/**
 * Whether every fault really reached its window: where machines died, how the facilitator lied,
 * which moves were made. A fault that never strikes proves nothing.
 *
 * @module
 */
import { paymentEvents, paymentStates } from "../../src/payments/domain/payment.ts"
import type { Run } from "./simulate.ts"
import { moves } from "../support/payments/moves.ts"

/** Sums over many runs. */
export class Tally {
  seeds = 0
  steps = 0
  /** Runs with a violation, the first few of them named. */
  failed = 0
  readonly failures: Array<string> = []
  paid = 0
  delivered = 0
  refunded = 0
  /** Delivered and refunded, without the runs that lost rows to an older backup. */
  both = 0
  bothRestored = 0
  resold = 0
  readonly counts = new Map<string, number>()

  add(run: Run): void {
    const { world, verdict } = run
    this.watch(run)
    this.seeds++
    this.steps += world.kernel.steps
    this.paid += verdict.paid
    this.delivered += verdict.delivered
    this.refunded += verdict.refunded
    this.resold += verdict.resold
    if (world.restoreAt === null) this.both += verdict.both
    else this.bothRestored += verdict.both
    if (verdict.violations.length > 0) {
      this.failed++
      const [{ invariant, message } = { invariant: "I0", message: "" }] = verdict.violations
      if (this.failures.length < 10) this.failures.push(`${world.seed}: ${invariant} ${message}`)
    }
    for (const [what, times] of Object.entries(world.database.struck)) {
      this.#count(`database: ${what}`, times)
    }
    this.#count("chain: reorganised", world.chain.reorganised.size)
    this.#count("chain: dropped for good", world.chain.dropped)
    if (world.restoreAt !== null) this.#count("database: restored")
  }

  /** Counts what a run has reached, whatever it came to. */
  watch({ world }: Run): void {
    for (const death of world.kernel.deaths) this.#count(`death: ${death}`)
    for (const { event, from, order } of world.database.log) {
      if (from !== null && event !== "restore") this.#count(`move: ${order} ${from} ${event}`)
    }
    for (const [what, times] of world.counts) this.#count(what, times)
  }

  #count(what: string, times = 1): void {
    if (times > 0) this.counts.set(what, (this.counts.get(what) ?? 0) + times)
  }

  /** What should have happened in that many runs, and never did. */
  missing(): ReadonlyArray<string> {
    return expected.filter((what) => !this.counts.has(what))
  }
}

const everyMove = (["compute-first", "settle-early"] as const).flatMap((order) =>
  paymentStates.flatMap((from) =>
    paymentEvents.filter((event) => moves[order][from][event] !== undefined)
      .map((event) => `move: ${order} ${from} ${event}`)
  )
)

/** The waits between which a machine may die; of the second kind also after the deed was done. */
const waits = ["compute", "compute paid", "check", "send", "wait", "prove", "prove again"]
const views = ["look before the intent", "prove incoming"]
const deeds = [
  ...["claim", "claim again", "find", "verify", "release", "intend", "settle", "answer"],
  ...["settled", "answer paid", "mark sent", "settle late", "answer late"],
  ...["release lost", "doubt", "owe", "void", "match"],
  ...["persist the signature", "relay", "record the broadcast", "postpone", "confirm"],
]

const everyDeath = [...waits, ...views, ...deeds, ...deeds.map((deed) => `${deed}, done`)]
  .map((step) => `death: ${step}`)

const everyLie = [
  ...["success without a transaction", "failure after broadcast", "double broadcast"],
  ...["late broadcast", "5xx after broadcast", "HTML", "garbage JSON", "never answering"],
].map((way) => `settle: ${way}`)

const everythingElse = [
  ...["verify: settles what it was only shown", "verify: says valid whatever it is"],
  ...["verify: says invalid, and settles", "verify: never answers"],
  ...["buyer: pays and never asks", "buyer: settles by themselves", "buyer: cancels"],
  ...["buyer: spends the nonce elsewhere", "buyer: signs the nonce again, for longer"],
  ...["buyer: signs the nonce again, for more", "buyer: sends it twice at once"],
  ...["buyer: replays it on another route", "buyer: signs a fresh nonce", "buyer: hangs up"],
  ...["thief: shows what is public", "database: away", "database: unknown", "database: late"],
  ...["database: restored", "chain: reorganised", "chain: dropped for good"],
]

const expected = [...everyMove, ...everyDeath, ...everyLie, ...everythingElse]
