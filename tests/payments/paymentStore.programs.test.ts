/**
 * The payment store against its in-memory model: every command of a random program, legal or not,
 * current or outdated, has the same result in PostgreSQL and in memory.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Context, Duration, Effect, Exit, Layer, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layer } from "../../src/payments/postgres/paymentStore.ts"
import {
  Bytes32,
  type PaidAt,
  type Payment,
  type PaymentEvent,
  type PaymentId,
  paymentStates,
  stateAfter,
} from "../../src/payments/domain/payment.ts"
import { recordOf } from "../support/payments/record.ts"
import { type Move, PaymentStore } from "../../src/payments/PaymentStore.ts"
import type { SettlementOrder } from "../../src/catalog/domain/product.ts"
import { liveTest } from "../support/effect.ts"
import { memoryPayments } from "../support/payments/memoryPayments.ts"
import { stores } from "../support/stores.ts"
import { outdatedCopy, ticket } from "./paymentStore.laws.ts"
import { claim } from "../support/payments/claims.ts"
import { moves } from "../support/payments/moves.ts"

const payments = 5
const commands = 40
/** On the server of TEST_DATABASE_URL, and on the embedded store, which has one connection. */
const runs = { postgres: 300, embedded: 30 }

const integer = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const which = integer(0, payments - 1)

/** A lease that is long or already expired, so that no test has to wait. */
const lease = Schema.Literals(["long", "long", "spent"])
const secret = Schema.NullOr(Schema.Literals(["a", "b"]))
const key = Schema.NullOr(Schema.Literals(["c", "d"]))
const secretOrKey = Schema.Union([secret, key])
/** The fence of the command relative to the row's. */
const fence = Schema.Literals([
  "current",
  "current",
  "current",
  "current",
  "old",
  "future",
])

const Command = Schema.Union([
  Schema.Struct({ call: Schema.Literal("claim"), which, secret, key, lease }),
  /** A legal move of the row. Without these, most programs would reach few states. */
  Schema.Struct({
    call: Schema.Literal("step"),
    which,
    choice: integer(0, 5),
    fence,
    secret,
    key,
    lease,
  }),
  Schema.Struct({
    call: Schema.Literal("current step"),
    which,
    choice: integer(0, 5),
    secret,
    key,
    lease,
  }),
  /** Any move, from any state. */
  Schema.Struct({
    call: Schema.Literal("move"),
    which,
    event: Schema.Literals(
      ["claim", "release", "intend", "doubt", "settle", "answer", "owe", "void"],
    ),
    from: Schema.Literals(["current", "current", ...paymentStates]),
    fence,
    secret,
    key,
    lease,
  }),
  Schema.Struct({ call: Schema.Literal("markSent"), which }),
  Schema.Struct({ call: Schema.Literal("insertUnmatched"), which }),
  Schema.Struct({
    call: Schema.Literal("waiting"),
    kind: Schema.Literals(["urgent", "released"]),
    answerWindow: Schema.Literals(["long", "spent"]),
    expired: integer(-1, payments),
    skip: integer(0, 2),
    limit: integer(1, payments),
  }),
  Schema.Struct({ call: Schema.Literal("saveScannedThrough"), block: integer(0, 9) }),
])
type Command = typeof Command.Type

const program = Arbitrary.array(Arbitrary.schema(Command), {
  minLength: commands,
  maxLength: commands,
})

type Store = PaymentStore["Service"]

const orderOf = (n: number): SettlementOrder => n % 2 === 0 ? "compute-first" : "settle-early"
const bytesOf = (n: number) => ({ body: new Uint8Array([n, 0, 255]) })
const leases = { long: Duration.hours(1), spent: Duration.millis(-1_000) } as const
const answerWindows = { long: Duration.hours(1), spent: Duration.zero } as const
const hashOf = (secret: typeof secretOrKey.Type) =>
  secret === null ? null : Bytes32.make(`0x${secret.repeat(64)}`)

