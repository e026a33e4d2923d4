/**
 * What a buyer can choose after "verified": a request that failed is refused before it is charged, and
 * each end without a charge takes a share of its payer, address, network or product.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { RateLimitUnavailable } from "../../../src/core/RateLimits.ts"
import { address } from "../../../src/payments/domain/payment.ts"
import { NotCharged } from "../../../src/payments/domain/failedSale.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { makeShares } from "../../../src/payments/sale/shares.ts"
import { test } from "../../support/effect.ts"
import { memoryRateLimits } from "../../support/memoryRateLimits.ts"
import {
  answering,
  buying,
  early,
  gatedWork,
  inMarket,
  outcomeText,
  passing,
  product,
  type Purchase,
  purchase,
  purchaseOf,
  refusing,
  replicaWith,
  startSeconds,
  stateOf,
  taken,
  type Work,
  workOf,
} from "../../support/payments/sales.ts"
import { nonce } from "../../support/payments/terms.ts"

const failing = workOf(refusing("venue_error"))
const computed = workOf(Effect.die("computed"))
const good = workOf(answering())

test("a request that failed after its payment is refused to the next buyer, who keeps the payment", () =>
  inMarket(Effect.gen(function* () {
    const bought = (n: number) =>
      purchase({ product: early, payer: n, authorization: { nonce: nonce(n) } })
    equal(yield* buying(yield* bought(0), failing), "RefundQueued: venue_error")
    const { spent } = yield* taken
    const second = yield* bought(1)
    equal(yield* buying(second, computed), "venue_error")
    equal([yield* taken].map(({ received }) => received), [spent])
    const other = { ...yield* bought(2), request: "another" }
    equal(yield* buying(other, good), "answer")
    yield* passing(60)
    equal(yield* buying(second, good), "answer")
  })))

/** A service with shares, as one on the database has. */
const withShares = (rateLimits = memoryRateLimits(), salesMax = 512) =>
  replicaWith({ rateLimits, salesMax })

const counting = (rateLimits = memoryRateLimits()) => Effect.map(withShares(rateLimits), buyingFrom)

const buyingFrom =
  ({ sell }: Payments["Service"]) => (bought: Purchase, work: Work, seconds: number) =>
    Effect.forkChild(Effect.map(Effect.result(sell(bought, work)), outcomeText)).pipe(
      Effect.tap(() => passing(seconds)),
      Effect.flatMap(Fiber.join),
    )

const nth = (n: number) => purchase({ authorization: { nonce: nonce(n) } })

const nthEarly = (n: number) => purchase({ product: early, authorization: { nonce: nonce(n) } })

test("limits that crash change no outcome of a sale", () =>
  inMarket(Effect.gen(function* () {
    const buy = yield* counting(memoryRateLimits(Effect.die("limits")))
    equal(yield* buy(yield* nthEarly(0), good, 5), "answer")
    equal(yield* buy(yield* nthEarly(1), failing, 5), "RefundQueued: venue_error")
    equal(yield* buy(yield* nth(2), workOf(answering("free", false)), 5), "free")
  })))

for (
  const [buying, work, state] of [
    [nthEarly(0), good, "answered"],
    [nthEarly(0), failing, "refund_due"],
    [nth(0), workOf(answering("free", false)), "released"],
  ] as const
) {
  test(`a payment is ${state} before slow limits keep a share of it`, () =>
    inMarket(Effect.gen(function* () {
      const buy = yield* counting(memoryRateLimits(Effect.sleep("1 minute")))
      const bought = yield* buying
      const sale = yield* Effect.forkChild(buy(bought, work, 5))
      yield* passing(5)
      equal(yield* stateOf(bought), state)
      yield* passing(60)
      yield* Fiber.join(sale)
    })))
}

for (const outcome of ["declined", "unknown"] as const) {
  test(`a payer whose settlements are ${outcome} and not proved is refused before the sixth is claimed`, () =>
    inMarket(Effect.gen(function* () {
      const buy = yield* Effect.provideService(counting(), Facilitator, {
        ...yield* Facilitator,
        settle: () => Effect.succeed({ outcome, reason: "insufficient_funds" }),
      })
      const ends: Array<string> = []
      for (let n = 0; n < 6; n++) ends.push(yield* buy(yield* nth(n), good, 5))
      equal(ends, [...Array(5).fill("Unresolved"), "rate_limited"])
      equal(yield* stateOf(yield* nth(5)), null)
    })))
}

