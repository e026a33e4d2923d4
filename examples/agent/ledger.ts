/**
 * What an agent signed, and what became of it by the service's own word, in whole units of USDC.
 *
 * Whatever is signed counts against the budget, for as long as the agent runs. What the service says
 * it did not take, or gave back, is told and not counted again: it still holds an authorization that
 * it can settle, and an agent that believed it could be made to sign without end.
 *
 * @module
 */
import { AtomicAmount } from "../../src/core/domain/money.ts"

/** What is said of a payment. `signed`: it is out, and its end not known. */
export type Standing = "signed" | "charged" | "uncharged" | "refundQueued" | "refunded"

/** One payment that was signed. */
export interface Entry {
  /** What was bought: path and query. */
  readonly what: string
  readonly price: AtomicAmount
  readonly standing: Standing
  /** What `GET /v1/payments/` knows it by. */
  readonly paymentId: string
}

export type Ledger = ReadonlyArray<Entry>

export interface Limits {
  /** All that may be signed for. */
  readonly budget: AtomicAmount
  /** The most a call may cost. */
  readonly perCall: AtomicAmount
}

/** Every move a payment can make. A refund that is under way is not back yet. */
const moves: Readonly<Record<Standing, ReadonlyArray<Standing>>> = {
  signed: ["charged", "uncharged", "refundQueued", "refunded"],
  charged: ["refundQueued", "refunded"],
  refundQueued: ["refunded"],
  uncharged: [],
  refunded: [],
}

const none = AtomicAmount.make(0n)

/** The sum of some payments. */
export function total(ledger: Ledger): AtomicAmount {
  return AtomicAmount.make(ledger.reduce((sum: bigint, { price }) => sum + price, none))
}

/** What is left of the budget: what was never signed for, whatever is said of the rest. */
export function left(ledger: Ledger, { budget }: Limits): AtomicAmount {
  const rest = budget - total(ledger)
  return rest > none ? AtomicAmount.make(rest) : none
}

/** Why a price may not be signed for; null when it may. */
export function objection(
  price: AtomicAmount,
  ledger: Ledger,
  limits: Limits,
): "over the cap" | "over the budget" | null {
  if (price > limits.perCall) return "over the cap"
  return price > left(ledger, limits) ? "over the budget" : null
}

/** The ledger with one more payment, just signed. */
export function signed(
  ledger: Ledger,
  { what, price, paymentId }: Omit<Entry, "standing">,
): Ledger {
  return [...ledger, { what, price, paymentId, standing: "signed" }]
}

/** The ledger after news of a payment; news that contradicts what is known changes nothing. */
export function noted(ledger: Ledger, paymentId: string, standing: Standing): Ledger {
  return ledger.map((entry) =>
    entry.paymentId === paymentId && moves[entry.standing].includes(standing)
      ? { ...entry, standing }
      : entry
  )
}