/** The ticket of the n-th payment; each expires a second after the previous one. */
const ticketOf = (n: number) => {
  const { authorization, ...rest } = ticket(n, orderOf(n))
  const validBefore = authorization.validBefore + BigInt(n)
  return { ...rest, authorization: { ...authorization, validBefore } }
}

const paidAt: PaidAt = { transaction: "0xaa", block: 7n, logIndex: 3, finality: "latest" }

/** A move with the values that the sale writes. */
function moveOf(
  n: number,
  event: Exclude<PaymentEvent, "refund">,
  paid: boolean,
  { secret, key, lease }: Pick<Command & { readonly call: "move" }, "secret" | "key" | "lease">,
): Move {
  const isComputeFirst = orderOf(n) === "compute-first"
  switch (event) {
    case "claim":
      return { event, secretHash: hashOf(secret), keyHash: hashOf(key), lease: leases[lease] }
    case "intend":
      return { event, answer: isComputeFirst ? bytesOf(n) : null, lease: leases[lease] }
    case "doubt":
      return { event, reason: "timeout", transactionHint: secret }
    case "settle":
      return { event, paidAt, lease: leases[lease] }
    case "answer":
      return { event, answer: isComputeFirst ? null : bytesOf(n), paidAt: paid ? null : paidAt }
    case "owe":
      return { event, reason: "paid_undelivered", paidAt: paid ? null : paidAt }
    case "release":
    case "void":
      return { event, reason: "test" }
  }
}

const account = (() => {
  const { token: { chainId, asset }, authorization: { to } } = ticket(0)
  return { chainId, asset, payTo: to }
})()

const fences = { current: 0, old: -1, future: 1 } as const

/** The call that a command makes, given the model's row of its payment. */
function callOf(command: Command, row: Payment | null): (store: Store) => Effect.Effect<unknown> {
  switch (command.call) {
    case "claim":
      return (store) =>
        Effect.provideService(
          claim(
            ticketOf(command.which),
            hashOf(command.secret),
            leases[command.lease],
            hashOf(command.key),
          ),
          PaymentStore,
          store,
        )
    case "step":
    case "current step": {
      const { which, choice } = command
      const order = row?.settlementOrder ?? orderOf(which)
      const legal = row === null ? [] : Object.keys(moves[order][row.state])
      const event = events.filter((event) => legal.includes(event))[choice % legal.length]
      const fenceOffset = command.call === "step" ? fences[command.fence] : 0
      return event === undefined || row === null
        ? (store) => store.find(ticketOf(which).paymentId)
        : (store) =>
          store.move(
            { ...row, fence: row.fence + fenceOffset },
            moveOf(which, event, isPaid(row), command),
          )
    }
    case "move": {
      const { which, event, from } = command
      if (row === null) return (store) => store.find(ticketOf(which).paymentId)
      const state = from === "current" ? row.state : from
      // No table has a move from a state to itself, and the database does not check for it.
      if (state === stateAfter[event]) return (store) => store.find(row.paymentId)
      const payment = state === row.state ? row : outdatedCopy(row, state)
      const outdated = { ...payment, fence: row.fence + fences[command.fence] }
      return (store) => store.move(outdated, moveOf(which, event, isPaid(row), command))
    }
    case "markSent":
      return (store) => store.markSent(ticketOf(command.which).paymentId)
    case "insertUnmatched": {
      const { paymentId, token, authorization: { from, to, value, nonce } } = ticketOf(
        command.which,
      )
      return (store) =>
        store.insertUnmatched({ paymentId, token, from, to, value, nonce, at: paidAt })
    }
    case "waiting": {
      const { kind, answerWindow, expired, skip, limit } = command
      const nowSeconds = ticket(0).authorization.validBefore + BigInt(expired)
      return (store) =>
        Effect.map(
          store.waiting({
            kind,
            nowSeconds,
            answerWindow: answerWindows[answerWindow],
            skip,
            limit,
          }),
          (rows) => rows.map(Result.getOrThrow),
        )
    }
    case "saveScannedThrough":
      return (store) => store.saveScannedThrough(account, BigInt(command.block))
  }
}

