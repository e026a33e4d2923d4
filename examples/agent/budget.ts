/**
 * The agent's budget: what it signed for, and what became of each payment by the service's word.
 *
 * Whatever is signed counts against the budget for as long as the agent runs. What the service says
 * it did not take, or paid back, is reported and not added to the budget again: the service still
 * has an authorization that it can settle, and an agent that believed it could be made to sign
 * without end.
 *
 * @module
 */

const unitsPerUsd = 1_000_000n

/** `"0.01"` -> `10000n`: money is whole units of USDC, never a float. */
export function atomic(price: string): bigint {
  const [whole = "0", fraction = ""] = price.split(".")
  return BigInt(whole) * unitsPerUsd + BigInt(fraction.padEnd(6, "0"))
}

/** `10000n` -> `"0.01"`. */
export function usd(amount: bigint): string {
  const fraction = (amount % unitsPerUsd).toString().padStart(6, "0").replace(/0{1,4}$/, "")
  return `${amount / unitsPerUsd}.${fraction}`
}

/** What is known of a payment. `signed`: it was sent, and its outcome is not known. */
export type Standing = "signed" | "charged" | "uncharged" | "refundQueued" | "refunded"

/** One payment that was signed. */
interface Entry {
  /** What was bought: path and query. */
  readonly what: string
  readonly price: bigint
  readonly standing: Standing
  /** The id in `GET /v1/payments/{paymentId}`. */
  readonly paymentId: string
}
export type Ledger = ReadonlyArray<Entry>

export interface Limits {
  /** All that may be signed for. */
  readonly budget: bigint
  /** The most a call may cost. */
  readonly perCall: bigint
}

/** Every move a payment can make. A queued refund is not paid back yet. */
const moves: Readonly<Record<Standing, ReadonlyArray<Standing>>> = {
  signed: ["charged", "uncharged", "refundQueued", "refunded"],
  charged: ["refundQueued", "refunded"],
  refundQueued: ["refunded"],
  uncharged: [],
  refunded: [],
}

function total(ledger: Ledger): bigint {
  return ledger.reduce((sum, { price }) => sum + price, 0n)
}

/** What was never signed for, whatever the service says of the rest. */
export function left(ledger: Ledger, { budget }: Limits): bigint {
  const rest = budget - total(ledger)
  return rest > 0n ? rest : 0n
}

/** Why a price may not be signed for; null when it may. */
export function objection(price: bigint, ledger: Ledger, limits: Limits): string | null {
  if (price > limits.perCall) return "over the cap"
  return price > left(ledger, limits) ? "over the budget" : null
}

/** The ledger with one more payment, just signed. */
export function signed(ledger: Ledger, payment: Omit<Entry, "standing">): Ledger {
  return [...ledger, { ...payment, standing: "signed" }]
}

/** The ledger after news of a payment; news that contradicts what is known changes nothing. */
export function noted(ledger: Ledger, paymentId: string, standing: Standing): Ledger {
  return ledger.map((entry) =>
    entry.paymentId === paymentId && moves[entry.standing].includes(standing)
      ? { ...entry, standing }
      : entry
  )
}

/** What was signed and bought, and what the service says of the rest. */
export function summaryLines(ledger: Ledger, limits: Limits): ReadonlyArray<string> {
  const of = (...standings: ReadonlyArray<Standing>) =>
    ledger.filter(({ standing }) => standings.includes(standing))
  const sum = (entries: Ledger) => `$${usd(total(entries))}`
  const [budget, bought] = [`$${usd(limits.budget)}`, of("charged")]
  return [
    `signed     ${sum(ledger)} of ${budget}; the service says ${
      sum(of("uncharged"))
    } of it was not taken`,
    `bought     ${bought.length} answers for ${sum(bought)}`,
    ...bought.map(({ what, price }) => `           $${usd(price)}  ${what}`),
    `refunds    ${sum(of("refunded", "refundQueued"))}; the service says ${
      sum(of("refunded"))
    } of it is paid back`,
    ...of("signed").map(({ what, price, paymentId }) =>
      `unclear    $${
        usd(price)
      } for ${what}: look at GET /v1/payments/${paymentId} before you buy on`
    ),
    `left       $${usd(left(ledger, limits))} of ${budget}`,
  ]
}
