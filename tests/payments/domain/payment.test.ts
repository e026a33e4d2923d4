/**
 * The laws of a payment's life cycle.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Result, Schema } from "effect"
import {
  address,
  Bytes32,
  PaymentEvent,
  paymentEvents,
  PaymentId,
  paymentOf,
  type PaymentState,
  paymentStates,
  Signature,
  stateAfter,
  step,
} from "../../../src/payments/domain/payment.ts"
import { type PaymentRecord, recordOf } from "../../support/payments/record.ts"
import type { SettlementOrder } from "../../../src/catalog/domain/product.ts"
import { AtomicAmount } from "../../../src/core/domain/money.ts"
import { law } from "../../support/effect.ts"
import { moves } from "../../support/payments/moves.ts"

const orders = ["compute-first", "settle-early"] as const
const Order = Schema.Literals(orders)
const anyHistory = Arbitrary.schema(
  Schema.Tuple([Order, Schema.Array(PaymentEvent).check(Schema.isMaxLength(30))]),
)

/** The states of a payment after each legal event; illegal events are skipped. */
function walk(order: SettlementOrder, events: ReadonlyArray<PaymentEvent>): Array<PaymentState> {
  const path: Array<PaymentState> = ["claimed"]
  for (const event of events) {
    const at = path.at(-1) ?? "claimed"
    const next = step(order, at, event)
    if (Result.isSuccess(next)) path.push(next.success)
  }
  return path
}

/** Every state that is reachable in any number of moves. */
function reachable(order: SettlementOrder, from: PaymentState): Set<PaymentState> {
  const found = new Set<PaymentState>()
  const rest: Array<PaymentState> = [from]
  for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
    for (const to of Object.values(moves[order][at])) {
      if (!found.has(to)) {
        found.add(to)
        rest.push(to)
      }
    }
  }
  return found
}

/** The agreed legal moves. Adding or removing one is a decision about money. */
const agreed: { readonly [S in PaymentState]: string } = {
  claimed: "intend release",
  released: "claim void owe",
  settling: "answer doubt void",
  unresolved: "answer owe void",
  settled: "",
  answered: "owe",
  refund_due: "refund void",
  refunded: "",
  void: "owe",
}
const agreedBy: { readonly [O in SettlementOrder]: typeof agreed } = {
  "compute-first": agreed,
  "settle-early": {
    ...agreed,
    settling: "settle doubt void",
    unresolved: "settle owe void",
    settled: "answer owe",
  },
}

Deno.test("step() makes the agreed moves and refuses every other", () => {
  for (const order of orders) {
    for (const from of paymentStates) {
      for (const event of paymentEvents) {
        const to = agreedBy[order][from].split(" ").includes(event) ? stateAfter[event] : null
        equal(Result.getOrNull(step(order, from, event)), to, `${order} ${from} ${event}`)
      }
    }
  }
})

law(
  "step() stores the intent before an answer, a settlement or a doubt",
  anyHistory,
  ([order, events]) => {
    const path = walk(order, events)
    const intent = path.indexOf("settling")
    return (["unresolved", "settled", "answered"] as const).every((state) => {
      const at = path.indexOf(state)
      return at === -1 || (intent !== -1 && intent < at)
    })
  },
)

law(
  "step() answers at most once, and never after a refund is due",
  anyHistory,
  ([order, events]) => {
    const path = walk(order, events)
    const due = path.indexOf("refund_due")
    return path.filter((state) => state === "answered").length <= 1 &&
      (due === -1 || !path.slice(due).includes("answered"))
  },
)

law(
  "step() never claims or releases again once the intent is stored",
  anyHistory,
  ([order, events]) => {
    const path = walk(order, events)
    const intent = path.indexOf("settling")
    return intent === -1 ||
      !path.slice(intent).some((state) => state === "claimed" || state === "released")
  },
)

law("step() refunds only what was due", anyHistory, ([order, events]) => {
  const path = walk(order, events)
  const refunded = path.indexOf("refunded")
  return refunded === -1 || path[refunded - 1] === "refund_due"
})

Deno.test("compute-first is never settled without its answer; settle-early never answered unsettled", () => {
  equal(reachable("compute-first", "claimed").has("settled"), false)
  ok(reachable("settle-early", "claimed").has("settled"))
  for (const from of paymentStates) {
    if (moves["settle-early"][from].answer !== undefined) equal(from, "settled")
  }
})

Deno.test("only refunded is final: from every other state a refund is still possible", () => {
  for (const order of orders) {
    equal(reachable(order, "refunded").size, 0)
    for (const from of paymentStates) {
      if (from === "refunded" || (order === "compute-first" && from === "settled")) continue
      ok(reachable(order, from).has("refund_due"), `${order} ${from}`)
    }
  }
})