const events = ["claim", "release", "intend", "doubt", "settle", "answer", "owe", "void"] as const
const isPaid = (row: Payment | null) => row !== null && recordOf(row).paidAt !== null

/** A value without ages, which grow during a test: only whether an age is set is compared. */
function timeless(value: unknown): unknown {
  if (Option.isOption(value)) return Option.getOrNull(Option.map(value, timeless))
  if (Array.isArray(value)) return value.map(timeless)
  if (value instanceof Uint8Array) return [...value]
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (key === "leaseLeftMs") return [key, part > 0]
      return [key, key.endsWith("AgoMs") ? part !== null : timeless(part)]
    }),
  )
}

/** The result of a command: its value, or `refused`. */
const resultOf = (effect: Effect.Effect<unknown>) =>
  Effect.map(Effect.exit(effect), (exit) => Exit.isSuccess(exit) ? timeless(exit.value) : "refused")

/** All that can be read from a store. */
const contentsOf = Effect.fnUntraced(function* (store: Store) {
  const ids: ReadonlyArray<PaymentId> = Array.from(
    { length: payments },
    (_, n) => ticketOf(n).paymentId,
  )
  return timeless({
    rows: yield* Effect.forEach(ids, store.find),
    holders: yield* Effect.forEach(
      ["c", "d"] as const,
      (key) => store.findWithKey(ticketOf(0).paymentId, Bytes32.make(`0x${key.repeat(64)}`)),
    ),
    liability: yield* store.liability,
    scanned: yield* store.scanned(account),
  })
})

const runBoth = Effect.fnUntraced(function* (model: Store, store: Store, steps: Iterable<Command>) {
  for (const [at, command] of [...steps].entries()) {
    const row = "which" in command
      ? Option.getOrNull(yield* model.find(ticketOf(command.which).paymentId))
      : null
    const call = callOf(command, row)
    const expected = [at, command.call, yield* resultOf(call(model))]
    equal([at, command.call, yield* resultOf(call(store))], expected)
  }
  equal(yield* contentsOf(store), yield* contentsOf(model))
})

/** Deletes all payments. Only a superuser can disable the triggers that forbid it. */
const deleteAll = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql.withTransaction(Effect.andThen(
    sql`SET LOCAL session_replication_role = replica`,
    Effect.forEach(
      ["payment_event", "refund", "payment", "chain_scan"],
      (table) => sql`DELETE FROM ${sql(table)}`,
    ),
  ))
})

/** How many rows each state has in the database. */
const countsInDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = yield* sql<{ readonly state: string; readonly payments: bigint }>`
    SELECT state, count(*) AS payments FROM payment GROUP BY state`
  return rows.map(({ state, payments }) => [state, Number(payments)]).sort()
})

for (const { name, layer: database } of stores) {
  const count = name === "postgres" ? runs.postgres : runs.embedded
  const agrees = (steps: ReadonlyArray<Command>) =>
    Effect.gen(function* () {
      yield* deleteAll
      const memory = memoryPayments()
      const store = yield* Layer.build(Layer.fresh(layer))
      yield* runBoth(memory.store, Context.get(store, PaymentStore), steps)
      equal(yield* countsInDatabase, [...memory.countByState()].sort())
      return true
    }).pipe(Effect.scoped, Effect.catchDefect(Effect.fail))

  liveTest(
    `payments on the ${name} store have the results of the model in ${count} programs`,
    () =>
      Arbitrary.checkEffect(program, agrees, { runs: count }).pipe(
        Effect.map((result) => equal(Arbitrary.formatCheckFailure(result), undefined)),
        Effect.provide(database),
      ),
  )
}
