/**
 * The scan for transfers: every transfer to us is matched with its payment, or refunded.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Duration, Effect, Fiber, Logger, Option } from "effect"
import { Chain } from "../../src/payments/Chain.ts"
import { Ledger } from "../../src/payments/simulated/ledger.ts"
import { address, type PaymentState } from "../../src/payments/domain/payment.ts"
import type { PaymentRecord } from "../support/payments/record.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import type { Purchase } from "../../src/payments/purchase.ts"
import { Payments } from "../../src/payments/Payments.ts"
import { Signatures } from "../../src/payments/Signatures.ts"
import { test } from "../support/effect.ts"
import {
  answering,
  buying,
  early,
  heldSale,
  inMarket,
  memoryStoreWith,
  passing,
  product,
  purchase,
  replica,
  rowOf,
  startSeconds,
  stateOf,
  storeClaimed,
  storeReleased,
  useNonce,
  workOf,
} from "../support/payments/sales.ts"
import { nonce, terms, token } from "../support/payments/terms.ts"

const { price } = product
const payTo = address(terms.payTo)
const account = { chainId: token.chainId, asset: token.asset, payTo }
const secret = "a-secret-of-16-chars"
const neverComputed = workOf(Effect.die("computed for a payment that is refunded"))

/** The time of a block, in seconds after the start. */
const blockTimeAt = (seconds: number) => BigInt(startSeconds + seconds)

/** The n-th transfer to us without a payment that was sent. */
const unmatchedTransfer = (n: number, blockTime: bigint, value: bigint = price) =>
  Effect.flatMap(
    purchase({ authorization: { nonce: nonce(n) } }),
    (bought) => Effect.as(useNonce(bought, value, blockTime), bought),
  )

/** The state of a payment and its refund. */
const refundFieldsOf = (row: PaymentRecord | null) => [
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
    const before = yield* unmatchedTransfer(0, blockTimeAt(-60))
    equal([yield* scan, yield* stateOf(before)], [0, null])
    const from = Option.getOrThrow(yield* store.scanned(account))
    const after = yield* unmatchedTransfer(1, blockTimeAt(0))
    yield* passing(60)
    equal([yield* scan, yield* stateOf(after)], [1, "refund_due"])
    // Scans overlap, but never read blocks from before the first scan.
    equal([yield* scan, yield* stateOf(before)], [0, null])
    const scanned = Option.getOrThrow(yield* store.scanned(account))
    equal([scanned.after, scanned.through > from.through], [from.after, true])
  })))

test("a transfer that a node did not return at first is found by the next scan", () =>
  inMarket(Effect.gen(function* () {
    const chain = yield* Chain
    let isBehind = true
    const transfers: typeof chain.transfers = (query) =>
      Effect.map(
        chain.transfers(query),
        (read) => isBehind ? { ...read, transfers: [] } : read,
      )
    const { scan } = yield* replica.pipe(Effect.provideService(Chain, { ...chain, transfers }))
    yield* scan
    yield* unmatchedTransfer(0, blockTimeAt(0))
    yield* passing(60)
    equal(yield* scan, 0)
    isBehind = false
    equal(yield* scan, 1)
  })))

test("a settled payment whose answer is computed is not owed", () =>
  inMarket(Effect.gen(function* () {
    const { scan } = yield* Payments
    yield* scan
    const bought = yield* purchase({ product: early, secret })
    const { end } = yield* heldSale(bought)
    yield* passing(50)
    equal([yield* stateOf(bought), yield* scan, yield* stateOf(bought)], ["settled", 0, "settled"])
    equal([yield* end, yield* stateOf(bought)], ["answer", "answered"])
  })))

