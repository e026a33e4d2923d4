/**
 * The labels of wallets equal the Benjamini-Hochberg rule by brute force.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  type Judgement,
  judgementOf,
  labels,
  ruleVersion,
} from "../../../src/whales/domain/label.ts"
import { ratesOf } from "../../../src/whales/domain/rates.ts"
import { law } from "../../support/effect.ts"
import { played, sumsOf } from "../../support/whales/records.ts"

Deno.test("judgementOf() needs 30 counted entries in 10 events", () => {
  strictEqual(judgementOf(sumsOf(played(29, 15, 0.5))), null)
  ok(judgementOf(sumsOf(played(30, 15, 0.5))) !== null)
  strictEqual(judgementOf(sumsOf(played(36, 18, 0.5, 4))), null)
  ok(judgementOf(sumsOf(played(40, 20, 0.5, 4))) !== null)
})

Deno.test("judgementOf() returns the figures of ratesOf(), and the p-value", () => {
  const sums = sumsOf(played(40, 30, 0.5, 1, 0.02))
  const { pValue, evidence: _, ...figures } = judgementOf(sums) ?? { pValue: NaN, evidence: null }
  const { edge, followRoi, fadeRoi } = ratesOf(sums) ?? {}
  equal(figures, { edge, followRoi, fadeRoi })
  // 2 P(X >= 30), X binomial (40, 1/2): 2 x 1221246132 / 2^40.
  ok(Math.abs(pValue / 0.0022214 - 1) < 1e-4, `${pValue}`)
})

Deno.test("judgementOf() treats the markets of one event as one draw, and events as independent", () => {
  const [apart, pairs] = [played(40, 30, 0.5), played(20, 15, 0.5)]
  const shared = pairs.map((event) => [...event, ...event])
  const [one, other] = [judgementOf(sumsOf(apart)), judgementOf(sumsOf(shared))]
  equal(one?.edge, other?.edge)
  // 2 P(X >= 15), X binomial (20, 1/2): 2 x 21700 / 2^20.
  ok(Math.abs((other?.pValue ?? 0) / (2 * 21_700 / 2 ** 20) - 1) < 1e-9, `${other?.pValue}`)
  ok((one?.pValue ?? 1) < 0.1 * (other?.pValue ?? 0))
})

const none = { follow: 0, fade: 0 }
const anyJudged = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.schema(Schema.Struct({
      thousandths: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 })),
      edge: Schema.Literals([-0.1, 0.1]),
      followRoi: Schema.Literals([-0.1, 0.1]),
      fadeRoi: Schema.Literals([-0.1, 0.1]),
    })),
    { maxLength: 40 },
  ),
  (all) =>
    new Map(
      all.map(({ thousandths, ...rest }, i) =>
        [`0x${i}`, { pValue: thousandths / 1_000, evidence: none, ...rest }] as const
      ),
    ),
)

/** Whether a wallet is among k wallets whose p-values are at most k 0.05 / n, for any k. */
function rejectedByHand(judged: ReadonlyMap<string, Judgement>, wallet: string): boolean {
  const own = judged.get(wallet)?.pValue ?? 1
  const all = [...judged.values()].map(({ pValue }) => pValue)
  return all.some((_, i) => {
    const level = 0.05 * (i + 1) / all.length
    return own <= level && all.filter((p) => p <= level).length >= i + 1
  })
}

law(
  "labels() rejects the same as Benjamini-Hochberg, and labels only profitable wallets",
  anyJudged,
  (judged) => {
    const given = labels(judged)
    return given.size === judged.size && [...judged].every(([wallet, it]) => {
      const rejected = rejectedByHand(judged, wallet)
      const expected = rejected && it.edge > 0 && it.followRoi > 0
        ? "follow"
        : rejected && it.edge < 0 && it.fadeRoi > 0
        ? "fade"
        : "neutral"
      const { label, suggestive } = given.get(wallet) ?? {}
      return label === "neutral" && suggestive === expected
    })
  },
)

const judgement = (pValue: number): Judgement => ({
  pValue,
  evidence: none,
  edge: 0.1,
  followRoi: 0.1,
  fadeRoi: -0.1,
})

Deno.test("labels() needs a smaller p-value among more wallets", () => {
  const among = (others: number) =>
    labels(
      new Map([
        ["0xa", judgement(0.01)],
        ...Array.from({ length: others }, (_, i) => [`${i}`, judgement(0.9)] as const),
      ]),
    ).get("0xa")?.suggestive
  equal([among(0), among(4), among(5), among(99)], ["follow", "follow", "neutral", "neutral"])
})

Deno.test("labels() of the example of Benjamini and Hochberg's paper rejects four of fifteen", () => {
  const ps = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324]
    .concat([0.4262, 0.5719, 0.6528, 0.759, 1])
  const given = labels(new Map(ps.map((p, i) => [`${i}`, judgement(p)] as const)))
  equal([...given.values()].filter(({ suggestive }) => suggestive === "follow").length, 4)
})

Deno.test("labels() without wallets is empty", () => {
  strictEqual(labels(new Map()).size, 0)
  ok(ruleVersion.length > 0)
})
