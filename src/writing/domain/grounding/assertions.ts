/**
 * What a claim asserts besides figures and directions: denials, certainty, causes, habits, labels, who
 * did what, and what a thing is. And what it may not do at all: tell the reader to trade.
 *
 * @module
 */
import type { Fact } from "../facts.ts"
import { bindingOf, type Context, type Findings, stem } from "./context.ts"
import { isCause } from "./directions.ts"
import { slotBase } from "./names.ts"
import type { Statement } from "./quantities.ts"
import {
  categoryNouns,
  decidedWords,
  deniableWords,
  frequencyWords,
  hedgeWords,
  negators,
  roleVerbs,
  sureWords,
} from "./words.ts"

export function checkAssertions(
  context: Context,
  stated: ReadonlyArray<Statement>,
  findings: Findings,
): void {
  context.tokens.forEach((token, at) => {
    if (token.kind !== "word" || token.refs.length > 0 && !token.opens) return
    checkWord(context, at, findings)
  })
  checkDenials(context, stated, findings)
  checkLabels(context, findings)
  checkTrades(context, findings)
  if (context.kind === "inference" && !context.tokens.some(({ lower }) => hedgeWords.has(lower))) {
    findings.refused.push("an inference without a hedge")
  }
}

function checkWord(context: Context, at: number, findings: Findings): void {
  const { lower = "", text = "" } = context.tokens[at] ?? {}
  const own = context.ownStemSet.has(stem(lower))
  const denied = isDenied(context, at)
  if (sureWords.has(lower) || isPhrase(context, at, surePhrases)) {
    if (denied && !own) findings.asked.push(`denied certainty: ${text}`)
    else if (!(own && lower === "will")) {
      findings.refused.push(`“${text}” is certain beyond the facts`)
    }
  } else if (decidedWords.has(lower)) checkDecided(context, at, findings)
  if (frequencyWords.has(lower) && !own) {
    findings.refused.push(`no cited fact says how often: “${text}”`)
  }
  if (isCause(context, at)) {
    if (context.kind === "inference" || denied || own || isUnknownCause(context, at)) {
      findings.asked.push(`cause: ${text}`)
    } else findings.refused.push(`no cited fact states a cause: “${text}”`)
  }
  if (categoryNouns.has(lower) && !own && !context.nameStems.has(stem(lower))) {
    findings.refused.push(`no cited fact says what it is: “${text}”`)
  }
  checkRole(context, at, findings)
}

const surePhrases = [
  "no doubt",
  "without doubt",
  "beyond doubt",
  "free money",
  "risk free",
  "sure thing",
  "safe bet",
  "done deal",
  "can not fail",
  "cannot fail",
  "cannot lose",
  "bound to",
  "going to",
  "is over",
  "no risk",
]

function isPhrase({ tokens }: Context, at: number, phrases: ReadonlyArray<string>): boolean {
  const two = tokens.slice(at, at + 2).map(({ lower }) => lower).join(" ")
  const three = tokens.slice(at, at + 3).map(({ lower }) => lower).join(" ")
  return phrases.includes(two) || phrases.includes(three)
}

/** A denial stands at most so many tokens before what it denies. */
const denialWithin = 3

function isDenied({ tokens }: Context, at: number): boolean {
  const { clause } = tokens[at] ?? {}
  return tokens.slice(Math.max(0, at - denialWithin), at)
    .some((token) => token.clause === clause && isNegator(token.lower))
}

function isNegator(lower: string): boolean {
  return negators.has(lower) || lower.endsWith("n't") || lower.endsWith("n’t")
}

function isUnknownCause({ tokens }: Context, at: number): boolean {
  return tokens.slice(at + 1, at + 5).some(({ lower }) => isNegator(lower) || lower === "unclear")
}

