/**
 * A worker that dies at every step of a refund, before or after what the step does, once or twice, and
 * what becomes of the money. W1 claim, W2 the payment's proof, W3 the refund's, W4 sign, W5 store the
 * signature, W6 relay, W7 store that it was relayed, W8 confirm.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { address } from "../../../src/payments/domain/payment.ts"
import type { RefundStore } from "../../../src/payments/refunds/RefundStore.ts"
import { Treasury } from "../../../src/payments/refunds/Treasury.ts"
import { buyer } from "../../support/payments/buyers.ts"
import { test } from "../../support/effect.ts"
import {
  eachPaidOnce,
  owed,
  paidBack,
  type PortOverrides,
  statesOf,
  sweepFor,
  withRefundHarness,
  worker,
} from "../../support/payments/refunds.ts"

type When = "before" | "after"
type Dying = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

const payer = address(buyer(0).address)

const spoiltStore =
  (change: (store: RefundStore["Service"], dying: Dying) => Partial<RefundStore["Service"]>) =>
  (dying: Dying): PortOverrides => ({ store: (store) => ({ ...store, ...change(store, dying) }) })

const spoiltMove = (event: string) =>
  spoiltStore((store, dying) => ({
    move: (held, move) => {
      const moved = store.move(held, move)
      return move.event === event ? dying(moved) : moved
    },
  }))

const spoiltProof = (ofPayment: boolean) => (dying: Dying): PortOverrides => ({
  chain: (chain) => ({
    ...chain,
    paymentProof: (expected) => {
      const proof = chain.paymentProof(expected)
      return (expected.from === payer) === ofPayment ? dying(proof) : proof
    },
  }),
})

const steps: Readonly<Record<string, (dying: Dying) => PortOverrides>> = {
  W1: spoiltStore((store, dying) => ({
    claimDue: (lease, limit) => dying(store.claimDue(lease, limit)),
  })),
  W2: spoiltProof(true),
  W3: spoiltProof(false),
  W4: (dying) => ({
    treasury: (treasury) => ({ ...treasury, sign: (...args) => dying(treasury.sign(...args)) }),
  }),
  W5: spoiltStore((store, dying) => ({ sign: (...args) => dying(store.sign(...args)) })),
  W6: (dying) => ({
    facilitator: (port) => ({ ...port, settle: (request) => dying(port.settle(request)) }),
  }),
  W7: spoiltMove("broadcast"),
  W8: spoiltMove("confirm"),
}
type Point = readonly [step: string, when: When]
const whens: ReadonlyArray<When> = ["before", "after"]

/** The worker dies at these steps, each the first time it comes there; and how often it did. */
function crashes(points: ReadonlyArray<Point>) {
  const died: Array<string> = []
  const spoilts = points.map(([step, when], n) => {
    const dying: Dying = (effect) =>
      Effect.suspend(() => {
        const point = `${n} ${step}`
        if (died.includes(point)) return effect
        died.push(point)
        const death = Effect.die(`died ${when} ${step}`)
        return when === "before" ? death : Effect.andThen(effect, death)
      })
    return steps[step]?.(dying) ?? {}
  })
  const spoilt: PortOverrides = {
    store: (store) => spoilts.reduce((inner, spoilt) => spoilt.store?.(inner) ?? inner, store),
    chain: (chain) => spoilts.reduce((inner, spoilt) => spoilt.chain?.(inner) ?? inner, chain),
    facilitator: (port) =>
      spoilts.reduce((inner, spoilt) => spoilt.facilitator?.(inner) ?? inner, port),
    treasury: (port) => spoilts.reduce((inner, spoilt) => spoilt.treasury?.(inner) ?? inner, port),
  }
  return { spoilt, died }
}

/** Pays back one debt with a worker that dies, and goes on with it or with another one. */
const paysOnce = (points: ReadonlyArray<Point>, goesOn: "itself" | "another") => {
  const { spoilt, died } = crashes(points)
  return withRefundHarness(({ signed }) =>
    Effect.gen(function* () {
      const debts = [yield* owed(0)]
      const first = yield* worker()
      // Long enough for one step after the other, too short for a lease to run out.
      yield* sweepFor(first, 30)
      const [left = "none"] = yield* statesOf(debts)
      ok(["queued", "signed", "broadcast", "confirmed"].includes(left), left)
      yield* sweepFor(goesOn === "itself" ? first : yield* worker(), 150 * (points.length + 1))
      // A step that was taken before the first death is not taken again.
      ok(died.length === points.length || died.length === 1 && points.length === 2)
      equal(yield* statesOf(debts), ["confirmed"])
      equal(yield* paidBack(debts), eachPaidOnce(debts))
      equal(new Set(signed.map(({ nonce }) => nonce)).size, 1)
      const { address: treasury } = yield* Treasury
      ok(signed.every(({ from, to }) => from === treasury && to === payer))
    }), spoilt)
}

for (const step of Object.keys(steps)) {
  for (const when of whens) {
    for (const goesOn of ["itself", "another"] as const) {
      test(`a worker that dies ${when} ${step} pays once (continues: ${goesOn})`, () =>
        paysOnce([[step, when]], goesOn))
    }
    test(`a worker that dies ${when} ${step} and once more, at any step, pays once`, () =>
      Effect.forEach(
        Object.keys(steps).flatMap((second) => whens.map((then) => [second, then] as const)),
        (second) => paysOnce([[step, when], second], "another"),
        { discard: true },
      ))
  }
}
