/**
 * The laws of the next action for a refund, over every kind of row and every kind of input.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  address,
  Bytes32,
  PaymentId,
  type PaymentProof,
  Signature,
} from "../../../src/payments/domain/payment.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import {
  type Action,
  attemptsMax,
  isInBlockRange,
  nextAction,
  type PaymentToRefund,
  type QueueName,
  type Refund,
  type RefundInputs,
  refundMax,
  type RefundSignature,
  type RefundState,
  refundStateAfter,
  refundStates,
  withinCaps,
} from "../../../src/payments/domain/refund.ts"
import { law } from "../../support/effect.ts"
import { refundMoves } from "../../support/payments/moves.ts"

const ours = address(`0x${"7e".repeat(20)}`)
const payTo = address(`0x${"11".repeat(20)}`)
const payer = address(`0x${"22".repeat(20)}`)
const asset = address(`0x${"33".repeat(20)}`)
const stranger = address(`0x${"66".repeat(20)}`)
const paymentId = PaymentId.make(`0x${"44".repeat(32)}`)
const nonce = Bytes32.make(`0x${"55".repeat(32)}`)
const otherNonce = Bytes32.make(`0x${"66".repeat(32)}`)
const amount = refundMax

const at = (finality: "latest" | "safe"): PaymentProof => ({
  proof: "paid",
  at: { transaction: "0xaa", block: 1n, logIndex: 0, finality },
})
const proofs = {
  safe: at("safe"),
  latest: at("latest"),
  not_yet: { proof: "not_yet" },
  expired: { proof: "never", reason: "expired" },
  spent: { proof: "never", reason: "spent_elsewhere" },
} as const satisfies Record<string, PaymentProof>
type ProofKind = keyof typeof proofs
const proofKinds = Object.keys(proofs) as ReadonlyArray<ProofKind>

const wrongFields: Readonly<Record<string, Partial<PaymentToRefund>>> = {
  nothing: {},
  another_chain: { chainId: 1 },
  another_asset: { asset: stranger },
  another_payee: { payTo: stranger },
  payer_is_treasury: { payer: ours },
  payer_is_payee: { payer: payTo },
  another_payment: { paymentId: PaymentId.make(`0x${"45".repeat(32)}`) },
  another_treasury: {},
  another_nonce: {},
  too_much: { amount: amount + 1n },
  nothing_to_pay: { amount: 0n },
}

interface Case {
  readonly state: Refund["state"]
  readonly wrong: string
  readonly payment: ProofKind
  readonly repaid: ProofKind
  readonly everSigned: boolean
  readonly expiring: boolean
  readonly declinedOften: boolean
  readonly funded: boolean
  readonly capped: boolean
  readonly inOurRange: boolean
  readonly queue: QueueName
  readonly amountApproved: boolean
}

const nowSeconds = 1_000n
/** What sales and signed refunds need: an unmatched refund is funded only when this is left. */
const reserved = 1_000_000n
/** Rows with a wrong signature: these are always signed, whatever the case says. */
const wrongSignatures: Readonly<Record<string, Partial<RefundSignature>>> = {
  another_treasury: { treasury: stranger },
  another_nonce: { nonce: otherNonce },
}

function refundOf(c: Case): Refund {
  const { state, wrong, everSigned, expiring, declinedOften, queue, amountApproved } = c
  const owed = {
    ...{ queue, amountApproved },
    ...{ paymentId, chainId: 8453, asset, payer, payTo, amount, paymentNonce: nonce },
    ...{ paymentValidBefore: 900n, attempts: declinedOften ? attemptsMax : attemptsMax - 1 },
    ...{ fence: 1, paidTransaction: null, transactionHint: null, lastReason: null },
    ...wrongFields[wrong],
  }
  const signed: RefundSignature = {
    ...{ treasury: ours, nonce, signature: Signature.make(`0x${"77".repeat(65)}`) },
    validBefore: nowSeconds + (expiring ? 10n : 11n),
    ...wrongSignatures[wrong],
  }
  if (state === "signed" || state === "broadcast") return { ...owed, state, signed }
  return { ...owed, state, signed: everSigned || wrong in wrongSignatures ? signed : null }
}

function inputsOf(c: Case): RefundInputs {
  const { payment, repaid, funded, capped, inOurRange, queue } = c
  // All these payments are in block 1.
  const blockRange = { after: inOurRange ? 0n : 1n, through: null }
  return {
    expected: { chainId: 8453, asset, payTo, treasury: ours, blockRange, paymentId, nonce },
    ...{ paymentProof: proofs[payment], refundProof: proofs[repaid], nowSeconds },
    reserved,
    treasuryBalance: (funded ? refundOf(c).amount : refundOf(c).amount - 1n) +
      (queue === "unmatched" ? reserved : 0n),
    signedSums: { lastHour: capped ? 1n : 0n, lastDay: 1n },
    caps: { perHour: refundOf(c).amount, perDay: refundOf(c).amount + 1n },
  }
}

