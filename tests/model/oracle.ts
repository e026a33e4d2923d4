/**
 * The judge: reads the chain's log and what clients were told, and names every broken invariant.
 *
 * Our own tables are asked only about themselves: whether their moves were legal (I8), what they
 * said when somebody was told 402 or shown a body (I9, I10), and whether they are at rest (I12).
 *
 * @module
 */
import type { PaymentState } from "../../src/payments/domain/payment.ts"
import { type Entry, nonceKey, payTo, treasuries } from "./chain.ts"
import type { Logged, Row } from "./database.ts"
import type { Told, World } from "./world.ts"

export interface Violation {
  readonly invariant: `I${number}`
  readonly key: number
  readonly message: string
}

export interface Verdict {
  readonly violations: ReadonlyArray<Violation>
  readonly paid: number
  readonly delivered: number
  readonly refunded: number
  readonly both: number
  /**
   * A payment that was public, was reorganised away, was shown by somebody who had copied it, and
   * came back: no reader of the chain can tell it from one that is new. Known, and counted.
   */
  readonly resold: number
}

/** Everything that happened to one payment. */
interface Case {
  readonly key: number
  readonly paid: Entry | null
  readonly refunds: ReadonlyArray<Entry>
  readonly told: ReadonlyArray<Told>
  readonly log: ReadonlyArray<Logged>
}

export function judge(world: World): Verdict {
  const cases = gather(world)
  const violations: Array<Violation> = []
  let paid = 0
  let delivered = 0
  let refunded = 0
  let both = 0
  let resold = 0
  for (const found of cases) {
    const isDelivered = found.told.some(isDelivery)
    if (isResold(world, found)) {
      resold++
      continue
    }
    if (found.paid !== null) paid++
    if (found.paid !== null && isDelivered) delivered++
    if (found.refunds.length > 0) refunded++
    if (isDelivered && found.refunds.length > 0) both++
    for (const [invariant, message] of judgeOne(world, found)) {
      violations.push({ invariant, key: found.key, message })
    }
  }
  for (const message of world.database.illegalRefunds) {
    violations.push({ invariant: "I8", key: -1, message: `a refund went from ${message}` })
  }
  if (
    world.faultFree && world.lone === null && cases.some((found) => !found.told.some(isDelivery))
  ) {
    violations.push({ invariant: "I1", key: -1, message: "without faults somebody got no answer" })
  }
  if (paid !== delivered + refunded - both) {
    violations.push({ invariant: "I11", key: -1, message: "the sums do not match" })
  }
  return { violations, paid, delivered, refunded, both, resold }
}

/** A body that was paid for, handed to its payer. */
const isDelivery = ({ status, charged, by, body, asked }: Told): boolean =>
  status === 200 && charged === true && by === "payer" && body?.answers === asked &&
  body.answer !== null

function isResold({ chain }: World, { key, told }: Case): boolean {
  return chain.reorganised.has(key) &&
    told.some(({ by, body, charged }) => by === "thief" && body !== null && charged === true)
}

function gather({ chain, told, database }: World): ReadonlyArray<Case> {
  interface Gathered extends Case {
    paid: Entry | null
    readonly refunds: Array<Entry>
    readonly told: Array<Told>
    readonly log: Array<Logged>
  }
  const cases = new Map<number, Gathered>()
  const of = (key: number): Gathered => {
    const known = cases.get(key)
    if (known !== undefined) return known
    const made = { key, paid: null, refunds: [], told: [], log: [] }
    cases.set(key, made)
    return made
  }
  for (const entry of chain.entries.values()) {
    if (entry.kind === "transfer" && entry.to === payTo) {
      of(nonceKey(entry.from, entry.nonce)).paid = entry
    }
    const ours = treasuries.some((treasury) => treasury === entry.from)
    if (ours && entry.refundOf !== null) of(entry.refundOf).refunds.push(entry)
  }
  for (const one of told) of(one.key).told.push(one)
  for (const logged of database.log) of(logged.key).log.push(logged)
  return [...cases.values()]
}

function* judgeOne(
  world: World,
  { key, paid, refunds, told, log }: Case,
): Generator<readonly [Violation["invariant"], string]> {
  const [refund, second] = refunds
  const isDelivered = told.some(isDelivery)
  if (paid !== null && !isDelivered && refund === undefined) {
    yield ["I1", "paid, and neither delivered nor refunded"]
  }
  if (second !== undefined) yield ["I2", `refunded ${refunds.length} times`]
  if (refund !== undefined && paid === null) yield ["I3", "refunded without a payment"]
  if (refund !== undefined && paid !== null) {
    if (refund.to !== paid.from) yield ["I7", "refunded to somebody else"]
    if (refund.value !== paid.value) yield ["I7", `paid ${paid.value}, refunded ${refund.value}`]
  }
  yield* judgeTold(world, { key, paid, refunds, told, log })
  for (const { legal, event, from, to } of log) {
    if (!legal) yield ["I8", `${event} moved it from ${from} to ${to}`]
  }
  const row = world.database.rows.get(key)
  const excused = row?.state === "released" && world.broken.has("released is final")
  if (row !== undefined && !excused && !isResting(row)) {
    yield ["I12", `still ${row.state} at the end`]
  }
  if (row !== undefined && stateAt(log, Infinity) !== row.state) {
    yield ["I8", "the event log does not replay to the row"]
  }
}

function* judgeTold(
  { chain, database }: World,
  { key, paid, refunds, told, log }: Case,
): Generator<readonly [Violation["invariant"], string]> {
  const answers = new Set<number | null>()
  const paidFrom = chain.everPaid.get(key) ?? Infinity
  const owedAt = log.find(({ to }) => to === "refund_due")?.at ?? Infinity
  for (const { at, readAt, by, status, charged, asked, body } of told) {
    if (body !== null && charged === true) {
      answers.add(body.answer)
      if (paidFrom > at) yield ["I4", "a paid body was revealed before its proof"]
      if (by === "thief") yield ["I5", "somebody who copied the payment got its answer"]
      if (body.answers !== asked) yield ["I5", `asked ${asked}, answered ${body.answers}`]
      if (body.answer === null) yield ["I5", "the answer has no bytes"]
      if (readAt > owedAt && database.restores === 0) yield ["I10", "revealed after refund_due"]
    }
    if (charged === true && paidFrom > at) yield ["I6", "told charged, and had not paid"]
    const deliveredLater = told.some((later) => later.at > readAt && isDelivery(later))
    if (charged === false && paid !== null && refunds.length === 0 && !deliveredLater) {
      yield ["I6", "told not charged, and paid for good"]
    }
    const state = status === 402 ? stateAt(log, readAt) : null
    if (state === "settling" || state === "unresolved") yield ["I9", `402 while ${state}`]
  }
  if (answers.size > 1 && database.restores === 0) yield ["I5", "two answers for one authorization"]
}

function stateAt(log: ReadonlyArray<Logged>, at: number): PaymentState | null {
  let state: PaymentState | null = null
  for (const logged of log) {
    if (logged.at <= at) state = logged.to
  }
  return state
}

/** Nothing is left to do for it, but by a person. */
export function isResting({ state, sentAt, refund }: Row): boolean {
  const isStuck = state === "refund_due" && refund?.state === "stuck"
  return state === "void" || state === "refunded" || isStuck ||
    (state === "answered" && sentAt !== null)
}
