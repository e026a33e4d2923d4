/**
 * The judge of claims: its question, its answer, and the rule by which code believes a verdict. It can
 * only delete: a claim stays when the words that the judge names stand in the cited facts.
 *
 * @module
 */
import { Schema } from "effect"
import type { Fact } from "./facts.ts"
import type { Claim } from "./page.ts"
import { judgingPrompt, ListOf, type Prompt, TextOf } from "./prompt.ts"

/** Claims of one question, so that an answer fits its time. */
export const claimsOfQuestion = 20
/** Parts of a claim that a verdict may name, and the characters of each and of its words. */
const partsMax = 24
const wordsLengthMax = 200

const Verdict = Schema.Struct({
  claim: Schema.String.check(Schema.isPattern(/^C[0-9]{1,3}$/)),
  verdict: Schema.Literals(["supported", "contradicted", "not supported"]),
  /** For each verb and each value of the claim: the fact that says it, and the fact's words. */
  support: ListOf(
    Schema.Struct({
      part: TextOf(wordsLengthMax),
      fact: TextOf(10),
      words: TextOf(wordsLengthMax),
    }),
    partsMax,
  ),
})
export type Verdict = typeof Verdict.Type

export const Verdicts = Schema.Struct({ verdicts: ListOf(Verdict, claimsOfQuestion) })

const judgeTask =
  `You check sentences of a text about prediction markets before it is sold. Each line of the data is either a fact with its id, or a claim with its id, its kind, the ids of the facts it cites, and its values with the fact that each is of. Judge each claim by its cited facts alone, not by what you know. Most writers who err use true figures and say too much of them.
"supported": the cited facts say all of it. A claim of the kind "inference" or "watch" may draw a careful reading from them, in words that hold back, and no more than that. "contradicted": the facts say otherwise. "not supported": they do not say it.
Not supported are: depth or orders stated as trades or volume; the time at which something was seen stated as the time at which it began, or the reverse; what came before it was seen stated as before it happened; a level stated as an event; a break-even or a cost stated as the market's chance; an average stated of each; bought stated as holds; what is usual stated as certain; what may be gained stated as sure; an expected time stated as fixed; a start stated as an end; an order in time reversed or invented; a cause, a motive, a habit or a superlative that no fact states; a share of money stated as a share of wallets or people; the whole stated of a part; another market, outcome, side, publisher or wallet; a risk or a doubt that a fact states, denied or left out where the claim then misleads; a multiple or a comparison that the figures do not give.
"support": for "supported" one entry for each verb and each value of the claim: "part", the words of the claim; "fact", the id of the fact that says so; "words", the words of that fact, copied letter by letter. Otherwise an empty list. When in doubt answer "not supported". Give one verdict for each claim.`

/** Asks about some claims at once. */
export function judgePrompt(
  claims: ReadonlyArray<Claim>,
  facts: ReadonlyMap<string, Fact>,
  boundary: string,
): Prompt {
  const cited = [...new Set(claims.flatMap((claim) => claim.facts))]
  return judgingPrompt({
    task: judgeTask,
    opening: "The facts, then the claims:",
    data: [
      ...cited.flatMap((id) => {
        const fact = facts.get(id)
        return fact === undefined ? [] : [{ fact: id, statement: fact.statement }]
      }),
      ...claims.map(({ kind, text, facts, values }, n) => ({
        claim: `C${n + 1}`,
        kind,
        text,
        facts,
        values,
      })),
    ],
    closing: "Give your verdicts.",
  }, boundary)
}

/** The claims that stay, of those that were asked about in one question. */
export function supportedClaims(
  claims: ReadonlyArray<Claim>,
  verdicts: ReadonlyArray<Verdict>,
  facts: ReadonlyMap<string, Fact>,
): ReadonlyArray<Claim> {
  return claims.filter((claim, n) => {
    const own = verdicts.filter((verdict) => verdict.claim === `C${n + 1}`)
    return own.length > 0 && own.every((verdict) => isSupported(claim, verdict, facts))
  })
}

/**
 * Whether every entry stands in the claim and in a fact that it cites, every value is named with its own
 * fact, and some words besides the values are.
 */
function isSupported(
  claim: Claim,
  { verdict, support }: Verdict,
  facts: ReadonlyMap<string, Fact>,
): boolean {
  const isThere = support.every(({ part, fact, words }) =>
    claim.facts.includes(fact) && isIn(part, claim.text) &&
    isIn(words, facts.get(fact)?.statement ?? "")
  )
  const isNamed = claim.values.every(({ fact, text }) =>
    support.some((it) => it.fact === fact && isIn(text, it.part) && isIn(text, it.words))
  )
  const saysMore = support.some(({ part }) =>
    claim.values.every(({ text }) => !isIn(part, text)) && /\p{L}{2}/u.test(part)
  )
  return verdict === "supported" && isThere && isNamed && saysMore
}

function isIn(words: string, text: string): boolean {
  const [part, whole] = [words, text].map((it) =>
    ` ${it.toLowerCase().replace(/\s+/g, " ").trim()} `
  )
  return part !== undefined && /[\p{L}\p{N}]/u.test(part) && whole?.includes(part.trim()) === true
}
