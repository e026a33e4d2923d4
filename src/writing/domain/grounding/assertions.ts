/**
 * What a claim asserts besides figures and directions: denials, certainty, causes, habits, labels, who
 * did what, and what a thing is. And what it may not do at all: advise the reader to trade.
 *
 * @module
 */
import type { Fact } from "../facts.ts"
import {
  bindingOf,
  type Context,
  type Findings,
  isNegator,
  isOwnPair,
  ownDenials,
  stem,
} from "./context.ts"
import { isCause, isConditional } from "./directions.ts"
import { outcomeWords, slotBase } from "./names.ts"
import type { Statement } from "./quantities.ts"
import {
  categoryNouns,
  decidedWords,
  deniableWords,
  directionOf,
  frequencyWords,
  hedgeWords,
  roleVerbs,
  sureWords,
  tradeVerbs,
} from "./words.ts"

export function checkAssertions(
  context: Context,
  stated: ReadonlyArray<Statement>,
  findings: Findings,
): void {
  context.tokens.forEach((token, at) => {
    if (token.kind !== "word") return
    // A word of a name says nothing, except that something is sure.
    if (token.refs.length === 0 || token.opens) checkWord(context, at, findings)
    else checkCertainty(context, at, findings)
  })
  checkDenials(context, stated, findings)
  checkOutcomes(context, stated, findings)
  checkCompany(context, findings)
  checkLabels(context, findings)
  checkTrades(context, findings)
  if (context.kind === "inference" && !context.tokens.some(({ lower }) => hedgeWords.has(lower))) {
    findings.refused.push("an inference without a hedge")
  }
}

function checkWord(context: Context, at: number, findings: Findings): void {
  const { lower = "", text = "" } = context.tokens[at] ?? {}
  const own = context.ownStemSet.has(stem(lower))
  if (!checkCertainty(context, at, findings) && decidedWords.has(lower)) {
    checkDecided(context, at, findings)
  }
  if (frequencyWords.has(lower) && !own) {
    findings.refused.push(`no cited fact says how often: “${text}”`)
  }
  const causePhrase = phraseAt(context, at, causePhrases)
  const isCausePhrase = causePhrase !== undefined && !isOwnPhrase(context, causePhrase) &&
    !/^trad/.test(context.tokens[at - 1]?.lower ?? "")
  if (isCausePhrase || isCause(context, at)) {
    const isHedged = context.kind === "inference" && isHedgedAt(context, at, hedgedWithin)
    const isOwn = own && lower !== "due" && !isCausePhrase
    if (isHedged || isDeniedCause(context, at) || isOwn || isUnknownCause(context, at)) {
      findings.asked.push(`cause: ${text}`)
    } else findings.refused.push(`no cited fact states a cause: “${text}”`)
  }
  if (categoryNouns.has(lower) && !own && !context.nameStems.has(stem(lower))) {
    findings.refused.push(`no cited fact says what it is: “${text}”`)
  }
  checkRole(context, at, findings)
}

/** `would make it impossible`: sure only if something else is. */
function isConditionalAt({ tokens }: Context, at: number): boolean {
  const { clause } = tokens[at] ?? {}
  return tokens.slice(0, at).some(({ lower, clause: other }) =>
    other === clause && lower === "would"
  )
}

/** Returns whether the word calls something sure. */
function checkCertainty(context: Context, at: number, findings: Findings): boolean {
  const { lower = "", text = "" } = context.tokens[at] ?? {}
  const own = context.ownStemSet.has(stem(lower))
  const isConditional = context.kind !== "fact" && isConditionalAt(context, at)
  if (isPhrase(context, at, surePhrases)) {
    findings.refused.push(`“${text}” is certain beyond the facts`)
    return true
  }
  if (!sureWords.has(lower)) return false
  if (isDenied(context, at) && !own || isConditional) {
    findings.asked.push(`denied certainty: ${text}`)
  } else if (!(own && lower === "will")) {
    findings.refused.push(`“${text}” is certain beyond the facts`)
  }
  return true
}

const causePhrases = [
  "on the back",
  "in the wake",
  "on news",
  "on word",
  "on reports",
  "on hopes",
  "on fears",
  "as traders",
  "as investors",
  "as buyers",
  "as sellers",
  "as whales",
  "moved the market",
  "moved the price",
  "moved it",
  "made the market",
  "made the price",
  "made it",
  "behind the move",
  "behind the rise",
  "behind the fall",
  "behind it",
]

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
  "beyond question",
  "without question",
  "no question",
  "no mistake",
  "a lock",
  "a cinch",
  "has to",
  "have to",
  "can only",
  "as good as",
  "for sure",
  "in the bag",
  "result is in",
  "can stop",
  "can go wrong",
]

