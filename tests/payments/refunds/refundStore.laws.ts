/**
 * The laws of the `RefundStore` port.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect, Exit, Option, Result } from "effect"
import {
  type Address,
  address,
  Bytes32,
  type PaidAt,
  Signature,
} from "../../../src/payments/domain/payment.ts"
import {
  type QueueName,
  type Refund,
  type RefundSignature,
  type RefundState,
  refundStateAfter,
  refundStates,
} from "../../../src/payments/domain/refund.ts"
import { RefundQueue } from "../../../src/payments/refunds/Refunds.ts"
import {
  type RefundMove,
  RefundStore,
  type RefundVersion,
} from "../../../src/payments/refunds/RefundStore.ts"
import { type Debt, Debts } from "../../support/payments/memoryRefunds.ts"
import { nonce } from "../../support/payments/terms.ts"
import { ticket } from "../paymentStore.laws.ts"
import { refundMoves } from "../../support/payments/moves.ts"

export type RefundLaw = readonly [
  name: string,
  body: Effect.Effect<void, never, RefundStore | RefundQueue | Debts>,
]

export const lease = Duration.seconds(60)
const spent = Duration.millis(-1_000)
const now = Duration.zero
const later = Duration.hours(1)
export const treasury = address(`0x${"7e".repeat(20)}`)
export const noCaps = { perHour: 10n ** 12n, perDay: 10n ** 12n }
const at: PaidAt = { transaction: `0x${"aa".repeat(32)}`, block: 9n, logIndex: 4, finality: "safe" }

/** The debt of the n-th ticket. */
export function debt(n: number): Debt {
  const { paymentId, token, authorization: { from, to, nonce, validBefore }, amount } = ticket(n)
  return {
    ...{ paymentId, chainId: token.chainId, asset: token.asset, payer: from, payTo: to, amount },
    ...{ paymentNonce: nonce, paymentValidBefore: validBefore, paidTransaction: "0xaa" },
  }
}

export function signature(n: number, validBefore = 600n): RefundSignature {
  return {
    ...{ treasury, nonce: Bytes32.make(nonce(1_000 + n)), validBefore },
    signature: Signature.make(`0x${validBefore.toString(16).padStart(130, "0")}`),
  }
}

export const moveOf: { readonly [E in RefundMove["event"]]: (n: number) => RefundMove } = {
  broadcast: () => ({ event: "broadcast", transactionHint: "0xbb", retryAfter: now }),
  confirm: (n) => ({ event: "confirm", treasury, nonce: signature(n).nonce, at }),
  cancel: () => ({ event: "cancel", reason: "expired" }),
  require_review: () => ({ event: "require_review", reason: "test", retryAfter: now }),
  postpone: () => ({ event: "postpone", reason: "test", retryAfter: now, declined: false }),
}

/** Claims due refunds; dies when a row is unreadable. */
const claimDue = (lease: Duration.Duration, limit: number, queue: QueueName = "sales") =>
  RefundStore.pipe(
    Effect.flatMap((store) => store.claimDue(queue, lease, limit)),
    Effect.map((due) => due.map(Result.getOrThrow)),
  )

/** Claims the n-th refund. */
export const claimed = Effect.fnUntraced(function* (n: number) {
  const due = yield* claimDue(lease, 100)
  const found = due.find(({ paymentId }) => paymentId === debt(n).paymentId)
  return found ?? (yield* Effect.die(`refund ${n} is not due`))
})

const totals = Effect.flatMap(RefundQueue, (queue) => queue.totals)
const owe = (n: number, changes: Partial<Debt> = {}) =>
  Effect.flatMap(Debts, ({ owe }) => owe({ ...debt(n), ...changes }))
const read = (n: number) => Effect.flatMap(Debts, ({ read }) => read(debt(n).paymentId))

const signed = Effect.fnUntraced(function* (n: number, refund: Refund) {
  const store = yield* RefundStore
  const until = (refund.signed?.validBefore ?? 0n) + 600n
  equal(yield* store.sign(refund, signature(n, until), noCaps), "signed")
  return { ...refund, signed: signature(n, until), state: "signed" as const }
})

type EndedRefund = RefundVersion & Omit<Refund, "state" | "signed">

