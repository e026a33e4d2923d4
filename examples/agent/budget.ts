/**
 * The agent's budget: the payments it signed, and the outcome of each as the service reports it.
 *
 * Every signed payment counts against the budget while the agent runs. A payment that the service
 * reports as not taken or refunded is printed but not added to the budget again: the service still
 * has an authorization that it can settle, and a dishonest service could make the agent sign
 * without end.
 *
 * @module
 */

const unitsPerUsd = 1_000_000n

/** `"0.01"` -> `10000n`, in units of 0.000001 USDC. */
export function atomic(price: string): bigint {
  const [whole = "0", fraction = ""] = price.split(".")
  return BigInt(whole) * unitsPerUsd + BigInt(fraction.padEnd(6, "0"))
}

/** `10000n` -> `"0.01"`. */
export function usd(amount: bigint): string {
  const fraction = (amount % unitsPerUsd).toString().padStart(6, "0").replace(/0{1,4}$/, "")
  return `${amount / unitsPerUsd}.${fraction}`
}

/** The outcome of a payment. `signed`: it was sent, but its outcome is not known. */
export type PaymentOutcome = "signed" | "charged" | "uncharged" | "refundQueued" | "refunded"

/** One signed payment. */
interface LedgerEntry {
  /** Path and query of the purchase. */
  readonly target: string
  readonly price: bigint
  readonly outcome: PaymentOutcome
  /** The id in `GET /v1/payments/{paymentId}`. */
  readonly paymentId: string
}
export type Ledger = ReadonlyArray<LedgerEntry>

export interface Limits {
  /** The most that may be signed in total. */
  readonly budget: bigint
  /** The most that one call may cost. */
  readonly perCall: bigint
}

/** Every change of an outcome. A queued refund is not refunded yet. */
const moves: Readonly<Record<PaymentOutcome, ReadonlyArray<PaymentOutcome>>> = {
  signed: ["charged", "uncharged", "refundQueued", "refunded"],
  charged: ["refundQueued", "refunded"],
  refundQueued: ["refunded"],
  uncharged: [],
  refunded: [],
}

function total(ledger: Ledger): bigint {
  return ledger.reduce((sum, { price }) => sum + price, 0n)
}

/** The part of the budget that was never signed. */
export function unspent(ledger: Ledger, { budget }: Limits): bigint {
  const rest = budget - total(ledger)
  return rest > 0n ? rest : 0n
}

/** The limit that a price exceeds; null when it may be signed. */
export function exceededLimit(price: bigint, ledger: Ledger, limits: Limits): string | null {
  if (price > limits.perCall) return "over the cap"
  return price > unspent(ledger, limits) ? "over the budget" : null
}

/** The ledger with one more signed payment. */
export function addSigned(ledger: Ledger, payment: Omit<LedgerEntry, "outcome">): Ledger {
  return [...ledger, { ...payment, outcome: "signed" }]
}

/** The ledger with the new outcome of a payment; an illegal change is ignored. */
export function withOutcome(ledger: Ledger, paymentId: string, outcome: PaymentOutcome): Ledger {
  return ledger.map((entry) =>
    entry.paymentId === paymentId && moves[entry.outcome].includes(outcome)
      ? { ...entry, outcome }
      : entry
  )
}

/** The summary: what was signed, bought and refunded. */
export function summaryLines(ledger: Ledger, limits: Limits): ReadonlyArray<string> {
  const of = (...outcomes: ReadonlyArray<PaymentOutcome>) =>
    ledger.filter(({ outcome }) => outcomes.includes(outcome))
  const sum = (entries: Ledger) => `$${usd(total(entries))}`
  const [budget, bought] = [`$${usd(limits.budget)}`, of("charged")]
  return [
    `signed     ${sum(ledger)} of ${budget}; not taken according to the service: ${
      sum(of("uncharged"))
    }`,
    `bought     ${bought.length} answers for ${sum(bought)}`,
    ...bought.map(({ target, price }) => `           $${usd(price)}  ${target}`),
    `refunds    ${sum(of("refunded", "refundQueued"))}; paid according to the service: ${
      sum(of("refunded"))
    }`,
    ...of("signed").map(({ target, price, paymentId }) =>
      `unclear    $${
        usd(price)
      } for ${target}: check GET /v1/payments/${paymentId} before you buy again`
    ),
    `left       $${usd(unspent(ledger, limits))} of ${budget}`,
  ]
}
