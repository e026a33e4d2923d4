/**
 * A worker that dies at every step of a refund, before or after the step takes effect, once or
 * twice: the refund is paid once.
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

const dyingStore =
  (change: (store: RefundStore["Service"], dying: Dying) => Partial<RefundStore["Service"]>) =>
  (dying: Dying): PortOverrides => ({ store: (store) => ({ ...store, ...change(store, dying) }) })

const dyingMove = (event: string) =>
  dyingStore((store, dying) => ({
    move: (refund, move) => {
      const moved = store.move(refund, move)
      return move.event === event ? dying(moved) : moved
    },
  }))

const dyingProof = (ofPayment: boolean) => (dying: Dying): PortOverrides => ({
  chain: (chain) => ({
    ...chain,
    paymentProof: (expected) => {
      const proof = chain.paymentProof(expected)
      return (expected.from === payer) === ofPayment ? dying(proof) : proof
    },
  }),
})

const steps: Readonly<Record<string, (dying: Dying) => PortOverrides>> = {
  claim: dyingStore((store, dying) => ({
    claimDue: (...args) => dying(store.claimDue(...args)),
  })),
  "proof of payment": dyingProof(true),
  "proof of refund": dyingProof(false),
  sign: (dying) => ({
    treasury: (treasury) => ({ ...treasury, sign: (...args) => dying(treasury.sign(...args)) }),
  }),
  "store signature": dyingStore((store, dying) => ({
    sign: (...args) => dying(store.sign(...args)),
  })),
  relay: (dying) => ({
    facilitator: (port) => ({ ...port, settle: (request) => dying(port.settle(request)) }),
  }),
  "store broadcast": dyingMove("broadcast"),
  confirm: dyingMove("confirm"),
}
type Point = readonly [step: string, when: When]
const whens: ReadonlyArray<When> = ["before", "after"]

/** Ports that kill the worker at the first call of each of these steps; and the deaths so far. */
function crashes(points: ReadonlyArray<Point>) {
  const died: Array<string> = []
  const overridesByPoint = points.map(([step, when], n) => {
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
  const overrides: PortOverrides = {
    store: (store) =>
      overridesByPoint.reduce((inner, ports) => ports.store?.(inner) ?? inner, store),
    chain: (chain) =>
      overridesByPoint.reduce((inner, ports) => ports.chain?.(inner) ?? inner, chain),
    facilitator: (port) =>
      overridesByPoint.reduce((inner, ports) => ports.facilitator?.(inner) ?? inner, port),
    treasury: (port) =>
      overridesByPoint.reduce((inner, ports) => ports.treasury?.(inner) ?? inner, port),
  }
  return { overrides, died }
}

/** Pays one debt with a worker that dies, and continues with the same worker or another one. */
const paysOnce = (
  points: ReadonlyArray<Point>,
  continuesWith: "the same worker" | "another worker",
) => {
  const { overrides, died } = crashes(points)
  return withRefundHarness(({ signed }) =>
    Effect.gen(function* () {
      const debts = [yield* owed(0)]
      const first = yield* worker()
      // Long enough for all steps, too short for a lease to expire.
      yield* sweepFor(first, 30)
      const [left = "none"] = yield* statesOf(debts)
      ok(["queued", "signed", "broadcast", "confirmed"].includes(left), left)
      yield* sweepFor(
        continuesWith === "the same worker" ? first : yield* worker(),
        150 * (points.length + 1),
      )
      // A step before the first death does not run again.
      ok(died.length === points.length || died.length === 1 && points.length === 2)
      equal(yield* statesOf(debts), ["confirmed"])
      equal(yield* paidBack(debts), eachPaidOnce(debts))
      equal(new Set(signed.map(({ nonce }) => nonce)).size, 1)
      const { address: treasury } = yield* Treasury
      ok(signed.every(({ from, to }) => from === treasury && to === payer))
    }), overrides)
}

for (const step of Object.keys(steps)) {
  for (const when of whens) {
    for (const continuesWith of ["the same worker", "another worker"] as const) {
      test(`a worker that dies ${when} "${step}" refunds once (${continuesWith} continues)`, () =>
        paysOnce([[step, when]], continuesWith))
    }
    test(`a worker that dies ${when} "${step}" and then at any step refunds once`, () =>
      Effect.forEach(
        Object.keys(steps).flatMap((second) => whens.map((then) => [second, then] as const)),
        (second) => paysOnce([[step, when], second], "another worker"),
        { discard: true },
      ))
  }
}
