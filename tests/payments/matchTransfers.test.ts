/**
 * The last safety net: whatever reaches us on the chain is matched with its row, or owed back.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect, Fiber, Layer, Logger, Option } from "effect"
import { Ledger } from "../../src/payments/simulated/ledger.ts"
import {
  address,
  type PaymentRecord,
  type PaymentState,
} from "../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import type { Purchase, Work } from "../../src/payments/sale/sale.ts"
import { NotCharged } from "../../src/payments/domain/failedSale.ts"
import { Payments } from "../../src/payments/Payments.ts"
import { Signatures } from "../../src/payments/Signatures.ts"
import { test } from "../support/effect.ts"
import { memoryPaymentStore } from "../support/payments/memoryPayments.ts"
import {
  answering,
  buying,
  early,
  inMarket,
  passing,
  product,
  purchase,
  replica,
  rowOf,
  startSeconds,
  stateOf,
  useNonce,
  workOf,
} from "../support/payments/sales.ts"
import { nonce, terms, token } from "../support/payments/terms.ts"

const { price } = product
const payTo = address(terms.payTo)
const account = { chainId: token.chainId, asset: token.asset, payTo }
const secret = "a-secret-of-16-chars"
const unasked = workOf(Effect.die("computed for a payment that is owed back"))
/** Refuses before anything is settled, in either order: the payment is released. */
const worthless: Work = {
  check: Effect.fail(new NotCharged({ code: "market_not_found", message: "There is none" })),
  compute: answering("nothing", false),
}

/** A block that is young enough not to have been read yet. */
const fresh = (seconds: number) => BigInt(startSeconds + seconds)

/** The n-th transfer to us whose payment we never received. */
const unknownTransfer = (n: number, blockTime: bigint, value: bigint = price) =>
  Effect.flatMap(
    purchase({ authorization: { nonce: nonce(n) } }),
    (bought) => Effect.as(useNonce(bought, value, blockTime), bought),
  )

/** What a row says that is owed back. */
const owed = (row: PaymentRecord | null) => [
  row?.state,
  row?.refund?.state,
  row?.refund?.reason,
  row?.amount,
  row?.paidAt?.finality,
]

test("the first scan reads nothing, and the next one continues from its block", () =>
  inMarket(Effect.gen(function* () {
    const { scan } = yield* Payments
    const store = yield* PaymentStore
    const before = yield* unknownTransfer(0, fresh(-60))
    equal([yield* scan, yield* stateOf(before)], [0, null])
    const from = Option.getOrThrow(yield* store.scanned(account))
    const after = yield* unknownTransfer(1, fresh(0))
    yield* passing(60)
    equal([yield* scan, yield* stateOf(after)], [1, "refund_due"])
    // A little is read twice, but nothing from before the first scan.
    equal([yield* scan, yield* stateOf(before)], [0, null])
    const scanned = Option.getOrThrow(yield* store.scanned(account))
    equal([scanned.after, scanned.through > from.through], [from.after, true])
  })))

test("a transfer without a row is inserted as refund_due once, across scans and replicas", () =>
  inMarket(Effect.gen(function* () {
    const { scan } = yield* Payments
    const there = yield* replica
    equal([yield* scan, yield* there.scan], [0, 0])
    const orphans = yield* Effect.forEach([0, 1, 2], (n) => unknownTransfer(n, fresh(n)))
    yield* passing(60)
    const found = yield* Effect.all([scan, there.scan], { concurrency: "unbounded" })
    equal(found[0] + found[1], 3)
    for (const unmatched of orphans) {
      const row = yield* rowOf(unmatched)
      equal(owed(row), ["refund_due", "queued", "orphan", price, "safe"])
      equal(row?.authorization.from, unmatched.payment.authorization.from)
    }
    equal(yield* scan, 0)
  })))

test("a payment that its buyer settled before sending it is refunded, and the response says so", () =>
  inMarket(Effect.gen(function* () {
    const { scan, sell } = yield* Payments
    yield* scan
    for (const [n, sold] of [product, early].entries()) {
      const bought = yield* purchase({ product: sold, authorization: { nonce: nonce(n) }, secret })
      yield* useNonce(bought, sold.price, fresh(60 * n))
      yield* passing(60)
      equal(yield* scan, 1)
      const refused = yield* Effect.flip(sell(bought, unasked))
      equal(refused._tag === "NotCharged" && [refused.code, refused.taken, refused.refund?.to], [
        "payment_refunded",
        true,
        bought.payment.authorization.from,
      ])
      // It is bound to no request, so its signer may send it with any.
      equal(yield* buying({ ...bought, request: "another" }, unasked), "payment_refunded")
    }
  })))