/** Every kind of row with every kind of input. */
function* everyCase(): Generator<Case> {
  const both = [false, true]
  for (const state of ["queued", "signed", "broadcast", "needs_review"] as const) {
    for (const everSigned of state === "queued" || state === "needs_review" ? both : [true]) {
      for (const wrong of Object.keys(wrongFields)) {
        for (const payment of proofKinds) {
          for (const repaid of proofKinds) {
            for (let bits = 0; bits < (wrong === "too_much" ? 128 : 64); bits++) {
              const bit = (n: number) => (bits & (1 << n)) !== 0
              const [expiring, declinedOften, funded, capped] = [bit(0), bit(1), bit(2), bit(3)]
              yield {
                ...{ state, everSigned, wrong, payment, repaid },
                ...{ expiring, declinedOften, funded, capped, inOurRange: bit(4) },
                ...{ queue: bit(5) ? "unmatched" : "sales", amountApproved: bit(6) },
              }
            }
          }
        }
      }
    }
  }
}

const cases = [...everyCase()].map((c) => ({ c, action: nextAction(refundOf(c), inputsOf(c)) }))

const described = (c: Case, { kind }: Action) => JSON.stringify({ ...c, kind })

const verbs: Readonly<Record<Action["kind"], string>> = {
  sign: "signs",
  relay: "relays",
  confirm: "confirms",
  cancel: "cancels",
  require_review: "requires review of",
  wait: "waits",
}

/** Every case with this action satisfies the condition, and there is at least one. */
const only = (
  kind: Action["kind"],
  name: string,
  satisfies: (c: Case, action: Action) => boolean,
) =>
  Deno.test(`nextAction() ${verbs[kind]} only ${name}`, () => {
    const found = cases.filter(({ action }) => action.kind === kind)
    ok(found.length > 0)
    for (const { c, action } of found) ok(satisfies(c, action), described(c, action))
  })

/** Every case that satisfies the condition has this action, and there is at least one. */
const always = (kind: Action["kind"], name: string, when: (c: Case) => boolean) =>
  Deno.test(`nextAction() always ${verbs[kind]} ${name}`, () => {
    const found = cases.filter(({ c }) => when(c))
    ok(found.length > 0)
    for (const { c, action } of found) equal(action.kind, kind, described(c, action))
  })

const isValid = ({ wrong, amountApproved }: Case) =>
  wrong === "nothing" || (wrong === "too_much" && amountApproved)
const isSent = ({ state }: Case) => state === "signed" || state === "broadcast"
const unused = ({ repaid }: Case) => repaid === "not_yet" || repaid === "expired"

only(
  "sign",
  "a payment on a safe block that is not refunded, and whose signature can no longer be used",
  (c) => isValid(c) && c.payment === "safe" && unused(c) && (!isSent(c) || c.repaid === "expired"),
)
only(
  "sign",
  "within the caps and the balance, after few enough declines",
  (c) => !c.capped && c.funded && !c.declinedOften && c.state !== "needs_review",
)
only(
  "sign",
  "a payment in this treasury's block range, or one that it signed before",
  (c) => c.inOurRange || c.everSigned,
)
only(
  "relay",
  "a signature that was sent, is unused and does not expire soon",
  (c) =>
    isValid(c) && isSent(c) && c.repaid === "not_yet" && !c.expiring && c.funded &&
    !c.declinedOften,
)
only(
  "confirm",
  "a refund that the chain shows on a safe block",
  (c) => isValid(c) && c.repaid === "safe",
)
always(
  "confirm",
  "a confirmed transfer, whatever else is wrong",
  (c) => isValid(c) && c.repaid === "safe",
)
only(
  "cancel",
  "a refund that was never signed, for a payment that was never made",
  (c) =>
    isValid(c) && c.state === "queued" && !c.everSigned && unused(c) &&
    (c.payment === "expired" || c.payment === "spent"),
)
always(
  "cancel",
  "a queued refund that was never signed, for a payment that was never made",
  (c) =>
    isValid(c) && c.state === "queued" && !c.everSigned && unused(c) &&
    (c.payment === "expired" || c.payment === "spent"),
)
only(
  "require_review",
  "a refund that does not need review already",
  (c) => c.state !== "needs_review",
)
always(
  "require_review",
  "an invalid row",
  (c) => !isValid(c) && c.wrong !== "another_treasury" && c.state !== "needs_review",
)
always(
  "require_review",
  "a refund whose nonce was spent elsewhere",
  (c) => c.repaid === "spent" && c.state !== "needs_review" && c.wrong !== "another_treasury",
)
always(
  "wait",
  "while it needs review, unless the chain has paid it back",
  (c) => c.state === "needs_review" && !(isValid(c) && c.repaid === "safe"),
)
always(
  "wait",
  "for a safe block of the payment",
  (c) =>
    isValid(c) && c.state === "queued" && unused(c) &&
    (c.payment === "latest" || c.payment === "not_yet"),
)
always("wait", "for a safe block of the refund", (c) => isValid(c) && c.repaid === "latest")
always(
  "sign",
  "a refund that is owed, when nothing blocks it",
  (c) =>
    isValid(c) && c.state === "queued" && unused(c) && c.payment === "safe" && !c.capped &&
    c.funded && !c.declinedOften && c.inOurRange,
)
always(
  "sign",
  "again after the sent signature expired unused, when it is still owed",
  (c) =>
    isValid(c) && isSent(c) && c.repaid === "expired" && c.payment === "safe" && !c.capped &&
    c.funded && !c.declinedOften,
)