test("a payer over eight sales at once keeps a share for each payment that is refused", () =>
  inMarket(Effect.gen(function* () {
    const payments = yield* withShares()
    const { began, open, work } = yield* gatedWork
    const held: Array<Fiber.Fiber<unknown>> = []
    for (let n = 0; n < 8; n++) {
      held.push(yield* Effect.forkChild(Effect.result(payments.sell(yield* nth(n), workOf(work)))))
    }
    yield* began
    const ninth = yield* nth(8)
    const ends: Array<string> = []
    for (let n = 0; n <= 30; n++) ends.push(yield* buyingFrom(payments)(ninth, computed, 0))
    equal(ends, [...Array(30).fill("overloaded"), "rate_limited"])
    yield* open
    yield* Fiber.joinAll(held)
    yield* passing(60)
    equal(yield* buyingFrom(payments)(ninth, good, 5), "answer")
  })))

test("a settlement that is not proved yet occupies no place for sales", () =>
  inMarket(Effect.gen(function* () {
    const facilitator = yield* Facilitator
    const first = yield* nth(0)
    const payments = yield* Effect.provideService(
      withShares(memoryRateLimits(), 1),
      Facilitator,
      {
        ...facilitator,
        settle: (request) =>
          request.signature === first.payment.signature
            ? Effect.succeed({ outcome: "unknown", reason: "timeout" })
            : facilitator.settle(request),
      },
    )
    const proving = yield* Effect.forkChild(Effect.result(payments.sell(first, good)))
    yield* passing(1)
    equal(yield* stateOf(first), "settling")
    const elsewhere = { ...yield* nth(1), client: { client: "198.51.100.1", site: null } }
    equal(yield* buyingFrom(payments)(elsewhere, good, 0), "answer")
    equal(yield* stateOf(first), "settling")
    yield* passing(5)
    equal(outcomeText(yield* Fiber.join(proving)), "Unresolved")
  })))

test("while the places for computing after payment are taken, no such payment is claimed", () =>
  inMarket(Effect.gen(function* () {
    const payments = yield* withShares(memoryRateLimits(), 1)
    const buy = buyingFrom(payments)
    const { began, open, work } = yield* gatedWork
    const first = yield* Effect.forkChild(payments.sell(yield* nthEarly(0), workOf(work)))
    yield* began
    const elsewhere = { client: { client: "198.51.100.1", site: null } }
    const second = { ...yield* nthEarly(1), ...elsewhere }
    equal(yield* buy(second, good, 5), "overloaded")
    equal(yield* stateOf(second), null)
    equal(yield* buy({ ...yield* nth(2), ...elsewhere }, good, 5), "answer")
    yield* open
    yield* Fiber.join(first)
    equal(yield* buy(second, good, 5), "answer")
  })))

test("sales that settle at the same time wait for a place to compute, and are answered or refunded", () =>
  inMarket(Effect.gen(function* () {
    const facilitator = yield* Facilitator
    const payments = yield* Effect.provideService(
      withShares(memoryRateLimits(), 2),
      Facilitator,
      {
        ...facilitator,
        settle: (request) => Effect.delay(facilitator.settle(request), "1 second"),
      },
    )
    const from = (n: number) => ({ client: { client: `198.51.100.${n}`, site: null } })
    const start = Effect.fnUntraced(function* (n: number, work: Work) {
      const bought = { ...yield* nthEarly(n), ...from(n) }
      return yield* Effect.forkChild(Effect.result(payments.sell(bought, work)))
    })
    const { began, open, work } = yield* gatedWork
    const first = yield* start(0, workOf(work))
    yield* passing(1)
    yield* began
    // Both find a place free, and only one of them gets it.
    const second = yield* start(1, workOf(Effect.never))
    const third = yield* start(2, good)
    yield* passing(5)
    equal([yield* stateOf(yield* nthEarly(1)), yield* stateOf(yield* nthEarly(2))], [
      "settled",
      "settled",
    ])
    yield* open
    yield* passing(5)
    equal(outcomeText(yield* Fiber.join(first)), "answer")
    equal(outcomeText(yield* Fiber.join(third)), "answer")
    yield* passing(60)
    equal(outcomeText(yield* Fiber.join(second)), "RefundQueued: upstream_timeout")
  })))

