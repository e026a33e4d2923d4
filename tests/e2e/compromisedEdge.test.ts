/**
 * A compromised edge: somebody has the service's login on the real PostgreSQL, and wants the treasury's
 * money. The real worker works on what they write, under its own login, and pays for no lie.
 *
 * The chain is out of their reach, as it is in production: here it is a ledger in memory.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Context, Effect, Layer, Redacted, References, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerPostgres } from "../../src/postgres/client.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"
import { layer as paymentStore } from "../../src/payments/postgres/paymentStore.ts"
import { layer as refundStore } from "../../src/payments/postgres/refundStore.ts"
import { grantRoles, roles } from "../../src/postgres/roles.ts"
import { layer as signaturesLayer } from "../../src/payments/wasmSignatures.ts"
import { layerLedger } from "../../src/payments/simulated/facilitator.ts"
import { Ledger, playBalance } from "../../src/payments/simulated/ledger.ts"
import { address, type Authorization } from "../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { refundMax } from "../../src/payments/domain/refund.ts"
import { RefundWorker } from "../../src/payments/refunds/RefundWorker.ts"
import { Signatures } from "../../src/payments/Signatures.ts"
import { Treasury } from "../../src/payments/refunds/Treasury.ts"
import { buyer } from "../support/payments/buyers.ts"
import {
  type Attacker,
  type Claimed,
  fakeClaim,
  fakeUnmatchedTransfer,
  forbidden,
  hijack,
  invented,
  move,
  never,
  walks,
  walkToRefundDue,
  wasAccepted,
} from "../support/payments/edgeAttacks.ts"
import { liveTest } from "../support/effect.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { freshSchema } from "../support/stores.ts"
import { nonce, terms, token } from "../support/payments/terms.ts"
import { layerMemory } from "../support/payments/memoryLedger.ts"

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL")
const treasuryKey = Redacted.make(`0x${"ab".repeat(32)}` as const)
const payTo = address(terms.payTo)
const price = 10_000n
const rounds = 4

const connect = (url: Redacted.Redacted, maxConnections: number) =>
  Effect.map(
    Layer.build(Layer.fresh(layerPostgres({ url, maxConnections }))),
    (context) => Context.get(context, SqlClient),
  )

const loginOf = Effect.fnUntraced(function* (
  owner: SqlClient,
  url: Redacted.Redacted,
  role: string,
) {
  const name = `login_${crypto.randomUUID().replaceAll("-", "")}`
  yield* Effect.acquireRelease(
    owner`CREATE ROLE ${owner(name)} LOGIN PASSWORD 'x' IN ROLE ${owner(role)}`,
    () => Effect.orDie(owner`DROP ROLE ${owner(name)}`),
  )
  const own = new URL(Redacted.value(url))
  own.username = name
  own.password = "x"
  return Redacted.make(own.href)
})

/** A migrated store with its two logins, a chain, a treasury, and two workers. */
const house = Effect.gen(function* () {
  const url = yield* freshSchema(testDatabaseUrl ?? "")
  const owner = yield* connect(url, 1)
  yield* Effect.provideService(Effect.flatMap(migrationFiles, migrate), SqlClient, owner)
  yield* Effect.provideService(grantRoles, SqlClient, owner)
  const [place] = yield* owner<{ schema: string }>`SELECT current_schema() AS schema`
  const serviceUrl = yield* loginOf(owner, url, roles.service)
  // One session, so that what it sets up for itself is there for the next statement.
  const edge = yield* connect(serviceUrl, 1)
  const refunds = yield* connect(yield* loginOf(owner, url, roles.refund), 4)
  const honest = Layer.provide(paymentStore, Layer.succeed(SqlClient, edge))
  const world = yield* Layer.build(
    Layer.mergeAll(
      Layer.provide(refundStore, Layer.succeed(SqlClient, refunds)),
      honest,
      layerLedger().pipe(Layer.provideMerge(layerMemory)),
      Treasury.layer({ privateKey: treasuryKey }),
    ).pipe(Layer.provideMerge(signaturesLayer)),
  )
  const signed: Array<Authorization> = []
  const treasury = Context.get(world, Treasury)
  const noting: Treasury["Service"] = {
    ...treasury,
    sign: (token, authorization) =>
      Effect.suspend(() => {
        signed.push(authorization)
        return treasury.sign(token, authorization)
      }),
  }
  const caps = { perHour: 10n ** 12n, perDay: 10n ** 12n }
  const worker = Effect.map(
    Layer.build(
      Layer.fresh(RefundWorker.layer({ token, payTo, caps })).pipe(
        Layer.provide(Layer.succeedContext(Context.add(world, Treasury, noting))),
      ),
    ),
    (context) => Context.get(context, RefundWorker),
  )
  const workers = [yield* worker, yield* worker]
  const ledger = Context.get(world, Ledger)
  const signatures = Context.get(world, Signatures)
  const attacker: Attacker = { sql: edge, paymentId: signatures.paymentId }
  return {
    ...{ owner, signed, ledger, attacker, treasury: treasury.address },
    schema: place?.schema ?? "",
    payments: Context.get(world, PaymentStore),
    /** Both workers go over everything at once, as if each of their waits were over. */
    work: owner`UPDATE refund SET next_attempt_at = now() - interval '1 second'
      WHERE state <> 'confirmed'`.pipe(
      Effect.andThen(Effect.all(workers.map(({ sweep }) => sweep), { concurrency: 2 })),
      Effect.provideService(References.MinimumLogLevel, "None"),
    ),
    /** The chain shows a transfer under somebody's authorization. */
    transfer: ({ payer, nonce, amount }: Claimed, to = payTo, asset = token.asset) =>
      ledger.transfer({
        ...{ asset, from: address(payer), to, nonce, value: amount },
        ...{ transaction: signatures.digest(`${payer}:${nonce}`), blockTime: 1_700_000_000n },
      }),
  }
})
type House = Effect.Success<typeof house>