test("a transfer without a row is inserted as refund_due once, across scans and replicas", () =>
  inMarket(Effect.gen(function* () {
    const { scan } = yield* Payments
    const otherReplica = yield* replica
    equal([yield* scan, yield* otherReplica.scan], [0, 0])
    const unmatched = yield* Effect.forEach([0, 1, 2], (n) => unmatchedTransfer(n, blockTimeAt(n)))
    yield* passing(60)
    const found = yield* Effect.all([scan, otherReplica.scan], { concurrency: "unbounded" })
    equal(found[0] + found[1], 3)
    for (const transfer of unmatched) {
      const row = yield* rowOf(transfer)
      equal(refundFieldsOf(row), ["refund_due", "queued", "unmatched_transfer", price, "safe"])
      equal(row?.authorization.from, transfer.payment.authorization.from)
    }
    equal(yield* scan, 0)
  })))

test("a payment that its buyer settled before sending it is refunded, and the response says so", () =>
  inMarket(Effect.gen(function* () {
    const { scan, sell } = yield* Payments
    yield* scan
    for (const [n, sold] of [product, early].entries()) {
      const bought = yield* purchase({ product: sold, authorization: { nonce: nonce(n) }, secret })
      yield* useNonce(bought, sold.price, blockTimeAt(60 * n))
      yield* passing(60)
      equal(yield* scan, 1)
      const refused = yield* Effect.flip(sell(bought, neverComputed))
      equal(refused._tag === "NotCharged" && [refused.code, refused.taken, refused.refund?.to], [
        "payment_refunded",
        true,
        bought.payment.authorization.from,
      ])
      // It is bound to no request: a copy with another request gets the same answer.
      equal(yield* buying({ ...bought, request: "another" }, neverComputed), "payment_refunded")
    }
  })))

for (const sold of [product, early]) {
  for (const [state, reason] of [["released", "paid_undelivered"], ["void", "paid_after_void"]]) {
    const errorsLogged = state === "void" ? 1 : 0
    test(`a ${state} ${sold.settlementOrder} payment that was paid is owed, with ${errorsLogged} errors logged`, () => {
      const errors: Array<string> = []
      const logger = Logger.layer([Logger.make(({ logLevel, message }) => {
        if (logLevel === "Error") errors.push(String(message))
      })])
      return inMarket(Effect.gen(function* () {
        const { scan, sweepReleased: sweep } = yield* Payments
        yield* scan
        const bought = yield* purchase({ product: sold, secret })
        yield* storeReleased(bought)
        if (state === "void") {
          yield* passing(130)
          equal([yield* sweep, yield* stateOf(bought)], [1, "void"])
        }
        // After a reorganisation of the chain: a transfer in a block that did not exist before.
        yield* useNonce(bought, price, blockTimeAt(state === "void" ? 140 : 5))
        yield* passing(60)
        equal([errors.length, yield* scan, errors.length], [0, 1, errorsLogged])
        const row = yield* rowOf(bought)
        equal(refundFieldsOf(row), ["refund_due", "queued", reason, price, "safe"])
        equal(yield* buying(bought, neverComputed), "payment_refunded")
        equal(yield* scan, 0)
      })).pipe(Effect.provide(logger))
    })
  }
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
            secret: `${secret}-${n}`,
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

test("a transfer of another amount is owed however long its payment was in progress", () =>
  inMarket(Effect.gen(function* () {
    const { scan } = yield* Payments
    const store = yield* PaymentStore
    yield* scan
    const bought = yield* purchase({ secret })
    const claimed = yield* storeClaimed(bought, Duration.hours(2))
    yield* useNonce(bought, price - 1n, blockTimeAt(5))
    for (const seconds of [60, 3_600]) {
      yield* passing(seconds)
      equal([yield* scan, yield* stateOf(bought)], [0, "claimed"])
    }
    yield* store.move(claimed, { event: "release", reason: "internal_error" })
    const before = Option.getOrThrow(yield* store.scanned(account)).through
    equal([yield* scan, (yield* rowOf(bought))?.paidAmount], [1, price - 1n])
    equal(Option.getOrThrow(yield* store.scanned(account)).through > before + 1_000n, true)
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
      ...{ transaction: "0xcc", blockTime: blockTimeAt(5) },
    })
    const transfer = yield* unmatchedTransfer(2, blockTimeAt(6))
    yield* passing(60)
    equal([yield* scan, yield* stateOf(transfer)], [1, "refund_due"])
    const { paymentId } = yield* Signatures
    equal(yield* store.find(paymentId({ ...token, ...own })), Option.none())
  })))

