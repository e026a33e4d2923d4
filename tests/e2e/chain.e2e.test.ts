/**
 * Live payments without real money: the service and its refund worker as processes, each with its own
 * login on a real PostgreSQL, the reference facilitator, unmodified buyers, and a token on a real EVM
 * whose balances are checked.
 *
 * @module
 */
import { deepStrictEqual as equal, notStrictEqual } from "node:assert/strict"
import { wrapAxiosWithPaymentFromConfig } from "@x402/axios"
import { decodePaymentResponseHeader } from "@x402/fetch"
import axios from "axios"
import { Effect, Exit, Schedule, Scope } from "effect"
import * as signatures from "../../src/payments/wasmSignatures.ts"
import { address, type Authorization } from "../../src/payments/domain/payment.ts"
import { type Product, products } from "../../src/catalog/domain/product.ts"
import { Signatures } from "../../src/payments/Signatures.ts"
import { type Anvil, hasAnvil, skipWithoutAnvil } from "../support/payments/anvil.ts"
import { buyer, buyerKey, sign } from "../support/payments/buyers.ts"
import { buyWithVersion1, hasLegacyBuyer } from "../support/payments/legacyBuyer.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { type Service } from "../support/process.ts"
import {
  authorizationFor,
  headerOf,
  nonce,
  terms,
  token,
  wirePayment,
} from "../support/payments/terms.ts"
import {
  sent,
  startBalance,
  succeeded,
  transferCall,
  walletAddress,
} from "../support/payments/token.ts"
import { payingFetch, schemes, startLiveStack, treasury } from "./liveStack.ts"

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL") || undefined
const payTo = address(terms.payTo)
const price = products.latest.price as bigint

const startStack = Effect.fnUntraced(function* (server: string) {
  const both = { LEASE: "30 seconds" }
  const stack = yield* startLiveStack(server, { both, service: { SCAN: "1 second" } })
  const { anvil, service } = stack
  // While the first tick is computed on a busy machine, the limit may answer too late: 503.
  yield* Effect.promise(() => fetch(`${service.base}${products.latest.path}`)).pipe(
    Effect.tap((response) => Effect.promise(async () => await response.body?.cancel())),
    Effect.filterOrFail(({ status }) => status === 402),
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: 60 }),
    Effect.orDie,
  )
  const now = Number(yield* latestSeconds(anvil))
  // A transfer without a request. It is made first, because its refund takes longest.
  const authorization = authorizationFor(buyer(3), products.latest, now, { nonce: nonce(33) })
  const transaction = yield* sent(anvil, yield* transferCall(buyer(3), authorization))
  // It must not be mined while the first step compares balances.
  yield* anvil.call("evm_mine")
  /** The balances of buyer n and of the seller. */
  const balances = (n: number) =>
    Effect.all([stack.balance(buyer(n).address), stack.balance(payTo)])
  /** Runs a purchase; returns its result with the changes of the balances on the chain. */
  const measured = Effect.fnUntraced(function* <A>(n: number, purchase: Effect.Effect<A>) {
    const [buyerBefore, sellerBefore] = yield* balances(n)
    const bought = yield* purchase
    const [buyerAfter, sellerAfter] = yield* balances(n)
    return { bought, spent: buyerBefore - buyerAfter, received: sellerAfter - sellerBefore }
  })
  return { ...stack, measured, unmatched: { authorization, transaction } }
})
type Stack = Effect.Success<ReturnType<typeof startStack>>

/** Buys with the unmodified client; also returns the payment that it sent. */
const buying = (n: number, url: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async () => {
    let payment = ""
    const watched: typeof fetch = (input, init) => {
      const request = new Request(input, init)
      payment = request.headers.get("PAYMENT-SIGNATURE") ?? payment
      return fetch(request)
    }
    const response = await payingFetch(n, watched)(url, { headers })
    return {
      payment,
      status: response.status,
      headers: response.headers,
      body: await response.json(),
    }
  })

