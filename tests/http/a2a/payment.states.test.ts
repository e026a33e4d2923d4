/**
 * A task and its payment, whose states may differ: the returned view and the next state of the task
 * for every outcome of a sale and every state of a payment.
 *
 * @module
 */
import { offerExtension } from "../../../src/payments/domain/x402/offerReceipt.ts"
import { testKey } from "../../support/signing/key.ts"
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { Effect, Option, Ref, Result } from "effect"
import { TestClock } from "effect/testing"
import { PaymentId } from "../../../src/payments/domain/payment.ts"
import type { Outcome } from "../../../src/payments/purchase.ts"
import type { PaymentOutcome } from "../../../src/payments/sale/responses.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { NotCharged, RefundQueued, Unresolved } from "../../../src/payments/domain/failedSale.ts"
import { type Task, TaskId, taskLife } from "../../../src/http/a2a/domain/task.ts"
import { type A2aPorts, payTask, reconcile } from "../../../src/http/a2a/payment.ts"
import { serviceOptions } from "../../support/http/httpService.ts"
import type { Checkout } from "../../../src/http/paywall/checkout.ts"
import type { Checkouts } from "../../../src/http/handlers.ts"
import type { SkillPorts } from "../../../src/http/skills.ts"
import type { TaskMove } from "../../../src/http/a2a/TaskStore.ts"
import { test } from "../../support/effect.ts"
import { memoryTasks } from "../../support/http/memoryTasks.ts"

const id = TaskId.make("3f2f1c52-7a1c-4b53-9f0e-0d7d2a6f9b11")
const paymentId = PaymentId.make(`0x${"a1".repeat(32)}`)
const receipt = { payer: "0xa", transaction: "0xb", network: "eip155:8453" }
const body = new TextEncoder().encode('{"success":true,"data":7}')
const delivery: Outcome = {
  paymentId,
  body,
  receipt,
  replayed: false,
  etag: '"a"',
  unchanged: false,
}
const sold = delivery
const refund = {
  id: paymentId,
  state: "queued",
  amountUsd: "0.01",
  to: "0xa",
  paymentTransaction: "0x7c",
}
const message = { role: "user", messageId: "m", parts: [] } as const
const client = { client: "a-client", site: null }
const submitted = { payload: {}, client, spend: Effect.void, message }

type Sell = ReturnType<Checkout["sell"]>
type Stage = "offered" | "paying" | "completed"

/** One task at a stage, with the outcome of its payment; `meanwhile` happens during the sale. */
const oneTask = Effect.fnUntraced(function* (
  stage: Stage,
  outcome: PaymentOutcome,
  sell: Sell,
  meanwhile: TaskMove | null = null,
) {
  const tasks = memoryTasks()
  const sellCalls = yield* Ref.make(0)
  /** A move that another replica makes. */
  const moveElsewhere = (move: TaskMove) =>
    Effect.flatMap(tasks.find(id), (task) => tasks.move(Option.getOrThrow(task), move))
  const checkout: Checkout = {
    product: products.latest,
    read: () => Result.succeed({}),
    admit: () => Effect.void,
    identify: () => Result.succeed(paymentId),
    sell: () =>
      Ref.update(sellCalls, (n) => n + 1).pipe(
        Effect.andThen(meanwhile === null ? Effect.void : moveElsewhere(meanwhile)),
        Effect.andThen(sell),
      ),
  }
  // The code under test uses no other fields.
  const skills = {
    checkouts: { latest: checkout } as Partial<Checkouts> as Checkouts,
    terms: serviceOptions.terms,
    offers: (product) => offerExtension(testKey.sign, product, serviceOptions.terms, 0),
  } as Partial<SkillPorts> as SkillPorts
  const ports: A2aPorts = {
    ...{ skills, tasks },
    payments: {
      ...{ sell: () => Effect.die("unused"), idOf: () => paymentId, sent: () => Effect.void },
      ...{
        status: () => Effect.succeedNone,
        sweep: Effect.succeed(0),
        sweepReleased: Effect.succeed(0),
        scan: Effect.succeed(0),
      },
      findOutcome: (requested, secret) =>
        requested === paymentId && secret === id
          ? Effect.succeed(outcome)
          : Effect.die("findOutcome was called without the secret"),
    },
  }
  const opened = yield* Effect.orDie(tasks.open({
    ...{ id, contextId: "c", client: "a-client", state: "offered", note: null, history: [] },
    subject: { skill: "get_latest", parameters: "" },
    life: taskLife,
  }))
  const move = (task: Task, event: Parameters<typeof tasks.move>[1]) =>
    Effect.map(tasks.move(task, event), Option.getOrThrow)
  let task = opened
  if (stage !== "offered") {
    task = yield* move(task, {
      ...{ event: "pay", paymentId, life: taskLife, note: null, messages: [] },
    })
  }
  if (stage === "completed") {
    task = yield* move(task, { event: "complete", subject: null, note: null, messages: [] })
  }
  const stored = Effect.map(tasks.find(id), Option.getOrThrow)
  return { ports, task, stored, sellCalls: Ref.get(sellCalls) }
})

