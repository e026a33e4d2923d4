/**
 * Checks the invariants of a run against the chain's ledger and the responses to callers. Our own
 * tables are trusted only for the state of a row at the time of a response.
 *
 * @module
 */
import { Effect, Option, Result } from "effect"
import { playBalance } from "../../../src/payments/simulated/ledger.ts"
import { address, type PaymentState, step } from "../../../src/payments/domain/payment.ts"
import { terms, token } from "../../support/payments/terms.ts"
import { isPaid } from "./buyers.ts"
import type { History } from "./database.ts"
import type { CallRecord, SignedPayment, World } from "./world.ts"

export interface RunResult {
  readonly violations: ReadonlyArray<string>
  readonly paid: number
  readonly delivered: number
  readonly refunded: number
  readonly both: number
  readonly calls: number
}

const treasury = address(terms.treasury)
const payTo = address(terms.payTo)

export const checkRun = Effect.fnUntraced(function* (world: World) {
  const violations: Array<string> = [...world.database.refused]
  const count = { paid: 0, delivered: 0, refunded: 0, both: 0 }
  let refundedSum = 0n
  for (const signed of world.signed) {
    const calls = world.calls.filter((call) => call.signed.paymentId === signed.paymentId)
    const violation = (invariant: string, what: string) =>
      violations.push(`${invariant}: ${signed.name} ${what}`)
    const paid = yield* isPaid(world, signed)
    const refund = yield* refundOf(world, signed)
    const bodies = new Set(calls.flatMap(({ paidBody }) => paidBody ?? []))
    const refunded = Option.isSome(refund)
    count.paid += paid ? 1 : 0
    count.delivered += bodies.size > 0 ? 1 : 0
    count.refunded += refunded ? 1 : 0
    count.both += refunded && bodies.size > 0 ? 1 : 0
    const spent = yield* receivedAmount(world, signed)
    // A transfer of another amount buys nothing, and is refunded too.
    if (spent !== null && !refunded && (!paid || bodies.size === 0)) {
      violation("I1", "was paid: no answer, no refund")
    }
    if (!paid && bodies.size > 0) violation("I4", "was answered and never paid")
    if (spent === null && refunded) violation("I3", "was refunded and never paid")
    if (bodies.size > 1) violation("I5", `bought ${bodies.size} answers`)
    if (refunded) {
      refundedSum += refund.value.value
      const { to, value } = refund.value
      if (to !== signed.authorization.from || value !== spent) {
        violation("I7", "has a refund with a wrong payer or amount")
      }
    }
    const last = calls.filter(({ caller }) => caller === "buyer").at(-1)
    if (last?.charged === false && paid && !refunded && bodies.size === 0) {
      violation("I6", `was paid, and the last outcome was ${last.outcome}`)
    }
    for (const call of calls) checkCall(call, spent !== null, violation)
    checkRow(world, signed, violation)
  }
  yield* checkKeys(world, (what) => violations.push(`I13: ${what}`))
  const out = playBalance - (yield* world.ledger.balance(treasury))
  if (out !== refundedSum) violations.push(`I2: the treasury paid ${out}, and owed ${refundedSum}`)
  return { ...count, violations, calls: world.calls.length } satisfies RunResult
})

/** No purchase with a key was charged twice and kept: one payment of it at most is not refunded. */
const checkKeys = Effect.fnUntraced(function* (
  { signed, database }: World,
  violation: (what: string) => void,
) {
  const charged = new Map<string, string>()
  for (const { name, paymentId, secret } of signed) {
    const row = Option.getOrNull(yield* database.payments.find(paymentId))
    if (row?.state !== "answered" || row.request === null || secret === null) continue
    const purchase = JSON.stringify([row.authorization.from, row.request, secret])
    const other = charged.get(purchase)
    if (other !== undefined) violation(`${name} and ${other} were charged for one key`)
    charged.set(purchase, name)
  }
})

type AddViolation = (invariant: string, what: string) => void

