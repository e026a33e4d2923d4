/**
 * The tasks of a person who reviews refunds: their arguments, and what they print.
 *
 * @module
 */
import { parseArgs } from "node:util"
import { Duration, Effect, Result, Schema } from "effect"
import { AtomicAmount, usd } from "../core/domain/money.ts"
import { excerpt } from "../core/domain/untrusted.ts"
import { PaymentId } from "../payments/domain/payment.ts"
import { RefundState, refundStates } from "../payments/domain/refund.ts"
import {
  type ActionRecord,
  listedMax,
  type ListedRefund,
  RefundReview,
} from "../payments/refunds/RefundReview.ts"

type ReviewCommand =
  | { readonly kind: "list"; readonly state: RefundState | null }
  | {
    readonly kind: "requeue"
    readonly paymentId: PaymentId
    readonly record: ActionRecord
    readonly approveAmount: boolean
  }
  | {
    readonly kind: "settle"
    readonly paymentId: PaymentId
    readonly record: ActionRecord
    readonly transaction: string | null
  }

/** The arguments are wrong. Nothing was read or changed. */
export class InvalidArguments
  extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", { message: Schema.String }) {}

const usage = {
  list: `refunds:list [--state ${refundStates.join("|")}]`,
  requeue: "refunds:requeue PAYMENT_ID --by NAME --note TEXT [--approve-amount]",
  settle: "refunds:settle PAYMENT_ID --by NAME --note TEXT [--transaction 0x…]",
}

const personLengthMax = 100
const noteLengthMax = 1_000
/** Characters of a facilitator's or our own reason in the list. */
const reasonLengthMax = 60
const isPaymentId = Schema.is(PaymentId)
const isRefundState = Schema.is(RefundState)

/** The command of `list`, `requeue` or `settle` and its options. */
export function parseReview(
  [name, ...args]: ReadonlyArray<string>,
): Result.Result<ReviewCommand, InvalidArguments> {
  return Result.try({
    try: () => commandOf(name, args),
    catch: (error) => {
      const task = name === "list" || name === "requeue" || name === "settle" ? name : null
      const uses = task === null ? Object.values(usage) : [usage[task]]
      const reason = error instanceof Error ? error.message : "the arguments are not valid"
      return new InvalidArguments({
        message: `${reason}\nUsage: ${uses.map((text) => `deno task ${text}`).join("\n       ")}`,
      })
    },
  })
}

/** Throws an error that says what is wrong. */
function commandOf(name: string | undefined, args: ReadonlyArray<string>): ReviewCommand {
  switch (name) {
    case "list": {
      const { values } = parseArgs({ args: [...args], options: { state: { type: "string" } } })
      if (values.state === undefined) return { kind: name, state: null }
      if (isRefundState(values.state)) return { kind: name, state: values.state }
      throw new Error(`--state must be one of ${refundStates.join(", ")}`)
    }
    case "requeue": {
      const { values, positionals } = parseArgs({
        args: [...args],
        allowPositionals: true,
        options: { ...recordOptions, "approve-amount": { type: "boolean" } },
      })
      const approveAmount = values["approve-amount"] === true
      return { kind: name, ...targetOf(positionals), record: recordOf(values), approveAmount }
    }
    case "settle": {
      const { values, positionals } = parseArgs({
        args: [...args],
        allowPositionals: true,
        options: { ...recordOptions, transaction: { type: "string" } },
      })
      const { transaction = null } = values
      if (transaction !== null && !/^0x[0-9a-f]{64}$/.test(transaction)) {
        throw new Error("--transaction must be 0x and 64 hexadecimal digits in lower case")
      }
      return { kind: name, ...targetOf(positionals), record: recordOf(values), transaction }
    }
    default:
      throw new Error("Name a task: list, requeue or settle")
  }
}

const recordOptions = { by: { type: "string" }, note: { type: "string" } } as const

function targetOf(positionals: ReadonlyArray<string>): { readonly paymentId: PaymentId } {
  const [paymentId] = positionals
  if (positionals.length !== 1 || !isPaymentId(paymentId)) {
    throw new Error("Name one PAYMENT_ID: 0x and 64 hexadecimal digits in lower case")
  }
  return { paymentId }
}

function recordOf(
  { by = "", note = "" }: { readonly by?: string | undefined; readonly note?: string | undefined },
): ActionRecord {
  const [person, text] = [by.trim(), note.trim()]
  if (person === "" || person.length > personLengthMax) {
    throw new Error(`--by must be your name, at most ${personLengthMax} characters`)
  }
  if (text === "" || text.length > noteLengthMax) {
    throw new Error(`--note must say why, in at most ${noteLengthMax} characters`)
  }
  return { person, note: text }
}

/** Runs a command, and returns what to print. */
export const runReview = Effect.fnUntraced(function* (command: ReviewCommand) {
  const review = yield* RefundReview
  switch (command.kind) {
    case "list":
      return listText(yield* review.list(command.state))
    case "requeue": {
      const { paymentId, record, approveAmount } = command
      yield* review.requeue(paymentId, record, approveAmount)
      return `Refund ${paymentId} is queued again${approveAmount ? ", its amount approved" : ""}`
    }
    case "settle": {
      const { paymentId, record, transaction } = command
      yield* review.settle(paymentId, record, transaction)
      return `Refund ${paymentId} is settled_by_hand, and its payment refunded`
    }
  }
})

function listText(refunds: ReadonlyArray<ListedRefund>): string {
  if (refunds.length === 0) return "No refunds"
  const lines = refundStates.flatMap((state) => {
    const found = refunds.filter((refund) => refund.state === state)
    if (found.length === 0) return []
    const sum = found.reduce((sum, { amount }) => sum + amount, 0n)
    return [`${state}: ${found.length}, $${usd(AtomicAmount.make(sum))}`, ...found.map(lineOf)]
  })
  return refunds.length < listedMax
    ? lines.join("\n")
    : [...lines, `Only the oldest ${listedMax} are listed`].join("\n")
}

/** A stored reason may contain a facilitator's text. */
function lineOf(
  { paymentId, queue, payer, amount, reason, lastError, attempts, ageMs }: ListedRefund,
) {
  const age = Duration.format(Duration.seconds(Math.floor(Math.max(0, ageMs) / 1_000)))
  return [
    ...[`  ${paymentId}`, `$${usd(AtomicAmount.make(amount))}`, `to ${payer}`, queue, age],
    ...[`owed: ${excerpt(reason, reasonLengthMax)}`, `attempts: ${attempts}`],
    ...lastError === null ? [] : [`last error: ${excerpt(lastError, reasonLengthMax)}`],
  ].join("  ")
}
