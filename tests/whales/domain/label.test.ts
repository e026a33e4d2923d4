/**
 * The labels of wallets equal the rule by brute force.
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
import { logEvidenceOf } from "../../../src/whales/domain/evidence.ts"
import { ratesOf } from "../../../src/whales/domain/rates.ts"
import { law } from "../../support/effect.ts"
import { played, sumsOf } from "../../support/whales/records.ts"

Deno.test("judgementOf() needs 30 counted entries in 10 events", () => {
  strictEqual(judgementOf(sumsOf(played(29, 15, 0.5))), null)
  ok(judgementOf(sumsOf(played(30, 15, 0.5))) !== null)
  strictEqual(judgementOf(sumsOf(played(36, 18, 0.5, 4))), null)
  ok(judgementOf(sumsOf(played(40, 20, 0.5, 4))) !== null)
})

Deno.test("judgementOf() returns the figures of ratesOf(), and the evidence", () => {
  const sums = sumsOf(played(40, 30, 0.5, 1, 0.02))
  const { edge, followRoi, fadeRoi } = ratesOf(sums) ?? {}
  equal(judgementOf(sums), { evidence: logEvidenceOf(sums.evidence), edge, followRoi, fadeRoi })
})

const anyJudged = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.schema(Schema.Struct({
      follow: Schema.Int.check(Schema.isBetween({ minimum: -4, maximum: 12 })),
      fade: Schema.Int.check(Schema.isBetween({ minimum: -4, maximum: 12 })),
      edge: Schema.Literals([-0.1, 0.1]),
      followRoi: Schema.Literals([-0.1, 0.1]),
      fadeRoi: Schema.NullOr(Schema.Literals([-0.1, 0.1])),
    })),
    { maxLength: 6 },
  ),
  (all) =>
    new Map(
      all.map(({ follow, fade, ...rest }, i) =>
        [`0x${i}`, { evidence: { follow, fade }, ...rest }] as const
      ),
    ),
)

const eValueOf = ({ evidence: { follow, fade } }: Judgement) =>
  (Math.exp(follow) + Math.exp(fade)) / 2

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
      const { evidence: { follow, fade } } = it
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
    evidence: { follow, fade: -4 },
    edge: 0.1,
    followRoi: 0.1,
    fadeRoi: -0.1,
  })
  const among = (others: number) =>
    labels(
      new Map([
        ["0xa", judgement(Math.log(200))],
        ...Array.from({ length: others }, (_, i) => [`${i}`, judgement(-4)] as const),
      ]),
    ).get("0xa")
  // An e-value of about 100: 20 suffices alone, 20 x the number of wallets in the worst case.
  equal([among(0), among(4), among(9), among(99)], ["follow", "follow", "neutral", "neutral"])
})

Deno.test("labels() without wallets is empty", () => {
  strictEqual(labels(new Map()).size, 0)
  ok(ruleVersion.length > 0)
})
