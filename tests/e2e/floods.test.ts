/**
 * Floods of payments that pay for nothing: they cost the facilitator no call and the store no row, and
 * whoever pays in the middle of one is served.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Layer, Ref, References, type Scope } from "effect"
import { layer as signatures } from "../../src/payments/wasmSignatures.ts"
import { layerLedger } from "../../src/payments/simulated/facilitator.ts"
import { Ledger } from "../../src/payments/simulated/ledger.ts"
import { address, Bytes32 } from "../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { type Product, products } from "../../src/catalog/domain/product.ts"
import { Facilitator } from "../../src/payments/Facilitator.ts"
import { Random } from "../support/random.ts"
import { liveTest } from "../support/effect.ts"
import { sized } from "../support/size.ts"
import { type MemoryPayments, memoryPayments } from "../support/payments/memoryPayments.ts"
import {
  ask,
  openReplica,
  type ReplicaPorts,
  type Signed,
  signedFor,
  stockedWorld,
} from "../support/http/socketReplicas.ts"
import { headerOf, terms, token } from "../support/payments/terms.ts"
import { layerMemory } from "../support/payments/memoryLedger.ts"

const flood = sized({ short: 150, full: 600 })
const allowance = 30
const paths = ["/v1/latest", "/v1/signal", "/v1/resolving", "/v1/whales"]

const portsOn = ({ store }: MemoryPayments): Layer.Layer<ReplicaPorts> =>
  Layer.merge(
    Layer.succeed(PaymentStore, store),
    layerLedger().pipe(Layer.provideMerge(layerMemory)),
  ).pipe(Layer.provideMerge(signatures))

/** A shop that counts what it asks of its facilitator. */
const shop = Effect.gen(function* () {
  const calls = { verify: 0, settle: 0 }
  const world = yield* stockedWorld
  const replica = yield* openReplica(world, { invalidPayments: allowance }).pipe(
    Effect.updateService(Facilitator, (inner) => ({
      ...inner,
      verify: (request) => Effect.suspend(() => (calls.verify++, inner.verify(request))),
      settle: (request) => Effect.suspend(() => (calls.settle++, inner.settle(request))),
    })),
  )
  return { replica, calls, world }
})

const flooded = (
  name: string,
  body: (memory: MemoryPayments) => Effect.Effect<void, unknown, ReplicaPorts | Scope.Scope>,
) =>
  liveTest(name, () => {
    const memory = memoryPayments()
    return Effect.suspend(() => body(memory)).pipe(
      Effect.provide(portsOn(memory)),
      Effect.provideService(References.MinimumLogLevel, "None"),
    )
  })

const hex = (random: Random, digits: number) =>
  Array.from({ length: digits }, () => random.below(16).toString(16)).join("")
const anyNonce = (random: Random) => Bytes32.make(`0x${hex(random, 64)}`)

type Wire = Signed["wire"]
/** Signed by somebody, and then changed by somebody else. */
const tampered = ({ payload, ...rest }: Wire, changes: Partial<Wire["payload"]["authorization"]>) =>
  headerOf({
    ...rest,
    payload: { ...payload, authorization: { ...payload.authorization, ...changes } },
  })

/** Payments that pay for nothing, each a little different from the last. */
const garbage: ReadonlyArray<(signed: Signed, random: Random) => string> = [
  (_, random) => hex(random, 200),
  (_, random) => btoa(`{"x402Version":2,"n":"${hex(random, 20)}"}`),
  ({ header }, random) => header.slice(0, random.between(10, header.length - 10)),
  ({ wire }, random) =>
    headerOf({ ...wire, payload: { ...wire.payload, signature: `0x${hex(random, 128)}1b` } }),
  ({ wire }, random) => tampered(wire, { nonce: anyNonce(random) }),
  ({ wire }, random) => tampered(wire, { from: `0x${hex(random, 40)}` }),
  ({ wire }) => tampered(wire, { value: "1" }),
  ({ wire }) => tampered(wire, { validBefore: "9999999999" }),
  ({ wire }, random) => tampered(wire, { to: `0x${hex(random, 40)}` }),
]

/** A flood from as many clients as it has payments, or from one. */
const send = (base: string, headers: ReadonlyArray<string>, clientOf: (n: number) => number) =>
  Effect.forEach(
    headers,
    (payment, n) =>
      ask(base, {
        ...{ payment, path: paths[n % paths.length] ?? "", client: clientOf(n) },
        header: n % 3 === 0 ? "X-PAYMENT" : "PAYMENT-SIGNATURE",
      }),
    { concurrency: 40 },
  )

const floodOf = Effect.fnUntraced(function* (random: Random) {
  const signed = yield* signedFor(products.latest, { nonce: anyNonce(random) })
  return Array.from(
    { length: flood },
    (_, n) => garbage[n % garbage.length]?.(signed, random) ?? "",
  )
})

