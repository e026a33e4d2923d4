/**
 * The summary of a run: what was signed, bought and refunded, as the service reports it.
 *
 * @module
 */
import type { Client } from "bellwether-client"

export type Payments = Awaited<ReturnType<Client["payments"]>>

/** The payments that a run signed or changed, and those of earlier runs that are open. */
export function ofRun(before: Payments, after: Payments): Payments {
  const outcomes = new Map(before.map(({ paymentId, outcome }) => [paymentId, outcome]))
  return after.filter(({ paymentId, outcome }) =>
    outcome === "unclear" || outcome === "refundQueued" || outcomes.get(paymentId) !== outcome
  )
}

/** Every signed payment counts against the budget, whatever the service reports. */
export function summaryLines(
  payments: Payments,
  left: Awaited<ReturnType<Client["left"]>>,
): ReadonlyArray<string> {
  const of = (...outcomes: ReadonlyArray<Payments[number]["outcome"]>) =>
    payments.filter(({ outcome }) => outcomes.includes(outcome))
  return [
    `signed     $${total(payments)}; not taken according to the service: $${
      total(of("uncharged", "unused"))
    }`,
    `bought     ${of("charged").length} answers for $${total(of("charged"))}`,
    `refunds    $${total(of("refundQueued", "refunded"))}; paid according to the service: $${
      total(of("refunded"))
    }`,
    ...of("unclear").map(({ amountUsd, target, paymentId }) =>
      `unclear    $${amountUsd} for ${target}: check GET /v1/payments/${paymentId} before you buy again`
    ),
    `left       $${left?.leftUsd} of $${left?.budgetUsd}`,
  ]
}

const unitsPerUsd = 1_000_000

function total(payments: Payments): string {
  const units = payments.reduce(
    (sum, { amountUsd }) => sum + Math.round(Number(amountUsd) * unitsPerUsd),
    0,
  )
  return (units / unitsPerUsd).toFixed(2)
}