const sendPayment = (
  url: string,
  payment: string,
  headers: Readonly<Record<string, string>> = {},
) =>
  Effect.promise(async () => {
    const response = await fetch(url, { headers: { ...headers, "PAYMENT-SIGNATURE": payment } })
    return { status: response.status, headers: response.headers, body: await response.json() }
  })

/** The transaction of a receipt, which must have succeeded on the chain. */
const receiptOf = Effect.fnUntraced(function* (anvil: Anvil, header: string | null) {
  const { success, transaction, payer } = decodePaymentResponseHeader(header ?? "")
  equal([success, yield* succeeded(anvil, transaction)], [true, true])
  return { transaction, payer }
})

type Step = readonly [name: string, body: (stack: Stack) => Effect.Effect<void>]

const sells = (product: Product): Step => [
  `@x402/fetch pays for ${product.path} once, and the receipt's transaction is on the chain`,
  Effect.fnUntraced(function* ({ anvil, measured, service }) {
    const { bought, spent, received } = yield* measured(
      0,
      buying(0, `${service.base}${product.path}`),
    )
    equal([bought.status, bought.body.success], [200, true], JSON.stringify(bought.body.error))
    equal([spent, received], [product.price, product.price])
    const { payer } = yield* receiptOf(anvil, bought.headers.get("PAYMENT-RESPONSE"))
    equal(payer, buyer(0).address.toLowerCase())
  }),
]

const steps: ReadonlyArray<Step> = [
  [
    "a request without a payment gets a 402, and no balance changes",
    Effect.fnUntraced(function* ({ measured, service }) {
      const { bought, spent, received } = yield* measured(
        0,
        Effect.promise(async () => {
          const response = await fetch(`${service.base}${products.latest.path}`)
          await response.body?.cancel()
          return [response.status, response.headers.has("PAYMENT-REQUIRED")]
        }),
      )
      equal([bought, spent, received], [[402, true], 0n, 0n])
    }),
  ],
  sells(products.latest),
  sells(products.resolving),
  [
    "a repeated payment is not charged: it gets the answer with its secret, and 409 without",
    Effect.fnUntraced(function* ({ measured, service }) {
      const url = `${service.base}${products.latest.path}`
      const secret = { "Idempotency-Key": "an-e2e-secret-of-24-chars" }
      const first = yield* buying(1, url, secret)
      equal(first.status, 200)
      const { bought, spent } = yield* measured(
        1,
        Effect.all([sendPayment(url, first.payment, secret), sendPayment(url, first.payment)]),
      )
      const [again, plain] = bought
      equal([again.status, again.body], [200, first.body])
      equal(again.headers.get("idempotent-replayed"), "true")
      equal([plain.status, plain.body.error.code], [409, "payment_already_used"])
      equal(spent, 0n)
    }),
  ],
  [
    "a client that signs again with the same key is charged once",
    Effect.fnUntraced(function* ({ measured, service }) {
      const url = `${service.base}${products.latest.path}`
      const key = { "Idempotency-Key": "an-e2e-key-of-20-char" }
      const { bought, spent } = yield* measured(
        1,
        Effect.all([buying(1, url, key), buying(1, url, key)]),
      )
      const [first, again] = bought
      notStrictEqual(first.payment, again.payment)
      equal([first.status, again.status, again.body], [200, 200, first.body])
      equal(again.headers.get("PAYMENT-RESPONSE"), first.headers.get("PAYMENT-RESPONSE"))
      equal(spent, price)
    }),
  ],
  [
    "a smart wallet pays with a signature that only its contract can check, and a forged one does not",
    Effect.fnUntraced(function* ({ anvil, balance, service }) {
      const url = `${service.base}${products.latest.path}`
      const now = Number(yield* latestSeconds(anvil))
      const payment = Effect.fnUntraced(function* (signer: number, n: number) {
        const payer = { address: walletAddress }
        const authorization = authorizationFor(payer, products.latest, now, { nonce: nonce(n) })
        const signature = yield* sign(buyer(signer), authorization)
        // The wallet reads the owner's signature at the front, and ignores the rest.
        return headerOf(
          wirePayment(products.latest, authorization, `${signature}${"00".repeat(32)}`),
        )
      })
      const before = yield* balance(walletAddress)
      const forged = yield* sendPayment(url, yield* payment(1, 80))
      equal([forged.status, yield* balance(walletAddress)], [402, before])
      const bought = yield* sendPayment(url, yield* payment(0, 81))
      equal([bought.status, bought.body.success], [200, true], JSON.stringify(bought.body))
      equal(yield* balance(walletAddress), before - price)
      const { payer } = yield* receiptOf(anvil, bought.headers.get("PAYMENT-RESPONSE"))
      equal(payer, walletAddress)
    }),
  ],
  [
    "a settlement whose response is lost is found on the chain, and the answer is delivered",
    Effect.fnUntraced(function* ({ anvil, facilitator, measured, service }) {
      facilitator.failsAfterSettling = true
      const { bought, spent, received } = yield* measured(
        2,
        buying(2, `${service.base}${products.latest.path}`),
      )
      facilitator.failsAfterSettling = false
      equal([bought.status, spent, received], [200, price, price])
      yield* receiptOf(anvil, bought.headers.get("PAYMENT-RESPONSE"))
    }),
  ],
  [
    "@x402/axios pays for it too",
    Effect.fnUntraced(function* ({ measured, service }) {
      // The package depends on an older core with the same shape.
      const config = { schemes: schemes(0) } as unknown as Parameters<
        typeof wrapAxiosWithPaymentFromConfig
      >[1]
      const { bought, spent } = yield* measured(
        0,
        Effect.promise(async () => {
          const client = wrapAxiosWithPaymentFromConfig(axios.create(), config)
          const { status, data } = await client.get(`${service.base}${products.latest.path}`)
          return [status, data.charged]
        }),
      )
      equal([bought, spent], [[200, true], price])
    }),
  ],
  [
    "an unmatched transfer is refunded by the treasury, once",
    Effect.fnUntraced(function* ({ anvil, balance, service, unmatched }) {
      const refund = yield* refunded(service, unmatched.authorization)
      equal(yield* succeeded(anvil, unmatched.transaction), true)
      equal(yield* succeeded(anvil, refund), true)
      equal(yield* balance(treasury), startBalance - price)
      equal(yield* balance(buyer(3).address), startBalance)
    }),
  ],
]

