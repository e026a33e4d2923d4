/**
 * A buyer that does what the published texts say, behind a proxy that injects one failure: it never
 * pays twice, and what it pays for it gets.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts"
import { products } from "../../src/catalog/domain/product.ts"
import { skillName } from "../../src/catalog/domain/skill.ts"
import { address } from "../../src/payments/domain/payment.ts"
import { Ledger, playBalance } from "../../src/payments/simulated/ledger.ts"
import { liveTest } from "../support/effect.ts"
import { openService } from "../support/examples/wholeService.ts"
import { type Backend, faults, openProxy } from "../support/literalBuyer/proxy.ts"
import { buyLiterally, transports } from "../support/literalBuyer/reader.ts"
import { market } from "../support/payments/sales.ts"

const sold = [products.latest, products.resolving]
/** The failures that end without a refund, with their end. */
const failures = [
  ...faults.filter(({ isAlone }) => isAlone !== true).map((fault) => [fault, "answered"] as const),
  ...["data-stale", "connection-closed", "internal-error", "facilitator-down", "rate-limited"]
    .map((trigger) => [{ name: trigger, trigger }, "answered"] as const),
  [{ name: "overloaded", trigger: "overloaded" }, "answered"] as const,
  [{ name: "settlement unknown", trigger: "settlement-unknown-taken" }, "answered"] as const,
  [{ name: "payment refused", trigger: "payment-refused" }, "not charged"] as const,
]

for (const [failure, end] of failures) {
  liveTest(
    `${failure.name}: a literal-minded buyer is ${end}, over every transport`,
    () =>
      Effect.gen(function* () {
        const { base } = yield* openService()
        const ledger = yield* Ledger
        const backend: Backend = { base, crash: never, restart: never }
        const cells = transports.flatMap((transport) =>
          sold.map((product) => ({ transport, product }))
        )
        const ends = yield* Effect.forEach(cells, ({ transport, product }) =>
          Effect.gen(function* () {
            const proxy = yield* Effect.acquireRelease(
              Effect.sync(() =>
                openProxy(backend, failure)
              ),
              (proxy) => Effect.promise(() => proxy.shutdown()),
            )
            const key = generatePrivateKey()
            const wanted = { path: product.path, skill: skillName(product) }
            const through = `http://127.0.0.1:${proxy.addr.port}`
            const belief = yield* Effect.promise(() =>
              buyLiterally(through, transport, wanted, key)
            )
            const left = yield* ledger.balance(address(privateKeyToAddress(key)))
            return [transport, product.id, belief.end, playBalance - left]
          }), { concurrency: "unbounded" })
        equal(
          ends,
          cells.map(({ transport, product: { id, price } }) => [
            ...[transport, id, end],
            end === "answered" ? BigInt(price) : 0n,
          ]),
        )
      }).pipe(Effect.provide(market())),
  )
}

const never = () => Promise.reject(new Error("This service is not a process"))