test("a payment that is answered during the scan stays answered", () => {
  const outdatedStates = memoryStoreWith(() => ({
    states: (ids) => Effect.succeed(new Map(ids.map((id) => [id, "unresolved" as const]))),
  }))
  return inMarket(
    Effect.gen(function* () {
      const { scan } = yield* Payments
      yield* scan
      for (const work of [workOf(answering()), workOf(Effect.die("computed again"))]) {
        const bought = yield* purchase({ secret })
        yield* buying(bought, work)
        yield* passing(60)
        equal([yield* scan, yield* stateOf(bought)], [0, "answered"])
      }
    }),
    {},
    outdatedStates,
  )
})

/**
 * The memory store, which fails once at one call of a scan, before or after the call takes effect.
 */
const storeFailingOnce = (
  at: "find" | "insertUnmatched" | "move" | "saveScannedThrough",
  when: "before" | "after",
) => {
  const failures = { left: 0 }
  const around = <A>(call: string, effect: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.suspend(() => {
      if (call !== at || failures.left-- <= 0) return effect
      const failure = Effect.die(`The store failed ${when} ${at}`)
      return when === "before" ? failure : Effect.andThen(effect, failure)
    })
  const layer = memoryStoreWith((store) => ({
    find: (...args) => around("find", store.find(...args)),
    insertUnmatched: (...args) => around("insertUnmatched", store.insertUnmatched(...args)),
    move: (...args) => around("move", store.move(...args)),
    saveScannedThrough: (...args) =>
      around("saveScannedThrough", store.saveScannedThrough(...args)),
  }))
  return { layer, arm: () => failures.left = 1 }
}

for (const at of ["find", "insertUnmatched", "move", "saveScannedThrough"] as const) {
  for (const when of ["before", "after"] as const) {
    test(`a scan whose store fails ${when} ${at} loses nothing: the next scan matches everything`, () => {
      const { layer, arm } = storeFailingOnce(at, when)
      return inMarket(
        Effect.gen(function* () {
          const { scan } = yield* Payments
          const store = yield* PaymentStore
          yield* scan
          const released = yield* purchase({ authorization: { nonce: nonce(9) } })
          yield* storeReleased(released)
          yield* useNonce(released, price, blockTimeAt(5))
          const unmatched = yield* Effect.forEach(
            [0, 1, 2, 3, 4, 5],
            (n) => unmatchedTransfer(n, blockTimeAt(6 + n)),
          )
          yield* passing(60)
          const before = yield* store.scanned(account)
          arm()
          equal((yield* Effect.exit(scan))._tag, "Failure")
          // The cursor passes only blocks whose transfers are all matched.
          if (at !== "saveScannedThrough") equal(yield* store.scanned(account), before)
          yield* scan
          const bought: ReadonlyArray<Purchase> = [released, ...unmatched]
          const states = yield* Effect.forEach(bought, stateOf)
          equal(new Set(states), new Set(["refund_due"]))
        }),
        {},
        layer,
      )
    })
  }
}

for (const fault of ["down", "silent"] as const) {
  test(`a chain that is ${fault} fails the scan within its time limit, and nothing is skipped`, () => {
    let down = false
    return inMarket(
      Effect.gen(function* () {
        const { scan } = yield* Payments
        yield* scan
        const transfer = yield* unmatchedTransfer(0, blockTimeAt(0))
        yield* passing(60)
        down = true
        const scanning = yield* Effect.forkChild(Effect.flip(scan))
        yield* passing(60)
        equal(
          scanning.pollUnsafe() === undefined ? "hangs" : (yield* Fiber.join(scanning))._tag,
          "ChainUnavailable",
        )
        down = false
        equal([yield* scan, yield* stateOf(transfer)], [1, "refund_due"])
      }),
      fault === "down" ? { chainDown: () => down } : { chainSilent: () => down },
    )
  })
}
