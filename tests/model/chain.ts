/**
 * A chain with one token on it: blocks every two seconds, EIP-3009 nonces, reorganisations that
 * reach at most as deep as `safe` is behind.
 *
 * It mines only while something is pending or may still be reorganised away; its head follows from
 * the time.
 *
 * @module
 */
import { type Kernel, type Steps, type Task, wait } from "./kernel.ts"
import type { Random } from "./random.ts"

export const blockSeconds = 2
/** Ours, from the first block on; `elsewhere` stands for every recipient that is not us. */
export const payTo = 1
export const treasuries = [2, 3] as const
export const elsewhere = 9

/** What a holder signed: the chain executes it once for each pair of holder and nonce. */
export interface Authorization {
  readonly from: number
  readonly nonce: number
  readonly to: number
  readonly value: number
  /** Seconds; a block at this time or later refuses it. */
  readonly validBefore: number
  /** Null for a cancellation, which uses the nonce and moves nothing. */
  readonly kind: "transfer" | "cancel"
  /** The payment this pays back, for the oracle alone; null for every other transfer. */
  readonly refundOf: number | null
}

export interface Entry extends Authorization {
  readonly block: number
}

/** What one reader sees at one moment: its own head, and a safe block behind it. */
export interface View {
  readonly head: number
  readonly safe: number
  /** Logs above this block are missing from it: they come from a node that lags behind the head's. */
  readonly logs: number
}

export type Proof =
  /** `value` is what was really paid, `safe` whether it can still be reorganised away. */
  | {
    readonly proof: "paid"
    readonly block: number
    readonly value: number
    readonly safe: boolean
  }
  | { readonly proof: "not_yet" }
  | { readonly proof: "never"; readonly reason: "expired" | "spent elsewhere" }

/** One number for a holder's nonce; also the identity of the payment it makes. */
export function nonceKey(from: number, nonce: number): number {
  return from * 2_097_152 + nonce
}

export interface ChainFaults {
  /** Chance of a reorganisation at each block. */
  reorg: number
  /** Chance that a read fails. */
  unreadable: number
  /** Chance that a read is answered by a node that lags. */
  lagging: number
  /** Chance that only the logs come from a node that lags, by far more. */
  incomplete: number
}

interface Pending {
  readonly use: Authorization
  readonly from: number
}

export class Chain {
  readonly entries = new Map<number, Entry>()
  /** When a payment was first seen on the chain, reorganised away or not. */
  readonly everPaid = new Map<number, number>()
  /** Holders whose balance comes only at this time. */
  readonly fundedAt = new Map<number, number>()
  /** What a reorganisation has touched; whether it came back or not. */
  readonly reorganised = new Set<number>()
  dropped = 0
  /** Until when nobody can read it. */
  unreadableUntil = 0
  /** The last block that held anything of ours. */
  lastEntry = -1
  #pending: Array<Pending> = []
  /** Uses that lost their nonce to another: a reorganisation brings them back. */
  #losers: Array<Authorization> = []
  #mining = false
  readonly kernel: Kernel
  readonly random: Random
  readonly faults: ChainFaults
  /** How many blocks `safe` is behind the head. */
  readonly safeLag: number

  constructor(kernel: Kernel, faults: ChainFaults, safeLag: number) {
    this.kernel = kernel
    this.random = kernel.random
    this.faults = faults
    this.safeLag = safeLag
  }

  head(): number {
    return Math.floor(this.kernel.now / blockSeconds)
  }

  /** Whether nothing can happen any more unless somebody broadcasts. */
  quiet(): boolean {
    return this.#pending.length === 0 && this.lastEntry <= this.head() - this.safeLag
  }

  /** Offers a use to the miners, from this many seconds on. */
  broadcast(use: Authorization, seconds: number): void {
    this.#pending.push({ use, from: this.kernel.now + seconds })
    this.#wake()
  }

  #wake(): void {
    if (this.#mining) return
    this.#mining = true
    const next = (this.head() + 1) * blockSeconds
    this.kernel.later(next - this.kernel.now, () => this.#mine())
  }

  #mine(): void {
    this.#mining = false
    if (this.random.chance(this.faults.reorg)) this.#reorganise()
    const block = this.head()
    const waiting = this.#pending
    this.#pending = []
    for (const pending of waiting) {
      if (pending.from > this.kernel.now) this.#pending.push(pending)
      else this.#execute(pending.use, block)
    }
    if (!this.quiet()) this.#wake()
  }

  #execute(use: Authorization, block: number): void {
    const key = nonceKey(use.from, use.nonce)
    if (this.entries.has(key)) {
      if (this.#losers.length < 100) this.#losers.push(use)
      return
    }
    if (block * blockSeconds >= use.validBefore) return
    if ((this.fundedAt.get(use.from) ?? 0) > this.kernel.now) return
    this.entries.set(key, { ...use, block })
    this.lastEntry = Math.max(this.lastEntry, block)
    if (use.to === payTo && use.kind === "transfer" && !this.everPaid.has(key)) {
      this.everPaid.set(key, this.kernel.now)
    }
  }

  /** Blocks above `safe` are mined anew: what was in them waits again, or is gone. */
  #reorganise(): void {
    const depth = 1 + this.random.below(this.safeLag)
    const from = this.head() - depth
    const again: Array<Authorization> = []
    for (const [key, entry] of this.entries) {
      if (entry.block <= from) continue
      this.entries.delete(key)
      this.reorganised.add(key)
      const { block: _, ...use } = entry
      if (this.random.chance(0.5)) again.push(use)
      else this.dropped++
    }
    // Who lost a nonce may win it now: both are offered anew, in any order.
    const contested = again.length > 0 ? this.#losers.splice(0) : []
    const isReady = ({ from }: Pending) => from <= this.kernel.now
    const ready = this.#pending.filter(isReady).map(({ use }) => use)
    this.#pending = this.#pending.filter((pending) => !isReady(pending))
    for (const use of [...contested, ...again, ...ready]) {
      // The new branch may hold it already, in an earlier block or a later one than before.
      if (this.random.chance(0.5)) this.#execute(use, from + 1 + this.random.below(depth))
      else this.#pending.push({ use, from: this.kernel.now + this.random.between(0, 6) })
    }
  }

  /** What a reader sees: now and then an older head. Null when it is told nothing. */
  *view(me: Task, step: string): Steps<View | null> {
    yield wait(me, step, this.random.between(0.02, 0.3))
    if (this.kernel.now < this.unreadableUntil) return null
    if (this.random.chance(this.faults.unreadable)) return null
    const behind = this.random.chance(this.faults.lagging) ? 1 + this.random.below(2) : 0
    const head = this.head() - behind
    const missing = this.random.chance(this.faults.incomplete) ? this.random.below(20) : 0
    return { head, safe: head - this.safeLag, logs: head - missing }
  }

  /** The use of a nonce, as of a block, as far as the reader has the logs. */
  used(key: number, upTo: number, { logs }: View): Entry | undefined {
    const entry = this.entries.get(key)
    return entry !== undefined && entry.block <= Math.min(upTo, logs) ? entry : undefined
  }

  /** Every transfer to us above one block, up to another, as far as the reader has the logs. */
  received(above: number, to: number, { logs }: View): ReadonlyArray<Entry> {
    const upTo = Math.min(to, logs)
    const found: Array<Entry> = []
    for (const entry of this.entries.values()) {
      if (entry.to !== payTo || entry.kind !== "transfer") continue
      if (entry.block > above && entry.block <= upTo) found.push(entry)
    }
    return found
  }
}