const noSale: Sell = Effect.die("a sale was started")
const answered: PaymentOutcome = { state: "answered", delivery }

/**
 * The outcome of a payment; the returned and the stored state of a `paying` task; its x402 error.
 */
const outcomes: ReadonlyArray<
  readonly [PaymentOutcome, returned: string, stored: string, error?: string]
> = [
  [answered, "completed", "completed"],
  [{ state: "used", receipt }, "failed", "failed", "DUPLICATE_NONCE"],
  [{ state: "refunded", refund }, "failed", "failed"],
  [{ state: "void" }, "failed", "failed", "SETTLEMENT_FAILED"],
  [{ state: "underway" }, "working", "paying"],
  [{ state: "released" }, "input-required", "offered"],
  [{ state: "unknown" }, "working", "paying"],
]

for (const [outcome, returnedState, storedState, error] of outcomes) {
  test(`reconcile() returns a paying task whose payment is ${outcome.state} as ${returnedState}`, () =>
    Effect.gen(function* () {
      const { ports, task, stored } = yield* oneTask("paying", outcome, noSale)
      const { view, delivery } = yield* reconcile(ports, task)
      equal([view.state, (yield* stored).state], [returnedState, storedState])
      equal(view.metadata["x402.payment.error"], error)
      equal(delivery !== null, outcome.state === "answered")
      equal(view.artifact, outcome.state === "answered" ? { success: true, data: 7 } : null)
    }))
}

test("reconcile() returns a completed task with its payment's answer, receipt or refund", () =>
  Effect.gen(function* () {
    const cases: ReadonlyArray<readonly [PaymentOutcome, state: string, hasAnswer: boolean]> = [
      [answered, "completed", true],
      [{ state: "used", receipt }, "completed", false],
      [{ state: "refunded", refund }, "failed", false],
      [{ state: "underway" }, "working", false],
    ]
    for (const [outcome, state, hasAnswer] of cases) {
      const { ports, task, stored } = yield* oneTask("completed", outcome, noSale)
      const { view } = yield* reconcile(ports, task)
      equal([view.state, view.artifact !== null], [state, hasAnswer])
      equal(
        view.metadata["x402.payment.status"],
        state === "working" ? "payment-submitted" : "payment-completed",
      )
      equal((yield* stored).state, "completed", "the stored state does not change")
    }
  }))

const refused = (code: NotCharged["code"], more: Partial<NotCharged> = {}) =>
  Effect.fail(new NotCharged({ code, message: "m", ...more }))
const settling = Effect.fail(new Unresolved({ message: "m", retryAfterSeconds: 5 }))
const owing = Effect.fail(new RefundQueued({ code: "venue_error", message: "m", refund }))

/**
 * A sale and its payment's state afterwards; the returned state, the stored state and the payment
 * status of an `offered` task; and the same three of a task that another call has bound, where they
 * differ.
 */
const sales: ReadonlyArray<
  readonly [
    what: string,
    sell: Sell,
    PaymentOutcome["state"],
    returned: string,
    stored: string,
    status: string,
    boundElsewhere?: readonly [returned: string, stored: string, status: string],
  ]