test("a payer is refused a settle-early sale after five of its answers were not fetched", () =>
  inMarket(Effect.gen(function* () {
    const payments = yield* withShares()
    const buy = buyingFrom(payments)
    const validBefore = BigInt(startSeconds + 3_600)
    const bought = (n: number, sold = early) =>
      purchase({ product: sold, authorization: { nonce: nonce(n), validBefore } })
    for (let n = 0; n < 5; n++) equal(yield* buy(yield* bought(n), good, 1), "answer")
    // It is fetched, so it does not count.
    const sixth = yield* Effect.forkChild(payments.sell(yield* bought(5), good))
    yield* passing(1)
    yield* payments.sent(yield* Fiber.join(sixth))
    yield* passing(600)
    equal([yield* payments.sweep, yield* stateOf(yield* bought(5))], [5, "answered"])
    equal(yield* buy(yield* bought(6), computed, 1), "rate_limited")
    equal(yield* stateOf(yield* bought(6)), null)
    equal(yield* buy(yield* bought(7, product), good, 1), "answer")
  })))

test("a payer is refused a settle-early sale after five answers failed, whatever he asked for", () =>
  inMarket(Effect.gen(function* () {
    const buy = yield* counting()
    const asking = (n: number) => Effect.map(nthEarly(n), (sold) => ({ ...sold, request: `r${n}` }))
    for (let n = 0; n < 5; n++) {
      equal(yield* buy(yield* asking(n), failing, 5), "RefundQueued: venue_error")
    }
    equal(yield* buy(yield* asking(5), computed, 5), "rate_limited")
    equal(yield* stateOf(yield* asking(5)), null)
  })))

test("a product is refused after 20 refunds, unless a sale of it was answered between them", () =>
  inMarket(Effect.gen(function* () {
    const asking = (n: number) =>
      Effect.map(
        purchase({ product: early, payer: n, authorization: { nonce: nonce(n) } }),
        (sold) => ({ ...sold, request: `r${n}`, client: { client: `client ${n}`, site: null } }),
      )
    for (const [works, last] of [[[], "payments_unavailable"], [[10], "answer"]] as const) {
      const buy = yield* counting()
      const first = works.length * 100
      for (let n = 0; n < 20 + works.length; n++) {
        const work = works.some((one) => one === n) ? good : failing
        yield* buy(yield* asking(first + n), work, 1)
      }
      equal(yield* buy(yield* asking(first + 50), good, 1), last)
    }
  })))

test("a payer who hung up on five paid answers is refused; a delivered one gives its share back, once", () =>
  inMarket(Effect.gen(function* () {
    const payments = yield* withShares()
    const buy = buyingFrom(payments)
    const secretly = (n: number) =>
      purchase({
        product: early,
        authorization: { nonce: nonce(n) },
        secret: `a-secret-of-16-chars-${n}`,
      })
    const hangUp = Effect.fnUntraced(function* (n: number) {
      const { began, open, work } = yield* gatedWork
      const call = yield* Effect.forkChild(payments.sell(yield* secretly(n), workOf(work)))
      yield* began
      yield* Fiber.interrupt(call)
      yield* open
      yield* passing(1)
      equal(yield* stateOf(yield* secretly(n)), "answered")
    })
    for (let n = 0; n < 5; n++) yield* hangUp(n)
    equal(yield* buy(yield* secretly(5), computed, 1), "rate_limited")
    equal(yield* stateOf(yield* secretly(5)), null)
    // Who hangs up on the stored answer, too, was given nothing back.
    const again = yield* payments.sell(yield* secretly(0), computed)
    equal(again.replayed, true)
    equal(yield* buy(yield* secretly(6), computed, 1), "rate_limited")
    yield* payments.sent(again)
    yield* payments.sent(again)
    yield* hangUp(7)
    equal(yield* buy(yield* secretly(8), computed, 1), "rate_limited")
  })))

