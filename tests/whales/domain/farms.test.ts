/**
 * Farms are found, and no honest wallet is taken for one.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { gaussian, mix, uniform } from "../../../src/venues/simulated/seed.ts"
import { numberOccurrences } from "../../../src/markets/domain/activity.ts"
import { minute } from "../../../src/core/domain/time.ts"
import { entriesOf, isFarm } from "../../../src/whales/domain/entry.ts"
import { activityEvent, start, tokens } from "../../support/whales/activityEvents.ts"
import { sized } from "../../support/size.ts"

const [yes] = tokens

/** The buys of a market: `count` of them, the n-th at a price and of a size. */
const position = (count: number, buyOf: (n: number) => { price: number; size: number }) =>
  entriesOf(
    numberOccurrences(Array.from({ length: count }, (_, n) =>
      activityEvent("buy", {
        tokenId: yes,
        at: start + n * minute,
        transaction: `0x${n}`,
        ...buyOf(n),
      }))),
    tokens,
  )

const isFarmOf = (positions: ReadonlyArray<ReturnType<typeof position>>) =>
  isFarm({ farmed: positions.filter(({ farmed }) => farmed).length })
const within = (key: number, from: number, to: number) => from + (to - from) * uniform(key)
const wallets = sized({ short: 100, full: 1_000 })

Deno.test("wallets that farm at least five markets are found, whatever else they buy", () => {
  const found = Array.from({ length: wallets }, (_, wallet) => {
    const key = mix(1, wallet)
    const size = Math.round(within(mix(key, 1), 5, 5_000))
    const farmed = Array.from({ length: 5 + wallet % 20 }, (_, m) => {
      const prints = 20 + Math.floor(within(mix(key, 10 + m), 0, 60))
      const others = Math.floor(within(mix(key, 50 + m), 0, prints / 4))
      return position(
        prints + others,
        (n) =>
          n < prints
            ? { price: within(mix(key, n), 0.99, 0.999), size }
            : { price: 0.6, size: 10 + n },
      )
    })
    const honest = Array.from(
      { length: wallet % 7 },
      () => position(3, () => ({ price: 0.4, size })),
    )
    return isFarmOf([...farmed, ...honest])
  }).filter((farm) => farm).length
  ok(found >= 0.99 * wallets, `${found}`)
})

Deno.test("no honest wallet is a farm, even one that sweeps or buys in equal prints", () => {
  const flagged = Array.from({ length: wallets }, (_, wallet) => {
    const key = mix(2, wallet)
    return isFarmOf(Array.from({ length: 30 }, (_, m) => {
      const of = mix(key, m)
      const [from, to] = wallet % 3 === 0 ? [0.95, 0.999] : [0.05, 0.95]
      const size = wallet % 3 === 1 ? 100 : null
      return position(1 + Math.floor(within(of, 0, 30)), (n) => ({
        price: within(mix(of, n), from, to),
        size: size ?? Math.round(100 * Math.exp(gaussian(mix(of, 100 + n)))),
      }))
    }))
  }).filter((farm) => farm).length
  equal(flagged, 0)
})