const compromised = (
  name: string,
  body: (house: House) => Effect.Effect<void, unknown, Scope.Scope>,
) =>
  testDatabaseUrl === undefined
    ? registerSkipped(name, "set TEST_DATABASE_URL")
    : liveTest(name, () => Effect.flatMap(house, body))

let count = 0
/** A payment of the n-th buyer's under a nonce of its own. */
const fresh = (n: number, amount = price): Claimed => ({
  ...{ payer: buyer(n).address.toLowerCase(), amount },
  nonce: nonce(1_000 + count++),
})
const thief = 66
const victim = 7

/** What the treasury has lost, and to whom. */
const lost = Effect.fnUntraced(function* ({ ledger, treasury, signed }: House) {
  const spent = playBalance - (yield* ledger.balance(treasury))
  const gained = yield* ledger.received(address(buyer(thief).address))
  return { spent, gained, signatures: signed.length }
})
const nothing = { spent: 0n, gained: 0n, signatures: 0 }

/** The scan of the chain finds a payment that nobody has answered; whether it made its row. */
const found = ({ payments, attacker }: House, { payer, nonce, amount: value }: Claimed) => {
  const from = address(payer)
  const paymentId = attacker.paymentId({ ...token, from, nonce })
  const at = { transaction: "0xaa", block: 1n, logIndex: 0, finality: "safe" } as const
  return payments.insertUnmatched({ paymentId, token, from, to: payTo, value, nonce, at })
}

/** A real payment that nobody has answered. */
const honestOrphan = Effect.fnUntraced(function* (house: House) {
  const paid = fresh(1)
  yield* house.transfer(paid)
  strictEqual(yield* found(house, paid), true)
  return paid
})

