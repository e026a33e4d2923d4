/**
 * A compromised service: an attacker has the service's login on the real PostgreSQL and wants the
 * treasury's money. The real refund worker processes the attacker's rows under its own login and pays
 * only real debts.
 *
 * The attacker cannot change the chain, which here is an in-memory ledger.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Context, Effect, Layer, Redacted, References, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerPostgres } from "../../src/postgres/client.ts"
import { layer as paymentStore } from "../../src/payments/postgres/paymentStore.ts"
import { layer as refundStore } from "../../src/payments/postgres/refundStore.ts"
import { layer as signaturesLayer } from "../../src/payments/wasmSignatures.ts"
import { layerLedger } from "../support/payments/simulated.ts"
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
} from "../support/payments/serviceAttacks.ts"
import { type Body, effectOf, liveTest } from "../support/effect.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { freshLogins } from "../support/stores.ts"
import { storeAnswer, withAnswer, withoutAnswer } from "../support/payments/storedAnswer.ts"
import { nonce, terms, token } from "../support/payments/terms.ts"
import { layerMemory } from "../support/payments/memoryLedger.ts"

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL") || undefined
const treasuryKey = Redacted.make(`0x${"ab".repeat(32)}` as const)
const payTo = address(terms.payTo)
const price = 10_000n
const rounds = 4

const connect = (url: Redacted.Redacted, maxConnections: number) =>
  Effect.map(
    Layer.build(Layer.fresh(layerPostgres({ url, maxConnections }))),
    (context) => Context.get(context, SqlClient),
  )

/** A migrated store with its two logins, a chain, a treasury, and two workers. */
const makeEnvironment = Effect.gen(function* () {
  const { owner, service, refund } = yield* freshLogins(testDatabaseUrl ?? "")
  const [row] = yield* owner<{ schema: string }>`SELECT current_schema() AS schema`
  // One session, so that its temporary tables and settings remain for the next statement.
  const serviceSql = yield* connect(service, 1)
  const refundSql = yield* connect(refund, 4)
  const payments = Layer.provide(paymentStore, Layer.succeed(SqlClient, serviceSql))
  const world = yield* Layer.build(
    Layer.mergeAll(
      Layer.provide(refundStore, Layer.succeed(SqlClient, refundSql)),
      payments,
      layerLedger().pipe(Layer.provideMerge(layerMemory)),
      Treasury.layer({ privateKey: treasuryKey }),
    ).pipe(Layer.provideMerge(signaturesLayer)),
  )
  const signed: Array<Authorization> = []
  const treasury = Context.get(world, Treasury)
  const recordingTreasury: Treasury["Service"] = {
    ...treasury,
    sign: (token, authorization) =>
      Effect.suspend(() => {
        signed.push(authorization)
        return treasury.sign(token, authorization)
      }),
  }
  const noCaps = { perHour: 10n ** 12n, perDay: 10n ** 12n }
  const caps = { sales: noCaps, unmatched: noCaps }
  const worker = Effect.map(
    Layer.build(
      Layer.fresh(RefundWorker.layer({ token, payTo, caps })).pipe(
        Layer.provide(Layer.succeedContext(Context.add(world, Treasury, recordingTreasury))),
      ),
    ),
    (context) => Context.get(context, RefundWorker),
  )
  const workers = [yield* worker, yield* worker]
  const ledger = Context.get(world, Ledger)
  const signatures = Context.get(world, Signatures)
  const attacker: Attacker = { sql: serviceSql, paymentId: signatures.paymentId }
  return {
    ...{ owner, signed, ledger, attacker, treasury: treasury.address },
    schema: row?.schema ?? "",
    payments: Context.get(world, PaymentStore),
    /** Both workers process all refunds at once, without their backoff. */
    runWorkers: owner`UPDATE refund SET next_attempt_at = now() - interval '1 second'
      WHERE state <> 'confirmed'`.pipe(
      Effect.andThen(
        Effect.all(workers.map(({ sweep }) => Effect.andThen(sweep("sales"), sweep("unmatched"))), {
          concurrency: 2,
        }),
      ),
      Effect.provideService(References.MinimumLogLevel, "None"),
    ),
    /** Makes a transfer on the chain. */
    transfer: ({ payer, nonce, amount }: Claimed, to = payTo, asset = token.asset) =>
      ledger.transfer({
        ...{ asset, from: address(payer), to, nonce, value: amount },
        ...{ transaction: signatures.digest(`${payer}:${nonce}`), blockTime: 1_700_000_000n },
      }),
  }
})
type Environment = Effect.Success<typeof makeEnvironment>

