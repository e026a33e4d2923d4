/**
 * What the checks of a claim share: its tokens, its figures, the cited facts, and which facts a place in
 * the sentence is about.
 *
 * @module
 */
import type { Fact } from "../facts.ts"
import type { ClaimKind } from "../page.ts"
import { type Figure, figuresOf } from "./figures.ts"
import {
  type NameClass,
  type Named,
  namesOf,
  outcomeWords,
  slotBase,
  slotSuffix,
  textOf,
} from "./names.ts"
import { type Reading, type Token, tokensOf } from "./tokens.ts"
import { negators } from "./words.ts"

/** What the checks found: reasons to refuse, reasons to ask. */
export interface Findings {
  readonly refused: Array<string>
  readonly asked: Array<string>
  /** Positions of tokens that a check has confirmed. */
  readonly confirmed: Set<number>
}

export interface Context {
  readonly kind: ClaimKind
  readonly reading: Reading
  readonly tokens: ReadonlyArray<Token>
  readonly figures: ReadonlyArray<Figure>
  /** The figure that begins at a position. */
  readonly figureAt: ReadonlyMap<number, Figure>
  readonly cited: ReadonlyArray<Fact>
  readonly names: ReadonlyArray<Named>
  readonly mentions: ReadonlyArray<Mention>
  /** Positions of the words that deny; “No” as an outcome denies nothing. */
  readonly denials: ReadonlySet<number>
  /** The own words of the cited statements, without names, in lower case and in order. */
  readonly ownWords: ReadonlyArray<ReadonlyArray<string>>
  /** The same by stem. */
  readonly ownStems: ReadonlyArray<ReadonlyArray<string>>
  readonly ownStemSet: ReadonlySet<string>
  /** The stems of the words of the cited names. */
  readonly nameStems: ReadonlySet<string>
}

/** A place where the claim names something of a cited fact. */
interface Mention {
  readonly first: number
  readonly last: number
  readonly sentence: number
  readonly class: NameClass
  /** The names that it may be. */
  readonly refs: ReadonlyArray<Named>
}

export function contextOf(
  kind: ClaimKind,
  text: string,
  cited: ReadonlyArray<Fact>,
  facts: ReadonlyMap<string, Fact>,
): Context {
  const names = namesOf(new Set(cited.map(({ id }) => id)), facts)
  const reading = tokensOf(text, names)
  const { tokens } = reading
  const figures = figuresOf(tokens)
  const ownWords = cited.map(ownWordsOf)
  const ownStems = ownWords.map((words) => words.map(stem))
  const mentions = mentionsOf(tokens, names)
  const own = names.filter(({ cited }) => cited)
  return {
    ...{ kind, reading, tokens, figures, cited, names, ownWords, ownStems },
    figureAt: new Map(figures.map((figure) => [figure.first, figure])),
    mentions,
    denials: denialsOf(tokens, mentions),
    ownStemSet: new Set(ownStems.flat()),
    nameStems: new Set(own.flatMap(({ words }) => words.map((word) => stem(word.toLowerCase())))),
  }
}

function denialsOf(
  tokens: ReadonlyArray<Token>,
  mentions: ReadonlyArray<Mention>,
): ReadonlySet<number> {
  const outcomes = new Set(
    mentions.filter((mention) => mention.class === "outcome").map(({ first }) => first),
  )
  return new Set(tokens.flatMap(({ kind, lower }, at) => {
    const next = tokens[at + 1]?.lower
    const isTooFew = /^(?:little|few)$/.test(lower) && tokens[at - 1]?.lower === "too"
    const isPhrase =
      next === "to" && /^(?:yet|declined|refused|refuses|failed|ceased|stopped)$/.test(lower) ||
      next === "from" && /^(?:far|refrained|abstained)$/.test(lower) ||
      next === "of" && lower === "short" ||
      lower === "nowhere" && !/^(?:gone|going|went|goes|go)$/.test(tokens[at - 1]?.lower ?? "")
    const denies = isNegator(lower) || isTooFew || isPhrase
    return kind === "word" && denies && !outcomes.has(at) ? [at] : []
  }))
}