function isPhrase(context: Context, at: number, phrases: ReadonlyArray<string>): boolean {
  return phraseAt(context, at, phrases) !== undefined
}

function phraseAt(
  { tokens }: Context,
  at: number,
  phrases: ReadonlyArray<string>,
): string | undefined {
  const two = tokens.slice(at, at + 2).map(({ lower }) => lower).join(" ")
  const three = tokens.slice(at, at + 3).map(({ lower }) => lower).join(" ")
  return phrases.find((phrase) => phrase === two || phrase === three)
}

function isOwnPhrase({ cited }: Context, phrase: string): boolean {
  return cited.some(({ statement }) => statement.toLowerCase().includes(phrase))
}

/** A denial stands at most so many tokens before what it denies. */
const denialWithin = 3

function isDenied(context: Context, at: number): boolean {
  return isDeniedFrom(context, at - denialWithin, at, context.tokens[at]?.clause)
}

/** Whether a denial stands in a clause from a position up to another one. */
function isDeniedFrom(
  { denials, tokens }: Context,
  from: number,
  to: number,
  clause: number | undefined,
): boolean {
  for (let at = Math.max(0, from); at < to; at++) {
    if (denials.has(at) && tokens[at]?.clause === clause) return true
  }
  return false
}

/** A cause is hedged by a word at most so many tokens before it. */
const hedgedWithin = 5

/** `no cause`, `not because`, `no known reason`. */
function isDeniedCause(context: Context, at: number): boolean {
  const { tokens, denials } = context
  const { lower = "", clause } = tokens[at] ?? {}
  const isNoun = /^(?:reasons?|causes?|explanation)$/.test(lower)
  if (isNoun && isDeniedFrom(context, at - 5, at, clause)) return true
  return denials.has(at - 1) || lower !== "because" && denials.has(at - 2) &&
      /^(?:known|clear|the|a|single|stated|obvious|apparent|did|give|gives)$/.test(
        tokens[at - 1]?.lower ?? "",
      )
}

/** Whether a hedge stands in the clause of a word, before it. */
function isHedgedAt({ tokens }: Context, at: number, within: number = at): boolean {
  const { clause } = tokens[at] ?? {}
  return tokens.slice(Math.max(0, at - within), at).some((token) =>
    token.clause === clause && hedgeWords.has(token.lower)
  )
}

function isUnknownCause(context: Context, at: number): boolean {
  const { clause } = context.tokens[at] ?? {}
  return isDeniedFrom(context, at + 1, at + 5, clause) ||
    context.tokens.slice(at + 1, at + 5).some(({ lower, clause: other }) =>
      other === clause && lower === "unclear"
    )
}

