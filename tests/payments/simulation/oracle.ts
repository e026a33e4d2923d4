/**
 * Judges a run by the chain's ledger and by what people heard. Our own tables are believed in nothing
 * but where a row stood when somebody was told something.
 *
 * @module
 */
import { Effect, Option, Result } from "effect"
import { playBalance } from "../../../src/payments/simulated/ledger.ts"
import { address, type PaymentState, step } from "../../../src/payments/domain/payment.ts"
import { terms, token } from "../../support/payments/terms.ts"
import { isPaid } from "./buyers.ts"
import type { History } from "./database.ts"
import type { Heard, Signed, World } from "./world.ts"

export interface Verdict {
  readonly violations: ReadonlyArray<string>
  readonly paid: number
  readonly delivered: number
  readonly refunded: number
  readonly both: number
  readonly calls: number
}

const treasury = address(terms.treasury)
const payTo = address(terms.payTo)

export const judge = Effect.fnUntraced(function* (world: World) {
  const violations: Array<string> = [...world.database.refused]
  const count = { paid: 0, delivered: 0, refunded: 0, both: 0 }
  let givenBack = 0n
  for (const signed of world.signed) {
    const heard = world.heard.filter((one) => one.signed.paymentId === signed.paymentId)
    const fault = (invariant: string, what: string) =>
      violations.push(`${invariant}: ${signed.name} ${what}`)
    const paid = yield* isPaid(world, signed)
    const refund = yield* refundOf(world, signed)
    const bodies = new Set(heard.flatMap(({ paidBody }) => paidBody ?? []))
    const refunded = Option.isSome(refund)
    count.paid += paid ? 1 : 0
    count.delivered += bodies.size > 0 ? 1 : 0
    count.refunded += refunded ? 1 : 0
    count.both += refunded && bodies.size > 0 ? 1 : 0
    const spent = yield* spentOn(world, signed)
    // Another sum than was asked for buys nothing, and is given back all the same.
    if (spent !== null && !refunded && (!paid || bodies.size === 0)) {
      fault("I1", "was paid: no answer, no refund")
    }
    if (!paid && bodies.size > 0) fault("I4", "was answered and never paid")
    if (spent === null && refunded) fault("I3", "was refunded and never paid")
    if (bodies.size > 1) fault("I5", `bought ${bodies.size} answers`)
    if (refunded) {
      givenBack += refund.value.value
      const { to, value } = refund.value
      if (to !== signed.authorization.from || value !== spent) fault("I7", "was refunded wrong")
    }
    const last = heard.filter(({ who }) => who === "buyer").at(-1)
    if (last?.charged === false && paid && !refunded && bodies.size === 0) {
      fault("I6", `was paid, and the last word was ${last.reported}`)
    }
    for (const one of heard) judgeWord(one, spent !== null, fault)
    judgeRow(world, signed, fault)
  }
  const out = playBalance - (yield* world.ledger.balance(treasury))
  if (out !== givenBack) violations.push(`I2: the treasury gave ${out}, and owed ${givenBack}`)
  return { ...count, violations, calls: world.heard.length } satisfies Verdict
})

type Fault = (invariant: string, what: string) => void

/** Checks one outcome against the states before and after it. */
function judgeWord(
  {
    signed,
    who,
    how,
    reported,
    paidBody,
    charged,
    before,
    after,
    onChain,
    settledThen,
    answeredThen,
  }: Heard,
  taken: boolean,
  fault: Fault,
) {
  const said = `reported a ${who} ${reported}`
  if (charged === true && !taken) fault("I6", `${said}: charged, and it never was`)
  if (reported === "payment_required" && isOpen(before) && isOpen(after)) {
    fault("I9", `${said} in ${after}`)
  }
  if (charged === false && settledThen && !beforehand.has(reported)) {
    fault("I6", `${said}: not charged, and it was settled`)
  }
  if (paidBody === null) return
  if (!answeredThen) fault("I4", `${said} before its answer was stored`)
  if (!onChain) fault("I4", `${said} before it was paid`)
  if (who === "stranger") fault("I5", `${said}: its answer`)
  // Its buyer may have bought the answer to another request with it: there is one answer all the same.
  const request = how === "sends" ? `${signed.request}: ` : signed.request
  if (!paidBody.startsWith(request)) fault("I5", `${said}, for another request`)
  if (before === "refund_due" || before === "refunded") fault("I10", `${said} in ${before}`)
}

/** Refused before anything was claimed: another copy of the payment may have been sold meanwhile. */
const beforehand = new Set(["payment_required", "payments_unavailable"])

const isOpen = (state: string | null) => state === "settling" || state === "unresolved"

/** Every move was legal, the log replays to the row, and the row is at rest. */
function judgeRow({ database }: World, { paymentId, product }: Signed, fault: Fault) {
  const state = database.stateOf(paymentId)
  const history = database.histories.get(paymentId) ?? []
  const replayed = replay(history, product.settlementOrder)
  if (replayed !== state) fault("I8", `is ${state}, and its log says ${replayed}`)
  if (state !== null && !final.has(state)) fault("I12", `is still ${state}`)
}

const final: ReadonlySet<PaymentState> = new Set(["answered", "refunded", "void"])

/** Every arrow that a run went over, by order of settlement. */
export function arrows({ database, signed }: World): ReadonlyArray<string> {
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
  order: Signed["product"]["settlementOrder"],
): PaymentState | null {
  let state: PaymentState | null = null
  for (const event of history) {
    // An unmatched transfer has no real settlement order: it was never sold.
    const reached: Result.Result<PaymentState, unknown> = state === null
      ? Result.succeed(event === null ? "refund_due" : "claimed")
      : step(order, state, event ?? "claim")
    if (Result.isFailure(reached)) return null
    state = reached.success
  }
  return state
}

/** What reached us under the nonce, whatever the sum. */
const spentOn = ({ ledger }: World, { authorization: { from, nonce } }: Signed) =>
  Effect.map(
    ledger.used(token.asset, from, nonce),
    Option.match({
      onNone: () => null,
      onSome: ({ transfer }) => transfer?.to === payTo ? transfer.value : null,
    }),
  )

const refundOf = ({ ledger, signatures }: World, { authorization: { from, nonce } }: Signed) =>
  Effect.map(
    ledger.used(token.asset, treasury, signatures.refundNonce({ ...token, from, nonce })),
    Option.flatMap(({ transfer }) => Option.fromNullishOr(transfer)),
  )

/** Nothing is left to do according to the tables; the chain shows whether that is right. */
export function atRest({ signed, database }: World): boolean {
  return signed.every(({ paymentId }) => {
    const state = database.stateOf(paymentId)
    return state === null || final.has(state)
  })
}