const latestSeconds = (anvil: Anvil) =>
  Effect.map(
    anvil.call("eth_getBlockByNumber", "latest", false),
    (block) => (block as { readonly timestamp: string }).timestamp,
  )

/** Waits until a payment is refunded; returns the transaction of the refund. */
const refunded = (service: Service, authorization: Authorization) =>
  Effect.gen(function* () {
    const { paymentId } = yield* Signatures
    const path = `/v1/payments/${paymentId({ ...token, ...authorization })}`
    const status = yield* service.until(path, (body) => body["state"] === "refunded")
    return String((status["refund"] as { readonly transaction: string }).transaction)
  }).pipe(Effect.provide(signatures.layer), Effect.orDie)

const version1: Step = [
  "the unmodified buyer of version 1 pays for it too",
  Effect.fnUntraced(function* ({ measured, service }) {
    const { bought, spent } = yield* measured(
      0,
      Effect.promise(() =>
        buyWithVersion1({
          url: `${service.base}${products.latest.path}?x402Version=1`,
          key: buyerKey(0),
        })
      ),
    )
    equal([bought.statuses, spent], [[402, 200], price])
  }),
]

function suite(): void {
  const title = "live payments on a real EVM"
  if (!hasAnvil) return skipWithoutAnvil(title)
  if (testDatabaseUrl === undefined) return registerSkipped(title, "set TEST_DATABASE_URL")
  if (!hasLegacyBuyer) registerSkipped(version1[0], "npm ci --prefix tests/legacy")
  Deno.test(title, async (t) => {
    const scope = Scope.makeUnsafe()
    try {
      const running = await Effect.runPromise(
        Scope.provide(startStack(testDatabaseUrl), scope),
      )
      for (const [name, body] of hasLegacyBuyer ? [version1, ...steps] : steps) {
        await t.step(name, () => Effect.runPromise(body(running)))
      }
    } finally {
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  })
}

suite()