/** A decided event: only if a certain fact says so, or a headline that is named with it. */
function checkDecided(context: Context, at: number, findings: Findings): void {
  const { lower = "", text = "", sentence } = context.tokens[at] ?? {}
  if (findings.confirmed.has(at) || isRateOfWins(context, at, findings)) return
  const root = stem(lower)
  if (context.ownStemSet.has(root)) {
    if (isDenied(context, at) || !isOnlyDenied(context, root)) findings.confirmed.add(at)
    else if (context.kind !== "fact") findings.asked.push(`decided: ${text}`)
    else findings.refused.push(`the cited facts deny “${text}”`)
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
  const isOpen = context.kind === "inference"
    ? isHedgedAt(context, at)
    : context.kind === "watch" && isConditional(context, at)
  const byTrades = /^confirm/.test(lower) && /^trad/.test(context.tokens[at - 1]?.lower ?? "")
  if (isOpen || byTrades || isDenied(context, at) || isAttributed && isOfName(context, root)) {
    findings.asked.push(`decided: ${text}`)
  } else findings.refused.push(`no cited fact is decided: “${text}”`)
}

/** Whether the cited statements have a word only behind a denial: `and not disputed`. */
function isOnlyDenied({ ownStems, ownWords }: Context, root: string): boolean {
  return ownStems.every((stems, of) =>
    stems.every((own, n) =>
      own !== root || (ownWords[of] ?? []).slice(Math.max(0, n - denialWithin), n).some(isNegator)
    )
  )
}

/** `won 62.8% of its entries`, `a win rate of`: a rate, and no decided event. */
function isRateOfWins({ tokens, figureAt }: Context, at: number, { confirmed }: Findings): boolean {
  const isRate = tokens[at + 1]?.lower === "rate" || tokens[at - 1]?.text.endsWith("%") === true ||
    figureAt.get(at + 1)?.unit === "percent" && confirmed.has(at + 1)
  return /^(?:win|wins|won|winning)$/.test(tokens[at]?.lower ?? "") && isRate
}

function isOfName({ nameStems }: Context, root: string): boolean {
  return nameStems.has(root) || root === "won" && nameStems.has("win")
}

/** Who did what: a word for an act needs a fact of a kind that has such acts. */
function checkRole(context: Context, at: number, findings: Findings): void {
  const { lower = "", text = "" } = context.tokens[at] ?? {}
  for (const { words, kinds } of roleVerbs) {
    if (!words.has(lower) || context.ownStemSet.has(stem(lower))) continue
    if (context.cited.some(({ kind }) => kinds.has(kind))) continue
    if (isConditional(context, at)) findings.asked.push(`act: ${text}`)
    else findings.refused.push(`no cited fact has that act: “${text}”`)
  }
}

/** Denials: one more than the facts have, or one less. */
function checkDenials(
  context: Context,
  stated: ReadonlyArray<Statement>,
  findings: Findings,
): void {
  const { cited } = context
  const negative = cited.filter((fact) => fact.negative)
  const denials = [...context.denials]
  if (denials.length === 0 && negative.length > 0) {
    const used = new Set(stated.map(({ fact }) => fact))
    const others = cited.filter((fact) => !fact.negative && used.has(fact))
    if (others.length > 0) findings.asked.push("a cited fact denies")
    else if (!statesOnlyFigures(negative, used)) {
      findings.refused.push(`${negative.map(({ id }) => id).join(", ")} denies, the claim does not`)
    } else findings.asked.push("a cited fact denies")
  }
  const own = ownDenials(context)
  if (
    context.kind === "fact" && own > 0 && denials.length > own + deniedElsewhere(context, denials)
  ) {
    findings.refused.push("denies more than the cited facts")
  }
  for (const at of denials) checkDenial(context, at, denials, findings)
}

/** Denials of what may be denied without a fact: `no reason`. */
function deniedElsewhere(context: Context, denials: ReadonlyArray<number>): number {
  return denials.filter((at) =>
    !isOwnPair(context, at) && !isOwnDenial(context, at) &&
    context.tokens.slice(at, at + 1 + deniedWithin).some(({ lower }) => deniableWords.has(lower))
  ).length
}

/** Whether a fact that denies one thing has values, which a claim may state without the denial. */
function statesOnlyFigures(negative: ReadonlyArray<Fact>, used: ReadonlySet<Fact>): boolean {
  return negative.every((fact) => used.has(fact))
}

function checkDenial(
  context: Context,
  at: number,
  denials: ReadonlyArray<number>,
  findings: Findings,
): void {
  const { tokens } = context
  const { text = "", clause, lower = "" } = tokens[at] ?? {}
  const isSecond = denials.some((other) =>
    other < at && other >= at - denialWithin && tokens[other]?.clause === clause &&
    !(isOwnPair(context, other) && isOwnPair(context, at))
  )
  if (isSecond && lower !== "nor") {
    findings.refused.push(`a denial of a denial: “${text}”`)
  } else if (isOwnPair(context, at) || isOwnDenial(context, at)) findings.confirmed.add(at)
  else if (tokens.slice(at, at + 1 + deniedWithin).some(({ lower }) => deniableWords.has(lower))) {
    findings.asked.push(`denial: ${text}`)
  } else if (
    isConditional(context, at) ||
    isContrast(context, at)
  ) {
    findings.asked.push(`denial: ${text}`)
  } else findings.refused.push(`no cited fact denies: “${text}”`)
}

/** What is denied stands at most so many tokens after the denial. */
const deniedWithin = 5

/** `a border accord, not fisheries`: two names are distinguished. */
function isContrast({ tokens, nameStems }: Context, at: number): boolean {
  return tokens[at]?.lower === "not" && tokens[at - 1]?.text === "," &&
    tokens.slice(at + 1, at + 3).some(({ lower }) => nameStems.has(stem(lower)))
}

/** Whether a cited statement denies the same: its denial is followed by the same word. */
function isOwnDenial({ tokens, ownStems, ownWords }: Context, at: number): boolean {
  const { lower = "", clause } = tokens[at] ?? {}
  const isWhole = /^(?:un|lack|absent|missing)/.test(lower)
  const denied = tokens.slice(at + 1, at + 1 + deniedWithin)
    .filter((token) => token.kind === "word" && token.clause === clause)
    .map((token) => stem(token.lower))
    .filter((root) => root.length > 2 && !emptyStems.has(root))
  return ownStems.some((stems, of) => {
    if (isWhole) {
      return stems.includes(stem(lower)) || /^unlabel/.test(lower) && stems.includes("label")
    }
    const own = stems.flatMap((root, n) =>
      isNegator(ownWords[of]?.[n] ?? "") || root === "too"
        ? stems.slice(n + 1, n + 1 + ownDeniedWithin)
        : []
    )
    const [first] = denied
    return first !== undefined && own.includes(first)
  })
}

/** In a statement of our own the denied word may stand further away. */
const ownDeniedWithin = 10

const emptyStems = new Set("the any that this its been has have was were not".split(" "))

/**
 * Outcomes and other names without a figure: the outcome must be that of the fact that the sentence is
 * about. The other outcome needs the other side's price or direction next to it.
 */
function checkOutcomes(
  context: Context,
  stated: ReadonlyArray<Statement>,
  findings: Findings,
): void {
  for (const mention of context.mentions) {
    if (mention.class !== "outcome") continue
    const isOwn = mention.refs.some(({ fact, slot }) =>
      slotBase(slot) !== "opposite" && bindingOf(context, mention.first, fact, slot) !== "foreign"
    )
    if (isOwn) continue
    const ofSide = mention.refs.filter(({ slot }) => slotBase(slot) === "opposite")
    const isPriced = stated.some(({ figure, fact, slot, binding }) =>
      binding === "opposite" && fact.values[slot]?.type === "price" &&
      context.tokens[figure.first]?.sentence === mention.sentence &&
      ofSide.some((ref) => ref.fact === fact)
    )
    const isDirected = ofSide.some(({ fact }) => fact.direction !== null) &&
      context.tokens.some((token, at) =>
        token.sentence === mention.sentence && directionOf(token.lower) !== undefined &&
        findings.confirmed.has(at)
      )
    const name = context.tokens[mention.first]?.text ?? ""
    if (!isPriced && !isDirected) {
      findings.refused.push(`“${name}” is not the outcome of a cited fact`)
    }
  }
}

/** Names of one fact that stand together: a wallet and what it bought, a publisher and its headline. */
function checkCompany(context: Context, findings: Findings): void {
  for (const mention of context.mentions) {
    if (mention.class !== "wallet" && mention.class !== "source") continue
    const { clause } = context.tokens[mention.first] ?? {}
    const others = context.mentions.filter((other) =>
      other !== mention && context.tokens[other.first]?.clause === clause &&
      (mention.class === "source" ? other.class === "source" : other.class === "market")
    )
    for (const other of others) {
      const known = mention.refs.some(({ fact }) =>
        context.names.some((name) => name.fact === fact && name.class === other.class)
      )
      const together = mention.refs.some((ref) => other.refs.some(({ fact }) => fact === ref.fact))
      const differs = mention.refs[0]?.slot !== other.refs[0]?.slot
      if (known && !together && differs) {
        findings.refused.push("names of two facts are joined as if they were of one")
      }
    }
  }
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
    const isOwn = values.length === 0 && context.ownStemSet.has(stem(lower))
    if (isOwn || values.includes(lower) && !isDenied(context, at)) findings.confirmed.add(at)
    else if (values.includes(lower)) findings.refused.push(`denies the ${slot} ${lower}`)
    else if (
      isDenied(context, at) || near.some(({ lower }) => isNegator(lower) || lower === "or")
    ) {
      findings.asked.push(`label: ${lower}`)
    } else findings.refused.push(`“${lower}” is not the ${slot} of a cited fact`)
  })
}