const compromised = (
  name: string,
  body: (environment: Environment) => ReturnType<Body<Scope.Scope>>,
) =>
  testDatabaseUrl === undefined ? registerSkipped(name, "set TEST_DATABASE_URL") : liveTest(
    name,
    () => Effect.flatMap(makeEnvironment, (environment) => effectOf(() => body(environment))),
  )

let count = 0
/** A payment of the n-th buyer with an unused nonce. */
const fresh = (n: number, amount = price): Claimed => ({
  ...{ payer: buyer(n).address.toLowerCase(), amount },
  nonce: nonce(1_000 + count++),
})
const thief = 66
const victim = 7

/** The treasury's losses, the thief's gains, and the count of signatures. */
const losses = Effect.fnUntraced(function* ({ ledger, treasury, signed }: Environment) {
  const spent = playBalance - (yield* ledger.balance(treasury))
  const gained = yield* ledger.received(address(buyer(thief).address))
  return { spent, gained, signatures: signed.length }
})
const nothing = { spent: 0n, gained: 0n, signatures: 0 }

/** Inserts a transfer as the chain scan does; true when it made a new row. */
const insertUnmatched = (
  { payments, attacker }: Environment,
  { payer, nonce, amount: value }: Claimed,
) => {
  const from = address(payer)
  const paymentId = attacker.paymentId({ ...token, from, nonce })
  const at = { transaction: "0xaa", block: 1n, logIndex: 0, finality: "safe" } as const
  return payments.insertUnmatched({ paymentId, token, from, to: payTo, value, nonce, at })
}

/** A real transfer that belongs to no request. */
const realUnmatchedTransfer = Effect.fnUntraced(function* (environment: Environment) {
  const payment = fresh(1)
  yield* environment.transfer(payment)
  strictEqual(yield* insertUnmatched(environment, payment), true)
  return payment
})

/** Every way to insert a debt that is not real, in a session with the service's login. */
const falseDebts: Readonly<
  Record<string, (environment: Environment) => Effect.Effect<unknown, unknown>>
> = {
  "a transfer that does not exist": ({ attacker }) => fakeUnmatchedTransfer(attacker, fresh(thief)),
  "a transfer that does not exist and never expires": ({ attacker }) =>
    fakeUnmatchedTransfer(attacker, fresh(thief), { valid_before: never }),
  "a transfer that does not exist, with a real transaction": ({ attacker, transfer }) => {
    const real = fresh(victim)
    const named = { paid_transaction: `0x${"aa".repeat(32)}` }
    return Effect.andThen(transfer(real), fakeUnmatchedTransfer(attacker, fresh(thief), named))
  },
  "another payer's transfer with the thief as payer": ({ attacker, transfer }) => {
    const real = fresh(victim)
    const stolen = { ...real, payer: fresh(thief).payer }
    return Effect.andThen(transfer(real), fakeUnmatchedTransfer(attacker, stolen))
  },
  "the thief's transfer to another address": ({ attacker, transfer }) => {
    const real = fresh(thief)
    return Effect.andThen(
      transfer(real, address(buyer(thief + 1).address)),
      fakeUnmatchedTransfer(attacker, real),
    )
  },
  "the thief's transfer to another address, with that address as pay_to": (
    { attacker, transfer },
  ) => {
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
  "a payment with another amount than was agreed and paid": ({ attacker, transfer }) => {
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
  "an amount above every price": ({ attacker, transfer }) => {
    const real = fresh(thief, refundMax + 1n)
    return Effect.andThen(transfer(real), fakeUnmatchedTransfer(attacker, real))
  },
  "a real transfer with another chain's id": ({ attacker, transfer }) => {
    const real = fresh(thief)
    const chainId = 1
    const from = address(real.payer)
    const payment_id = attacker.paymentId({ ...token, chainId, from, nonce: real.nonce })
    const elsewhere = { chain_id: chainId, payment_id }
    return Effect.andThen(transfer(real), fakeUnmatchedTransfer(attacker, real, elsewhere))
  },
  "a real transfer of a worthless token": ({ attacker, transfer }) => {
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
    `a request that was never made, ${walk[1].join(", ")}: ${walk[0]}`,
    ({ attacker }: Environment) => walkToRefundDue(attacker, fresh(thief), walk),
  ])),
}