/** A row with every field set. */
const full: Omit<PaymentRecord, "state" | "settlementOrder"> = {
  paymentId: PaymentId.make(`0x${"01".repeat(32)}`),
  token: { chainId: 8453, asset: address(`0x${"a0".repeat(20)}`), name: "USD Coin", version: "2" },
  authorization: {
    from: address(`0x${"f0".repeat(20)}`),
    to: address(`0x${"70".repeat(20)}`),
    value: 10_000n,
    validAfter: 0n,
    validBefore: 1n,
    nonce: Bytes32.make(`0x${"02".repeat(32)}`),
  },
  signature: Signature.make(`0x${"11".repeat(65)}`),
  amount: AtomicAmount.make(10_000n),
  productId: "latest",
  request: "latest?[]",
  fence: 1,
  secretHash: null,
  keyHash: null,
  leaseLeftMs: 1,
  intendedAgoMs: 2,
  transactionHint: "0xaa",
  paidAt: { transaction: "0xaa", block: 7n, logIndex: 3, finality: "safe" },
  paidAmount: AtomicAmount.make(10_000n),
  answer: { body: new Uint8Array([1]) },
  answeredAgoMs: 3,
  answeredAt: 4,
  sent: false,
  refund: { state: "queued", reason: "unsent", transaction: null, confirmedAt: null },
}

/** The fields that each state requires, by settlement order. */
const required = (order: SettlementOrder): {
  readonly [S in PaymentState]: ReadonlyArray<keyof PaymentRecord>
} => {
  const call = ["signature", "productId", "request"] as const
  const answer = order === "compute-first" ? ["answer"] as const : []
  return {
    claimed: [...call, "leaseLeftMs"],
    released: call,
    settling: [...call, "leaseLeftMs", ...answer],
    unresolved: [...call, "intendedAgoMs", ...answer],
    settled: [...call, "leaseLeftMs", "paidAt"],
    answered: [...call, "paidAt", "answeredAgoMs", "answeredAt", "answer"],
    // Each field of the request alone is required: an unmatched transfer has none of them.
    refund_due: [...call, "paidAt", "refund"],
    refunded: [...call, "paidAt", "refund"],
    void: call,
  }
}

/** The fields that are optional in a state. */
const optional: { readonly [S in PaymentState]?: ReadonlyArray<keyof PaymentRecord> } = {
  unresolved: ["transactionHint"],
  answered: ["sent"],
  refund_due: ["paidAmount"],
  refunded: ["paidAmount"],
  void: ["paidAt"],
}
const always = [
  ...[
    "paymentId",
    "token",
    "authorization",
    "amount",
    "settlementOrder",
    "fence",
    "secretHash",
    "keyHash",
    "state",
  ],
]

Deno.test("paymentOf() returns exactly the fields of the state", () => {
  for (const order of orders) {
    for (const state of paymentStates) {
      const read = paymentOf({ ...full, settlementOrder: order, state })
      if (order === "compute-first" && state === "settled") {
        ok(Result.isFailure(read), "a compute-first payment is never settled without its answer")
        continue
      }
      const own = [...always, ...required(order)[state], ...optional[state] ?? []]
      equal(Object.keys(Result.getOrThrow(read)).sort(), own.sort())
      const record = recordOf(Result.getOrThrow(read))
      equal([record.state, record.settlementOrder], [state, order])
      equal(Result.getOrThrow(paymentOf(record)), Result.getOrThrow(read))
      for (const key of required(order)[state]) equal(record[key], full[key as keyof typeof full])
    }
  }
})

Deno.test("paymentOf() refuses a row without a required field, and names the payment", () => {
  for (const order of orders) {
    for (const state of paymentStates) {
      for (const key of required(order)[state]) {
        const read = paymentOf({ ...full, settlementOrder: order, state, [key]: null })
        ok(Result.isFailure(read), `${order} ${state} without ${key}`)
        equal(read.failure.message, `The row of payment ${full.paymentId} fits no state`)
      }
    }
  }
})

Deno.test("paymentOf() accepts an unmatched transfer only as refund_due, refunded or void", () => {
  const unmatched = { ...full, signature: null, productId: null, request: null }
  for (const state of paymentStates) {
    const read = paymentOf({ ...unmatched, settlementOrder: "settle-early", state })
    equal(Result.isSuccess(read), ["refund_due", "refunded", "void"].includes(state), state)
  }
})

Deno.test("paymentOf() accepts an answered payment without its body only after delivery", () => {
  const answered = {
    ...full,
    settlementOrder: "compute-first",
    state: "answered",
    answer: null,
  } as const
  ok(Result.isFailure(paymentOf(answered)))
  ok(Result.isSuccess(paymentOf({ ...answered, sent: true })))
})

Deno.test("address() returns one value for every spelling", () => {
  const spelling = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
  equal(address(spelling), address(spelling.toLowerCase()))
})
