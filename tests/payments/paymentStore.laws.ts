/**
 * The laws of the `PaymentStore` port.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect, Option, Result } from "effect"
import {
  Bytes32,
  holdsKey,
  type PaidAt,
  type Payment,
  PaymentId,
  paymentOf,
  type PaymentState,
  type PaymentTicket,
  Signature,
} from "../../src/payments/domain/payment.ts"
import { recordOf } from "../support/payments/record.ts"
import {
  declined,
  type Move,
  PaymentStore,
  type UnmatchedTransfer,
  type WaitingQuery,
} from "../../src/payments/PaymentStore.ts"
import { AtomicAmount } from "../../src/core/domain/money.ts"
import { products, type SettlementOrder } from "../../src/catalog/domain/product.ts"
import { buyer } from "../support/payments/buyers.ts"
import { claim, claimed } from "../support/payments/claims.ts"
import { authorizationFor, nonce, token } from "../support/payments/terms.ts"

export type PaymentLaw = readonly [name: string, body: Effect.Effect<void, never, PaymentStore>]

const lease = Duration.seconds(60)
const spent = Duration.millis(-1_000)
const bytes = new TextEncoder().encode('{"success":true}')
const answer = { body: bytes }
const now = 1_800_000_000
const paidAt: PaidAt = { transaction: "0xaa", block: 7n, logIndex: 3, finality: "latest" }
const hash = Bytes32.make(`0x${"ab".repeat(32)}`)
const key = Bytes32.make(`0x${"cd".repeat(32)}`)
const otherKey = Bytes32.make(`0x${"ef".repeat(32)}`)

/** The ticket of the n-th payment. */
export function ticket(n: number, order: SettlementOrder = "compute-first"): PaymentTicket {
  const product = products.latest
  return {
    paymentId: PaymentId.make(`0x${(n + 1).toString(16).padStart(64, "0")}`),
    token,
    authorization: authorizationFor(buyer(0), product, now, { nonce: nonce(n) }),
    signature: Signature.make(`0x${"11".repeat(64)}1b`),
    amount: product.price,
    settlementOrder: order,
    productId: product.id,
    request: "latest?[]",
  }
}

/** The transfer of the n-th ticket, as the chain shows it. */
export function transferOf(n: number, at: PaidAt = paidAt): UnmatchedTransfer {
  const { paymentId, token, authorization: { from, to, value, nonce } } = ticket(n)
  return { paymentId, token, from, to, value, nonce, at }
}

/** The moves from a claim to each state. */
export const paths: {
  readonly [O in SettlementOrder]: { readonly [S in PaymentState]?: ReadonlyArray<Move> }
} = (() => {
  const intend: Move = { event: "intend", answer, lease }
  const intendEarly: Move = { event: "intend", answer: null, lease }
  const doubt: Move = { event: "doubt", reason: "timeout", transactionHint: "0xaa" }
  const proven: Move = { event: "answer", answer, paidAt }
  const owe: Move = { event: "owe", reason: "paid_undelivered", paidAt }
  const settle: Move = { event: "settle", paidAt, lease }
  const common = (intend: Move): { readonly [S in PaymentState]?: ReadonlyArray<Move> } => ({
    claimed: [],
    released: [{ event: "release", reason: "test" }],
    settling: [intend],
    unresolved: [intend, doubt],
    refund_due: [intend, doubt, owe],
    void: [intend, { event: "void", reason: "expired" }],
  })
  return {
    "compute-first": { ...common(intend), answered: [intend, proven] },
    "settle-early": {
      ...common(intendEarly),
      settled: [intendEarly, settle],
      answered: [intendEarly, settle, proven],
    },
  }
})()

/** Claims the n-th payment, and makes these moves. */
export const claimAndMove = Effect.fnUntraced(function* (
  n: number,
  order: SettlementOrder,
  path: ReadonlyArray<Move>,
  keyHash: Bytes32 | null = null,
) {
  const store = yield* PaymentStore
  let payment: Payment = yield* claimed(ticket(n, order), null, lease, keyHash)
  for (const move of path) {
    payment = Option.getOrThrow(yield* store.move(payment, move))
  }
  return payment
})

/** Claims the n-th payment compute-first, and moves it to a state. */
export const paymentIn = (n: number, state: PaymentState) =>
  claimAndMove(n, "compute-first", paths["compute-first"][state] ?? [])