/** Checks one response against the state of the payment before and after it. */
function checkCall(
  {
    signed,
    caller,
    method,
    outcome,
    paidBody,
    charged,
    before,
    after,
    onChain,
    wasSettled,
    wasAnswered,
  }: CallRecord,
  taken: boolean,
  violation: AddViolation,
) {
  const what = `returned ${outcome} to a ${caller}`
  if (charged === true && !taken) violation("I6", `${what}: charged, but it never was`)
  if (outcome === "payment_required" && isOpen(before) && isOpen(after)) {
    violation("I9", `${what} in ${after}`)
  }
  if (charged === false && wasSettled && !refusedBeforeClaim.has(outcome)) {
    violation("I6", `${what}: not charged, but it was settled`)
  }
  if (paidBody === null) return
  if (!wasAnswered) violation("I4", `${what} before its answer was stored`)
  if (!onChain) violation("I4", `${what} before it was paid`)
  if (caller === "stranger") violation("I5", `${what}: its answer`)
  // findOutcome() has no request: the buyer may have bought the answer to another request.
  const request = method === "sell" ? `${signed.request}: ` : signed.request
  if (!paidBody.startsWith(request)) violation("I5", `${what}, for another request`)
  if (before === "refund_due" || before === "refunded") violation("I10", `${what} in ${before}`)
}

/** Refusals before the claim: another copy of the payment may have been sold meanwhile. */
const refusedBeforeClaim = new Set(["payment_required", "payments_unavailable"])

const isOpen = (state: string | null) => state === "settling" || state === "unresolved"

/** Every move was legal, the events replay to the state of the row, and the state is final. */
function checkRow(
  { database }: World,
  { paymentId, product }: SignedPayment,
  violation: AddViolation,
) {
  const state = database.stateOf(paymentId)
  const history = database.histories.get(paymentId) ?? []
  const replayed = replay(history, product.settlementOrder)
  if (replayed !== state) violation("I8", `is ${state}, but its events replay to ${replayed}`)
  if (state !== null && !finalStates.has(state)) violation("I12", `is still ${state}`)
}

const finalStates: ReadonlySet<PaymentState> = new Set(["answered", "refunded", "void"])

/** Every transition of a run, with its settlement order. */
export function transitions({ database, signed }: World): ReadonlyArray<string> {
  return signed.flatMap(({ paymentId, product }) => {
    const history = database.histories.get(paymentId) ?? []
    return history.map((event, at) => {
      const from = at === 0 ? "nothing" : replay(history.slice(0, at), product.settlementOrder)
      return `${product.settlementOrder} ${from}: ${event ?? "insertUnmatched"}`
    })
  })
}

function replay(
  history: History,
  order: SignedPayment["product"]["settlementOrder"],
): PaymentState | null {
  let state: PaymentState | null = null
  for (const event of history) {
    // An unmatched transfer was never sold, so any settlement order will do.
    const reached: Result.Result<PaymentState, unknown> = state === null
      ? Result.succeed(event === null ? "refund_due" : "claimed")
      : step(order, state, event ?? "claim")
    if (Result.isFailure(reached)) return null
    state = reached.success
  }
  return state
}

/** The amount that we received with the nonce, whatever it is; null for none. */
const receivedAmount = ({ ledger }: World, { authorization: { from, nonce } }: SignedPayment) =>
  Effect.map(
    ledger.used(token.asset, from, nonce),
    Option.match({
      onNone: () => null,
      onSome: ({ transfer }) => transfer?.to === payTo ? transfer.value : null,
    }),
  )

const refundOf = (
  { ledger, signatures }: World,
  { authorization: { from, nonce } }: SignedPayment,
) =>
  Effect.map(
    ledger.used(token.asset, treasury, signatures.refundNonce({ ...token, from, nonce })),
    Option.flatMap(({ transfer }) => Option.fromNullishOr(transfer)),
  )

/** Whether every row is in a final state. Only the chain proves that this is right. */
export function allFinal({ signed, database }: World): boolean {
  return signed.every(({ paymentId }) => {
    const state = database.stateOf(paymentId)
    return state === null || finalStates.has(state)
  })
}
