/**
 * Wallets without skill whose bets on Yes are paid early, and on No some days after the deadline: the
 * wealth that proves a label is hardly ever reached when results count in the order of the schedule.
 * With far or shared deadlines it nearly always is when they count once paid, or once due. Skill is found
 * in either way. docs/markets.md has the figures at full size.
 *
 * @module
 */
import { ok } from "node:assert/strict"
import { mix, uniform } from "../../src/venues/simulated/seed.ts"
import { day } from "../../src/core/domain/time.ts"
import {
  addEvidence,
  eventEvidence,
  type EvidenceSums,
  logEvidenceOf,
  noEvidence,
} from "../../src/whales/domain/evidence.ts"
import { overdueMsMax } from "../../src/whales/domain/due.ts"
import { sized } from "../support/size.ts"
import { dueBefore } from "../support/whales/dueOrder.ts"

interface Plan {
  readonly bets: number
  /** Bets opened at the same time, with the same deadline. */
  readonly together: number
  readonly daysToDeadline: number
  readonly prices: readonly [from: number, to: number]
  /** The probability of the bought outcome above its price. */
  readonly edge: number
  /** Buys either outcome, instead of Yes only. */
  readonly eitherSide: boolean
}

interface PlacedBet {
  readonly openedAt: number
  readonly dueAt: number
  readonly endedAt: number
  readonly evidence: EvidenceSums
}

const plan: Plan = {
  ...{ bets: 200, together: 1, daysToDeadline: 30, prices: [0.1, 0.7], edge: 0, eitherSide: false },
}

/**
 * The n-th bet of a draw, each in an event of its own. A Yes is paid at a random time until the
 * deadline, a No 12 hours after it at the earliest: half of them by 46 hours, 96 % within a week
 * (docs/markets.md has measured delays).
 */
function betOf(
  { together, daysToDeadline, prices, edge, eitherSide }: Plan,
  seed: number,
  n: number,
): PlacedBet {
  const key = mix(seed, n)
  const price = prices[0] + (prices[1] - prices[0]) * uniform(mix(key, 1))
  const won = uniform(mix(key, 2)) < price + edge
  const isNo = eitherSide && uniform(mix(key, 3)) < 0.5
  // The bets of one time cover as many days as single bets would.
  const openedAt = Math.floor(n / together) * together * day
  const dueAt = openedAt + daysToDeadline * day
  const endedAt = won !== isNo
    ? openedAt + Math.floor(uniform(mix(key, 4)) * daysToDeadline * day)
    : dueAt + Math.floor((0.5 - 2 * Math.log(1 - uniform(mix(key, 5)))) * day)
  const bet = { price, openedAt, paid: won ? 1 : 0, early: false }
  return { openedAt, dueAt, endedAt, evidence: eventEvidence([bet]) }
}

const provenMin = Math.log(20)

/** When results count. */
type Rule = "once paid" | "when due" | "in order"

/** Results of these bets may count at `at` if they were due before this. */
function countedBefore(rule: Rule, bets: ReadonlyArray<PlacedBet>, at: number): number {
  if (rule === "once paid") return Infinity
  if (rule === "when due") return at + 1
  const placed = bets.filter(({ openedAt }) => openedAt <= at)
  return dueBefore(placed.map(({ dueAt, endedAt }) => ({ dueAt, isOpen: endedAt > at })), at)
}

/** Whether the wealth of the gambler is enough at any look, and when the last bet is opened. */
function proven(bets: ReadonlyArray<PlacedBet>, rule: Rule) {
  const lastOpenedAt = Math.max(...bets.map(({ openedAt }) => openedAt))
  const instants = bets.flatMap(({ endedAt, dueAt }) => [endedAt, dueAt, dueAt + overdueMsMax])
  let waiting = bets
  let sums = noEvidence
  const found = { ever: false, atLastOpening: false }
  for (const at of new Set(instants.sort((a, b) => a - b))) {
    const before = countedBefore(rule, waiting, at)
    const counts = ({ endedAt, dueAt }: PlacedBet) => endedAt <= at && dueAt < before
    const counted = waiting.filter(counts)
    if (counted.length === 0) continue
    waiting = waiting.filter((bet) => !counts(bet))
    sums = counted.reduce((sums, { evidence }) => addEvidence(sums, evidence, 1), sums)
    const { follow, fade } = logEvidenceOf(sums)
    const isProven = Math.log((Math.exp(follow) + Math.exp(fade)) / 2) >= provenMin
    found.ever ||= isProven
    if (at <= lastOpenedAt) found.atLastOpening = isProven
  }
  ok(waiting.length === 0, `${waiting.length} results never count`)
  return found
}

/** How many of the draws of a plan are proven at any look, and when the last bet is opened. */
function provenOf(changed: Partial<Plan>, rule: Rule, draws: number) {
  const count = { ever: 0, atLastOpening: 0 }
  const drawn = { ...plan, ...changed }
  for (let seed = 1; seed <= draws; seed++) {
    const bets = Array.from({ length: drawn.bets }, (_, n) => betOf(drawn, mix(seed, 7), n))
    const { ever, atLastOpening } = proven(bets, rule)
    count.ever += Number(ever)
    count.atLastOpening += Number(atLastOpening)
  }
  return count
}

const draws = sized({ short: 60, full: 300 })
/** 5 % of the draws, and three standard errors. */
const mostByChance = draws * 0.05 + 3 * Math.sqrt(draws * 0.05 * 0.95)

/** Plans without skill; with far or shared deadlines, also the rules by which most draws are proven. */
const unskilled: ReadonlyArray<[name: string, changed: Partial<Plan>, worse: ReadonlyArray<Rule>]> =
  [
    ["Yes only, 7 days", { daysToDeadline: 7 }, []],
    ["Yes only, 30 days", {}, []],
    ["Yes only, 90 days", { daysToDeadline: 90 }, ["once paid"]],
    ["Yes only, 30 days, 50 at once", { together: 50 }, ["once paid", "when due"]],
    ["Yes only, 90 days, 50 at once", { together: 50, daysToDeadline: 90 }, [
      "once paid",
      "when due",
    ]],
    ["either side, 30 days", { eitherSide: true }, []],
  ]

for (const [name, changed, worse] of unskilled) {
  Deno.test(`of wallets without skill (${name}), at most 5 % are ever proven`, () => {
    const { ever } = provenOf(changed, "in order", draws)
    ok(ever <= mostByChance, `${ever} of ${draws}`)
    for (const rule of worse) {
      const { ever } = provenOf(changed, rule, draws)
      ok(ever >= draws / 2, `${rule}: ${ever} of ${draws}`)
    }
  })
}

Deno.test("of wallets with 8 points of edge over 600 events, as many are proven as when paid results count", () => {
  const skilled = { bets: 600, prices: [0.3, 0.7], edge: 0.08, eitherSide: true } as const
  const wallets = sized({ short: 20, full: 100 })
  const inOrder = provenOf(skilled, "in order", wallets).atLastOpening
  const oncePaid = provenOf(skilled, "once paid", wallets).atLastOpening
  ok(inOrder >= 0.6 * wallets, `${inOrder} of ${wallets}`)
  ok(inOrder >= oncePaid - 0.1 * wallets, `${inOrder} of ${wallets}, once paid ${oncePaid}`)
})