const count = (told: ReadonlyArray<{ readonly status: number }>) => {
  const counts: Record<number, number> = {}
  for (const { status } of told) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

flooded(
  `${flood} invalid payments from one client cost the facilitator nothing, and end in 429`,
  (memory) =>
    Effect.gen(function* () {
      const { replica, calls } = yield* shop
      const told = yield* send(replica.base, yield* floodOf(new Random(1)), () => 1)
      equal(Object.keys(count(told)), ["402", "429"])
      ok((count(told)[402] ?? 0) <= allowance, "no more than one client may have")
      equal(calls, { verify: 0, settle: 0 })
      equal(memory.countByState(), new Map())
    }),
)

flooded(
  `${flood} invalid payments from as many clients cost the facilitator and the store nothing`,
  (memory) =>
    Effect.gen(function* () {
      const { replica, calls } = yield* shop
      const headers = yield* floodOf(new Random(2))
      const honest = Effect.gen(function* () {
        const signed = yield* signedFor(products.latest, { n: 1 })
        return yield* ask(replica.base, {
          ...{ path: signed.product.path, payment: signed.header, client: 20_000 },
        })
      })
      const [told, paid] = yield* Effect.all([send(replica.base, headers, (n) => n), honest], {
        concurrency: 2,
      })
      equal(count(told), { 402: flood })
      strictEqual(paid.status, 200)
      equal(calls, { verify: 1, settle: 1 })
      equal(memory.countByState(), new Map([["answered", 1]]))
    }),
)

flooded(
  "forged copies of a payment that was taken change nothing for it",
  () =>
    Effect.gen(function* () {
      const { replica, calls } = yield* shop
      const key = "the-first-callers-secret"
      const signed = yield* signedFor(products.latest)
      const asked = { path: signed.product.path, payment: signed.header, key }
      const first = yield* ask(replica.base, asked)
      const random = new Random(3)
      const forged = Array.from({ length: 100 }, () =>
        headerOf({
          ...signed.wire,
          payload: { ...signed.wire.payload, signature: `0x${hex(random, 64)}${"1".repeat(64)}1c` },
        }))
      const told = yield* Effect.forEach(
        forged,
        (payment, client) => ask(replica.base, { ...asked, payment, client }),
        { concurrency: 20 },
      )
      equal(
        new Set(told.map(({ status, code, charged }) => `${status} ${code} ${charged}`)),
        new Set(["409 payment_conflict true"]),
      )
      equal(calls, { verify: 1, settle: 1 })
      strictEqual((yield* ask(replica.base, asked)).text, first.text)
    }),
)

flooded(
  "good signatures of payers without money cost a client's allowance, and settle nothing",
  () =>
    Effect.gen(function* () {
      const { replica, calls } = yield* shop
      const ledger = yield* Ledger
      const signed = yield* Effect.forEach(
        Array.from({ length: 2 * allowance }, (_, n) => n),
        Effect.fnUntraced(function* (n) {
          const signed = yield* signedFor(products.latest, { n: 100 + n })
          const { from } = signed.authorization
          const value = yield* ledger.balance(from)
          yield* ledger.transfer({
            ...{ asset: token.asset, from, to: address(`0x${"99".repeat(20)}`), value },
            ...{ nonce: anyNonce(new Random(n)), transaction: "0x", blockTime: 1n },
          })
          return signed
        }),
      )
      const told = yield* Effect.forEach(
        signed,
        ({ header: payment }) => ask(replica.base, { path: "/v1/latest", payment, client: 5 }),
      )
      equal(count(told), { 402: allowance, 429: allowance })
      // The one that was over the allowance was verified before it was counted.
      ok(calls.verify <= allowance + 1, `${calls.verify} calls`)
      strictEqual(calls.settle, 0)
    }),
)

/** What is bought, and how its world is emptied, so that the work must fail. */
const doomed: ReadonlyArray<readonly [product: Product, query: string, status: number]> = [
  [products.resolving, "", 422],
  [products.whales, "", 422],
  [products.research, "?market=no-such-market", 404],
  [products.research, "", 400],
]

flooded(
  "a call that is known to fail is refused before anything is settled, or even verified",
  () =>
    Effect.gen(function* () {
      const { replica, calls, world } = yield* shop
      yield* Ref.set(world.productPorts.markets, [])
      yield* Ref.set(world.productPorts.whales, [])
      const random = new Random(4)
      for (let turn = 0; turn < 5; turn++) {
        for (const [product, query, status] of doomed) {
          const signed = yield* signedFor(product, { nonce: anyNonce(random) })
          const path = `${product.path}${query}`
          const told = yield* ask(replica.base, { path, payment: signed.header, client: turn })
          equal([told.status, told.charged], [status, false], path)
        }
      }
      equal(calls, { verify: 0, settle: 0 })
      const ledger = yield* Ledger
      strictEqual(yield* ledger.received(address(terms.payTo)), 0n)
    }),
)

flooded(
  "a payment header is read up to 8 KiB, and the head of a request has an end too",
  () =>
    Effect.gen(function* () {
      const { replica, calls } = yield* shop
      for (const header of ["PAYMENT-SIGNATURE", "X-PAYMENT"] as const) {
        const told = (bytes: number) =>
          ask(replica.base, {
            path: "/v1/latest",
            payment: "A".repeat(bytes),
            header,
            client: bytes,
          })
        strictEqual((yield* told(8_192)).status, 402)
        for (const bytes of [8_193, 16_384, 60_000]) {
          const { status, code } = yield* told(bytes)
          equal([status, code], [431, "headers_too_large"])
        }
      }
      for (
        const head of [
          `PAYMENT-SIGNATURE: ${"A".repeat(128 * 1_024)}\r\n`,
          Array.from({ length: 200 }, (_, n) => `X-${n}: x\r\n`).join(""),
        ]
      ) {
        const answer = yield* raw(replica.port, `GET /v1/latest HTTP/1.1\r\nHost: x\r\n${head}\r\n`)
        match(answer, /^$|^HTTP\/1\.1 4\d\d /)
      }
      equal(calls, { verify: 0, settle: 0 })
    }),
)

/** Sends bytes as they are, and reads what comes until the connection is closed or reset. */
const raw = (port: number, text: string) =>
  Effect.promise(async () => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port })
    let answer = ""
    try {
      const bytes = new TextEncoder().encode(text)
      for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent))
      for await (const chunk of connection.readable) answer += new TextDecoder().decode(chunk)
    } catch {
      // Reset: that is an answer too.
    }
    return answer
  })
