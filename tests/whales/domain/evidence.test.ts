/**
 * The gambler's cash is an e-value under any dependence of open markets, and the closed e-BH procedure equals its definition.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { discoveries } from "../../../src/whales/domain/closedEBH.ts"
import { type Bet, evidenceOf } from "../../../src/whales/domain/evidence.ts"
import { day } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"

const sides = ["follow", "fade"] as const
const whole = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Markets that are won together or apart: some open at the same time, some one after the other. */
const anyPlan = Arbitrary.array(
  Arbitrary.schema(Schema.Struct({
    cents: whole(1, 94),
    opensOn: whole(0, 6),
    lastsDays: whole(1, 4),
    together: Schema.Boolean,
  })),
  { minLength: 1, maxLength: 5 },
)
type Plan = typeof anyPlan extends Arbitrary.Arbitrary<infer A> ? A : never

const isShared = ({ together, opensOn, lastsDays }: Plan[number]) =>
  together && opensOn <= 3 && opensOn + lastsDays > 3

/**
 * The mean of a figure over all results at fair prices. The markets that are won together and open on
 * day 3 share one draw, and the others have draws of their own.
 */
function meanOver(plan: Plan, figure: (paid: ReadonlyArray<number>) => number): number {
  const paid = plan.map(() => 0)
  const over = (n: number): number => {
    const market = plan[n]
    if (market === undefined) return figure(paid)
    const mates = plan.flatMap((other, i) =>
      i === n || (isShared(market) && isShared(other)) ? [i] : []
    )
    if (mates.some((i) => i < n)) return over(n + 1)
    const cuts = [0, ...mates.map((i) => (plan[i]?.cents ?? 0) / 100).sort((a, b) => a - b), 1]
    return cuts.slice(1).reduce((sum, cut, c) => {
      const from = cuts[c] ?? 0
      for (const i of mates) paid[i] = (from + cut) / 2 < (plan[i]?.cents ?? 0) / 100 ? 1 : 0
      return cut === from ? sum : sum + (cut - from) * over(n + 1)
    }, 0)
  }
  return over(0)
}

const betsOf = (plan: Plan, paid: ReadonlyArray<number>): ReadonlyArray<Bet> =>
  plan.map(({ cents, opensOn, lastsDays }, n) => ({
    price: cents / 100,
    openedAt: opensOn * day + n,
    endedAt: (opensOn + lastsDays) * day,
    paid: paid[n] ?? 0,
  }))

law(
  "at fair prices the mean cash is 1, whatever markets have in common",
  anyPlan,
  (plan) =>
    sides.every((side) =>
      Math.abs(meanOver(plan, (paid) => evidenceOf(betsOf(plan, paid), 0)[side]) - 1) < 1e-9
    ),
)

law("open markets only cost cash, and what is paid later adds to it", anyPlan, (plan) => {
  const ended = betsOf(plan, plan.map(() => 1))
  const [last] = ended.toSorted((a, b) => Number(b.endedAt) - Number(a.endedAt))
  const open = ended.map((bet) => bet === last ? { ...bet, endedAt: null, paid: null } : bet)
  return evidenceOf(open, 0).follow < evidenceOf(ended, 0).follow
})

const bet = (price: number, paid: number | null, n = 0, lasts = 1): Bet => ({
  price,
  paid,
  openedAt: n * day,
  endedAt: n * day + lasts * day - 1,
})

Deno.test("bets on one day are added, bets on consecutive days multiplied", () => {
  const days = (at: (n: number) => number) =>
    evidenceOf(Array.from({ length: 200 }, (_, n) => bet(0.5, n % 3 === 0 ? 0 : 1, at(n))), 0)
      .follow
  const [apart, together] = [days((n) => n), days(() => 0)]
  ok(apart > 20 && together < 1.5, `${apart} ${together}`)
})

Deno.test("a market that had ended before it was bought is no bet, and a cancelled one changes nothing", () => {
  equal(evidenceOf([{ ...bet(0.5, 1), endedAt: -1 }], 0), { follow: 1, fade: 1 })
  const { follow, fade } = evidenceOf([bet(0.3, null)], 0)
  ok(Math.abs(follow - 1) < 1e-12 && Math.abs(fade - 1) < 1e-12)
})

Deno.test("no result takes all of the cash, however many markets are open", () => {
  for (const paid of [0, 1]) {
    const all = Array.from({ length: 500 }, (_, n) => bet(0.5, paid, n / 500))
    ok(sides.every((side) => evidenceOf(all, 0)[side] > 0))
  }
})

Deno.test("cash from before the selection counts a twelfth, and with half of the capital", () => {
  const record = Array.from({ length: 200 }, (_, n) => bet(0.5, n % 3 === 0 ? 0 : 1, n))
  const [late, early] = [evidenceOf(record, 0).follow, evidenceOf(record, 201 * day).follow]
  ok(Math.abs(early - (0.5 + 0.5 / 12 * late)) < 1e-9, `${early}`)
})

const eValues = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: -30, maximum: 70 }))),
    { minLength: 1, maxLength: 9 },
  ),
  (tenths) => tenths.map((tenth) => Math.exp(tenth / 10)).sort((a, b) => b - a),
)

law("discoveries() finds all that e-BH finds", eValues, (values) => {
  const found = values.findLastIndex((value, i) => value >= values.length / (0.05 * (i + 1))) + 1
  return discoveries(values.map(Math.log), 0.05) >= found
})

Deno.test("discoveries() of nothing, of a huge e-value and of ruin", () => {
  strictEqual(discoveries([], 0.05), 0)
  strictEqual(discoveries([5_000, -5_000], 0.05), 1)
  strictEqual(discoveries([-5_000], 0.05), 0)
})