compromised(
  "the worker pays no false debt of the service, and one real debt once",
  function* (environment) {
    for (const [name, falseDebt] of Object.entries(falseDebts)) {
      ok(yield* wasAccepted(falseDebt(environment)), name)
    }
    const [written] = yield* environment.owner<{ debts: bigint }>`
    SELECT count(*) AS debts FROM refund WHERE state = 'queued'`
    strictEqual(
      Number(written?.debts),
      Object.keys(falseDebts).length,
      "every false debt is queued",
    )
    for (let round = 0; round < rounds; round++) yield* environment.runWorkers
    equal(yield* losses(environment), nothing)

    const real = yield* realUnmatchedTransfer(environment)
    for (let round = 0; round < rounds; round++) yield* environment.runWorkers
    equal(yield* losses(environment), { spent: price, gained: 0n, signatures: 1 })
    equal(environment.signed.map(({ to, value }) => [to, value]), [[real.payer, price]])
    const [ended] = yield* environment.owner<{ state: string }>`
    SELECT state FROM payment WHERE nonce = ${real.nonce}`
    strictEqual(ended?.state, "refunded")
  },
)

compromised(
  "the service's login can neither write a refund nor duplicate a payment",
  function* (environment) {
    const { attacker, owner } = environment
    const real = yield* realUnmatchedTransfer(environment)
    const sold = fresh(thief)
    yield* environment.transfer(sold)
    // A sale to the thief that was delivered.
    yield* fakeClaim(attacker, sold)
    const at = {
      paid_transaction: "0xbb",
      paid_block: 1n,
      paid_log_index: 0,
      paid_finality: "safe",
    }
    yield* storeAnswer(attacker.sql)
    yield* move(attacker, sold, { state: "settling", intended_at: new Date(), ...withAnswer })
    yield* move(attacker, sold, { ...at, state: "settled" }).pipe(Effect.andThen(
      move(attacker, sold, { state: "answered", answered_at: new Date() }),
    ))
    yield* move(attacker, sold, { sent_at: new Date() })
    const attempts: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
      ...forbidden.map((statement) => attacker.sql.unsafe(statement).unprepared),
      ...[real, sold].flatMap((payment) => [
        fakeUnmatchedTransfer(attacker, payment),
        fakeUnmatchedTransfer(attacker, payment, { payment_id: `0x${"55".repeat(32)}` }),
        fakeUnmatchedTransfer(attacker, { ...payment, payer: payment.payer.toUpperCase() }),
        fakeUnmatchedTransfer(attacker, payment, { asset: terms.asset }),
        fakeUnmatchedTransfer(attacker, payment, { payer: `${payment.payer} ` }),
        fakeClaim(attacker, payment),
      ]),
      ...[0n, -price].map((amount) => fakeUnmatchedTransfer(attacker, { ...fresh(thief), amount })),
      fakeUnmatchedTransfer(attacker, { ...fresh(thief), payer: payTo }),
      ...[1_000_000n, -1n].map((paid_amount) =>
        fakeUnmatchedTransfer(attacker, fresh(thief), { paid_amount })
      ),
      fakeUnmatchedTransfer(attacker, fresh(thief), { state: "refunded" }),
      fakeUnmatchedTransfer(attacker, fresh(thief), { state: "answered" }),
      move(attacker, sold, { state: "refund_due", ...withoutAnswer }),
      move(attacker, sold, { state: "refund_due", ...withoutAnswer, sent_at: null }),
      move(attacker, sold, { sent_at: null }),
      move(attacker, sold, { state: "released", ...withoutAnswer }),
    ]
    for (const [n, attempt] of attempts.entries()) {
      strictEqual(yield* wasAccepted(attempt), false, `attempt ${n} was accepted`)
    }
    for (let round = 0; round < rounds; round++) yield* environment.runWorkers
    equal(yield* losses(environment), { spent: price, gained: 0n, signatures: 1 })

    const repeated = [
      move(attacker, real, { state: "refund_due" }),
      move(attacker, real, { state: "void" }),
      fakeUnmatchedTransfer(attacker, real),
    ]
    for (const attempt of repeated) strictEqual(yield* wasAccepted(attempt), false)
    yield* environment.runWorkers
    equal(yield* losses(environment), { spent: price, gained: 0n, signatures: 1 })
    const [rows] = yield* owner<{ refunds: bigint }>`SELECT count(*) AS refunds FROM refund`
    strictEqual(Number(rows?.refunds), 1)
  },
)

