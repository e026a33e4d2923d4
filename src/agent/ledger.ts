/**
 * What an agent bought and what became of its money, in whole units of USDC.
 *
 * A price counts against the budget from the moment its payment is signed until it is known not to
 * have been taken, or to be back: what nobody knows is counted as spent.
 *
 * @module
 */
import { AtomicAmount } from "../domain/money.ts"

/** `signed`: the payment is out, and its end not known. */
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
  /** All that may be spent. */
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

/** What the budget is short of while nothing more is known. */
export function exposed(ledger: Ledger): AtomicAmount {
  return total(ledger, ["signed", "charged", "refundQueued"])
}

/** The sum of what stands so. */
export function total(ledger: Ledger, standings: ReadonlyArray<Standing>): AtomicAmount {
  return AtomicAmount.make(
    ledger.reduce(
      (sum: bigint, { price, standing }) => standings.includes(standing) ? sum + price : sum,
      none,
    ),
  )
}

/** What is left of the budget. */
export function left(ledger: Ledger, { budget }: Limits): AtomicAmount {
  const rest = budget - exposed(ledger)
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
