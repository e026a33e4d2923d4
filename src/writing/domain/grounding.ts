/**
 * Whether a claim says what its cited facts say.
 *
 * The vocabulary is open. Each part of a claim that code can compare with the typed values of the facts is
 * compared: names, figures and number words, their roles, directions, times, labels, denials, certainty,
 * causes. What contradicts the facts, or what no fact may state, is refused. A claim passes only if every
 * word of it is accounted for. All other claims are to be asked about.
 *
 * @module
 */
import type { Fact } from "./facts.ts"
import { checkAssertions } from "./grounding/assertions.ts"
import { type Context, contextOf, type Findings, isOwnPair, stem } from "./grounding/context.ts"
import { checkDirections, checkMultiples } from "./grounding/directions.ts"
import { monthOf } from "./grounding/figures.ts"
import { checkQuantities } from "./grounding/quantities.ts"
import { checkTimes } from "./grounding/times.ts"
import { cueWords, grammarWords, marketWords, openers, subjects } from "./grounding/words.ts"
import type { Claim } from "./page.ts"

export type Grounding =
  | { readonly verdict: "pass" }
  | { readonly verdict: "ask"; readonly reasons: ReadonlyArray<string> }
  | { readonly verdict: "refuse"; readonly reasons: ReadonlyArray<string> }

/** Characters of a claim. */
const claimLengthMax = 700
/** Facts that a claim may rest on. */
const claimFactsMax = 12
/** Reasons of one verdict, and the characters of one. */
const reasonsMax = 8
const reasonLengthMax = 120

/**
 * `facts` are all facts of the brief: a name of one that the claim does not cite is a foreign name. `text`
 * is filled plain prose, one sentence or more.
 */
export function ground(
  claim: Pick<Claim, "kind" | "text" | "facts">,
  facts: ReadonlyMap<string, Fact>,
): Grounding {
  const faults = shapeFaults(claim, facts)
  if (faults.length > 0) return refuse(faults)
  const cited = [...new Set(claim.facts)].flatMap((id) => facts.get(id) ?? [])
  if (claim.kind === "fact" && cited.some(({ statement }) => statement === claim.text)) {
    return { verdict: "pass" }
  }
  const context = contextOf(claim.kind, claim.text, cited, facts)
  const findings: Findings = { refused: [], asked: [], confirmed: new Set() }
  for (const quotation of context.reading.foreign) {
    findings.refused.push(`no cited fact has the words “${quotation}”`)
  }
  checkNames(context, findings)
  checkTimes(context, findings)
  const stated = checkQuantities(context, findings)
  checkMultiples(context, findings)
  checkDirections(context, stated, findings)
  checkAssertions(context, stated, findings)
  checkSentences(context, findings)
  checkClauses(context, findings)
  if (findings.refused.length > 0) return refuse(findings.refused)
  const open = openWords(context, findings)
  const reasons = [
    ...findings.asked,
    ...(open.length > 0 ? [`words that no cited fact has: ${open.join(", ")}`] : []),
  ]
  return reasons.length === 0 ? { verdict: "pass" } : { verdict: "ask", reasons: limited(reasons) }
}

function refuse(reasons: ReadonlyArray<string>): Grounding {
  return { verdict: "refuse", reasons: limited(reasons) }
}

function limited(reasons: ReadonlyArray<string>): ReadonlyArray<string> {
  return [...new Set(reasons)].slice(0, reasonsMax)
    .map((reason) => [...reason].slice(0, reasonLengthMax).join(""))
}

