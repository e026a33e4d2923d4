/**
 * The tasks of a person who reviews refunds, and what they print.
 *
 * @module
 */
import { Duration, Effect } from "effect"
import { AtomicAmount, usd } from "../core/domain/money.ts"
import { excerpt } from "../core/domain/untrusted.ts"
import { refundStates } from "../payments/domain/refund.ts"
import * as review from "../payments/postgres/refundReview.ts"
import type { ReviewCommand } from "./arguments.ts"

/** Characters of a facilitator's or our own reason in the list. */
const reasonLengthMax = 60

/** Runs a command, and returns what to print. */
export const runReview = Effect.fnUntraced(function* (command: ReviewCommand) {
  switch (command.kind) {
    case "refunds:list":
      return listText(yield* review.list(command.state))
    case "refunds:requeue": {
      const { paymentId, record, approveAmount } = command
      yield* review.requeue(paymentId, record, approveAmount)
      return `Refund ${paymentId} is queued again${approveAmount ? ", its amount approved" : ""}`
    }
    case "refunds:settle": {
      const { paymentId, record, transaction } = command
      yield* review.settle(paymentId, record, transaction)
      return `Refund ${paymentId} is settled_by_hand, and its payment refunded`
    }
  }
})

function listText(refunds: ReadonlyArray<review.ListedRefund>): string {
  if (refunds.length === 0) return "No refunds"
  const lines = refundStates.flatMap((state) => {
    const found = refunds.filter((refund) => refund.state === state)
    if (found.length === 0) return []
    const sum = found.reduce((sum, { amount }) => sum + amount, 0n)
    return [`${state}: ${found.length}, $${usd(AtomicAmount.make(sum))}`, ...found.map(lineOf)]
  })
  return refunds.length < review.listedMax
    ? lines.join("\n")
    : [...lines, `Only the oldest ${review.listedMax} are listed`].join("\n")
}

/** A stored reason may contain a facilitator's text. */
function lineOf(
  { paymentId, queue, payer, amount, reason, lastError, attempts, ageMs }: review.ListedRefund,
) {
  const age = Duration.format(Duration.seconds(Math.floor(Math.max(0, ageMs) / 1_000)))
  return [
    `  ${paymentId}`,
    `$${usd(AtomicAmount.make(amount))}`,
    `to ${payer}`,
    queue,
    age,
    `owed: ${excerpt(reason, reasonLengthMax)}`,
    `attempts: ${attempts}`,
    ...lastError === null ? [] : [`last error: ${excerpt(lastError, reasonLengthMax)}`],
  ].join("  ")
}