/** Moves the n-th refund to a state, and claims it when the state has a lease. */
export const refundIn: {
  readonly [S in RefundState]: (
    n: number,
  ) => Effect.Effect<
    S extends Refund["state"] ? Refund : EndedRefund,
    never,
    RefundStore | Debts
  >
} = (() => {
  const queued = (n: number) => Effect.andThen(owe(n), claimed(n))
  const moved = (event: RefundMove["event"], from: typeof queued) =>
    Effect.fnUntraced(function* (n: number) {
      const store = yield* RefundStore
      const refund = yield* from(n)
      ok(yield* store.move(refund, moveOf[event](n)))
      return refund
    })
  const signing = (n: number) => Effect.flatMap(queued(n), (refund) => signed(n, refund))
  const open = (from: typeof queued) => (n: number) => Effect.andThen(from(n), claimed(n))
  const ended = (event: "confirm" | "cancel", from: typeof queued) => (n: number) =>
    Effect.map(moved(event, from)(n), (refund) => ({ ...refund, state: refundStateAfter[event] }))
  const needsReview = open(moved("require_review", queued))
  const byHand = Effect.fnUntraced(function* (n: number) {
    const refund = yield* needsReview(n)
    yield* Effect.flatMap(Debts, ({ review }) => review(refund.paymentId, "settle"))
    return { ...refund, fence: refund.fence + 1, state: "settled_by_hand" as const }
  })
  return {
    queued,
    signed: signing,
    broadcast: open(moved("broadcast", signing)),
    confirmed: ended("confirm", signing),
    cancelled: ended("cancel", queued),
    needs_review: needsReview,
    settled_by_hand: byHand,
  }
})()

