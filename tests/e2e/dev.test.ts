/**
 * What `deno task dev` sells after its start, on an embedded store, to the unmodified reference buyer:
 * answers of the sizes that the catalogue states, and the same feed and digest after a restart.
 * `start.test.ts` has the first calls.
 *
 * @module
 */
import { equal, match, ok } from "node:assert/strict"
import { ExactEvmScheme } from "@x402/evm"
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { Effect, Schedule } from "effect"
import { type Product, products } from "../../src/catalog/domain/product.ts"
import { liveTest } from "../support/effect.ts"
import { buyer } from "../support/payments/buyers.ts"
import { dataFolder, startDev } from "../support/process.ts"

const itemsMin = 20
/** How far the middle of few answers may be from the stated one. */
const middleFactor = 2
/** Answers that are needed to speak of their middle. */
const answersMin = 3

/** Buys a path, again while the service is busy; null when it has nothing to sell there yet. */
const bytesOf = (base: string, path: string) =>
  Effect.tryPromise(async () => {
    const pay = wrapFetchWithPaymentFromConfig(fetch, {
      schemes: [{ network: "eip155:*", client: new ExactEvmScheme(buyer(0)) }],
    })
    const response = await pay(`${base}${path}`)
    const text = await response.text()
    if (response.status >= 500) throw new Error(text)
    return response.ok ? { text, bytes: new TextEncoder().encode(text).length } : null
  }).pipe(Effect.retry({ schedule: Schedule.spaced("1 second"), times: 60 }), Effect.orDie)

/** What is bought of each product, when the feed has `index` items. */
const calls = (index: number): Readonly<Record<string, ReadonlyArray<string>>> => ({
  latest: [""],
  signal: Array.from({ length: index }, (_, i) => `?index=${i + 1}`),
  // A buyer who asks for 20 items gets twice the bytes of the default, 10.
  signals: Array.from({ length: Math.ceil(index / 5) }, (_, i) => `?since=${5 * i}`),
  digest: [""],
  digest_history: [""],
  resolving: ["", "?withinHours=72", "?withinHours=72&includeNoise=1", "?minLiquidity=1000"],
  whales: [""],
})

const median = (sizes: ReadonlyArray<number>) =>
  sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? 0

liveTest(
  "task dev sells answers of the stated sizes, and keeps feed and digest through a restart",
  function* () {
    const folder = yield* dataFolder
    const { base, until, stop } = yield* startDev(folder)
    yield* until("/v1/digest/brief", (body) => "data" in body)
    const { index } = yield* until("/v1/index", (body) => Number(body["index"]) >= itemsMin)
    const slugs = new Set<string>()
    const sizes = new Map<string, Array<number>>()
    const buyAll = Effect.fnUntraced(
      function* (product: Product, queries: ReadonlyArray<string>) {
        const bought: Array<number> = []
        for (const query of queries) {
          const answer = yield* bytesOf(base, `${product.path}${query}`)
          if (answer === null) continue
          bought.push(answer.bytes)
          const slug = JSON.parse(answer.text).data?.data?.market?.slug
          if (typeof slug === "string") slugs.add(slug)
        }
        sizes.set(product.id, bought)
      },
    )
    for (const [id, queries] of Object.entries(calls(Number(index)))) {
      yield* buyAll(products[id as keyof typeof products], queries)
    }
    yield* buyAll(
      products.research,
      [...slugs].slice(0, answersMin).map((slug) => `?market=${slug}`),
    )

    for (const { id, answerBytes: { p50, p99 } } of Object.values<Product>(products)) {
      const bought = sizes.get(id) ?? []
      // The first minutes may have no wallet with a label yet.
      ok(bought.length > 0 || id === "whales", id)
      ok(Math.max(0, ...bought) <= p99, `${id}: ${bought} over ${p99}`)
      if (bought.length < answersMin) continue
      const middle = median(bought)
      ok(
        middle * middleFactor >= p50 && middle <= middleFactor * p50,
        `${id}: ${middle}, not ${p50}`,
      )
    }

    match((yield* bytesOf(base, products.digest.path))?.text ?? "", /## What repriced/)
    equal(yield* stop, 0)
    const again = yield* (yield* startDev(folder)).until("/v1/index", () => true)
    ok(Number(again["index"]) >= Number(index) && again["digest"] !== null, JSON.stringify(again))
  },
)
