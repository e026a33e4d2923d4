/**
 * The laws of a payment's life.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Result, Schema } from "effect"
import {
  address,
  moves,
  PaymentEvent,
  paymentEvents,
  type PaymentState,
  paymentStates,
  reaches,
  sentAgain,
  step,
} from "../../../src/payments/domain/payment.ts"
import type { SettlementOrder } from "../../../src/catalog/domain/product.ts"
import { law } from "../../support/effect.ts"

const orders = ["compute-first", "settle-early"] as const
const Order = Schema.Literals(orders)
const anyHistory = Arbitrary.schema(
  Schema.Tuple([Order, Schema.Array(PaymentEvent).check(Schema.isMaxLength(30))]),
)

/** The states a payment goes through, leaving out what is not a legal move. */
function walk(order: SettlementOrder, events: ReadonlyArray<PaymentEvent>): Array<PaymentState> {
  const path: Array<PaymentState> = ["claimed"]
  for (const event of events) {
    const at = path.at(-1) ?? "claimed"
    const next = step(order, at, event)
    if (Result.isSuccess(next)) path.push(next.success)
  }
  return path
}

/** Every state that can follow, in any number of moves. */
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

Deno.test("step() makes the moves of the table and refuses every other", () => {
  for (const order of orders) {
    for (const from of paymentStates) {
      for (const event of paymentEvents) {
        const to = moves[order][from][event]
        equal(Result.getOrNull(step(order, from, event)), to ?? null)
      }
    }
  }
})

Deno.test("an event leads to one state, wherever it may happen", () => {
  for (const order of orders) {
    for (const from of paymentStates) {
      for (const [event, to] of Object.entries(moves[order][from])) {
        equal(to, reaches[event as PaymentEvent])
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

Deno.test("only refunded is the end of everything; from every other state money can still find its way", () => {
  for (const order of orders) {
    equal(reachable(order, "refunded").size, 0)
    for (const from of paymentStates) {
      if (from === "refunded" || (order === "compute-first" && from === "settled")) continue
      ok(reachable(order, from).has("refund_due"), `${order} ${from}`)
    }
  }
})

Deno.test("a payment sent again is never refused while its outcome is unknown", () => {
  for (const secret of [true, false]) {
    for (const state of ["claimed", "settling", "unresolved", "settled"] as const) {
      ok(sentAgain(state, secret) !== "challenge")
      ok(sentAgain(state, secret) !== "claim")
    }
  }
})

Deno.test("a payment sent again fetches or joins an answer with the secret alone", () => {
  for (const state of paymentStates) {
    ok(!["replay", "wait"].includes(sentAgain(state, false)), state)
  }
  equal(sentAgain("answered", true), "replay")
  equal(sentAgain("claimed", true), "wait")
})

Deno.test("a payment sent again reveals nothing once a refund is due", () => {
  for (const secret of [true, false]) {
    equal(sentAgain("refund_due", secret), "refunded")
    equal(sentAgain("refunded", secret), "refunded")
    equal(sentAgain("void", secret), "challenge")
    equal(sentAgain("released", secret), "claim")
  }
})

Deno.test("address() makes one value of every spelling", () => {
  const spelling = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
  equal(address(spelling), address(spelling.toLowerCase()))
})