/** What needs no reading: length, citations, foreign scripts, links, markup. */
function shapeFaults(
  { kind, text, facts: ids }: Pick<Claim, "kind" | "text" | "facts">,
  facts: ReadonlyMap<string, Fact>,
): ReadonlyArray<string> {
  if (text.length > claimLengthMax) return [`longer than ${claimLengthMax} characters`]
  const known = new Set(ids.filter((id) => facts.has(id)))
  const bare = text.replace(/“[^“”]*”/gu, " ")
  return [
    ...(text.trim() === "" ? ["no text"] : []),
    ...(known.size === 0 || known.size < new Set(ids).size
      ? ["cites a fact that is not there"]
      : []),
    ...(known.size > claimFactsMax ? [`cites more than ${claimFactsMax} facts`] : []),
    ...(kind === "inference" && known.size < 2 ? ["an inference that rests on one fact"] : []),
    ...(/[^\p{Script=Latin}\p{Nd}\s.,;:!?'"“”‘’()%$¢°&/+−–—…→≈~·-]/u.test(bare.normalize("NFC")) ||
        /[\p{Nd}&&[^0-9]]/v.test(bare)
      ? ["letters of another script or signs"]
      : []),
    ...(/:\/\/|www\.|@\p{L}|\[[^\]]*\]\(|[`|<>{}\\#]/u.test(bare) ? ["markup or a link"] : []),
  ]
}

/** Capitalised words that no cited fact has. */
function checkNames(context: Context, findings: Findings): void {
  const { tokens, names } = context
  const others = new Set(names.filter(({ cited }) => !cited).flatMap(({ words }) => words))
  tokens.forEach((token, at) => {
    if (token.kind !== "word" || token.refs.length > 0 || findings.confirmed.has(at)) return
    if (!/^(?:\p{Lu}|0x)/u.test(token.text)) return
    const isKnown = isPlainWord(token.lower) || openers.has(token.lower) ||
      cueWords.has(token.lower) ||
      context.ownStemSet.has(stem(token.lower)) || context.nameStems.has(stem(token.lower))
    const isDate = monthOf(token.lower) !== undefined &&
      context.figures.some(({ first, last }) => first <= at && at <= last)
    if (isDate || /^(?:UTC|USD|ET)$/.test(token.text)) return
    if (token.opens && isKnown) return
    if (!token.opens && isSingleCapital(token.text) && isPlainWord(token.lower)) return
    if (others.has(token.text)) {
      findings.refused.push(`“${token.text}” is a name of a fact that is not cited`)
    } else if (token.opens && /(?:ly|ing|ness|tion|ment)$/.test(token.lower)) {
      findings.asked.push(`unknown opener: ${token.text}`)
    } else findings.refused.push(`no cited fact has the name “${token.text}”`)
  })
}

function isSingleCapital(text: string): boolean {
  return /^\p{Lu}[\p{Ll}'’]*$/u.test(text)
}

function isPlainWord(lower: string): boolean {
  return grammarWords.has(lower) || marketWords.has(lower)
}

/** The words that no check has confirmed, and that neither grammar nor a cited statement accounts for. */
function openWords(context: Context, { confirmed }: Findings): ReadonlyArray<string> {
  const anchors = new Set([
    ...context.figures.filter(({ first }) => confirmed.has(first)).flatMap(positionsOf),
    ...context.mentions.flatMap(positionsOf),
  ])
  const open = context.tokens.filter(({ kind, lower, refs }, at) => {
    if (kind !== "word" || refs.length > 0 || confirmed.has(at) || grammarWords.has(lower)) {
      return false
    }
    const isKnown = marketWords.has(lower) || context.ownStemSet.has(stem(lower)) ||
      isCue(context, at, confirmed)
    return !(isKnown && (isAnchored(at, anchors) || isOwnPair(context, at)))
  })
  return [...new Set(open.map(({ text }) => text))]
}

function positionsOf({ first, last }: { readonly first: number; readonly last: number }) {
  return [first, last]
}

/** A known word states something only with a value or a name: at most so many tokens before or after it. */
const beforeAnchorMax = 4
const afterAnchorMax = 2

function isAnchored(at: number, anchors: ReadonlySet<number>): boolean {
  for (let n = at - afterAnchorMax; n <= at + beforeAnchorMax; n++) if (anchors.has(n)) return true
  return false
}

/** A cue stands at most so many tokens from its figure. */
const cueWithin = 5

/** Whether a word says what a confirmed figure next to it is. */
function isCue({ tokens, figures }: Context, at: number, confirmed: ReadonlySet<number>): boolean {
  return cueWords.has(tokens[at]?.lower ?? "") &&
    figures.some(({ first, last }) =>
      confirmed.has(first) && first - cueWithin <= at && at <= last + cueWithin
    )
}

/** Words of a sentence that no cited fact has, without a value or a name next to them. */
const strangeWordsMin = 2

/**
 * A sentence says something of its names, so it is more than names. A sentence of a fact that has no value
 * and no name of it must at least be of its words.
 */
function checkSentences(context: Context, findings: Findings): void {
  for (const own of Map.groupBy(context.tokens, ({ sentence }) => sentence).values()) {
    const isNames = own.every(({ kind, refs, lower }) =>
      kind === "mark" || kind === "name" || refs.length > 0 || grammarWords.has(lower)
    )
    const names = own.filter(({ kind, refs }) => kind === "name" || refs.length > 0)
    if (!isNames || names.length === 0) continue
    const said = names.map(({ text }) => text).join(" ")
    findings[context.kind === "fact" ? "refused" : "asked"].push(`says nothing of ${said}`)
  }
  if (context.kind !== "fact") return
  const bound = new Set([
    ...context.mentions.map(({ sentence }) => sentence),
    ...context.figures.filter(({ first }) => findings.confirmed.has(first))
      .map(({ first }) => context.tokens[first]?.sentence),
  ])
  const words = context.tokens.filter(({ kind, lower, sentence }) =>
    kind === "word" && !grammarWords.has(lower) && !bound.has(sentence)
  )
  for (const own of Map.groupBy(words, ({ sentence }) => sentence).values()) {
    const strange = own.filter(({ lower }) =>
      !context.ownStemSet.has(stem(lower)) && !marketWords.has(lower)
    )
    if (strange.length >= strangeWordsMin && 2 * strange.length > own.length) {
      findings.refused.push(`no cited fact has: ${strange.map(({ text }) => text).join(" ")}`)
    }
  }
}

/** Words of a clause that may state nothing: `a long shot`. */
const emptyClauseWordsMax = 2

/**
 * Clauses that state no value and no name of a cited fact. A fact has none that begins like a statement of
 * its own: `; it has to pay`, `, which moved the market`.
 */
function checkClauses(context: Context, findings: Findings): void {
  const { tokens, mentions } = context
  const named = new Set(mentions.map(({ first }) => tokens[first]?.clause))
  const clauses = Map.groupBy(tokens.map((token, at) => ({ ...token, at })), ({ clause }) => clause)
  if (
    mentions.length === 0 &&
    !tokens.some(({ kind }, at) => kind !== "mark" && findings.confirmed.has(at))
  ) {
    findings.asked.push("no value of a cited fact")
  }
  for (const [clause, own] of clauses) {
    const words = own.filter(({ kind }) => kind === "word")
    const isStated = named.has(clause) ||
      own.some(({ at }) => findings.confirmed.has(at) && tokens[at]?.kind !== "mark") ||
      words.every(({ lower }) => grammarWords.has(lower))
    if (isStated || words.length <= emptyClauseWordsMax) continue
    const [first, second] = words.filter(({ lower }) => !/^(?:and|but|so|then|yet)$/.test(lower))
    const isStatement = subjects.has(first?.lower ?? "") ||
      /^(?:the|a|an)$/.test(first?.lower ?? "") && subjects.has(second?.lower ?? "")
    const isDenial = own.some(({ at }) => context.denials.has(at))
    if (isStatement && !isDenial && context.kind === "fact" && !isOwnClause(context, words)) {
      findings.refused.push(`no cited fact has: ${words.map(({ text }) => text).join(" ")}`)
    } else {findings.asked.push(`no value of a cited fact: ${
        words.map(({ text }) => text).join(" ")
      }`)}
  }
}

/** Whether a clause repeats words of a cited statement, and has no other but known ones. */
function isOwnClause(context: Context, words: ReadonlyArray<{ readonly lower: string }>): boolean {
  const isOwn = ({ lower }: { readonly lower: string }) => context.ownStemSet.has(stem(lower))
  return words.some((word) => isOwn(word) && !isPlainWord(word.lower)) &&
    words.every((word) => isPlainWord(word.lower) || isOwn(word))
}
