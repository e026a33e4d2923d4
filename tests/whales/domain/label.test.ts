/**
 * The labels of wallets equal the rule by brute force.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { isJudged, type Judgement, labels } from "../../../src/whales/domain/label.ts"
import { ratesOf } from "../../../src/whales/domain/rates.ts"
import { sumsOf } from "../../../src/whales/domain/score.ts"
import { law } from "../../support/effect.ts"
import { played } from "../../support/whales/records.ts"

Deno.test("isJudged() needs 30 counted entries in 10 events", () => {
  const judged = (...record: Parameters<typeof played>) => {
    const rates = ratesOf(sumsOf(played(...record)))
    return rates !== null && isJudged(rates)
  }
  equal([judged(29, 15, 0.5), judged(30, 15, 0.5)], [false, true])
  equal([judged(36, 18, 0.5, 4), judged(40, 20, 0.5, 4)], [false, true])
})

const anyJudged = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.schema(Schema.Struct({
      follow: Schema.Int.check(Schema.isBetween({ minimum: -4, maximum: 12 })),
      fade: Schema.Int.check(Schema.isBetween({ minimum: -4, maximum: 12 })),
      edge: Schema.Literals([-0.1, 0.1]),
      reach: Schema.Literals([0.05, 0.2]),
      followRoi: Schema.Literals([-0.1, 0.1]),
      fadeRoi: Schema.NullOr(Schema.Literals([-0.1, 0.1])),
    })),
    { maxLength: 6 },
  ),
  (all) =>
    new Map(
      all.map(({ follow, fade, reach, ...rest }, i) => {
        const interval = { edgeLow: rest.edge - reach, edgeHigh: rest.edge + reach }
        const evidence = { follow: Math.exp(follow), fade: Math.exp(fade) }
        return [`0x${i}`, { evidence, ...rest, ...interval }] as const
      }),
    ),
)

const eValueOf = ({ evidence, edgeLow, edgeHigh }: Judgement) =>
  edgeLow < 0 && edgeHigh > 0 ? 0 : (evidence.follow + evidence.fade) / 2

/** The largest set of wallets of which every set A of all wallets has a mean e-value that suffices. */
function provenByHand(judged: ReadonlyMap<string, Judgement>): ReadonlySet<string> {
  const all = [...judged].map(([wallet, it]) => ({ wallet, e: eValueOf(it) }))
    .sort((a, b) => b.e - a.e)
  for (let r = all.length; r > 0; r--) {
    const chosen = all.slice(0, r)
    if (chosen.some(({ e }) => e < 20)) continue
    const suffices = Array.from({ length: 2 ** all.length - 1 }, (_, i) => i + 1).every((bits) => {
      const set = all.filter((_, i) => (bits >> i & 1) === 1)
      const found = set.filter((one) => chosen.includes(one)).length
      return set.reduce((sum, { e }) => sum + e, 0) / set.length >= found / (0.05 * r)
    })
    if (suffices) return new Set(chosen.map(({ wallet }) => wallet))
  }
  return new Set()
}

law(
  "labels() proves what closed e-BH selects, and labels only profitable wallets",
  anyJudged,
  (judged) => {
    const given = labels(judged)
    const proven = provenByHand(judged)
    return given.size === judged.size && [...judged].every(([wallet, it]) => {
      const { follow, fade } = it.evidence ?? { follow: 0, fade: 0 }
      const expected = !proven.has(wallet)
        ? "neutral"
        : it.edge > 0 && follow > fade && it.followRoi > 0
        ? "follow"
        : it.edge < 0 && follow <= fade && (it.fadeRoi ?? 0) > 0
        ? "fade"
        : "neutral"
      return given.get(wallet) === expected
    })
  },
)

Deno.test("labels() needs more evidence among more wallets", () => {
  const judgement = (follow: number): Judgement => ({
    evidence: { follow, fade: 0.02 },
    edge: 0.1,
    edgeLow: 0.05,
    edgeHigh: 0.15,
    followRoi: 0.1,
    fadeRoi: -0.1,
  })
  const among = (others: number) =>
    labels(
      new Map([
        ["0xa", judgement(200)],
        ...Array.from({ length: others }, (_, i) => [`${i}`, judgement(0.02)] as const),
      ]),
    ).get("0xa")
  // An e-value of about 100: 20 suffices alone, 20 x the number of wallets in the worst case.
  equal([among(0), among(4), among(9), among(99)], ["follow", "follow", "neutral", "neutral"])
})