compromised(
  "a rejected debt pays nothing when it is repeated, nor with shadowed tables",
  function* (environment) {
    const { attacker, owner } = environment
    const falseDebt = fresh(thief, 2n * price)
    yield* fakeUnmatchedTransfer(attacker, falseDebt)
    for (let round = 0; round < rounds; round++) {
      yield* environment.runWorkers
      const [row] = yield* owner<{ state: string }>`SELECT state FROM payment`
      strictEqual(row?.state, "void")
      const repeated = { state: "refund_due", reason: "really", paid_amount: price + BigInt(round) }
      ok(yield* wasAccepted(move(attacker, falseDebt, repeated)))
    }
    yield* environment.runWorkers
    // A row with a real authorization under a wrong id blocks the insert of its debt, but no scan.
    const blocked = fresh(victim)
    yield* environment.transfer(blocked)
    yield* fakeUnmatchedTransfer(attacker, blocked, { payment_id: `0x${"77".repeat(32)}` })
    strictEqual(yield* insertUnmatched(environment, blocked), false)
    // The triggers use the real tables, whatever search_path the session has set.
    const { sql } = attacker
    yield* hijack(sql, environment.schema)
    const queuedDebt = fresh(thief)
    const shadowedId = attacker.paymentId({
      ...token,
      from: address(queuedDebt.payer),
      nonce: queuedDebt.nonce,
    })
    yield* sql`INSERT INTO pg_temp.refund (payment_id, state) VALUES (${shadowedId}, 'queued')`
    ok(yield* wasAccepted(fakeUnmatchedTransfer(attacker, queuedDebt)))
    const [queued] = yield* owner<{ state: string }>`
    SELECT state FROM refund WHERE payment_id = ${shadowedId}`
    strictEqual(queued?.state, "queued")
    yield* sql`UPDATE pg_temp.refund SET state = 'confirmed'`
    strictEqual(yield* wasAccepted(move(attacker, queuedDebt, { state: "refunded" })), false)
    yield* sql`DISCARD TEMP`
    for (let round = 0; round < rounds; round++) yield* environment.runWorkers
    equal(yield* losses(environment), nothing)
  },
)
