/**
 * A task and its payment, which may each be ahead of the other: what is told, and where the task goes,
 * for every end of a sale and everything a payment may say of itself.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { Effect, Option, Ref, Result } from "effect"
import { TestClock } from "effect/testing"
import { PaymentId } from "../../../src/payments/domain/payment.ts"
import type { Delivery, PaymentOutcome } from "../../../src/payments/sale/responses.ts"
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
const delivery: Delivery = { paymentId, body, receipt, replayed: false }
const refund = { id: paymentId, state: "queued", amountUsd: "0.01", to: "0xa" }
const message = { role: "user", messageId: "m", parts: [] } as const
const submitted = { payload: {}, client: "somebody", spend: Effect.void, message }

type Sell = ReturnType<Checkout["sell"]>
type Stage = "offered" | "paying" | "completed"

/** One task whose payment is in the state that the test wants. */
const oneTask = Effect.fnUntraced(function* (
  stage: Stage,
  recalled: PaymentOutcome,
  sell: Sell,
  meanwhile: TaskMove | null = null,
) {
  const tasks = memoryTasks()
  const asked = yield* Ref.make(0)
  /** What another replica does to the task while its answer is sold. */
  const movedElsewhere = (move: TaskMove) =>
    Effect.flatMap(tasks.find(id), (task) => tasks.move(Option.getOrThrow(task), move))
  const checkout: Checkout = {
    product: products.latest,
    read: () => Result.succeed({}),
    admit: () => Effect.void,
    identify: () => Result.succeed(paymentId),
    sell: () =>
      Ref.update(asked, (n) => n + 1).pipe(
        Effect.andThen(meanwhile === null ? Effect.void : movedElsewhere(meanwhile)),
        Effect.andThen(sell),
      ),
  }
  // Nothing else of the skills is used.
  const skills = {
    checkouts: { latest: checkout } as Partial<Checkouts> as Checkouts,
    terms: serviceOptions.terms,
  } as Partial<SkillPorts> as SkillPorts
  const ports: A2aPorts = {
    ...{ skills, tasks },
    payments: {
      ...{ sell: () => Effect.die("unused"), idOf: () => paymentId, sent: () => Effect.void },
      ...{ status: () => Effect.succeedNone, sweep: Effect.succeed(0), scan: Effect.succeed(0) },
      findOutcome: (asked, secret) =>
        asked === paymentId && secret === id
          ? Effect.succeed(recalled)
          : Effect.die("recalled without its secret"),
    },
  }
  const opened = yield* Effect.orDie(tasks.open({
    ...{ id, contextId: "c", client: "somebody", state: "offered", note: null, history: [] },
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
  const held = Effect.map(tasks.find(id), Option.getOrThrow)
  return { ports, task, held, asked: Ref.get(asked) }
})

const unsold: Sell = Effect.die("sold")
const answered: PaymentOutcome = { state: "answered", delivery }

/** What a payment says, how a task that is being paid is told then, and where it goes. */
const lookedAt: ReadonlyArray<
  readonly [PaymentOutcome, told: string, kept: string, error?: string]
> = [
  [answered, "completed", "completed"],
  [{ state: "used", receipt }, "failed", "failed", "DUPLICATE_NONCE"],
  [{ state: "refunded", refund }, "failed", "failed"],
  [{ state: "void" }, "failed", "failed", "SETTLEMENT_FAILED"],
  [{ state: "underway" }, "working", "paying"],
  [{ state: "released" }, "input-required", "offered"],
  [{ state: "unknown" }, "working", "paying"],
]

for (const [recalled, told, kept, error] of lookedAt) {
  test(`a task being paid whose payment is ${recalled.state} is told as ${told}`, () =>
    Effect.gen(function* () {
      const { ports, task, held } = yield* oneTask("paying", recalled, unsold)
      const { view, delivery } = yield* reconcile(ports, task)
      equal([view.state, (yield* held).state], [told, kept])
      equal(view.metadata["x402.payment.error"], error)
      equal(delivery !== null, recalled.state === "answered")
      equal(view.artifact, recalled.state === "answered" ? { success: true, data: 7 } : null)
    }))
}

test("a completed task is told from its payment: the answer, the receipt, or the refund", () =>
  Effect.gen(function* () {
    const cases: ReadonlyArray<readonly [PaymentOutcome, state: string, hasAnswer: boolean]> = [
      [answered, "completed", true],
      [{ state: "used", receipt }, "completed", false],
      [{ state: "refunded", refund }, "failed", false],
      [{ state: "underway" }, "working", false],
    ]
    for (const [recalled, state, hasAnswer] of cases) {
      const { ports, task, held } = yield* oneTask("completed", recalled, unsold)
      const { view } = yield* reconcile(ports, task)
      equal([view.state, view.artifact !== null], [state, hasAnswer])
      equal(
        view.metadata["x402.payment.status"],
        state === "working" ? "payment-submitted" : "payment-completed",
      )
      equal((yield* held).state, "completed", "what is completed stays so")
    }
  }))

const refused = (code: NotCharged["code"], more: Partial<NotCharged> = {}) =>
  Effect.fail(new NotCharged({ code, message: "m", ...more }))
const settling = Effect.fail(new Unresolved({ message: "m", retryAfterSeconds: 5 }))
const owing = Effect.fail(new RefundQueued({ code: "venue_error", message: "m", refund }))

/**
 * How a sale ended, what its payment says then, how the task is told, and where it goes; and the last
 * three of a task whose payment another call has bound, where that is not the same.
 */
const sales: ReadonlyArray<
  readonly [
    what: string,
    sell: Sell,
    PaymentOutcome["state"],
    told: string,
    kept: string,
    status: string,
    boundElsewhere?: readonly [told: string, kept: string, status: string],
  ]
> = [
  ["answered", Effect.succeed(delivery), "answered", "completed", "completed", "completed"],
  ["not settled yet", settling, "underway", "working", "paying", "submitted"],
  ["in progress", refused("payment_in_progress"), "released", "working", "paying", "submitted"],
  ["refunded now", owing, "refunded", "failed", "failed", "completed"],
  ["refunded before", refused("payment_refunded"), "refunded", "failed", "failed", "completed"],
  ["overloaded", refused("overloaded"), "released", "input-required", "offered", "required"],
  ["overloaded, unseen", refused("overloaded"), "unknown", "input-required", "offered", "required"],
  ["overloaded, and sold by a copy", refused("overloaded"), "underway", ...working()],
  ["a conflict", refused("payment_conflict"), "underway", "failed", "failed", "failed", working()],
  ["used", refused("payment_already_used"), "used", "failed", "failed", "failed"],
  ["not good", refused("payment_required"), "unknown", "failed", "failed", "failed", working()],
  ["without an answer", refused("market_not_found"), "released", "failed", "failed", "failed"],
]

function working(): readonly [string, string, string] {
  return ["working", "paying", "submitted"]
}

for (const [what, sell, state, told, kept, status, elsewhere] of sales) {
  test(`a sale that is ${what} leaves the task ${told}`, () =>
    Effect.gen(function* () {
      const recalled = lookedAt.find(([recalled]) => recalled.state === state)?.[0] ?? answered
      const from = Effect.fnUntraced(function* (
        stage: Stage,
        [told, kept, status]: readonly [string, string, string],
      ) {
        const { ports, task, held, asked } = yield* oneTask(stage, recalled, sell)
        const { view } = yield* Effect.orDie(payTask(ports, task, submitted))
        equal([view.state, (yield* held).state, yield* asked], [told, kept, 1], stage)
        equal(view.metadata["x402.payment.status"], `payment-${status}`)
      })
      yield* from("offered", [told, kept, status])
      yield* from("paying", elsewhere ?? [told, kept, status])
    }))
}

test("an answer that comes when the task went back to its offer binds it again", () =>
  Effect.gen(function* () {
    const letGo: TaskMove = { event: "release", note: null, messages: [] }
    const sell: Sell = Effect.succeed(delivery)
    const { ports, task, held } = yield* oneTask("paying", answered, sell, letGo)
    const { view } = yield* Effect.orDie(payTask(ports, task, submitted))
    equal(view.state, "completed")
    const after = yield* held
    equal([after.state, after.paymentId], ["completed", paymentId])
  }))

test("a sale that fails after a copy of it was answered is told as answered", () =>
  Effect.gen(function* () {
    const ended: TaskMove = { event: "complete", subject: null, note: null, messages: [] }
    const sell = refused("payment_required")
    const { ports, task, held } = yield* oneTask("paying", answered, sell, ended)
    const { view } = yield* Effect.orDie(payTask(ports, task, submitted))
    equal([view.state, (yield* held).state], ["completed", "completed"])
    match(JSON.stringify(view.artifact), /7/)
  }))

test("a sale that fails after somebody let its payment go ends the task, with why", () =>
  Effect.gen(function* () {
    const letGo: TaskMove = { event: "release", note: null, messages: [] }
    const sell = refused("market_not_found")
    const { ports, task, held } = yield* oneTask("offered", answered, sell, letGo)
    const { view } = yield* Effect.orDie(payTask(ports, task, submitted))
    equal([view.state, view.text], ["failed", "m. Nothing was charged."])
    equal((yield* held).state, "failed")
  }))

test("a payment that nobody has claimed within a lease is let go", () =>
  Effect.gen(function* () {
    const { ports, task, held } = yield* oneTask("paying", { state: "unknown" }, unsold)
    yield* TestClock.adjust("90 seconds")
    equal([(yield* reconcile(ports, task)).view.state, (yield* held).state], ["working", "paying"])
    yield* TestClock.adjust("1 seconds")
    equal([(yield* reconcile(ports, task)).view.state, (yield* held).state], [
      "input-required",
      "offered",
    ])
  }))
