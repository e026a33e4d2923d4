/**
 * The store of payments: one row each, every arrow one compare-and-set, leases on its own clock.
 *
 * It may be away, and it may do what it was asked and say that it failed, at once or seconds later.
 *
 * @module
 */
import { type PaymentEvent, type PaymentState, reaches } from "../../src/payments/domain/payment.ts"
import { refundReaches, type RefundState } from "../../src/payments/domain/refund.ts"
import type { SettlementOrder } from "../../src/catalog/domain/product.ts"
import { type Authorization, nonceKey } from "./chain.ts"
import { type Kernel, type Steps, type Task, wait } from "./kernel.ts"
import type { Mutant, Tame } from "./mutants.ts"
import { moves, refundMoves } from "../support/payments/moves.ts"

export interface Refund {
  state: RefundState
  /** Grows with every change: who believes in an older one changes nothing. */
  version: number
  amount: number
  treasury: number | null
  nonce: number | null
  validBefore: number
  leaseUntil: number
  nextAt: number
  /** How often a facilitator has declined it. */
  attempts: number
  readonly queuedAt: number
}

export interface Row {
  readonly key: number
  /** What the payer signed; of an orphan, what the chain shows. */
  readonly authorization: Authorization
  /** Null for an orphan: nobody ever asked us for anything. */
  readonly request: number | null
  readonly signature: number
  readonly order: SettlementOrder
  state: PaymentState
  fence: number
  claimedAt: number
  secret: number | null
  leaseUntil: number
  intendedAt: number | null
  /** The block at which the chain still showed it unused, right before the intent. */
  unusedAt: number
  answeredAt: number | null
  sentAt: number | null
  /** The answer's identity; null when there are no bytes. */
  answer: number | null
  refund: Refund | null
}

export type Held = Pick<Row, "key" | "state" | "fence">
export type Change = Partial<Omit<Row, "key" | "authorization" | "request" | "order" | "state">>

/** One line of the event log. `from` is null when the row was made. */
export interface Logged {
  readonly at: number
  readonly key: number
  readonly event: PaymentEvent | "make" | "restore"
  readonly order: SettlementOrder
  readonly from: PaymentState | null
  /** Null when the row is forgotten: the backup was older. */
  readonly to: PaymentState | null
  readonly legal: boolean
}

export interface DatabaseFaults {
  /** Chance that a statement finds the database away. */
  away: number
  /** Chance that a statement is done, now or later, and said to have failed. */
  unknown: number
}

/** A statement whose outcome is not known. */
export const lost = "lost"
export type Lost = typeof lost

interface Backup {
  readonly rows: ReadonlyArray<Row>
  readonly cursor: number
}

export class Database {
  readonly rows = new Map<number, Row>()
  readonly log: Array<Logged> = []
  readonly illegalRefunds: Array<string> = []
  /** Blocks the chain scan has seen. */
  cursor = -1
  restores = 0
  /** How often each fault struck. */
  readonly struck = { away: 0, unknown: 0, late: 0 }
  /** Until when nobody reaches it. */
  awayUntil = 0
  readonly kernel: Kernel
  readonly faults: DatabaseFaults
  readonly broken: ReadonlySet<Mutant | Tame>

  constructor(kernel: Kernel, faults: DatabaseFaults, broken: ReadonlySet<Mutant | Tame>) {
    this.kernel = kernel
    this.faults = faults
    this.broken = broken
  }

  /** One statement, or one transaction: whole or not at all, and perhaps not heard of again. */
  *call<A>(me: Task, step: string, act: () => A): Steps<A | Lost> {
    const { random } = this.kernel
    yield wait(me, step, random.between(0.001, 0.03))
    if (this.kernel.now < this.awayUntil || random.chance(this.faults.away)) {
      this.struck.away++
      yield wait(me, step, random.between(0.01, 5))
      return lost
    }
    const unknown = random.chance(this.faults.unknown)
    if (unknown && random.chance(0.4)) {
      this.struck.late++
      const { restores } = this
      this.kernel.later(random.between(0.1, 10), () => {
        if (restores === this.restores) act()
      })
      yield wait(me, step, 5)
      return lost
    }
    const result = act()
    me.done = true
    yield random.between(0.001, 0.03)
    if (!unknown) return result
    this.struck.unknown++
    return lost
  }

  find(key: number): Row | null {
    const row = this.rows.get(key)
    return row === undefined ? null : copy(row)
  }

