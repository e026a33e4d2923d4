/**
 * A task and its payment: the returned view for every outcome of a sale and every state of a
 * payment.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect, Option, Ref, Result } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { skillOf } from "../../../src/catalog/domain/skill.ts"
import { payTask, readTask } from "../../../src/http/a2a/payment.ts"
import { isPaid, makeTasks } from "../../../src/http/a2a/task.ts"
import type { Checkout, Checkouts } from "../../../src/http/paywall/checkout.ts"
import type { SkillPorts } from "../../../src/http/skills.ts"
import { NotCharged, RefundQueued, Unresolved } from "../../../src/payments/domain/failedSale.ts"
import { PaymentId } from "../../../src/payments/domain/payment.ts"
import { offerExtension } from "../../../src/payments/domain/x402/offerReceipt.ts"
import type { Payments } from "../../../src/payments/Payments.ts"
import type { Outcome } from "../../../src/payments/purchase.ts"
import { test } from "../../support/effect.ts"
import { serviceOptions } from "../../support/http/httpService.ts"
import { testKey } from "../../support/signing/key.ts"

const paymentId = PaymentId.make(`0x${"a1".repeat(32)}`)
const receipt = { payer: "0xa", transaction: "0xb", network: "eip155:8453" }
const body = new TextEncoder().encode('{"success":true,"data":7}')
const delivery: Outcome = {
  paymentId,
  body,
  receipt,
  replayed: false,
  etag: 'W/"a"',
  unchanged: false,
}
const refund = {
  id: paymentId,
  state: "queued",
  amountUsd: "0.01",
  to: "0xa",
  paymentTransaction: "0x7c",
}

type Sell = ReturnType<Checkout["sell"]>
type Found = ReturnType<Payments["Service"]["findByTask"]>

/** An offered task, with the outcome of its payment. */
const oneTask = Effect.fnUntraced(function* (outcome: Found, sell: Sell) {
  const skill = Option.getOrThrow(Option.fromUndefinedOr(skillOf("get_latest")))
  const task = makeTasks(testKey).open(null, { skill, parameters: "" })
  if (!isPaid(task)) return yield* Effect.die("the skill is not paid")
  const sellCalls = yield* Ref.make(0)
  const checkout: Checkout = {
    product: products.latest,
    read: () => Result.succeed({}),
    sell: (call) =>
      call.isTask === true && call.key === task.secret
        ? Effect.andThen(Ref.update(sellCalls, (n) => n + 1), sell)
        : Effect.die("sold without the task's secret"),
  }
  // The code under test uses no other fields.
  const ports = {
    checkouts: { latest: checkout } as Partial<Checkouts> as Checkouts,
    terms: serviceOptions.terms,
    offers: (product) => offerExtension(testKey.sign, product, serviceOptions.terms, 0),
    payments: {
      findByTask: (secret) =>
        secret === task.secret ? outcome : Effect.die("asked without the secret"),
    } as Partial<Payments["Service"]> as Payments["Service"],
  } as Partial<SkillPorts> as SkillPorts
  return { ports, task, sellCalls }
})

const noSale: Sell = Effect.die("a sale was started")
const refused = (code: NotCharged["code"], more: Partial<NotCharged> = {}) =>
  Effect.fail(new NotCharged({ code, message: "m", ...more }))
const neverPaid = refused("payment_required", { fault: "not_settled" })

/** What is found of a payment, the state of its task and the status of the payment in it. */
const outcomes: Readonly<Record<string, readonly [Found, state: string, status: string]>> = {
  answered: [Effect.succeed(delivery), "completed", "completed"],
  used: [refused("payment_already_used", { receipt }), "completed", "completed"],
  refunded: [refused("payment_refunded", { refund }), "failed", "completed"],
  underway: [
    Effect.fail(new Unresolved({ message: "m", retryAfterSeconds: 5 })),
    "working",
    "submitted",
  ],
  claimed: [refused("payment_in_progress"), "working", "submitted"],
  void: [neverPaid, "input-required", "required"],
  unknown: [Effect.succeed(null), "input-required", "required"],
}

for (const [name, [outcome, state, status]] of Object.entries(outcomes)) {
  test(`readTask() returns a task whose payment is ${name} as ${state}`, function* () {
    const { ports, task } = yield* oneTask(outcome, noSale)
    const { view, delivery } = yield* readTask(ports, task)
    equal([view.state, view.metadata["x402.payment.status"]], [state, `payment-${status}`])
    equal(delivery !== null, name === "answered")
    equal(view.artifact, name === "answered" ? { success: true, data: 7 } : null)
  })
}

const invalid = refused("payment_required", { fault: "invalid_signature" })
const sold: Sell = Effect.succeed(delivery)
const settling = Effect.fail(new Unresolved({ message: "m", retryAfterSeconds: 5 }))
const owing = Effect.fail(new RefundQueued({ code: "venue_error", message: "m", refund }))

/** A sale, its payment's state afterwards, and the returned state and payment status. */
const sales: ReadonlyArray<
  readonly [what: string, Sell, payment: string, state: string, status: string]
> = [
  ["answered", sold, "answered", "completed", "completed"],
  ["not settled yet", settling, "underway", "working", "submitted"],
  ["in progress", refused("payment_in_progress"), "unknown", "working", "submitted"],
  ["refunded now", owing, "refunded", "failed", "completed"],
  ["refunded before", refused("payment_refunded"), "refunded", "failed", "completed"],
  ["overloaded", refused("overloaded"), "unknown", "input-required", "required"],
  [
    "overloaded, and sold by another call",
    refused("overloaded"),
    "underway",
    "working",
    "submitted",
  ],
  [
    "a conflict, and the task unpaid",
    refused("payment_conflict"),
    "unknown",
    "input-required",
    "failed",
  ],
  [
    "a conflict, and the task sold",
    refused("payment_conflict"),
    "answered",
    "completed",
    "completed",
  ],
  ["used elsewhere", refused("payment_already_used"), "unknown", "input-required", "failed"],
  ["refused as invalid", invalid, "unknown", "input-required", "failed"],
  ["refused as invalid, and sold by another call", invalid, "underway", "working", "submitted"],
  ["without an answer", refused("market_not_found"), "unknown", "failed", "failed"],
]

for (const [what, sell, payment, returned, status] of sales) {
  test(`payTask() returns the task as ${returned} when the sale is ${what}`, function* () {
    const outcome = outcomes[payment]?.[0] ?? Effect.die("no such outcome")
    const { ports, task, sellCalls } = yield* oneTask(outcome, sell)
    const { view } = yield* Effect.orDie(payTask(ports, task, {}))
    equal([view.state, view.metadata["x402.payment.status"], yield* Ref.get(sellCalls)], [
      returned,
      `payment-${status}`,
      1,
    ])
  })
}