always(
  "wait",
  "for the treasury whose block range has the payment",
  (c) =>
    isValid(c) && c.state === "queued" && unused(c) && c.payment === "safe" && !c.inOurRange &&
    !c.everSigned,
)

law(
  "isInBlockRange() assigns each payment to one treasury, whenever each was added",
  Arbitrary.schema(Schema.Tuple([
    Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 9n })),
    Schema.Array(Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 9n }))),
  ])),
  ([block, entries]) => {
    const ends = [...new Set(entries)].sort((a, b) => a < b ? -1 : 1)
    const ranges = [null, ...ends].map((after, n) => ({ after, through: ends[n] ?? null }))
    equal(ranges.filter((range) => isInBlockRange(block, range)).length, 1)
  },
)

Deno.test("nextAction() requires review of a signed refund that is no longer owed", () => {
  for (const { c, action } of cases) {
    if (!isValid(c) || !c.everSigned || c.state === "needs_review" || c.repaid !== "expired") {
      continue
    }
    if (c.payment !== "expired" && c.payment !== "spent") continue
    equal(action.kind, "require_review", JSON.stringify(c))
  }
})

Deno.test("nextAction() returns only legal moves, and only with the payment's own nonce", () => {
  for (const { c, action } of cases) {
    if (action.kind === "wait" || action.kind === "relay") continue
    ok(refundMoves[c.state].includes(action.kind), described(c, action))
    if (action.kind !== "require_review") {
      const { signed } = refundOf(c)
      ok((signed?.treasury ?? ours) === ours && (signed?.nonce ?? nonce) === nonce)
    }
  }
})

Deno.test("nextAction() waits for the treasury that signed the refund", () => {
  const theirs = cases.filter(({ c }) => c.wrong === "another_treasury")
  ok(theirs.length > 0)
  for (const { c, action } of theirs) {
    equal(action, {
      kind: "wait",
      reason: c.state === "needs_review" ? "needs_review" : "of_another_treasury",
    })
  }
})

Deno.test("nextAction() returns the reason for a review", () => {
  const reasons = new Set(
    cases.flatMap(({ action }) => action.kind === "require_review" ? [action.reason] : []),
  )
  equal([...reasons].sort(), [
    ...["amount_over_the_dearest_product", "another_asset", "another_chain", "another_nonce"],
    ...["another_payee", "another_payment", "declined_too_often"],
    ...["payer_is_ours", "payment_expired_after_signing", "payment_spent_elsewhere_after_signing"],
    "refund_nonce_spent_elsewhere",
  ])
})

Deno.test("a confirmed or settled refund is final; every other one can still be confirmed", () => {
  equal([refundMoves.confirmed, refundMoves.settled_by_hand], [[], []])
  for (const from of refundStates.filter((state) => state !== "settled_by_hand")) {
    const found = new Set<RefundState>([from])
    for (const state of found) {
      for (const event of refundMoves[state]) found.add(refundStateAfter[event])
    }
    ok(found.has("confirmed"), from)
  }
  for (const state of ["signed", "broadcast"] as const) {
    ok(!refundMoves[state].includes("cancel") && !refundMoves[state].includes("queue"))
  }
})

Deno.test("refundMax is the price of the most expensive product", () => {
  const prices = Object.values(products).map(({ price }) => price)
  ok(prices.every((price) => price <= refundMax) && prices.some((price) => price === refundMax))
})

const Units = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 20n }))
law(
  "withinCaps() exempts an approved amount from the caps that are smaller than it, and from no other",
  Arbitrary.schema(Schema.Tuple([Units, Units, Units, Units])),
  ([amount, sum, perHour, perDay]) => {
    const may = withinCaps(
      { amount, amountApproved: true },
      { lastHour: sum, lastDay: sum },
      { perHour, perDay },
    )
    equal(may, [perHour, perDay].every((cap) => amount > cap || sum + amount <= cap))
  },
)
law(
  "withinCaps() accepts every amount that fits, and never more than the caps in total",
  Arbitrary.schema(Schema.Tuple([Units, Units, Schema.Array(Units)])),
  ([perHour, perDay, amounts]) => {
    let sum = 0n
    for (const amount of amounts) {
      const may = withinCaps(
        { amount, amountApproved: false },
        { lastHour: sum, lastDay: sum },
        { perHour, perDay },
      )
      const fits = sum + amount <= (perHour < perDay ? perHour : perDay)
      equal(may, fits)
      if (may) sum += amount
    }
    ok(sum <= perHour && sum <= perDay)
  },
)