/** Everything that writes a debt which is none. Each is tried by itself, on a session of the edge's. */
const lies: Readonly<Record<string, (house: House) => Effect.Effect<unknown, unknown>>> = {
  "an orphan that never was": ({ attacker }) => fakeUnmatchedTransfer(attacker, fresh(thief)),
  "an orphan that never expires": ({ attacker }) =>
    fakeUnmatchedTransfer(attacker, fresh(thief), { valid_before: never }),
  "an orphan that names a real transaction": ({ attacker, transfer }) => {
    const real = fresh(victim)
    const named = { paid_transaction: `0x${"aa".repeat(32)}` }
    return Effect.andThen(transfer(real), fakeUnmatchedTransfer(attacker, fresh(thief), named))
  },
  "somebody else's transfer under the thief's name": ({ attacker, transfer }) => {
    const real = fresh(victim)
    const stolen = { ...real, payer: fresh(thief).payer }
    return Effect.andThen(transfer(real), fakeUnmatchedTransfer(attacker, stolen))
  },
  "the thief's transfer to somebody else": ({ attacker, transfer }) => {
    const real = fresh(thief)
    return Effect.andThen(
      transfer(real, address(buyer(thief + 1).address)),
      fakeUnmatchedTransfer(attacker, real),
    )
  },
  "the same, and paid to whom it says": ({ attacker, transfer }) => {
    const real = fresh(thief)
    const friend = address(buyer(thief + 1).address)
    return Effect.andThen(
      transfer(real, friend),
      fakeUnmatchedTransfer(attacker, real, { pay_to: friend }),
    )
  },
  "more than was paid": ({ attacker, transfer }) => {
    const real = fresh(thief, 1n)
    return Effect.andThen(
      transfer(real),
      fakeUnmatchedTransfer(attacker, { ...real, amount: 1_000_000n }),
    )
  },
  "less than was paid": ({ attacker, transfer }) => {
    const real = fresh(thief, price)
    return Effect.andThen(transfer(real), fakeUnmatchedTransfer(attacker, { ...real, amount: 1n }))
  },
  "another sum than was agreed, and than was paid": ({ attacker, transfer }) => {
    const real = fresh(thief)
    const more = { state: "refund_due", paid_amount: 1_000_000n }
    return Effect.andThen(
      Effect.andThen(
        transfer(real),
        walkToRefundDue(attacker, real, ["compute-first", ["released"]]),
      ),
      move(attacker, real, { ...more, ...invented }),
    )
  },
  "a sum that no product costs": ({ attacker, transfer }) => {
    const real = fresh(thief, refundMax + 1n)
    return Effect.andThen(transfer(real), fakeUnmatchedTransfer(attacker, real))
  },
  "a real transfer as one of another chain": ({ attacker, transfer }) => {
    const real = fresh(thief)
    const chainId = 1
    const from = address(real.payer)
    const payment_id = attacker.paymentId({ ...token, chainId, from, nonce: real.nonce })
    const elsewhere = { chain_id: chainId, payment_id }
    return Effect.andThen(transfer(real), fakeUnmatchedTransfer(attacker, real, elsewhere))
  },
  "a real transfer of a token that is worth nothing": ({ attacker, transfer }) => {
    const real = fresh(thief)
    const asset = address(`0x${"33".repeat(20)}`)
    const from = address(real.payer)
    const payment_id = attacker.paymentId({ ...token, asset, from, nonce: real.nonce })
    return Effect.andThen(
      transfer(real, payTo, asset),
      fakeUnmatchedTransfer(attacker, real, { asset, payment_id }),
    )
  },
  "a real transfer under another payment's id": ({ attacker, transfer }) => {
    const real = fresh(thief)
    const payment_id = `0x${"44".repeat(32)}`
    return Effect.andThen(transfer(real), fakeUnmatchedTransfer(attacker, real, { payment_id }))
  },
  "a debt to the treasury itself": ({ attacker, treasury }) =>
    fakeUnmatchedTransfer(attacker, { ...fresh(thief), payer: treasury }),
  "an authorization that its payer cancelled": ({ attacker, ledger }) => {
    const real = fresh(thief)
    return Effect.andThen(
      ledger.cancel({
        ...{ asset: token.asset, from: address(real.payer), nonce: real.nonce },
        ...{ transaction: "0xcc", blockTime: 1n },
      }),
      fakeUnmatchedTransfer(attacker, real),
    )
  },
  ...Object.fromEntries(walks.map((walk) => [
    `a call that was ${walk[1].join(", ")}: ${walk[0]}`,
    ({ attacker }: House) => walkToRefundDue(attacker, fresh(thief), walk),
  ])),
}

compromised("the worker pays nothing for any lie of the edge's, and once for the one true debt", (
  house,
) =>
  Effect.gen(function* () {
    for (const [name, lie] of Object.entries(lies)) ok(yield* wasAccepted(lie(house)), name)
    const [written] = yield* house.owner<{ debts: bigint }>`
      SELECT count(*) AS debts FROM refund WHERE state = 'queued'`
    strictEqual(Number(written?.debts), Object.keys(lies).length, "every lie is before the worker")
    for (let round = 0; round < rounds; round++) yield* house.work
    equal(yield* lost(house), nothing)

    const honest = yield* honestOrphan(house)
    for (let round = 0; round < rounds; round++) yield* house.work
    equal(yield* lost(house), { spent: price, gained: 0n, signatures: 1 })
    equal(house.signed.map(({ to, value }) => [to, value]), [[honest.payer, price]])
    const [ended] = yield* house.owner<{ state: string }>`
      SELECT state FROM payment WHERE nonce = ${honest.nonce}`
    strictEqual(ended?.state, "refunded")
  }))

