/**
 * The second check of claims: its question, its answer, and the rule by which code believes a verdict.
 *
 * @module
 */
import { Schema } from "effect"
import type { Fact } from "./facts.ts"
import type { Claim } from "./page.ts"
import { judgingPrompt, ListOf, type Prompt, TextOf } from "./prompt.ts"

/** Claims of one question. */
export const checkedClaimsMax = 60
/** Characters and words of the quotation that a verdict needs. */
const quotationLengthMax = 300
const quotationWordsMin = 2

const CheckVerdict = Schema.Struct({
  claim: Schema.String.check(Schema.isPattern(/^C[0-9]{1,3}$/)),
  verdict: Schema.Literals(["supported", "contradicted", "not supported"]),
  /** Words of the statement of a cited fact, copied. */
  words: TextOf(quotationLengthMax),
})
export type CheckVerdict = typeof CheckVerdict.Type

export const CheckAnswer = Schema.Struct({ verdicts: ListOf(CheckVerdict, checkedClaimsMax) })

const task =
  `You check sentences of a text about prediction markets. Each line of the data is either a fact with its id, or a claim with its id and the ids of the facts it cites. Judge each claim by its cited facts alone, not by what you know.
"supported": the cited facts say all of it; for a claim of the kind "inference" or "watch" they make it a fair reading. "contradicted": they say otherwise. "not supported": they do not say it: another thing, person, direction, time, number, cause or degree of certainty.
"words": for "supported" copy, letter by letter, the few words of one cited fact that carry the claim; otherwise an empty string. When in doubt answer "not supported". Give one verdict for each claim.`

/** Asks about all claims at once. */
export function checkPrompt(
  claims: ReadonlyArray<Claim>,
  facts: ReadonlyMap<string, Fact>,
  boundary: string,
): Prompt {
  const asked = claims.slice(0, checkedClaimsMax)
  const cited = [...new Set(asked.flatMap((claim) => claim.facts))]
  return judgingPrompt({
    task,
    opening: "The facts, then the claims:",
    data: [
      ...cited.flatMap((id) => {
        const fact = facts.get(id)
        return fact === undefined ? [] : [{ fact: id, statement: fact.statement }]
      }),
      ...asked.map(({ kind, text, facts }, n) => ({ claim: `C${n + 1}`, kind, text, facts })),
    ],
    closing: "Give your verdicts.",
  }, boundary)
}

/** The claims that stay: supported once, contradicted never, in words that a cited fact contains. */
export function supportedClaims(
  claims: ReadonlyArray<Claim>,
  verdicts: ReadonlyArray<CheckVerdict>,
  facts: ReadonlyMap<string, Fact>,
): ReadonlyArray<Claim> {
  return claims.slice(0, checkedClaimsMax).filter((claim, n) => {
    const own = verdicts.filter((verdict) => verdict.claim === `C${n + 1}`)
    return own.length > 0 &&
      own.every(({ verdict, words }) =>
        verdict === "supported" && claim.facts.some((id) => quotes(facts.get(id), words))
      )
  })
}

function quotes(fact: Fact | undefined, words: string): boolean {
  const quotation = plain(words)
  return fact !== undefined && quotation.split(" ").length >= quotationWordsMin &&
    plain(fact.statement).includes(quotation)
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ").trim()
}