/** A decided event: only if a certain fact says so, or a headline that is named with it. */
function checkDecided(context: Context, at: number, findings: Findings): void {
  const { lower = "", text = "", sentence } = context.tokens[at] ?? {}
  const root = stem(lower)
  const ofCertain = context.cited.some((fact) => fact.certain && stems(fact.statement).has(root))
  const own = context.ownStemSet.has(root)
  if (ofCertain && own || own) {
    findings.confirmed.add(at)
    return
  }
  const isAttributed = context.cited.some(({ kind }) => kind === "news") &&
    (context.mentions.some((mention) => mention.class === "source") ||
      context.tokens.some((token) =>
        token.sentence === sentence &&
        /^(?:say|says|said|report|reports|reported|headline|headlines|according|news)$/.test(
          token.lower,
        )
      ))
  if (context.kind !== "fact" || isDenied(context, at) || isAttributed && isOfName(context, root)) {
    findings.asked.push(`decided: ${text}`)
  } else findings.refused.push(`no cited fact is decided: “${text}”`)
}

function isOfName({ nameStems }: Context, root: string): boolean {
  return nameStems.has(root) || root === "won" && nameStems.has("win")
}

function stems(text: string): ReadonlySet<string> {
  return new Set((text.toLowerCase().match(/\p{L}+/gu) ?? []).map(stem))
}

/** Who did what: a word for an act needs a fact of a kind that has such acts. */
function checkRole(context: Context, at: number, findings: Findings): void {
  const { lower = "", text = "" } = context.tokens[at] ?? {}
  for (const { words, kinds } of roleVerbs) {
    if (!words.has(lower) || context.ownStemSet.has(stem(lower))) continue
    if (context.cited.some(({ kind }) => kinds.has(kind))) continue
    if (context.kind === "fact") findings.refused.push(`no cited fact has that act: “${text}”`)
    else findings.asked.push(`act: ${text}`)
  }
}

/** Denials: one more than the facts have, or one less. */
function checkDenials(
  context: Context,
  stated: ReadonlyArray<Statement>,
  findings: Findings,
): void {
  const { cited, tokens } = context
  const negative = cited.filter((fact) => fact.negative)
  const denials = tokens.flatMap(({ lower, kind, refs }, at) =>
    kind === "word" && refs.length === 0 && isNegator(lower) ? [at] : []
  )
  if (denials.length === 0 && negative.length > 0) {
    const used = new Set(stated.map(({ fact }) => fact))
    const others = cited.filter((fact) => !fact.negative && used.has(fact))
    if (others.length === 0 || negative.some((fact) => used.has(fact) && used.size === 1)) {
      findings.refused.push(`${negative.map(({ id }) => id).join(", ")} denies, the claim does not`)
    } else findings.asked.push("a cited fact denies")
  }
  if (negative.length > 0) return
  for (const at of denials) {
    const { text = "", lower = "" } = tokens[at] ?? {}
    if (context.ownStemSet.has(stem(lower)) || isConfirmedDenial(cited, lower)) continue
    const denied = tokens.slice(at, at + 1 + denialWithin).some(({ lower }) =>
      deniableWords.has(lower)
    )
    if (denied || context.kind !== "fact" && !isAboutFigure(context, at)) {
      findings.asked.push(`denial: ${text}`)
    } else findings.refused.push(`no cited fact denies: “${text}”`)
  }
}

function isConfirmedDenial(cited: ReadonlyArray<Fact>, lower: string): boolean {
  return cited.some(({ statement }) => stems(statement).has(stem(lower)))
}

/** `did not rise`, `is not 0.345`: a denial of what a fact states. */
function isAboutFigure({ tokens, figures }: Context, at: number): boolean {
  return figures.some(({ first }) => first > at && first - at <= denialWithin) ||
    tokens[at]?.lower === "never"
}

const labelWords = new Set(["follow", "fade", "neutral"])
const confidenceWords = new Set(["high", "medium", "low"])