/** The waiting payments; dies when a row is unreadable. */
const waitingIn = (query: WaitingQuery) =>
  PaymentStore.pipe(
    Effect.flatMap((store) => store.waiting(query)),
    Effect.map((rows) => rows.map(Result.getOrThrow)),
  )

const timeless = { leaseLeftMs: 0, intendedAgoMs: 0, answeredAgoMs: 0, answeredAt: 0 }

const same = (a: Payment, b: Payment) => equal({ ...a, ...timeless }, { ...b, ...timeless })

/** The payment as a caller with an outdated state has it. */
export function outdatedCopy(payment: Payment, state: PaymentState): Payment {
  return Result.getOrThrow(paymentOf({
    ...recordOf(payment),
    state,
    settlementOrder: state === "settled" ? "settle-early" : payment.settlementOrder,
    ...{ ...timeless, answer, paidAt },
    refund: { state: "queued", reason: "test", transaction: null, confirmedAt: null },
    ...payment.signature === null
      ? { signature: ticket(0).signature, productId: "latest", request: "latest?[]" }
      : {},
  }))
}

export const paymentLaws: ReadonlyArray<PaymentLaw> = [
  [
    "claim() inserts a row once under concurrent claims",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const claims = yield* Effect.all(
        Array.from({ length: 20 }, () => claim(ticket(0), hash, lease)),
        { concurrency: "unbounded" },
      )
      const made = claims.flatMap(Option.toArray)
      equal(made.length, 1)
      for (const payment of [...made, Option.getOrThrow(yield* store.find(ticket(0).paymentId))]) {
        const { state, fence, secretHash, leaseLeftMs, ...row } = recordOf(payment)
        equal([state, fence, secretHash], ["claimed", 1, hash])
        ok(leaseLeftMs !== null && leaseLeftMs > 50_000 && leaseLeftMs <= 60_000)
        for (const [key, value] of Object.entries(ticket(0))) {
          equal(row[key as keyof typeof row], value)
        }
      }
    }),
  ],
  [
    "find() returns claimed payments only",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const payment = yield* claimed(ticket(1), null, lease)
      same(Option.getOrThrow(yield* store.find(payment.paymentId)), payment)
      ok(Option.isNone(yield* store.find(ticket(2).paymentId)))
    }),
  ],
  [
    "move() reaches every state in both settlement orders, and each state stores what its moves wrote",
    Effect.gen(function* () {
      let n = 0
      for (const order of ["compute-first", "settle-early"] as const) {
        for (const [state, path] of Object.entries(paths[order])) {
          const payment = yield* claimAndMove(n++, order, path)
          const record = recordOf(payment)
          equal(record.state, state)
          const stored = order === "compute-first"
            ? ["settling", "unresolved", "answered"].includes(state)
            : state === "answered"
          equal(record.answer, stored ? answer : null)
          equal(record.leaseLeftMs !== null, ["claimed", "settling", "settled"].includes(state))
          equal(record.intendedAgoMs !== null, state === "unresolved")
          equal(record.answeredAgoMs !== null, state === "answered")
          equal(record.transactionHint, state === "unresolved" ? "0xaa" : null)
          const paid = ["settled", "answered", "refund_due"].includes(state)
          equal(record.paidAt, paid ? paidAt : null)
          equal(record.paidAmount, state === "refund_due" ? payment.amount : null)
          equal(record.refund?.state ?? null, state === "refund_due" ? "queued" : null)
          same(Option.getOrThrow(yield* (yield* PaymentStore).find(payment.paymentId)), payment)
        }
      }
    }),
  ],
  [
    "move() returns none for an outdated state or fence",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const claimed = yield* paymentIn(0, "claimed")
      const release: Move = { event: "release", reason: "test" }
      ok(Option.isNone(yield* store.move({ ...claimed, fence: 2 }, release)))
      ok(Option.isNone(
        yield* store.move(outdatedCopy(claimed, "settling"), {
          event: "void",
          reason: "expired",
        }),
      ))
      ok(Option.isSome(yield* store.move(claimed, release)))
      ok(Option.isNone(yield* store.move(claimed, release)))
    }),
  ],
  [
    "move() succeeds for one of many concurrent calls",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const claimed = yield* paymentIn(0, "claimed")
      const moves: ReadonlyArray<Move> = Array.from(
        { length: 10 },
        (_, i) =>
          i % 2 === 0
            ? { event: "release", reason: "test" } as const
            : { event: "intend", answer, lease } as const,
      )
      const moved = yield* Effect.forEach(moves, (move) => store.move(claimed, move), {
        concurrency: "unbounded",
      })
      equal(moved.filter(Option.isSome).length, 1)
    }),
  ],
  [
    "a new claim increases the fence and stores the new secret, so the previous claim can move nothing",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const old = yield* paymentIn(0, "claimed")
      const released = Option.getOrThrow(
        yield* store.move(old, { event: "release", reason: "lease_lost" }),
      )
      const again = Option.getOrThrow(
        yield* store.move(released, { event: "claim", secretHash: hash, lease }),
      )
      equal([again.state, again.fence, again.secretHash], ["claimed", 2, hash])
      ok(Option.isNone(yield* store.move(old, { event: "intend", answer, lease })))
    }),
  ],
  [
    "claim() of a key inserts one payment, which the others then find as the holder of the key",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const claims = yield* Effect.all(
        Array.from({ length: 20 }, (_, n) => claim(ticket(n), hash, lease, key)),
        { concurrency: "unbounded" },
      )
      const [holder, second] = claims.flatMap(Option.toArray)
      ok(holder !== undefined && second === undefined)
      equal(recordOf(holder).keyHash, key)
      for (const n of Array.from({ length: 20 }, (_, n) => n)) {
        const found = yield* store.findWithKey(ticket(n).paymentId, key)
        const own: boolean = ticket(n).paymentId === holder.paymentId
        same(Option.getOrThrow(own ? found.payment : found.holder), holder)
        equal(own ? found.holder : found.payment, Option.none(), "a payment is not its own holder")
      }
      for (const none of [otherKey, null]) {
        const found = yield* store.findWithKey(ticket(40).paymentId, none)
        equal(found, { payment: Option.none(), holder: Option.none() })
      }
      for (const other of [otherKey, null]) {
        const free = yield* claim(ticket(other === null ? 30 : 31), null, lease, other)
        ok(Option.isSome(free), "another key, or none, is free")
      }
    }),
  ],
  [
    "a key is held while its payment is live or answered, and is free in every other state",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      let n = 0
      for (const order of ["compute-first", "settle-early"] as const) {
        for (const [state, path] of Object.entries(paths[order])) {
          const keyHash = Bytes32.make(`0x${(n + 1).toString(16).padStart(64, "0")}`)
          const before = yield* claimAndMove(n++, order, path, keyHash)
          const isFound = holdsKey(before.state) || ["refund_due", "refunded"].includes(state)
          equal([state, Option.getOrNull(yield* store.findByKey(keyHash))], [
            state,
            isFound ? before.paymentId : null,
          ])
          const next = yield* claim(ticket(n++, order), null, lease, keyHash)
          const payment = Option.getOrElse(next, () => before)
          const holds = ["claimed", "settling", "unresolved", "settled", "answered"].includes(state)
          equal([state, Option.isNone(next)], [state, holds])
          equal(holdsKey(before.state), holds)
          const found = yield* store.findWithKey(before.paymentId, keyHash)
          same(
            Option.getOrThrow(found.payment),
            Option.getOrThrow(yield* store.find(before.paymentId)),
          )
          equal(Option.isSome(found.holder), !holds)
          equal(yield* store.findByKey(keyHash), Option.some(payment.paymentId))
          if (Option.isSome(found.holder)) same(found.holder.value, payment)
        }
      }
    }),
  ],
  [
    "a released payment cannot be claimed again while another payment holds its key",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const release: Move = { event: "release", reason: "test" }
      const claimKey: Move = { event: "claim", secretHash: hash, keyHash: key, lease }
      const first = yield* claimAndMove(0, "compute-first", [release], key)
      const bystander = yield* claimAndMove(2, "compute-first", [release])
      const second = yield* claimAndMove(1, "compute-first", [], key)
      // One statement takes both claims, and only the one that conflicts fails.
      const [refused, other] = yield* Effect.all([
        store.move(first, claimKey),
        store.move(bystander, { event: "claim", secretHash: null, lease }),
      ], { concurrency: "unbounded" })
      equal([refused, Option.isSome(other)], [Option.none(), true])
      yield* store.move(second, release)
      const again = Option.getOrThrow(yield* store.move(first, claimKey))
      equal([recordOf(again).keyHash, again.fence], [key, 2])
      const found = yield* store.findWithKey(second.paymentId, key)
      same(Option.getOrThrow(found.holder), again)
      equal(Option.getOrThrow(found.payment).state, "released")
    }),
  ],
  [
    "of many released payments with one key, one can be claimed again",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const released: Array<Payment> = []
      for (let n = 0; n < 10; n++) released.push(yield* paymentIn(n, "released"))
      const claimed = yield* Effect.forEach(
        released,
        (row) => store.move(row, { event: "claim", secretHash: hash, keyHash: key, lease }),
        { concurrency: "unbounded" },
      )
      equal(claimed.filter(Option.isSome).length, 1)
    }),
  ],
  [
    "a signature of up to 2,048 bytes is stored as it is",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      for (const [n, length] of [66, 500, 2_048].entries()) {
        const signature = Signature.make(`0x${"5c".repeat(length)}`)
        const { paymentId } = yield* claimed({ ...ticket(n), signature }, null, lease)
        equal(Option.getOrThrow(yield* store.find(paymentId)).signature, signature)
      }
    }),
  ],
  [
    "markSent() marks answered payments only",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const answered = yield* paymentIn(0, "answered")
      const settling = yield* paymentIn(1, "settling")
      yield* store.markSent(answered.paymentId)
      yield* store.markSent(settling.paymentId)
      equal(recordOf(Option.getOrThrow(yield* store.find(answered.paymentId))).sent, true)
      equal(recordOf(Option.getOrThrow(yield* store.find(settling.paymentId))).sent, false)
    }),
  ],
  [
    "move() refuses to owe a delivered answer, and deletes an undelivered one",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const owe: Move = { event: "owe", reason: "unsent", paidAt: null }
      const sent = yield* paymentIn(0, "answered")
      yield* store.markSent(sent.paymentId)
      ok(Option.isNone(yield* store.move(sent, owe)))
      const stored = Option.getOrThrow(yield* store.find(sent.paymentId))
      equal(recordOf(sent).sent, false)
      equal({ ...stored, ...timeless }, { ...sent, ...timeless, sent: true })
      const unsent = yield* paymentIn(1, "answered")
      const owed = recordOf(Option.getOrThrow(yield* store.move(unsent, owe)))
      equal([owed.state, owed.answer, owed.refund?.state], ["refund_due", null, "queued"])
      yield* store.markSent(unsent.paymentId)
      equal(recordOf(Option.getOrThrow(yield* store.find(unsent.paymentId))).sent, false)
    }),
  ],
  [
    "waiting() returns exactly the waiting rows of a kind, oldest first",
    Effect.gen(function* () {
      const released = yield* paymentIn(5, "released")
      const lost = yield* claimed(ticket(0), null, spent)
      yield* paymentIn(1, "claimed")
      const settling = yield* claimAndMove(2, "compute-first", [{
        event: "intend",
        answer,
        lease: spent,
      }])
      yield* claimAndMove(3, "compute-first", [{ event: "intend", answer, lease }])
      const unresolved = yield* paymentIn(4, "unresolved")
      yield* paymentIn(6, "answered")
      yield* paymentIn(7, "void")
      yield* paymentIn(8, "refund_due")
      const ids = (rows: ReadonlyArray<Payment>) => rows.map(({ paymentId }) => paymentId)
      const { validBefore } = released.authorization
      const limits = { answerWindow: lease, skip: 0, limit: 10 }
      const urgent = { ...limits, kind: "urgent", nowSeconds: validBefore + 1n } as const
      equal(ids(yield* waitingIn(urgent)), ids([lost, settling, unresolved]))
      equal(ids(yield* waitingIn({ ...urgent, limit: 2 })), ids([lost, settling]))
      equal(ids(yield* waitingIn({ ...urgent, skip: 1, limit: 2 })), ids([settling, unresolved]))
      const expired = { ...urgent, kind: "released" } as const
      equal(ids(yield* waitingIn(expired)), ids([released]))
      equal(ids(yield* waitingIn({ ...expired, nowSeconds: validBefore })), [])
    }),
  ],
  [
    "waiting() returns an answer that was not delivered in time",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const unsent = yield* paymentIn(0, "answered")
      yield* Effect.flatMap(
        paymentIn(1, "answered"),
        (sent) => store.markSent(sent.paymentId),
      )
      const query = {
        ...{ kind: "urgent", nowSeconds: 0n } as const,
        ...{ answerWindow: lease, skip: 0, limit: 10 },
      }
      equal(yield* waitingIn(query), [])
      const waiting = yield* waitingIn({ ...query, answerWindow: Duration.zero })
      equal(waiting.map(({ paymentId }) => paymentId), [unsent.paymentId])
    }),
  ],
  [
    "insertUnmatched() inserts an unmatched transfer once, as refund_due, and never for a known payment",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const known = yield* paymentIn(0, "claimed")
      const unmatched = transferOf(1)
      equal(yield* store.insertUnmatched({ ...unmatched, paymentId: known.paymentId }), false)
      same(Option.getOrThrow(yield* store.find(known.paymentId)), known)
      equal(yield* store.insertUnmatched(unmatched), true)
      equal(yield* store.insertUnmatched(unmatched), false)
      const row = recordOf(Option.getOrThrow(yield* store.find(unmatched.paymentId)))
      equal(
        [row.state, row.signature, row.productId, row.request, row.paidAt, row.amount, row.answer],
        ["refund_due", null, null, null, paidAt, unmatched.value, null],
      )
      equal([row.refund?.state, row.refund?.reason], ["queued", "unmatched_transfer"])
    }),
  ],
  [
    "states() returns the states of the known payments only",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const one = yield* paymentIn(0, "released")
      const two = yield* paymentIn(1, "claimed")
      const ids = [one.paymentId, two.paymentId, ticket(2).paymentId]
      equal([...yield* store.states(ids)].sort(), [
        [one.paymentId, "released"],
        [two.paymentId, "claimed"],
      ])
      equal([...yield* store.states([])], [])
    }),
  ],
  [
    "move() stores a paid amount that differs from the amount due, which never changes",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const paidAmount = AtomicAmount.make(7n)
      const owe: Move = { event: "owe", reason: "paid_another_sum", paidAt, paidAmount }
      const released = yield* paymentIn(0, "released")
      const owed = Option.getOrThrow(yield* store.move(released, owe))
      const record = recordOf(owed)
      equal([owed.amount, record.paidAmount, record.refund?.state], [released.amount, 7n, "queued"])
      same(Option.getOrThrow(yield* store.find(owed.paymentId)), owed)
      // Anyone can make such a transfer, so it is not counted before its refund is signed.
      equal(yield* store.liability, 0n)
    }),
  ],
  [
    "saveScannedThrough() stores the first and last block of each account, and never decreases",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const { token: { chainId, asset }, authorization: { from, to } } = ticket(0)
      const account = { chainId, asset, payTo: to }
      equal(yield* store.scanned(account), Option.none())
      yield* store.saveScannedThrough(account, 7n)
      yield* store.saveScannedThrough(account, 5n)
      yield* store.saveScannedThrough(account, 9n)
      equal(yield* store.scanned(account), Option.some({ after: 7n, through: 9n }))
      equal(yield* store.scanned({ ...account, payTo: from }), Option.none())
    }),
  ],
  [
    "liability sums refund_due payments and unanswered settle-early payments, and no unmatched transfer",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const transfer = { ...transferOf(99), value: 21_000_000n }
      equal(yield* store.insertUnmatched(transfer), true)
      equal(yield* store.liability, 0n)
      let n = 0
      for (const order of ["compute-first", "settle-early"] as const) {
        for (const path of Object.values(paths[order])) yield* claimAndMove(n++, order, path)
      }
      const owed = Object.keys(paths["compute-first"]).filter((state) => state === "refund_due")
      const early = Object.keys(paths["settle-early"]).filter((state) =>
        ["claimed", "settling", "unresolved", "settled", "refund_due"].includes(state)
      )
      equal(early.length, 5)
      equal(yield* store.liability, BigInt(owed.length + early.length) * products.latest.price)
    }),
  ],
  [
    "liability leaves out a payment whose settlement was declined, until the chain shows it",
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const path = paths["settle-early"].unresolved ?? []
      const refused = path.map((move): Move =>
        move.event === "doubt" ? { ...move, reason: `${declined}insufficient_funds` } : move
      )
      const payment = yield* claimAndMove(0, "settle-early", refused)
      yield* claimAndMove(1, "settle-early", path)
      equal(yield* store.liability, products.latest.price)
      yield* store.move(payment, { event: "owe", reason: "paid_undelivered", paidAt })
      equal(yield* store.liability, 2n * products.latest.price)
    }),
  ],
]
