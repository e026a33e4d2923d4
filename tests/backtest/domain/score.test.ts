/**
 * The score of a rule: what counts as kept, and that the martingale baseline is the share kept at a mean
 * drift of zero.
 *
 * @module
 */
import { strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import { estimate } from "../../../src/backtest/domain/clustered.ts"
import {
  countOutcome,
  martingaleShare,
  medianOf,
  ruleScore,
} from "../../../src/backtest/domain/score.ts"
import { law } from "../../support/effect.ts"

const cents = Schema.Int.check(Schema.isBetween({ minimum: -40, maximum: 40 }))
const changes = Arbitrary.array(Arbitrary.schema(cents), { minLength: 1, maxLength: 20 })

/** The score of moves of 10 cents to 0.50, up or down, with these later changes in cents. */
function scoreOf(later: ReadonlyArray<number>, direction = 1) {
  const score = ruleScore()
  later.forEach((change, n) =>
    countOutcome(score, "1h", n, { priceNow: 0.5, delta: 0.1 * direction }, 0.5 + change / 100)
  )
  const after = score.after["1h"]
  const mean = (sums: typeof after.kept) => estimate(sums)?.mean
  return { kept: mean(after.kept), martingale: martingaleShare(after), drift: mean(after.drift) }
}

law("without drift, the share kept is the martingale's", changes, (later) => {
  const { kept, martingale, drift } = scoreOf([...later, ...later.map((change) => -change)])
  strictEqual(kept, martingale)
  return drift === 0
})

law("a drift common to all changes does not change the martingale's share", changes, (later) => {
  strictEqual(
    scoreOf(later).martingale,
    scoreOf(later.map((change) => change + 7)).martingale,
  )
})

law("a fall scores like the same rise", changes, (later) => {
  const [rise, fall] = [scoreOf(later), scoreOf(later.map((change) => -change), -1)]
  strictEqual(rise.kept, fall.kept)
  strictEqual(rise.martingale, fall.martingale)
  return rise.drift === fall.drift
})

Deno.test("a move is kept at its midpoint, and not half a cent below", () => {
  strictEqual(scoreOf([-5]).kept, 1)
  strictEqual(scoreOf([-5.5]).kept, 0)
  strictEqual(scoreOf([-9, -9, -9, -1]).martingale, 1)
  strictEqual(scoreOf([-9, -9, -9, 9]).martingale, 1)
})

Deno.test("an unknown price is counted apart", () => {
  const score = ruleScore()
  countOutcome(score, "24h", 1, { priceNow: 0.5, delta: 0.1 }, null)
  strictEqual(score.after["24h"].unknown, 1)
  strictEqual(estimate(score.after["24h"].kept), null)
})

Deno.test("medianOf() is the lower median", () => {
  strictEqual(medianOf(new Map([[3, 1], [1, 1], [9, 1]])), 3)
  strictEqual(medianOf(new Map([[1, 5], [9, 5]])), 1)
  strictEqual(medianOf(new Map()), null)
})