/** Labels and confidences are values: the word must be the one of the fact that it stands with. */
function checkLabels(context: Context, findings: Findings): void {
  context.tokens.forEach((token, at) => {
    const { lower } = token
    if (token.kind !== "word") return
    const near = [
      ...context.tokens.slice(Math.max(0, at - 2), at),
      ...context.tokens.slice(at + 1, at + 3),
    ]
    const isLabel = labelWords.has(lower)
    const isConfidence = confidenceWords.has(lower) &&
      near.some(({ lower }) => lower === "confidence")
    if (!isLabel && !isConfidence) return
    const slot = isLabel ? "label" : "confidence"
    const bound = context.cited.filter((fact) => bindingOf(context, at, fact, slot) !== "foreign")
    const values = bound.flatMap((fact) => wordsAt(fact, slot))
    if (values.includes(lower)) findings.confirmed.add(at)
    else if (
      isDenied(context, at) || near.some(({ lower }) => isNegator(lower) || lower === "or")
    ) {
      findings.asked.push(`label: ${lower}`)
    } else if (context.ownStemSet.has(lower) && values.length === 0) {
      findings.asked.push(`label: ${lower}`)
    } else findings.refused.push(`“${lower}” is not the ${slot} of a cited fact`)
  })
}

function wordsAt({ values }: Fact, slot: string): ReadonlyArray<string> {
  return Object.entries(values).flatMap(([key, value]) =>
    slotBase(key) === slot && (value.type === "word" || value.type === "name")
      ? [value.text.toLowerCase()]
      : []
  )
}

const tradeVerbs =
  /^(?:buy|sell|short|fade|take|follow|bet|back|avoid|grab|load|exit|enter|dump|accumulate|copy|chase|lay|hedge|long|go|get|consider|join|ape|stake|put|invest|wager)$/
const adviceWords =
  /^(?:should|recommend|recommended|recommends|advise|advised|advises|advisable|ought|better)$/
const advicePhrases = [
  "a buy",
  "a sell",
  "strong buy",
  "strong sell",
  "worth buying",
  "worth selling",
  "worth following",
  "worth fading",
  "worth taking",
  "time to",
  "load up",
  "go long",
  "go short",
  "get in",
  "get out",
  "must buy",
  "good bet",
  "easy money",
  "worth a",
]

/** Trade advice is refused in every kind of claim. */
function checkTrades(context: Context, findings: Findings): void {
  context.tokens.forEach((token, at) => {
    const { lower, kind, text } = token
    if (kind !== "word") return
    if (isPhrase(context, at, advicePhrases)) findings.refused.push(`trade advice: “${text}”`)
    else if (adviceWords.test(lower)) {
      const next = context.tokens.slice(at + 1, at + 4)
      if (next.some(({ lower }) => tradeVerbs.test(lower)) || context.kind === "fact") {
        findings.refused.push(`advice: “${text}”`)
      } else findings.asked.push(`advice: ${text}`)
    } else if (tradeVerbs.test(lower) && isImperative(context, at)) {
      findings.refused.push(`trade advice: “${text}”`)
    }
  })
}

/** A verb at the beginning of a sentence or a clause, before its object. */
function isImperative({ tokens }: Context, at: number): boolean {
  const [before, next] = [tokens[at - 1], tokens[at + 1]]
  const starts = tokens[at]?.opens === true || before === undefined ||
    before.kind === "mark" && /^[,;:(—–.!?-]$/u.test(before.text) && !tokens[at]?.joined ||
    before.text === "(" ||
    /^(?:and|then|so|or|just|please|now|simply|traders|you|readers|buyers|agents)$/.test(
        before.lower,
      ) &&
      (tokens[at - 2]?.kind !== "word" || /^(?:just|please|now|simply|you)$/.test(before.lower))
  if (!starts || next === undefined) return false
  return next.kind !== "mark" &&
      !/^(?:orders?|side|price|is|was|were|entries|from|come|comes)$/.test(next.lower) ||
    next.kind === "mark" && /^[“".!]$/u.test(next.text)
}