test("a payment that its buyer settled before sending it is refunded even before a scan", () =>
  inMarket(Effect.gen(function* () {
    const { scan } = yield* Payments
    yield* scan
    const bought = yield* purchase({ product: early, secret })
    yield* useNonce(bought, price, fresh(0))
    equal(yield* buying(bought, unasked), "payment_required")
    equal(yield* stateOf(bought), "released")
    yield* passing(60)
    equal([yield* scan, yield* buying(bought, unasked)], [1, "payment_refunded"])
  })))

for (const sold of [product, early]) {
  test(`a released payment sold ${sold.settlementOrder} that was paid is owed at once`, () =>
    inMarket(Effect.gen(function* () {
      const { scan } = yield* Payments
      yield* scan
      const bought = yield* purchase({ product: sold, secret })
      yield* buying(bought, worthless)
      equal(yield* stateOf(bought), "released")
      yield* useNonce(bought, price, fresh(5))
      yield* passing(30)
      equal(yield* scan, 1)
      equal(owed(yield* rowOf(bought)), ["refund_due", "queued", "paid_undelivered", price, "safe"])
      equal(yield* buying(bought, unasked), "payment_refunded")
      equal(yield* scan, 0)
    })))

  test(`a void payment sold ${sold.settlementOrder} that was paid is owed, and an error is logged`, () => {
    const errors: Array<string> = []
    const alarm = Logger.layer([Logger.make(({ logLevel, message }) => {
      if (logLevel === "Error") errors.push(String(message))
    })])
    return inMarket(Effect.gen(function* () {
      const { scan, sweep } = yield* Payments
      yield* scan
      const bought = yield* purchase({ product: sold, secret })
      yield* buying(bought, worthless)
      yield* passing(130)
      equal([yield* sweep, yield* stateOf(bought)], [1, "void"])
      // A chain that took back its word: the transfer stands in a block that was not there before.
      yield* useNonce(bought, price, fresh(140))
      yield* passing(60)
      equal(errors, [])
      equal(yield* scan, 1)
      equal(errors.length, 1)
      equal(owed(yield* rowOf(bought)), ["refund_due", "queued", "paid_after_void", price, "safe"])
    })).pipe(Effect.provide(alarm))
  })
}

test("the scan does not change a payment that is delivered, in progress or already owed", () =>
  inMarket(
    Effect.gen(function* () {
      const { scan } = yield* Payments
      yield* scan
      const states: Array<PaymentState | null> = []
      const bought = yield* Effect.forEach(
        [0, 1, 2],
        (n) =>
          purchase({
            product: n === 1 ? early : product,
            authorization: { nonce: nonce(n) },
            secret,
          }),
      )
      for (const [n, one] of bought.entries()) {
        yield* buying(one, n === 1 ? workOf(Effect.die("a bug")) : workOf(answering()))
        states.push(yield* stateOf(one))
      }
      equal(states, ["answered", "refund_due", "answered"])
      yield* passing(60)
      equal(yield* scan, 0)
      equal(yield* Effect.forEach(bought, stateOf), states)
    }),
  ))

test("an unresolved compute-first payment that was paid is answered", () => {
  let down = false
  return inMarket(
    Effect.gen(function* () {
      const { scan } = yield* Payments
      yield* scan
      const bought = yield* purchase({ secret })
      equal(yield* buying(bought, workOf(answering())), "Unresolved")
      down = false
      yield* passing(60)
      equal([yield* scan, yield* stateOf(bought)], [1, "answered"])
    }),
    { chainDown: () => down, misbehave: (call) => (down = call === "settle", null) },
  )
})

test("a transfer of another amount with a payment's nonce is owed with that amount", () =>
  inMarket(Effect.gen(function* () {
    const { scan } = yield* Payments
    yield* scan
    const bought = yield* purchase({ secret })
    yield* buying(bought, worthless)
    yield* useNonce(bought, price - 1n, fresh(5))
    yield* passing(60)
    equal([yield* scan, yield* stateOf(bought)], [1, "refund_due"])
    const row = yield* rowOf(bought)
    equal([row?.amount, row?.paidAmount, row?.refund?.state], [price, price - 1n, "queued"])
    equal(yield* scan, 0)
  })))

