/**
 * The ledger of a buyer: what was signed on each UTC day, the payments, and the receiver of each
 * service. The rules are pure functions of its state; an adapter keeps the state.
 *
 * Everything that was signed in a UTC day counts against the budget of that day, whatever the
 * service reports later: the service still has an authorization that it can settle, and a dishonest
 * one could make the buyer sign without end.
 *
 * @module
 */

/** Where the state is kept. `memoryLedger()` and `fileLedger()` are the two adapters. */
export interface Ledger {
  /**
   * Replaces the state atomically, and durably before it returns. The change runs again on a newer
   * state when another process was faster. The same state is not written.
   */
  transact<A>(
    change: (state: LedgerState) => LedgerChange<A> | Promise<LedgerChange<A>>,
  ): Promise<A>
}

export interface LedgerChange<A> {
  readonly state: LedgerState
  readonly result: A
}

/** The ledger cannot be read or written. Nothing is signed then. */
export class LedgerUnusable extends Error {
  override readonly name = "LedgerUnusable"
}

/**
 * The outcome of a payment. `unclear`: it may be taken. `unused`: the service said that it was not
 * taken; another process may be sending it all the same. Both are the only one for their call, until
 * the payment has expired and the service's record says that it was not taken.
 */
export type PaymentOutcome =
  | "unclear"
  | "unused"
  | "charged"
  | "uncharged"
  | "refundQueued"
  | "refunded"

/** Every change of an outcome. A queued refund is not refunded yet. */
export const outcomeMoves: Readonly<Record<PaymentOutcome, ReadonlyArray<PaymentOutcome>>> = {
  unclear: ["unused", "charged", "uncharged", "refundQueued", "refunded"],
  unused: ["unclear", "charged", "uncharged", "refundQueued", "refunded"],
  charged: ["refundQueued", "refunded"],
  // Another process that sent the same payment may learn later that it was taken.
  uncharged: ["charged", "refundQueued", "refunded"],
  refundQueued: ["refunded"],
  refunded: [],
}

export interface LedgerPayment {
  /** The id in `GET /v1/payments/{paymentId}`. */
  readonly paymentId: string
  /** Origin, path and query of the call. */
  readonly url: string
  readonly payer: string
  /** In units of 0.000001 USDC. */
  readonly amount: string
  /** The UTC day of its signature, as 2026-11-23. */
  readonly day: string
  /** After this second it can no longer be taken. */
  readonly validBefore: number
  readonly outcome: PaymentOutcome
  /** What is sent again; null once the outcome is final. */
  readonly sent: { readonly signature: string; readonly key: string } | null
}

export interface LedgerState {
  readonly version: 1
  /** The receiver of each service, by origin. */
  readonly receivers: Readonly<Record<string, string>>
  /** What was signed on each UTC day, in units of 0.000001 USDC. */
  readonly signedByDay: Readonly<Record<string, string>>
  /** Every payment that is not final, and the newest of the others; the oldest first. */
  readonly payments: ReadonlyArray<LedgerPayment>
}

export const emptyLedger: LedgerState = {
  version: 1,
  receivers: {},
  signedByDay: {},
  payments: [],
}

/** How many days are kept. More than a year, so that a wrong clock does not make it forget today. */
export const daysMax = 400
/** How many payments with a final outcome are kept. */
export const finalPaymentsMax = 100
/** How long a payment that was not used is kept after its end, in case its call is made again. */
export const unusedSecondsMax = 86_400

/** The UTC day of a time, as 2026-11-23. */
export function utcDay(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10)
}

/**
 * What counts against today's budget: everything signed today, and on later days, so that a clock
 * that goes back does not renew the budget.
 */
export function signedToday({ signedByDay }: LedgerState, nowMs: number): bigint {
  const today = utcDay(nowMs)
  return Object.entries(signedByDay)
    .reduce((sum, [day, amount]) => day >= today ? sum + BigInt(amount) : sum, 0n)
}

/** The part of today's budget that was not signed. */
export function leftToday(state: LedgerState, budget: bigint, nowMs: number): bigint {
  const left = budget - signedToday(state, nowMs)
  return left > 0n ? left : 0n
}

/** The payment that a call must send again before another one may be signed. */
export function openPayment(
  { payments }: LedgerState,
  { url, payer }: { readonly url: string; readonly payer: string },
): OpenPayment | null {
  const own = payments.flatMap((payment) =>
    payment.url === url && payment.payer === payer && payment.sent !== null
      ? [{ ...payment, sent: payment.sent }]
      : []
  )
  return own.find(({ outcome }) => outcome === "unclear") ?? own[0] ?? null
}

/** A payment that can be sent again. */
export type OpenPayment = LedgerPayment & { readonly sent: NonNullable<LedgerPayment["sent"]> }

/** The state with one more signed payment, which counts from now on. */
export function withSigned(state: LedgerState, payment: OpenPayment, payTo: string): LedgerState {
  const { origin } = new URL(payment.url)
  const { [payment.day]: before = "0" } = state.signedByDay
  return pruned({
    ...state,
    receivers: { ...state.receivers, [origin]: payTo },
    signedByDay: {
      ...state.signedByDay,
      [payment.day]: (BigInt(before) + BigInt(payment.amount)).toString(),
    },
    payments: [
      ...state.payments.filter(({ outcome, validBefore }) =>
        outcome !== "unused" || validBefore + unusedSecondsMax > payment.validBefore
      ),
      payment,
    ],
  })
}

/** The state with the new outcome of a payment; a change that is not a move is ignored. */
export function withOutcome(
  state: LedgerState,
  paymentId: string,
  outcome: PaymentOutcome,
): LedgerState {
  const before = state.payments.find((payment) => payment.paymentId === paymentId)
  if (before === undefined || !outcomeMoves[before.outcome].includes(outcome)) return state
  const isOpen = outcome === "unclear" || outcome === "unused"
  const after = { ...before, outcome, sent: isOpen ? before.sent : null }
  return pruned({
    ...state,
    payments: state.payments.map((payment) => payment === before ? after : payment),
  })
}

/** Drops old days and final payments. */
function pruned(state: LedgerState): LedgerState {
  const days = Object.keys(state.signedByDay).sort().slice(-daysMax)
  const final = state.payments.filter(({ sent }) => sent === null)
  const dropped = new Set(final.slice(0, Math.max(0, final.length - finalPaymentsMax)))
  return {
    ...state,
    signedByDay: Object.fromEntries(
      Object.entries(state.signedByDay).filter(([day]) => days.includes(day)),
    ),
    payments: state.payments.filter((payment) => !dropped.has(payment)),
  }
}

/** A ledger that is forgotten when the process ends. */
export function memoryLedger(): Ledger {
  let state = emptyLedger
  return inTurn(async (change) => {
    const changed = await change(state)
    state = changed.state
    return changed.result
  })
}

/** A ledger whose changes in this process run one after the other. */
export function inTurn(transact: Ledger["transact"]): Ledger {
  let last: Promise<unknown> = Promise.resolve()
  return {
    transact: (change) => {
      const turn = last.then(() => transact(change))
      last = turn.catch(() => undefined)
      return turn
    },
  }
}
