/**
 * Wallets that sell falling entries, or buy more of them, at fair prices are labelled by chance only.
 *
 * @module
 */
import { ok } from "node:assert/strict"
import { mix, uniform } from "../../../src/venues/simulated/seed.ts"
import { numberOccurrences } from "../../../src/markets/domain/activity.ts"
import { isJudged, labels } from "../../../src/whales/domain/label.ts"
import { evidenceOf } from "../../../src/whales/domain/evidence.ts"
import { ratesOf } from "../../../src/whales/domain/rates.ts"
import { entriesOf } from "../../../src/whales/domain/entry.ts"
import { type ResolvedPosition, sumsOf } from "../../../src/whales/domain/score.ts"
import { day, hour } from "../../../src/core/domain/time.ts"
import { activityEvent, start, tokens } from "../../support/whales/activityEvents.ts"
import { sized } from "../../support/size.ts"

const [yes, no] = tokens
const bought = activityEvent("buy", { tokenId: yes, price: 0.7, size: 2_000 })
const later = { at: start + hour, transaction: "0xbb", size: 2_000 }
const sold = activityEvent("sell", { ...later, tokenId: yes, price: 0.2 })
const crossed = activityEvent("buy", { ...later, tokenId: no, price: 0.8 })
const turned = { ...crossed, at: later.at + hour, transaction: "0xcc" }
const more = activityEvent("buy", { ...later, tokenId: yes, price: 0.2 })
const doubled = { ...more, size: 10_000 }
const exits = {
  "selling it": [sold],
  "buying the other side": [crossed],
  "turning round": [sold, turned],
  "buying twice the other side": [crossed, turned],
  "buying as much again": [more],
  "buying five times as much": [doubled],
}

/** The n-th fair market of a wallet, whose price either falls from .7 to .2 before it ends, or goes to 1. */
function market(seed: number, n: number, exit: ReadonlyArray<typeof bought>) {
  const fell = uniform(mix(seed, 0)) < (1 - 0.7) / (1 - 0.2)
  const won = !fell || uniform(mix(seed, 1)) < 0.2
  const { entries } = entriesOf(numberOccurrences(fell ? [bought, ...exit] : [bought]), tokens)
  const bet = {
    price: entries[0]?.openingPrice ?? NaN,
    openedAt: start + n * day,
    endedAt: start + n * day + hour,
    paid: won ? 1 : 0,
  }
  const position: ResolvedPosition = { entries, payouts: won ? [1, 0] : [0, 1], feeRate: 0 }
  return { position, bet }
}

for (const [how, exit] of Object.entries(exits)) {
  Deno.test(`a wallet that answers a fall by ${how} is labelled by chance only`, () => {
    const wallets = sized({ short: 60, full: 200 })
    const labelled = Array.from({ length: wallets }, (_, wallet) => {
      const markets = Array.from({ length: 120 }, (_, n) => market(mix(wallet, n), n, exit))
      const rates = ratesOf(sumsOf(markets.map(({ position }) => [position])))
      ok(rates !== null && isJudged(rates))
      const evidence = evidenceOf(markets.map(({ bet }) => bet), 0)
      return labels(new Map([["it", { ...rates, evidence }]])).get("it")
    })
    const given = labelled.filter((label) => label !== "neutral").length
    // 5 % within three standard errors.
    ok(given <= wallets * 0.05 + 3 * Math.sqrt(wallets * 0.05 * 0.95), `${given}`)
  })
}