> = [
  ["answered", Effect.succeed(sold), "answered", "completed", "completed", "completed"],
  ["not settled yet", settling, "underway", "working", "paying", "submitted"],
  ["in progress", refused("payment_in_progress"), "released", "working", "paying", "submitted"],
  ["refunded now", owing, "refunded", "failed", "failed", "completed"],
  ["refunded before", refused("payment_refunded"), "refunded", "failed", "failed", "completed"],
  ["overloaded", refused("overloaded"), "released", "input-required", "offered", "required"],
  ["overloaded, unseen", refused("overloaded"), "unknown", "input-required", "offered", "required"],
  ["overloaded, and sold by another call", refused("overloaded"), "underway", ...working()],
  ["a conflict", refused("payment_conflict"), "underway", "failed", "failed", "failed", working()],
  ["used", refused("payment_already_used"), "used", "failed", "failed", "failed"],
  [
    "refused as invalid",
    refused("payment_required"),
    "unknown",
    "failed",
    "failed",
    "failed",
    working(),
  ],
  ["without an answer", refused("market_not_found"), "released", "failed", "failed", "failed"],
]

function working(): readonly [string, string, string] {
  return ["working", "paying", "submitted"]
}

for (const [what, sell, state, ...expected] of sales) {
  const [returnedState, storedState, status, boundElsewhere] = expected
  test(`payTask() returns the task as ${returnedState} when the sale is ${what}`, () =>
    Effect.gen(function* () {
      const outcome = outcomes.find(([outcome]) => outcome.state === state)?.[0] ?? answered
      const from = Effect.fnUntraced(function* (
        stage: Stage,
        [returnedState, storedState, status]: readonly [string, string, string],
      ) {
        const { ports, task, stored, sellCalls } = yield* oneTask(stage, outcome, sell)
        const { view } = yield* Effect.orDie(payTask(ports, task, submitted))
        const found = [view.state, (yield* stored).state, yield* sellCalls]
        equal(found, [returnedState, storedState, 1], stage)
        equal(view.metadata["x402.payment.status"], `payment-${status}`)
      })
      yield* from("offered", [returnedState, storedState, status])
      yield* from("paying", boundElsewhere ?? [returnedState, storedState, status])
    }))
}

test("an answer for a task that was released meanwhile completes the task", () =>
  Effect.gen(function* () {
    const released: TaskMove = { event: "release", note: null, messages: [] }
    const sell: Sell = Effect.succeed(sold)
    const { ports, task, stored } = yield* oneTask("paying", answered, sell, released)
    const { view } = yield* Effect.orDie(payTask(ports, task, submitted))
    equal(view.state, "completed")
    const after = yield* stored
    equal([after.state, after.paymentId], ["completed", paymentId])
  }))

test("a sale that fails after another call completed the task returns its answer", () =>
  Effect.gen(function* () {
    const completed: TaskMove = { event: "complete", subject: null, note: null, messages: [] }
    const sell = refused("payment_required")
    const { ports, task, stored } = yield* oneTask("paying", answered, sell, completed)
    const { view } = yield* Effect.orDie(payTask(ports, task, submitted))
    equal([view.state, (yield* stored).state], ["completed", "completed"])
    match(JSON.stringify(view.artifact), /7/)
  }))

test("a sale that fails after its task was released fails the task with the reason", () =>
  Effect.gen(function* () {
    const released: TaskMove = { event: "release", note: null, messages: [] }
    const sell = refused("market_not_found")
    const { ports, task, stored } = yield* oneTask("offered", answered, sell, released)
    const { view } = yield* Effect.orDie(payTask(ports, task, submitted))
    equal([view.state, view.text], ["failed", "m. Nothing was charged."])
    equal((yield* stored).state, "failed")
  }))

test("reconcile() releases a task whose payment no sale has claimed within a lease", () =>
  Effect.gen(function* () {
    const { ports, task, stored } = yield* oneTask("paying", { state: "unknown" }, noSale)
    yield* TestClock.adjust("90 seconds")
    equal([(yield* reconcile(ports, task)).view.state, (yield* stored).state], [
      "working",
      "paying",
    ])
    yield* TestClock.adjust("1 seconds")
    equal([(yield* reconcile(ports, task)).view.state, (yield* stored).state], [
      "input-required",
      "offered",
    ])
  }))