function wordsAt({ values }: Fact, slot: string): ReadonlyArray<string> {
  return Object.entries(values).flatMap(([key, value]) =>
    slotBase(key) === slot && (value.type === "word" || value.type === "name")
      ? value.text.toLowerCase().split(" ")
      : []
  )
}

/** Also past tenses or nouns: an order only as the first word of a sentence. */
const openingVerbs = /^(?:put|stake|invest|wager|enter|consider)$/
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
      const isTrade = next.some(({ lower }) => tradeVerbs.has(lower))
      if (isTrade || /^(?:rec|adv)/.test(lower) || context.kind === "fact") {
        findings.refused.push(`advice: “${text}”`)
      } else findings.asked.push(`advice: ${text}`)
    } else if (
      (tradeVerbs.has(lower) || token.opens && openingVerbs.test(lower)) &&
      !findings.confirmed.has(at) && (isImperative(context, at) || isOnOutcome(context, at))
    ) {
      findings.refused.push(`trade advice: “${text}”`)
    }
  })
}

/** `take the No`, `buy Yes`: wherever it stands. */
function isOnOutcome({ tokens }: Context, at: number): boolean {
  const next = tokens[at + 1]?.lower === "the" ? tokens[at + 2] : tokens[at + 1]
  return next?.kind === "word" && outcomeWords.has(next.text)
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
    next.kind === "mark" && /^[“".!)]$/u.test(next.text)
}