test("a transfer from us to ourselves is not a payment, and the scan continues", () =>
  inMarket(Effect.gen(function* () {
    const { scan } = yield* Payments
    const store = yield* PaymentStore
    yield* scan
    const ledger = yield* Ledger
    const own = { asset: token.asset, from: payTo, nonce: nonce(1) }
    yield* ledger.transfer({
      ...{ ...own, to: payTo, value: price },
      ...{ transaction: "0xcc", blockTime: fresh(5) },
    })
    const unmatched = yield* unknownTransfer(2, fresh(6))
    yield* passing(60)
    equal([yield* scan, yield* stateOf(unmatched)], [1, "refund_due"])
    const { paymentId } = yield* Signatures
    equal(yield* store.find(paymentId({ ...token, ...own })), Option.none())
  })))

test("a payment that is answered during the scan stays answered", () => {
  const late = Layer.effect(
    PaymentStore,
    Effect.map(PaymentStore, (store) =>
      PaymentStore.of({
        ...store,
        states: (ids) => Effect.succeed(new Map(ids.map((id) => [id, "unresolved" as const]))),
      })),
  ).pipe(Layer.provide(memoryPaymentStore))
  return inMarket(
    Effect.gen(function* () {
      const { scan } = yield* Payments
      yield* scan
      for (const order of [workOf(answering()), worthless]) {
        const bought = yield* purchase({ secret })
        yield* buying(bought, order)
        yield* passing(60)
        equal([yield* scan, yield* stateOf(bought)], [0, "answered"])
      }
    }),
    {},
    late,
  )
})

/** The memory store, dying at one question of a scan, before or after it has done it. */
const dyingOnce = (
  at: "find" | "insertUnmatched" | "move" | "saveScannedThrough",
  when: "before" | "after",
) => {
  const left = { deaths: 0 }
  const around = <A>(question: string, effect: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.suspend(() => {
      if (question !== at || left.deaths-- <= 0) return effect
      const death = Effect.die(`The store died ${when} ${at}`)
      return when === "before" ? death : Effect.andThen(effect, death)
    })
  const layer = Layer.effect(
    PaymentStore,
    Effect.map(PaymentStore, (store) =>
      PaymentStore.of({
        ...store,
        find: (...args) => around("find", store.find(...args)),
        insertUnmatched: (...args) => around("insertUnmatched", store.insertUnmatched(...args)),
        move: (...args) => around("move", store.move(...args)),
        saveScannedThrough: (...args) =>
          around("saveScannedThrough", store.saveScannedThrough(...args)),
      })),
  ).pipe(Layer.provide(memoryPaymentStore))
  return { layer, arm: () => left.deaths = 1 }
}

for (const at of ["find", "insertUnmatched", "move", "saveScannedThrough"] as const) {
  for (const when of ["before", "after"] as const) {
    test(`a scan whose store dies ${when} ${at} loses nothing: the next scan matches everything`, () => {
      const { layer, arm } = dyingOnce(at, when)
      return inMarket(
        Effect.gen(function* () {
          const { scan } = yield* Payments
          const store = yield* PaymentStore
          yield* scan
          const released = yield* purchase({ authorization: { nonce: nonce(9) } })
          yield* buying(released, worthless)
          yield* useNonce(released, price, fresh(5))
          const orphans = yield* Effect.forEach(
            [0, 1, 2, 3, 4, 5],
            (n) => unknownTransfer(n, fresh(6 + n)),
          )
          yield* passing(60)
          const before = yield* store.scanned(account)
          arm()
          equal((yield* Effect.exit(scan))._tag, "Failure")
          // Only what was matched whole may be left behind.
          if (at !== "saveScannedThrough") equal(yield* store.scanned(account), before)
          yield* scan
          const bought: ReadonlyArray<Purchase> = [released, ...orphans]
          const states = yield* Effect.forEach(bought, stateOf)
          equal(new Set(states), new Set(["refund_due"]))
        }),
        {},
        layer,
      )
    })
  }
}

for (const trouble of ["down", "silent"] as const) {
  test(`a chain that is ${trouble} fails the scan within its time limit, and nothing is skipped`, () => {
    let down = false
    return inMarket(
      Effect.gen(function* () {
        const { scan } = yield* Payments
        yield* scan
        const unmatched = yield* unknownTransfer(0, fresh(0))
        yield* passing(60)
        down = true
        const scanning = yield* Effect.forkChild(Effect.flip(scan))
        yield* passing(60)
        equal(
          scanning.pollUnsafe() === undefined ? "hangs" : (yield* Fiber.join(scanning))._tag,
          "ChainUnavailable",
        )
        down = false
        equal([yield* scan, yield* stateOf(unmatched)], [1, "refund_due"])
      }),
      trouble === "down" ? { chainDown: () => down } : { chainSilent: () => down },
    )
  })
}