export function isNegator(lower: string): boolean {
  return negators.has(lower) || /n['’]t$/.test(lower)
}

/** The words of a statement outside its quotations and names, and its values that are words. */
function ownWordsOf(fact: Fact): ReadonlyArray<string> {
  const bare = fact.statement.replace(/“[^“”]*”/gu, " ")
  const own = fact.names.reduce((text, name) => text.replaceAll(name, " "), bare)
  const words = Object.values(fact.values).flatMap((value) =>
    value.type === "word" ? [value.text] : []
  )
  return ([own, ...words].join(" ").match(/\p{L}+(?:['’]\p{L}+)?/gu) ?? [])
    .map((word) => word.toLowerCase())
}

/** Whether a word stands next to the same word as in a cited statement: `before fees`, `least half`. */
export function isOwnPair({ tokens, ownStems }: Context, at: number): boolean {
  const [before = "", own = "", next = ""] = [-1, 0, 1].map((n) =>
    stem(tokens[at + n]?.lower ?? "")
  )
  return ownStems.some((stems) =>
    stems.some((root, n) => root === own && (stems[n - 1] === before || stems[n + 1] === next))
  )
}

/** How often the cited statements deny. */
export function ownDenials({ ownWords }: Context): number {
  return ownWords.flat().filter((word, n, words) =>
    isNegator(word) || /^(?:little|few)$/.test(word) && words[n - 1] === "too"
  ).length
}

/** A word without its inflection, so that `moves`, `moved` and `moving` are one. Short words stay. */
export function stem(lower: string): string {
  const bare = lower.replace(/['’]s?$/u, "")
  if (bare.length < 4) return bare
  const cut = bare.replace(/(?:ies|ied)$/, "y").replace(/(?:ing|edly|ed|es|s|ly|al)$/, "")
  const root = cut.length < 3 ? bare : cut
  return root.replace(/(.)\1$/, "$1").replace(/e$/, "")
}

/** Names and parts of names; adjacent capitalised words of one name are one mention. */
function mentionsOf(
  tokens: ReadonlyArray<Token>,
  names: ReadonlyArray<Named>,
): ReadonlyArray<Mention> {
  const mentions: Array<Mention> = []
  tokens.forEach((token, at) => {
    for (const [name, refs] of Map.groupBy(refsAt(tokens, at, names), (ref) => ref.class)) {
      const index = mentions.findLastIndex((mention) => mention.class === name)
      const last = mentions[index]
      const isNear = last !== undefined && last.sentence === token.sentence &&
        last.last >= at - 4 && isOnlyLinks(tokens.slice(last.last + 1, at))
      const common = isNear ? last.refs.filter((ref) => refs.includes(ref)) : []
      if (last !== undefined && common.length > 0) {
        mentions[index] = { ...last, last: at, refs: common }
      } else {
        mentions.push({ first: at, last: at, sentence: token.sentence, class: name, refs })
      }
    }
  })
  return mentions
}

/** The cited names that a token is, or is a part of. */
function refsAt(
  tokens: ReadonlyArray<Token>,
  at: number,
  names: ReadonlyArray<Named>,
): ReadonlyArray<Named> {
  const token = tokens[at]
  if (token === undefined || token.kind === "mark") return []
  if (token.kind === "word" && outcomeWords.has(token.text)) {
    const ofMarket = marketsWith(tokens, at, names)
    if (ofMarket.length > 0) return ofMarket
    return isOutcomeAt(tokens, at)
      ? names.filter(({ cited, text }) => cited && text === token.text)
      : []
  }
  const before = tokens[at - 1]?.text === "." ? tokens[at - 2] : tokens[at - 1]
  const isOpponent = /^(?:against|vs|v|versus)$/.test(before?.lower ?? "")
  const refs = isOpponent ? token.refs.filter((ref) => ref.class !== "outcome") : token.refs
  if (token.kind !== "word") return refs
  const isPlain = !/^\p{Lu}/u.test(token.text) || token.opens && determiners.has(token.lower)
  // A part of an outcome's name is a part of its market's name too; only the whole names the outcome.
  return isPlain ? [] : refs.filter((ref) => ref.class !== "outcome")
}

/** The cited markets whose name has an outcome next to the same word: `Bitcoin Up or Down`. */
function marketsWith(
  tokens: ReadonlyArray<Token>,
  at: number,
  names: ReadonlyArray<Named>,
): ReadonlyArray<Named> {
  const [before, own, next] = [-1, 0, 1].map((n) => tokens[at + n]?.text ?? "")
  return names.filter((name) =>
    name.cited && name.class === "market" &&
    (/^\p{L}/u.test(before ?? "") && name.text.includes(`${before} ${own}`) ||
      /^\p{L}/u.test(next ?? "") && name.text.includes(`${own} ${next}`))
  )
}

const links = new Set(["of", "the", "in", "and", "by", "for", "-", "–", ",", "'", "’", "vs", "."])

function isOnlyLinks(tokens: ReadonlyArray<Token>): boolean {
  return tokens.every(({ lower }) => links.has(lower))
}

const determiners = new Set(
  "the will a an in on at no is are does do by and of for to what who which how".split(" "),
)

/** `Yes`, `“No”`, `Over` as an outcome; at the beginning of a sentence it may be just a word. */
function isOutcomeAt(tokens: ReadonlyArray<Token>, at: number): boolean {
  const isQuoted = /^[“"'‘]$/u.test(tokens[at - 1]?.text ?? "") && tokens[at]?.joined === true
  const next = tokens[at + 1]
  return tokens[at]?.opens !== true || isQuoted || next?.kind === "number" ||
    /^(?:in|on|at|is|was|costs?|trades?|traded|rose|fell|shares?|side|for|to|now|stands?|stood|dropped|gained|lost|climbed|slid|jumped|moved|went|,|\)|→|:|-)$/
      .test(next?.lower ?? "")
}

/**
 * The mention of a class that governs a position: the one at it; one that follows it with `in`, `of` or
 * `for`; the last one before it in its sentence; the first after it; the last one before the sentence.
 */
export function governing(
  { mentions, tokens }: Context,
  at: number,
  ofClass: NameClass,
): Mention | undefined {
  const same = mentions.filter((mention) => mention.class === ofClass)
  const { sentence = 0 } = tokens[at] ?? {}
  const here = same.find(({ first, last }) => first <= at && at <= last)
  if (here !== undefined) return here
  const inSentence = same.filter((mention) => mention.sentence === sentence)
  const after = inSentence.find(({ first }) => first > at)
  const isLinked = after !== undefined && after.first - at <= 5 &&
    tokens.slice(at + 1, after.first).some(({ lower }) =>
      /^(?:for|of|on|in)$/.test(lower) || lower === "at" && tokens[after.first]?.kind === "number"
    ) &&
    tokens.slice(at + 1, after.first).every(({ kind, lower, refs }) =>
      kind !== "mark" && !/^(?:and|while|but)$/.test(lower) &&
        refs.every((ref) => ref.class === "outcome") ||
      /^[“"]$/u.test(lower)
    )
  if (isLinked) return after
  if (ofClass === "outcome") {
    const isAdjacent = after !== undefined && after.first - at <= 2 &&
      !tokens.slice(at + 1, after.first).some(({ text }) => /^[,;:]$/.test(text))
    return inSentence.findLast(({ last }) => last < at) ?? (isAdjacent ? after : undefined)
  }
  return inSentence.findLast(({ last }) => last < at) ?? after ??
    same.findLast((mention) => mention.sentence < sentence)
}

/** How a value of a fact stands to the names around a position. */
export type Binding = "own" | "opposite" | "foreign"

/**
 * Whether a value of a fact may stand at this position: each market, wallet and source named there must
 * be of the same fact. The other outcome of a market makes it `opposite`.
 */
export function bindingOf(context: Context, at: number, fact: Fact, slot: string): Binding {
  const suffix = slotSuffix(slot)
  const classes: ReadonlyArray<NameClass> = fact.kind === "news"
    ? ["source"]
    : ["market", "wallet", "source"]
  for (const name of classes) {
    if (!hasClass(context, fact, name)) continue
    const mention = governing(context, at, name)
    if (mention === undefined) continue
    const own = mention.refs.filter((ref) => ref.fact === fact)
    const bySuffix = name === "market" && isOfOneSide(fact, slot)
      ? own.filter(({ slot }) => slot === "" || slotSuffix(slot) === suffix)
      : own
    if (bySuffix.length === 0) return "foreign"
  }
  return outcomeBinding(context, at, fact, suffix)
}

/** Whether a fact of two markets has this value once for each of them: `price` and `price2`. */
function isOfOneSide({ values }: Fact, slot: string): boolean {
  const base = slotBase(slot)
  return Object.keys(values).some((other) => other !== slot && slotBase(other) === base) &&
    values[`market${slotSuffix(slot)}`] !== undefined
}

function hasClass({ names }: Context, fact: Fact, ofClass: NameClass): boolean {
  return names.some((name) => name.fact === fact && name.class === ofClass)
}

function outcomeBinding(context: Context, at: number, fact: Fact, suffix: string): Binding {
  if (textOf(fact, `outcome${suffix}`) === undefined) return "own"
  const mention = governing(context, at, "outcome")
  const refs = mention?.refs.filter((ref) => ref.fact === fact)
  if (mention === undefined || refs === undefined) return "own"
  if (refs.some(({ slot }) => slot === `outcome${suffix}`)) return "own"
  if (refs.some(({ slot }) => slot === `opposite${suffix}`)) return "opposite"
  return refs.length === 0 && mention.refs.length > 0 ? "foreign" : "own"
}