test("a payer whose answers are not charged is refused before the 31st claim in a minute", () =>
  inMarket(Effect.gen(function* () {
    const buy = yield* counting()
    const free = workOf(answering("free", false))
    for (let n = 0; n < 30; n++) equal(yield* buy(yield* nth(n), free, 1), "free")
    equal(yield* buy(yield* nth(30), computed, 1), "rate_limited")
  })))

const failure = new NotCharged({ code: "venue_error", message: "Failed" })

/** The purchase n of a payer and a client. */
const of = (n: number, payer: number, client: number, site: string | null = null) =>
  purchaseOf({
    product: early,
    request: `request ${n}`,
    payment: {
      authorization: { from: address(`0x${payer.toString(16).padStart(40, "0")}`) },
    } as Partial<Payment> as Payment,
    client: { client: `client ${client}`, site },
  })
type Payment = Parameters<typeof purchaseOf>[0]["payment"]

const ofPayer = (n: number) => of(n, 1, n)
const ofAddress = (n: number) => of(n, n, 1)
const ofNetwork = (n: number) => of(n, n, n, "net")

for (
  const [kind, holder, count, minutes, purchaseBy, code] of [
    ["unpaid", "payer", 30, 1, ofPayer, "rate_limited"],
    ["unsettled", "payer", 5, 10, ofPayer, "rate_limited"],
    ["unsettled", "address", 20, 10, ofAddress, "rate_limited"],
    ["unsettled", "network", 80, 10, ofNetwork, "rate_limited"],
    ["refunded", "payer", 5, 60, ofPayer, "rate_limited"],
    ["refunded", "address", 10, 60, ofAddress, "rate_limited"],
    ["refunded", "network", 40, 60, ofNetwork, "rate_limited"],
    ["refunded", "product", 20, 60, (n: number) => of(n, n, n), "payments_unavailable"],
  ] as const
) {
  test(`one ${holder} has ${count} ${kind} shares in ${minutes} minutes, over two replicas`, function* () {
    const limits = memoryRateLimits()
    const clock = yield* Clock.Clock
    const [one, two] = [makeShares(limits, clock), makeShares(limits, clock)]
    const isProduct = holder === "product"
    const refusedBy = (shares: typeof one, n: number) => shares.refusal(purchaseBy(n))?.code ?? null
    for (let n = 1; n <= count; n++) {
      equal([refusedBy(one, 0), refusedBy(two, 0)], [null, null])
      yield* (n % 2 === 0 ? one : two).keep(kind, purchaseBy(n))
      if (!isProduct) yield* Effect.forEach([1, 2], () => one.answered(of(500 + n, 500, 500)))
    }
    yield* Effect.forEach([one, two], (shares) => shares.keep(kind, purchaseBy(999)))
    equal([refusedBy(one, 0), refusedBy(two, 0)], [code, code])
    if (!isProduct) equal(one.refusal(of(98, 98, 98, "elsewhere")), null)
    if (kind === "refunded") {
      const first = { ...purchaseBy(0), product }
      equal(one.refusal(first), null, "a compute-first sale cannot be refunded so")
    }
    if (isProduct) {
      yield* one.answered(of(700, 700, 700))
      equal(refusedBy(one, 0), null)
    }
    yield* TestClock.adjust(minutes * 60_000)
    equal([refusedBy(one, 0), refusedBy(two, 0)], [null, null])
  })
}

test("a failed request stops being refused when it is answered, and limits that fail keep no share", function* () {
  const fails = Effect.fail(new RateLimitUnavailable())
  const shares = makeShares(memoryRateLimits(fails), yield* Clock.Clock)
  yield* shares.refunded(of(1, 1, 1), failure)
  equal(shares.refusal(of(1, 2, 2))?.code, "venue_error")
  yield* shares.answered(of(1, 3, 3))
  equal(shares.refusal(of(1, 2, 2)), null)
})
