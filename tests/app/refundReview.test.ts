/**
 * The arguments of the tasks for refunds: bad ones are refused with what is wrong and how to call.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Result, Schema } from "effect"
import { InvalidArguments, parseReview } from "../../src/app/refundReview.ts"
import { law } from "../support/effect.ts"

const id = `0x${"12".repeat(32)}`
const by = ["--by", "Ada", "--note", "why"]

Deno.test("parseReview() reads the three tasks", () => {
  const record = { person: "Ada", note: "why" }
  const commands = [
    [["list"], { kind: "list", state: null }],
    [["list", "--state", "needs_review"], { kind: "list", state: "needs_review" }],
    [["requeue", id, ...by], { kind: "requeue", paymentId: id, record, approveAmount: false }],
    [["requeue", "--approve-amount", ...by, id], {
      ...{ kind: "requeue", paymentId: id, record, approveAmount: true },
    }],
    [["settle", id, ...by], { kind: "settle", paymentId: id, record, transaction: null }],
    [["settle", id, ...by, "--transaction", id], {
      ...{ kind: "settle", paymentId: id, record, transaction: id },
    }],
  ] as const
  for (const [args, command] of commands) {
    equal(Result.getOrThrow(parseReview(args)) as unknown, command)
  }
})

const refused: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Name a task": [],
  "--state must be one of": ["list", "--state", "unknown"],
  "Name one PAYMENT_ID": ["requeue", "0x12", ...by],
  "Name one PAYMENT_ID: ": ["requeue", id, id, ...by],
  "--by must be your name": ["requeue", id, "--note", "why"],
  "--by must be your name, at most 100": ["settle", id, "--by", "x".repeat(101), "--note", "x"],
  "--note must say why": ["settle", id, "--by", "Ada", "--note", "  "],
  "--transaction must be": ["settle", id, ...by, "--transaction", "0xABC"],
  "Unknown option '--approve-amount'": ["settle", id, ...by, "--approve-amount"],
  "Unknown option '--force'": ["requeue", id, ...by, "--force"],
}
for (const [reason, args] of Object.entries(refused)) {
  Deno.test(`parseReview() refuses ${args.join(" ")}: ${reason}`, () => {
    const parsed = parseReview(args)
    const message = Result.isFailure(parsed) ? parsed.failure.message : "accepted"
    ok(message.startsWith(reason) && message.includes("Usage: deno task refunds:"), message)
  })
}

law(
  "parseReview() never throws",
  Arbitrary.schema(Schema.Array(Schema.String)),
  (args) => {
    for (const task of ["list", "requeue", "settle"]) {
      const parsed = parseReview([task, ...args])
      ok(Result.isSuccess(parsed) || parsed.failure instanceof InvalidArguments)
    }
  },
)
