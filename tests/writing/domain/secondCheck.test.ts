/**
 * The second check can delete and never add: a claim stays only on a verdict that quotes a cited fact.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary } from "effect"
import type { Claim } from "../../../src/writing/domain/page.ts"
import { checkedClaimsMax, supportedClaims } from "../../../src/writing/domain/secondCheck.ts"
import { law } from "../../support/effect.ts"
import { anyInt, hostileText, oneOf } from "../../support/http/hostile.ts"
import { fallFact } from "../../support/writing/pages.ts"

const facts = new Map([fallFact(1, "Alpha", 0.5, 0.3), fallFact(2, "Beta", 0.4, 0.2)]
  .map((fact) => [fact.id, fact]))
const claim = (text: string, cited: ReadonlyArray<string>): Claim => ({
  slot: "S1",
  kind: "fact",
  text,
  facts: cited,
})
const claims = [claim("Alpha fell.", ["F1"]), claim("Beta fell.", ["F2"])]
const supports = (n: number, words: string) =>
  ({ claim: `C${n}`, verdict: "supported", words }) as const

const anyVerdicts = Arbitrary.array(
  Arbitrary.map(
    Arbitrary.all({
      n: anyInt(0, 4),
      verdict: oneOf(["supported", "contradicted", "not supported"] as const),
      words: hostileText,
      own: oneOf(["", "the price in Alpha fell", "fell by 20 cents", "The Price in BETA  fell"]),
    }),
    ({ n, verdict, words, own }) => ({ claim: `C${n}`, verdict, words: own === "" ? words : own }),
  ),
  { minLength: 0, maxLength: 8 },
)

law("a claim stays only when every verdict on it quotes a fact that it cites", anyVerdicts, (
  verdicts,
) => {
  const kept = supportedClaims(claims, verdicts, facts)
  for (const [n, each] of claims.entries()) {
    const own = verdicts.filter(({ claim }) => claim === `C${n + 1}`)
    const statement = (facts.get(each.facts[0] ?? "")?.statement ?? "").toLowerCase()
    const isSupported = own.length > 0 && own.every(({ verdict, words }) => {
      const said = words.toLowerCase().split(/\s+/).filter((word) => word !== "")
      return verdict === "supported" && said.length > 1 && statement.includes(said.join(" "))
    })
    equal(kept.includes(each), isSupported)
  }
  return kept.every((each) => claims.includes(each))
})

Deno.test("a verdict without words of the cited fact supports nothing", () => {
  for (const words of ["", "fell", "price in Beta", "the price in Alpha rose", "   ", "in  "]) {
    equal(supportedClaims(claims, [supports(1, words)], facts), [], words)
  }
  equal(supportedClaims(claims, [supports(1, "price in alpha")], facts), [claims[0]])
  const twice = [
    supports(1, "price in alpha"),
    { claim: "C1", verdict: "contradicted", words: "" } as const,
  ]
  equal(supportedClaims(claims, twice, facts), [])
})

Deno.test("claims beyond those that were asked about are dropped", () => {
  const many = Array.from({ length: checkedClaimsMax + 3 }, (_, n) => claim(`${n}`, ["F1"]))
  const verdicts = many.map((_, n) => supports(n + 1, "price in alpha"))
  const kept = supportedClaims(many, verdicts, facts)
  ok(kept.length === checkedClaimsMax)
})