  /** Makes the row, or returns the one that is there. */
  claim(
    row: Omit<
      Row,
      "key" | "state" | "fence" | "intendedAt" | "unusedAt" | "answeredAt" | "sentAt" | "refund"
    >,
  ): { readonly claimed: boolean; readonly row: Row } {
    const key = nonceKey(row.authorization.from, row.authorization.nonce)
    const known = this.rows.get(key)
    if (known !== undefined && !this.broken.has("no unique key")) {
      return { claimed: false, row: copy(known) }
    }
    return { claimed: true, row: this.#make({ ...blank, ...row, key, state: "claimed" }) }
  }

  /** A transfer that nobody ever claimed is owed from the start. */
  orphan(authorization: Authorization): void {
    const key = nonceKey(authorization.from, authorization.nonce)
    if (this.rows.has(key)) return
    const refund = this.#queued(authorization.value)
    const order = "settle-early"
    const shape = {
      request: null,
      signature: 0,
      claimedAt: 0,

      secret: null,
      leaseUntil: 0,
      answer: null,
      order,
    } as const
    this.#make({ ...blank, ...shape, key, authorization, state: "refund_due", refund })
  }

  #make(row: Row): Row {
    this.rows.set(row.key, row)
    this.#note(row, "make", null, row.state, true)
    return copy(row)
  }

  /** Makes one move; null when the row is not, or no longer, as `held` says. */
  move(held: Held, event: PaymentEvent, change: Change): Row | null {
    const row = this.rows.get(held.key)
    if (row === undefined) return null
    const same = row.state === held.state && row.fence === held.fence
    if (!same && !this.broken.has("no compare-and-set")) return null
    const sent = event === "owe" && row.sentAt !== null
    if (sent && !this.broken.has("refund what was sent")) return null
    const from = row.state
    const to = reaches[event]
    const legal = moves[row.order][from][event] === to && !sent
    row.state = to
    Object.assign(row, change)
    this.#note(row, event, from, to, legal)
    return copy(row)
  }

  /** The move and its refund, or neither. The answer is erased with it. */
  owe(held: Held, amount: number): Row | null {
    const marks = this.broken.has("mark the refund, keep selling") && held.state === "answered"
    const row = marks ? this.rows.get(held.key) : this.move(held, "owe", { answer: null })
    if (row === null || row === undefined || row.state !== (marks ? "answered" : "refund_due")) {
      return null
    }
    if (marks) this.#note(row, "owe", "answered", "refund_due", true)
    if (!this.broken.has("refund row in another transaction")) this.queueRefund(row.key, amount)
    return this.find(row.key)
  }

  queueRefund(key: number, amount: number): void {
    const row = this.rows.get(key)
    if (row === undefined) return
    if (row.refund === null) row.refund = this.#queued(amount)
    else if (row.refund.state === "cancelled") {
      row.refund = { ...this.#queued(amount), version: row.refund.version + 1 }
    }
  }

  #queued(amount: number): Refund {
    const state = "queued"
    const times = { validBefore: 0, leaseUntil: 0, nextAt: 0, queuedAt: this.kernel.now }
    return { state, version: 0, amount, treasury: null, nonce: null, attempts: 0, ...times }
  }

  /** Changes a refund, unless somebody else has since `held` was read. */
  changeRefund(held: Row, change: Partial<Refund>): Row | null {
    const row = this.rows.get(held.key)
    if (row === undefined || row.refund === null || held.refund === null) return null
    if (row.refund.version !== held.refund.version) return null
    const { state } = row.refund
    const to = change.state ?? state
    const isLegal = refundMoves[state].some((event) => refundReaches[event] === to)
    if (to !== state && !isLegal) this.illegalRefunds.push(`${state} to ${to}`)
    Object.assign(row.refund, change, { version: row.refund.version + 1 })
    return copy(row)
  }

  markSent(key: number): void {
    const row = this.rows.get(key)
    if (row !== undefined && row.state === "answered") row.sentAt ??= this.kernel.now
  }

  #note(
    { key, order }: Row,
    event: Logged["event"],
    from: PaymentState | null,
    to: PaymentState | null,
    legal: boolean,
  ): void {
    this.log.push({ at: this.kernel.now, key, order, event, from, to, legal })
  }

  backup(): Backup {
    return { rows: [...this.rows.values()].map(copy), cursor: this.cursor }
  }

  /** Everything since the backup is forgotten. */
  restore({ rows, cursor }: Backup): void {
    this.restores++
    for (const row of this.rows.values()) this.#note(row, "restore", row.state, null, true)
    this.rows.clear()
    for (const row of rows) {
      this.rows.set(row.key, copy(row))
      this.#note(row, "restore", null, row.state, true)
    }
    this.cursor = cursor
  }
}

const blank = {
  fence: 0,
  intendedAt: null,
  unusedAt: -1,
  answeredAt: null,
  sentAt: null,
  refund: null,
}

function copy(row: Row): Row {
  return { ...row, refund: row.refund === null ? null : { ...row.refund } }
}