compromised(
  "the edge cannot write a refund, nor make one payment two",
  (house) =>
    Effect.gen(function* () {
      const { attacker, owner } = house
      const honest = yield* honestOrphan(house)
      const sold = fresh(thief)
      yield* house.transfer(sold)
      // What the thief has bought and was handed.
      yield* fakeClaim(attacker, sold)
      const at = {
        paid_transaction: "0xbb",
        paid_block: 1n,
        paid_log_index: 0,
        paid_finality: "safe",
      }
      yield* move(attacker, sold, {
        ...{ state: "settling", intended_at: new Date(), answer_body: new Uint8Array([1]) },
      })
      yield* move(attacker, sold, { ...at, state: "settled" }).pipe(Effect.andThen(
        move(attacker, sold, { state: "answered", answered_at: new Date() }),
      ))
      yield* move(attacker, sold, { sent_at: new Date() })
      const attempts: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        ...forbidden.map((statement) => attacker.sql.unsafe(statement).unprepared),
        ...[honest, sold].flatMap((payment) => [
          fakeUnmatchedTransfer(attacker, payment),
          fakeUnmatchedTransfer(attacker, payment, { payment_id: `0x${"55".repeat(32)}` }),
          fakeUnmatchedTransfer(attacker, { ...payment, payer: payment.payer.toUpperCase() }),
          fakeUnmatchedTransfer(attacker, payment, { asset: terms.asset }),
          fakeUnmatchedTransfer(attacker, payment, { payer: `${payment.payer} ` }),
          fakeClaim(attacker, payment),
        ]),
        ...[0n, -price].map((amount) =>
          fakeUnmatchedTransfer(attacker, { ...fresh(thief), amount })
        ),
        fakeUnmatchedTransfer(attacker, { ...fresh(thief), payer: payTo }),
        ...[1_000_000n, -1n].map((paid_amount) =>
          fakeUnmatchedTransfer(attacker, fresh(thief), { paid_amount })
        ),
        fakeUnmatchedTransfer(attacker, fresh(thief), { state: "refunded" }),
        fakeUnmatchedTransfer(attacker, fresh(thief), { state: "answered" }),
        move(attacker, sold, { state: "refund_due", answer_body: null }),
        move(attacker, sold, { state: "refund_due", answer_body: null, sent_at: null }),
        move(attacker, sold, { sent_at: null }),
        move(attacker, sold, { state: "released", answer_body: null }),
      ]
      for (const [n, attempt] of attempts.entries()) {
        strictEqual(yield* wasAccepted(attempt), false, `attempt ${n} was let through`)
      }
      for (let round = 0; round < rounds; round++) yield* house.work
      equal(yield* lost(house), { spent: price, gained: 0n, signatures: 1 })

      const again = [
        move(attacker, honest, { state: "refund_due" }),
        move(attacker, honest, { state: "void" }),
        fakeUnmatchedTransfer(attacker, honest),
      ]
      for (const attempt of again) strictEqual(yield* wasAccepted(attempt), false)
      yield* house.work
      equal(yield* lost(house), { spent: price, gained: 0n, signatures: 1 })
      const [rows] = yield* owner<{ refunds: bigint }>`SELECT count(*) AS refunds FROM refund`
      strictEqual(Number(rows?.refunds), 1)
    }),
)

compromised("a lie that was found out pays nothing when it is told again, nor from under a mask", (
  house,
) =>
  Effect.gen(function* () {
    const { attacker, owner } = house
    const lie = fresh(thief)
    yield* fakeUnmatchedTransfer(attacker, lie)
    for (let round = 0; round < rounds; round++) {
      yield* house.work
      const [row] = yield* owner<{ state: string }>`SELECT state FROM payment`
      strictEqual(row?.state, "void")
      const anew = { state: "refund_due", reason: "really", paid_amount: BigInt(round + 1) }
      ok(yield* wasAccepted(move(attacker, lie, anew)))
    }
    yield* house.work
    // A row that bears a real authorization under another id hides its debt, and stops no scan.
    const hidden = fresh(victim)
    yield* house.transfer(hidden)
    yield* fakeUnmatchedTransfer(attacker, hidden, { payment_id: `0x${"77".repeat(32)}` })
    strictEqual(yield* found(house, hidden), false)
    // What queues and ends a debt looks for the tables where they are, whatever the session says.
    const { sql } = attacker
    yield* hijack(sql, house.schema)
    const owed = fresh(thief)
    const masked = attacker.paymentId({ ...token, from: address(owed.payer), nonce: owed.nonce })
    yield* sql`INSERT INTO pg_temp.refund (payment_id, state) VALUES (${masked}, 'queued')`
    ok(yield* wasAccepted(fakeUnmatchedTransfer(attacker, owed)))
    const [queued] = yield* owner<{ state: string }>`
      SELECT state FROM refund WHERE payment_id = ${masked}`
    strictEqual(queued?.state, "queued")
    yield* sql`UPDATE pg_temp.refund SET state = 'confirmed'`
    strictEqual(yield* wasAccepted(move(attacker, owed, { state: "refunded" })), false)
    yield* sql`DISCARD TEMP`
    for (let round = 0; round < rounds; round++) yield* house.work
    equal(yield* lost(house), nothing)
  }))
