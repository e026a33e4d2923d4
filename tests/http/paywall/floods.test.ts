/**
 * Floods of invalid payments: they cause no facilitator call and no row in the store, and a client
 * that pays during a flood is served.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect, Layer, References } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { address, Bytes32 } from "../../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { Ledger } from "../../../src/payments/simulated/ledger.ts"
import { test } from "../../support/effect.ts"
import type { Handle } from "../../support/http/a2a.ts"
import { a2aService } from "../../support/http/a2aService.ts"
import { signedFor, type Wire } from "../../support/http/signed.ts"
import { memoryPayments } from "../../support/payments/memoryPayments.ts"
import { inMarket, type Market } from "../../support/payments/sales.ts"
import { headerOf, nonce, token } from "../../support/payments/terms.ts"
import { Random } from "../../support/random.ts"

const { latest } = products
const flood = 150
const allowance = 30
const paths = ["/v1/latest", "/v1/signal", "/v1/resolving", "/v1/whales"]

/** A market that counts the calls of its facilitator and the rows of its store. */
const flooded = (
  name: string,
  body: (
    calls: { readonly verify: number; readonly settle: number },
    countByState: ReturnType<typeof memoryPayments>["countByState"],
  ) => Effect.Effect<void, never, Market>,
) =>
  test(name, () => {
    const calls = { verify: 0, settle: 0 }
    const { store, countByState } = memoryPayments()
    const misbehave = (call: "verify" | "settle") => (calls[call]++, null)
    const ports = Layer.succeed(PaymentStore, store)
    return inMarket(body(calls, countByState), { misbehave }, ports).pipe(
      Effect.provideService(References.MinimumLogLevel, "None"),
    )
  })

const hex = (random: Random, digits: number) =>
  Array.from({ length: digits }, () => random.below(16).toString(16)).join("")

/** A signed payment that was changed after it was signed. */
const tampered = ({ payload, ...rest }: Wire, changes: Partial<Wire["payload"]["authorization"]>) =>
  headerOf({
    ...rest,
    payload: { ...payload, authorization: { ...payload.authorization, ...changes } },
  })

/** Invalid payments; each call returns a different one. */
const invalidPayments: ReadonlyArray<(wire: Wire, random: Random) => string> = [
  (_, random) => hex(random, 200),
  (_, random) => btoa(`{"x402Version":2,"n":"${hex(random, 20)}"}`),
  (wire, random) => headerOf(wire).slice(0, random.between(10, headerOf(wire).length - 10)),
  (wire, random) =>
    headerOf({ ...wire, payload: { ...wire.payload, signature: `0x${hex(random, 128)}1b` } }),
  (wire, random) => tampered(wire, { nonce: Bytes32.make(`0x${hex(random, 64)}`) }),
  (wire, random) => tampered(wire, { from: `0x${hex(random, 40)}` }),
  (wire) => tampered(wire, { value: "1" }),
  (wire) => tampered(wire, { validBefore: "9999999999" }),
  (wire, random) => tampered(wire, { to: `0x${hex(random, 40)}` }),
]

/** The status of a payment from the n-th client. */
const statusOf = ({ get }: Handle, path: string, payment: string, client: number, n = 0) => {
  const name = n % 3 === 0 ? "x-payment" : "payment-signature"
  const headers = { [name]: payment, "x-forwarded-for": `198.18.${client >> 8}.${client & 255}` }
  return Effect.map(get(path, { headers }), ({ status }) => status)
}

flooded(
  `${flood} invalid payments from as many clients cause no facilitator call and no row`,
  Effect.fnUntraced(function* (calls, countByState) {
    const { service } = yield* a2aService
    const random = new Random(2)
    const { wire } = yield* signedFor(latest)
    const { header } = yield* signedFor(latest, { n: 1 })
    const statuses = yield* Effect.forEach(
      Array.from({ length: flood }, (_, n) => n),
      (n) => {
        const payment = invalidPayments[n % invalidPayments.length]?.(wire, random) ?? ""
        return statusOf(service, paths[n % paths.length] ?? "", payment, n, n)
      },
      { concurrency: 40 },
    ).pipe(Effect.zipWith(
      statusOf(service, latest.path, header, flood),
      (invalid, paid) => {
        strictEqual(paid, 200)
        return invalid
      },
      { concurrent: true },
    ))
    equal([...new Set(statuses)], [402])
    equal(calls, { verify: 1, settle: 1 })
    equal(countByState(), new Map([["answered", 1]]))
  }, Effect.scoped),
)

flooded(
  "valid signatures of payers without money use up a client's allowance, and settle nothing",
  Effect.fnUntraced(function* (calls) {
    const { service } = yield* a2aService
    const ledger = yield* Ledger
    const statuses: Array<number> = []
    for (let n = 0; n < 2 * allowance; n++) {
      const { header, authorization: { from } } = yield* signedFor(latest, { n: 100 + n })
      yield* ledger.transfer({
        ...{ asset: token.asset, from, to: address(`0x${"99".repeat(20)}`) },
        ...{ value: yield* ledger.balance(from), nonce: nonce(n), transaction: "0x" },
        blockTime: 1n,
      })
      statuses.push(yield* statusOf(service, latest.path, header, 5))
    }
    equal(statuses, [...Array(allowance).fill(402), ...Array(allowance).fill(429)])
    // The payment that exceeds the allowance is verified before it is counted.
    ok(calls.verify <= allowance + 1, `${calls.verify} calls`)
    strictEqual(calls.settle, 0)
  }, Effect.scoped),
)