export const refundLaws: ReadonlyArray<RefundLaw> = [
  [
    "claimDue() leases each refund to one of many concurrent callers, with all its fields",
    Effect.gen(function* () {
      for (let n = 0; n < 8; n++) yield* owe(n)
      const claims = yield* Effect.all(
        Array.from({ length: 12 }, () => claimDue(lease, 1)),
        { concurrency: "unbounded" },
      )
      const refunds = claims.flat()
      equal(
        refunds.map(({ paymentId }) => paymentId).sort(),
        range(8).map((n) => debt(n).paymentId),
      )
      const [first] = refunds.filter(({ paymentId }) => paymentId === debt(0).paymentId)
      const claimed = first ?? (yield* Effect.die("nothing"))
      const unapproved = { queue: "sales", amountApproved: false }
      const fresh = { state: "queued", fence: 1, attempts: 0, signed: null }
      for (const [key, value] of Object.entries({ ...debt(0), ...fresh, ...unapproved })) {
        equal(claimed[key as keyof typeof claimed], value, key)
      }
      equal([claimed.transactionHint, claimed.lastReason], [null, null])
    }),
  ],
  [
    "claimDue() skips refunds that are leased, not due or final, and claims those with an expired lease",
    Effect.gen(function* () {
      const store = yield* RefundStore
      yield* refundIn.confirmed(0)
      yield* refundIn.cancelled(1)
      const waiting = yield* refundIn.queued(2)
      yield* store.move(waiting, {
        event: "postpone",
        reason: "x",
        retryAfter: later,
        declined: false,
      })
      yield* refundIn.queued(3)
      equal(yield* claimDue(lease, 10), [])
      yield* owe(4)
      equal((yield* claimDue(spent, 10)).map(({ fence }) => fence), [1])
      equal((yield* claimDue(lease, 10)).map(({ fence }) => fence), [2])
      const refund = yield* refundIn.needs_review(5)
      equal([refund.state, refund.lastReason], ["needs_review", "test"])
    }),
  ],
  [
    "claimDue() returns the longest due first, up to the limit",
    Effect.gen(function* () {
      const store = yield* RefundStore
      for (const n of [0, 1, 2]) yield* owe(n)
      const dues = [30, 10, 20]
      for (const refund of yield* claimDue(lease, 10)) {
        const seconds = dues[range(3).findIndex((n) => debt(n).paymentId === refund.paymentId)] ?? 0
        const again = Duration.seconds(-seconds)
        yield* store.move(refund, {
          event: "postpone",
          reason: "x",
          retryAfter: again,
          declined: false,
        })
      }
      const ids = (yield* claimDue(lease, 2)).map(({ paymentId }) => paymentId)
      equal(ids, [0, 2].map((n) => debt(n).paymentId))
    }),
  ],
  [
    "sign() keeps the lease, stores the signature, and replaces it only with a later expiry",
    Effect.gen(function* () {
      const store = yield* RefundStore
      const first = yield* refundIn.signed(0)
      equal(yield* claimDue(lease, 10), [])
      equal(yield* store.sign(first, signature(0, 1_200n), noCaps), "signed")
      ok(yield* store.move(first, moveOf.broadcast(0)))
      const again = yield* claimed(0)
      equal([again.state, again.transactionHint], ["broadcast", "0xbb"])
      equal(again.signed, signature(0, 1_200n))
      equal(yield* store.sign(again, signature(0, 1_800n), noCaps), "signed")
      ok(yield* store.move({ ...again, state: "signed" }, moveOf.postpone(0)))
      equal((yield* claimed(0)).transactionHint, null)
    }),
  ],
  [
    "sign() and move() return lost and false for an outdated state or fence",
    Effect.gen(function* () {
      const store = yield* RefundStore
      yield* owe(0)
      const [zombie] = yield* claimDue(spent, 1)
      const next = yield* claimed(0)
      if (zombie === undefined) return yield* Effect.die("nothing is due")
      for (const stale of [zombie, { ...next, state: "signed" as const }]) {
        equal(yield* store.sign(stale, signature(0), noCaps), "lost")
        for (const move of Object.values(moveOf)) equal(yield* store.move(stale, move(0)), false)
      }
      equal((yield* read(0)).refund, "queued")
      equal(yield* store.sign(next, signature(0), noCaps), "signed")
    }),
  ],
  [
    "sign() never exceeds the caps under concurrent calls",
    Effect.gen(function* () {
      const store = yield* RefundStore
      const { amount } = debt(0)
      const refunds = yield* Effect.forEach(range(8), (n) => refundIn.queued(n))
      const caps = { perHour: amount * 3n, perDay: amount * 5n }
      const sign = (from: number, to: number) =>
        Effect.forEach(
          refunds.slice(from, to),
          (refund, n) => store.sign(refund, signature(from + n), caps),
          { concurrency: "unbounded" },
        )
      const count = (outcomes: ReadonlyArray<string>) =>
        outcomes.filter((outcome) => outcome === "signed").length
      equal(count(yield* sign(0, 6)), 3)
      equal((yield* totals).find(({ state }) => state === "queued")?.refunds, 5)
      const { age } = yield* Debts
      for (const { paymentId } of refunds) yield* age(paymentId, Duration.minutes(61))
      equal(count(yield* sign(6, 8)), 2)
      for (const { paymentId } of refunds) yield* age(paymentId, Duration.minutes(61))
      const rest = yield* Effect.forEach(refunds, (r, n) => store.sign(r, signature(n), caps))
      equal(count(rest), 0)
    }),
  ],
  [
    "signedSums() sums the newest signatures of the other refunds in the last hour and day",
    Effect.gen(function* () {
      const store = yield* RefundStore
      const { age } = yield* Debts
      const { amount } = debt(0)
      const [a, b, c] = [
        yield* refundIn.signed(0),
        yield* refundIn.signed(1),
        yield* refundIn.signed(2),
      ]
      yield* age(b.paymentId, Duration.hours(2))
      yield* age(c.paymentId, Duration.hours(25))
      equal(yield* store.signedSums("sales", noCaps, debt(9).paymentId), {
        lastHour: amount,
        lastDay: amount * 2n,
      })
      equal(yield* store.signedSums("sales", noCaps, a.paymentId), {
        lastHour: 0n,
        lastDay: amount,
      })
      equal(yield* store.sign(c, signature(2, 1_200n), noCaps), "signed")
      equal(yield* store.signedSums("sales", noCaps, a.paymentId), {
        lastHour: amount,
        lastDay: amount * 2n,
      })
    }),
  ],
  [
    "the queues are apart: each has its own claims and sums, and anyone's transfer is unmatched",
    Effect.gen(function* () {
      const store = yield* RefundStore
      const { amount } = debt(0)
      for (const n of [0, 1, 2]) yield* owe(n, { queue: "unmatched" })
      yield* owe(3)
      const [real] = yield* claimDue(lease, 9)
      equal([real?.paymentId, real?.queue], [debt(3).paymentId, "sales"])
      const transfers = yield* claimDue(lease, 9, "unmatched")
      equal(transfers.map(({ queue }) => queue), ["unmatched", "unmatched", "unmatched"])
      const caps = { perHour: amount, perDay: amount }
      const [first, second] = transfers
      if (real === undefined || first === undefined || second === undefined) return
      const signatureOf = ({ paymentId }: Refund) => signature(Number(BigInt(paymentId)))
      equal(yield* store.sign(first, signatureOf(first), caps), "signed")
      equal(yield* store.sign(second, signatureOf(second), caps), "over_caps")
      equal(yield* store.sign(real, signatureOf(real), caps), "signed")
      equal(yield* store.signedSums("unmatched", caps, null), { lastHour: amount, lastDay: amount })
    }),
  ],
  [
    "reserved() counts the open refunds of sales, and the signed ones of transfers",
    Effect.gen(function* () {
      const store = yield* RefundStore
      const { amount } = debt(0)
      for (const n of [0, 1]) yield* owe(n, { queue: "unmatched" })
      for (const n of [2, 3]) yield* owe(n)
      const [a, b] = yield* claimDue(lease, 9, "unmatched")
      if (a === undefined || b === undefined) return yield* Effect.die("nothing is due")
      equal(yield* store.reserved(b.paymentId), amount * 2n)
      equal(yield* store.sign(a, signature(0), noCaps), "signed")
      equal(yield* store.reserved(b.paymentId), amount * 3n)
      equal(yield* store.reserved(a.paymentId), amount * 2n)
      const [real] = yield* claimDue(lease, 1)
      if (real === undefined) return yield* Effect.die("nothing is due")
      yield* store.move(real, moveOf.require_review(2))
      equal(yield* store.reserved(a.paymentId), amount * 2n)
    }),
  ],
  [
    "a person queues a refund again or settles it; an approved amount over a cap is exempt from it",
    Effect.gen(function* () {
      const store = yield* RefundStore
      const { review } = yield* Debts
      const { amount } = debt(0)
      const caps = { perHour: amount - 1n, perDay: amount + 1n }
      const refunds = yield* Effect.forEach(range(3), refundIn.needs_review)
      equal(refunds.map(({ amountApproved }) => amountApproved), [false, false, false])
      const actions = ["requeue", "approve_amount", "settle"] as const
      for (const [n, action] of actions.entries()) yield* review(debt(n).paymentId, action)
      equal(yield* Effect.forEach(range(3), read), [
        { payment: "refund_due", refund: "queued", at: null },
        { payment: "refund_due", refund: "queued", at: null },
        { payment: "refunded", refund: "settled_by_hand", at: null },
      ])
      // The worker that had a lease cannot move the row any more.
      const [stale] = refunds
      ok(stale !== undefined && !(yield* store.move(stale, moveOf.postpone(0))))
      const again = (yield* claimDue(lease, 9)).toSorted((a, b) =>
        a.paymentId < b.paymentId ? -1 : 1
      )
      equal(again.map((refund) => [refund.attempts, refund.amountApproved, refund.lastReason]), [
        [0, false, null],
        [0, true, null],
      ])
      const outcomes = yield* Effect.forEach(
        again,
        (refund, n) => store.sign(refund, signature(n), caps),
      )
      equal(outcomes, ["over_caps", "signed"])
      equal(yield* store.signedSums("sales", caps, null), { lastHour: 0n, lastDay: amount })
    }),
  ],
  [
    "the store makes exactly the moves of the domain's table, and dies for any other",
    Effect.gen(function* () {
      const store = yield* RefundStore
      let n = 0
      for (const state of refundStates) {
        for (const event of ["sign", "broadcast", "confirm", "cancel", "require_review"] as const) {
          const legal = refundMoves[state].includes(event)
          // An event that keeps the state is not a move.
          if (!legal && refundStateAfter[event] === state) continue
          const refund = yield* refundIn[state](n)
          const call: Effect.Effect<unknown> = event === "sign"
            ? store.sign(refund, signature(n, 9_000n), noCaps)
            : store.move(refund, moveOf[event](n))
          const exit = yield* Effect.exit(call)
          equal(Exit.isSuccess(exit), legal, `${state} ${event}`)
          equal((yield* read(n)).refund, legal ? refundStateAfter[event] : state)
          n++
        }
      }
    }),
  ],
  [
    "a confirmed refund makes its payment refunded, and a cancelled one makes it void until it is owed again",
    Effect.gen(function* () {
      yield* refundIn.confirmed(0)
      const { transaction, block, logIndex } = at
      equal(yield* read(0), {
        ...{ payment: "refunded", refund: "confirmed", at: { transaction, block, logIndex } },
      })
      yield* refundIn.cancelled(1)
      equal(yield* read(1), { payment: "void", refund: "cancelled", at: null })
      yield* owe(1)
      equal(yield* read(1), { payment: "refund_due", refund: "queued", at: null })
      yield* signed(1, yield* claimed(1))
    }),
  ],
  [
    "a refund confirmed without a signature stores the treasury and nonce of its transfer",
    Effect.gen(function* () {
      const store = yield* RefundStore
      const refund = yield* refundIn.queued(0)
      ok(yield* store.move(refund, moveOf.confirm(0)))
      equal((yield* read(0)).payment, "refunded")
    }),
  ],
  [
    "move() counts only declines, and keeps the reason until the refund is broadcast",
    Effect.gen(function* () {
      const store = yield* RefundStore
      let refund = yield* refundIn.signed(0)
      for (const declined of [true, false, true]) {
        yield* store.move(refund, { event: "postpone", reason: "why", retryAfter: now, declined })
        refund = { ...(yield* claimed(0)), signed: signature(0), state: "signed" }
      }
      equal([refund.attempts, refund.lastReason], [2, "why"])
      yield* store.move(refund, moveOf.broadcast(0))
      equal((yield* claimed(0)).lastReason, null)
    }),
  ],
  [
    "addTreasury() starts a treasury's block range where the previous one ends; the first covers all payments",
    Effect.gen(function* () {
      const store = yield* RefundStore
      const [first, second, third] = ["1a", "2b", "3c"].map((byte) =>
        address(`0x${byte.repeat(20)}`)
      )
      if (first === undefined || second === undefined || third === undefined) return
      const rangeOf = (treasury: Address) =>
        Effect.map(store.blockRange(treasury), Option.getOrNull)
      equal(yield* rangeOf(first), null)
      yield* Effect.all([1n, 2n, 3n].map((block) => store.addTreasury(first, block)), {
        concurrency: "unbounded",
      })
      equal(yield* rangeOf(first), { after: null, through: null })
      yield* store.addTreasury(second, 100n)
      yield* store.addTreasury(first, 200n)
      equal([yield* rangeOf(first), yield* rangeOf(second)], [
        { after: null, through: 100n },
        { after: 100n, through: null },
      ])
      // A chain that is behind does not make two block ranges overlap.
      yield* store.addTreasury(third, 7n)
      equal([yield* rangeOf(second), yield* rangeOf(third)], [
        { after: 100n, through: 101n },
        { after: 101n, through: null },
      ])
      equal(yield* rangeOf(first), { after: null, through: 100n })
    }),
  ],
  [
    "totals sums the refunds of each queue and state",
    Effect.gen(function* () {
      const { amount } = debt(0)
      for (const n of [0, 1]) yield* refundIn.queued(n)
      yield* refundIn.confirmed(2)
      yield* owe(3, { queue: "unmatched" })
      const found = yield* totals
      const rows = found.map(({ queue, state, refunds, amount }) => [queue, state, refunds, amount])
      equal(rows.sort(), [
        ["sales", "confirmed", 1, amount],
        ["sales", "queued", 2, amount * 2n],
        ["unmatched", "queued", 1, amount],
      ])
      ok(found.every(({ oldestAgoMs }) => oldestAgoMs >= 0 && oldestAgoMs < 60_000))
    }),
  ],
]

const range = (length: number) => Array.from({ length }, (_, n) => n)

/** A law with `UnmatchedRefundMin` one over the amount of a debt. */
export const dustLaw: RefundLaw = [
  "an unmatched transfer under the minimum is neither claimed nor counted, unless its refund has begun",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const { amount } = debt(0)
    yield* owe(0, { queue: "unmatched" })
    yield* owe(1, { queue: "unmatched", amount: amount + 1n })
    yield* owe(2)
    const counted = Effect.map(
      totals,
      (all) => all.map(({ queue, refunds }) => `${queue} ${refunds}`).toSorted(),
    )
    equal(yield* counted, ["sales 1", "unmatched 1"])
    const ids = (yield* claimDue(lease, 9, "unmatched")).map(({ paymentId }) => paymentId)
    equal(ids, [debt(1).paymentId])
    const begun = {
      ...{ paymentId: debt(0).paymentId, state: "queued", fence: 0 } as const,
      ...{ queue: "unmatched", amount, amountApproved: false } as const,
    }
    equal(yield* store.sign(begun, signature(0), noCaps), "signed")
    equal((yield* claimDue(lease, 9, "unmatched")).length, 1)
    equal(yield* counted, ["sales 1", "unmatched 1", "unmatched 1"])
  }),
]
