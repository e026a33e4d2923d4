/**
 * What several endpoints say together: honest ones never contradict each other, however far one is
 * behind, and no answer of one decides anything that another does not say.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Result, Schema } from "effect"
import {
  agreedHead,
  agreedProof,
  lagBlocksMax,
  type ProofAsOf,
  safeLagBlocksMax,
} from "../../../src/payments/domain/agreement.ts"
import type { PaymentProof } from "../../../src/payments/domain/payment.ts"
import { law } from "../../support/effect.ts"

const number = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** A chain: what became of a payment, in which block, and what each endpoint has seen of it. */
const History = Schema.Struct({
  outcome: Schema.Literals(["paid", "expired", "spent_elsewhere", "waiting"]),
  block: number(1, 50),
  endpoints: Schema.Array(Schema.Struct({ safe: number(0, 100), ahead: number(0, 40) }))
    .check(Schema.isMinLength(1), Schema.isMaxLength(4)),
})
type History = typeof History.Type

const at = (block: number, finality: "safe" | "latest", transaction = "0x1") => ({
  ...{ transaction, block: BigInt(block), logIndex: 7, finality },
})

/** What an honest endpoint says that has seen the chain up to here. */
function truthOf(
  { outcome, block }: History,
  { safe, ahead }: History["endpoints"][number],
): ProofAsOf {
  const asOf = BigInt(safe)
  const notYet: PaymentProof = { proof: "not_yet" }
  switch (outcome) {
    case "paid":
      return {
        asOf,
        proof: block <= safe
          ? { proof: "paid", at: at(block, "safe") }
          : block <= safe + ahead
          ? { proof: "paid", at: at(block, "latest") }
          : notYet,
      }
    case "waiting":
      return { asOf, proof: notYet }
    default:
      return { asOf, proof: block <= safe ? { proof: "never", reason: outcome } : notYet }
  }
}

Deno.test("a reported transaction has failed when all endpoints say so", () => {
  const failed: ProofAsOf = { proof: { proof: "not_yet", reverted: true }, asOf: 5n }
  const unknown: ProofAsOf = { proof: { proof: "not_yet" }, asOf: 5n }
  const agreed = (...answers: ReadonlyArray<ProofAsOf>) => Result.getOrThrow(agreedProof(answers))
  equal(agreed(failed, failed), failed.proof)
  equal([agreed(failed, unknown), agreed(unknown, failed)], [unknown.proof, unknown.proof])
})

const isFinal = (proof: PaymentProof) =>
  proof.proof === "never" || (proof.proof === "paid" && proof.at.finality === "safe")

law(
  "agreedProof() of honest endpoints is no contradiction, and final only when all are",
  Arbitrary.schema(History),
  (history) => {
    const answers = history.endpoints.map((endpoint) => truthOf(history, endpoint))
    const agreed = Result.getOrThrow(agreedProof(answers))
    equal(isFinal(agreed), answers.every(({ proof }) => isFinal(proof)))
    equal(
      agreed.proof === "not_yet",
      answers.some(({ proof }) => proof.proof === "not_yet"),
    )
    if (isFinal(agreed)) equal(agreed, answers[0]?.proof)
  },
)

const AnyProof = Schema.Struct({
  kind: Schema.Literals(["paid", "latest", "elsewhere", "expired", "spent_elsewhere", "not_yet"]),
  block: number(1, 50),
  asOf: number(0, 200),
})

function proofOf({ kind, block }: typeof AnyProof.Type): PaymentProof {
  switch (kind) {
    case "paid":
    case "elsewhere":
      return { proof: "paid", at: at(block, "safe", kind === "paid" ? "0x1" : "0x2") }
    case "latest":
      return { proof: "paid", at: at(block, "latest") }
    case "not_yet":
      return { proof: "not_yet" }
    default:
      return { proof: "never", reason: kind }
  }
}

law(
  "agreedProof() never says what the honest endpoint does not, whatever the other says",
  Arbitrary.schema(
    Schema.Struct({ history: History, lie: AnyProof, liarFirst: Schema.Boolean }),
  ),
  ({ history, lie, liarFirst }) => {
    const [endpoint] = history.endpoints
    ok(endpoint !== undefined)
    const honest = truthOf(history, endpoint)
    const liar = { proof: proofOf(lie), asOf: BigInt(lie.asOf) }
    const agreed = agreedProof(liarFirst ? [liar, honest] : [honest, liar])
    if (Result.isFailure(agreed) || agreed.success.proof === "not_yet") return
    const { success } = agreed
    equal(success.proof, honest.proof.proof)
    if (isFinal(success)) equal(success, honest.proof)
    if (success.proof === "paid" && honest.proof.proof === "paid") {
      equal(success.at.transaction, honest.proof.at.transaction)
      equal(success.at.block, honest.proof.at.block)
    }
  },
)

const safePaid: ProofAsOf = { proof: { proof: "paid", at: at(5, "safe") }, asOf: 10n }

for (
  const [what, other] of [
    ["that it expired", { proof: { proof: "never", reason: "expired" }, asOf: 0n }],
    ["another transaction", { ...safePaid, proof: { proof: "paid", at: at(5, "safe", "0x2") } }],
    ["nothing, with that block safe", { proof: { proof: "not_yet" }, asOf: 5n }],
  ] as ReadonlyArray<readonly [string, ProofAsOf]>
) {
  Deno.test(`a safe payment is contradicted by an endpoint that says ${what}`, () => {
    for (const answers of [[safePaid, other], [other, safePaid]]) {
      ok(Result.isFailure(agreedProof(answers)))
    }
  })
}

Deno.test("a safe payment is not contradicted by an endpoint that has not reached its block", () => {
  const behind: ProofAsOf = { proof: { proof: "not_yet" }, asOf: 4n }
  equal(Result.getOrThrow(agreedProof([safePaid, behind])), { proof: "not_yet" })
})

const headAt = (newest: bigint, safeNumber: bigint) => ({
  ...{ number: newest, timestamp: newest * 2n, safeNumber },
})

Deno.test("agreedHead() is the oldest head, within the limits of lag", () => {
  const far = 1_000n
  equal(
    agreedHead([headAt(far, 900n), headAt(far - lagBlocksMax, 900n - safeLagBlocksMax)]),
    Result.succeed(headAt(far - lagBlocksMax, 900n - safeLagBlocksMax)),
  )
  for (
    const other of [
      headAt(far - lagBlocksMax - 1n, 900n),
      headAt(far + lagBlocksMax + 1n, 900n),
      headAt(far, 900n - safeLagBlocksMax - 1n),
    ]
  ) {
    ok(Result.isFailure(agreedHead([headAt(far, 900n), other])))
    ok(Result.isFailure(agreedHead([other, headAt(far, 900n)])))
  }
})
