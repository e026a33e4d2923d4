/**
 * Whether the words of a headline fit what a market's question asks, so that a model's claim about the
 * two can be believed.
 *
 * The model reads the meaning. Code compares words: each name, number and date of the question must stand
 * in the headline, and no word that it knows (`scope.json`) may say a doubt, another part of a contest,
 * another thing of the same name or another outcome. It cannot detect a false report.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import type { Clause } from "../../markets/domain/clause.ts"
import type { Market } from "../../markets/domain/market.ts"
import known from "./scope.json" with { type: "json" }
import { isYesNo, timesAgree, withoutDates } from "./times.ts"
import { isInformative, termsOf, tokensOf, withSpellings, type Word } from "./words.ts"

type Terms = ReadonlySet<string>
type ScopedMarket = Pick<
  Market,
  "question" | "outcomes" | "endsAt" | "gameStartsAt" | "exclusive"
>
/** Another market of the event. */
export type SiblingMarket = Pick<Market, "question" | "exclusive">

/** What a headline is said to be about, and to favour. */
interface ScopedClaim {
  readonly title: string
  readonly publishedAt: EpochMs
  readonly outcome: 0 | 1
  /** What the rules add to the question; `deciding` is their sentence that decides, or empty. */
  readonly rules: Pick<Clause, "series" | "deadlineAt" | "operator"> & { readonly deciding: string }
}

/** Whether it can decide the question, by its words and its time. */
export function settles(
  market: ScopedMarket,
  siblings: ReadonlyArray<SiblingMarket>,
  claim: ScopedClaim,
): boolean {
  const { rules: { deadlineAt } } = claim
  // Of exclusive markets one winner decides all others.
  const rivals = claim.outcome === 1 && market.exclusive ? siblings : []
  return wordsSettle(market, claim) && timesAgree(market, { ...claim, deadlineAt }) ||
    rivals.some(({ question, exclusive }) =>
      exclusive && settles({ ...market, question }, [], { ...claim, outcome: 0 })
    )
}

/** Whether its words can decide the question, whenever they were published. */
export function wordsSettle(market: ScopedMarket, claim: ScopedClaim): boolean {
  const { title, outcome, rules } = claim
  const asked = readQuestion(market, rules.deciding)
  const stated = new Set(termsOf(title))
  const tokens = tokensOf(withoutDates(title))
  return isOf(asked, stated) && !hasDoubt(asked, title) && !isToCome(asked, tokens) &&
    !isOtherName(asked, tokens) && numbersAgree(asked, claim) && mayAnswer(asked, title, outcome) &&
    asked.words.every((term) => [...stated].some((other) => same(term, other))) &&
    isOfSeries(rules, stated)
}

/** Whether a headline that favours an outcome can be about the question: its names, parts and numbers. */
export function isAbout(market: ScopedMarket, claim: ScopedClaim): boolean {
  const asked = readQuestion(market, claim.rules.deciding)
  const stated = new Set(termsOf(claim.title))
  // A headline without a number contradicts none, and the "C" of "27°C" names nothing.
  const isBare = figuresOf(withoutDates(claim.title)).length === 0
  const names = asked.names.filter((name) => name.some(isInformative))
  return isOf({ ...asked, names }, stated) &&
    lists.others.intersection(stated).isSubsetOf(asked.terms) &&
    (isBare || numbersAgree(asked, claim))
}

const setOf = (text: string): Terms => new Set(text.split(" ").flatMap(termsOf))
/** Words of one answer: what asks for it, what says yes or no to it, and what may stand with them. */
const meanings = known.meanings.map((row) => {
  const [keys = "", yes = "", no = "", also = ""] = row.split("|")
  return { keys: setOf(keys), yes: setOf(yes), no: setOf(no), also: setOf(also) }
})
const lists = {
  /** Words of a question that need not stand in a headline: of a match, and of any other. */
  matchFree: setOf(known.matchFree),
  fillers: setOf(known.fillers),
  /** They stand before a person's name. */
  titles: setOf(known.titles),
  /** Institutions, which name no single thing. */
  offices: setOf(`${known.offices} the`),
  /** Parts of a contest: in the headline if and only if in the question or its rules. */
  parts: setOf(known.parts),
  /** Of these, those that mean nothing else in rules. */
  ruleParts: setOf("half halftime quarter inning corner corners card cards booking"),
  /** Of another competition, body, measure or degree of finality: only if in the question. */
  others: setOf(known.others),
  doubts: setOf(`${known.doubts} ${known.parts} ${known.others}`),
  negations: setOf("not never no without fail miss refuse decline"),
}

/** What a question asks, as sets of words. */
interface Asked {
  readonly text: string
  readonly isMatch: boolean
  /** Whether its answer is a name and not yes or no. */
  readonly isNamed: boolean
  /** Each name as its terms: one of them must stand in the headline. */
  readonly names: ReadonlyArray<ReadonlyArray<string>>
  /** Other words: all of them must stand there. */
  readonly words: ReadonlyArray<string>
  /** All terms, those of the outcomes included; and those with a capital. */
  readonly terms: Terms
  readonly capitals: Terms
  /** Parts of a contest that the question or its rules name. */
  readonly parts: Terms
  /** Words that say that it happened, and that it did not. */
  readonly yes: Terms
  readonly no: Terms
}

function readQuestion(market: ScopedMarket, deciding: string): Asked {
  const text = withoutDates(market.question)
  const sides = sidesOf(market)
  const isMatch = sides.length > 0 || market.gameStartsAt !== null
  const runs = sides.length > 0 ? sides.map(capitalTerms) : namesOf(text)
  const names = runs.map((run, n) => {
    const others = sides.length > 0 ? runs[1 - n] ?? [] : []
    const own = run.filter((term) => !lists.offices.has(term) && !others.includes(term))
    // Of a long name the last word is the side's, the others may be a place's.
    return sides.length > 0 && run.length > 2 ? own.slice(-1) : own
  })
  const capitals = new Set(runs.flat())
  const terms = new Set([...termsOf(text), ...market.outcomes.flatMap(termsOf)])
  const sought = new Set(termsOf(isMatch ? `${text} match` : text))
  const rows = meanings.filter(({ keys }) => !keys.isDisjointFrom(sought))
  const all = (part: "yes" | "no" | "also") => new Set(rows.flatMap((row) => [...row[part]]))
  const [yes, no, also] = [all("yes"), all("no").difference(sought), all("also")]
  const isFree = (term: string) =>
    isMatch
      ? lists.matchFree.has(term)
      : !isInformative(term) || [lists.fillers, yes, no, also].some((it) => it.has(term))
  // "LoL: " before the sides of a match is no part of what it asks.
  const plain = isMatch ? text.replace(/^[^:]{1,60}: (?=.* vs)/i, "") : text
  return {
    ...{ text, isMatch, terms, capitals, yes, no, isNamed: !isYesNo(market) },
    names: names.filter((name) => name.length > 0),
    words: termsOf(plain).filter((it) => !capitals.has(it) && !/\d/.test(it) && !isFree(it)),
    parts: lists.ruleParts.intersection(new Set(termsOf(deciding))).union(terms),
  }
}

/** The two sides of a match: "A vs. B" of its question, without what follows, or its outcomes; else none. */
export function sidesOf(
  { question, outcomes }: Pick<Market, "question" | "outcomes">,
): ReadonlyArray<string> {
  const found =
    /^(?:[^:]{1,60}: )?(?:will )?(.{2,60}?) vs?\.? (.{2,60}?)(?= ?[:(–—]| - |\?|$| end in)/i.exec(
      withoutDates(question),
    )
  if (found !== null) return found.slice(1)
  const named = outcomes.filter((outcome) =>
    !/^(?:yes|no|over|under|draw|tie|up|down|odd|even)\b/i.test(outcome)
  )
  return named.length === 2 ? named : []
}

/** "both teams score in Kestrels" is no side: its small words must stand in a headline too. */
function capitalTerms(side: string): ReadonlyArray<string> {
  const tokens = tokensOf(side)
  const named = tokens.filter(({ written }) => !/^\p{Ll}/u.test(written))
  return (named.length > 0 ? named : tokens).map(({ term }) => term)
}

/** Names: runs of words with a capital. */
function namesOf(text: string): ReadonlyArray<ReadonlyArray<string>> {
  const all = tokensOf(text.replace(/^(?:will|did|does|is|has|do)\s+(?:the\s+)?/i, ""))
  const runs: Array<Array<string>> = []
  for (const [place, { term, capitalised, follows, written }] of all.entries()) {
    if (!capitalised && !/^\p{L}+\d/u.test(written)) continue
    const run = runs.at(-1)
    if (run !== undefined && follows && all[place - 1]?.capitalised === true) run.push(term)
    else runs.push([term])
  }
  return runs.filter((run) => run.some((term) => !lists.offices.has(term)))
}

/** Two forms of one word: "president" and "presidency". */
function same(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  if (/\d/.test(short) || short.length < 5) return short === long
  return long.startsWith(short.slice(0, -1)) && long.length <= short.length + 4
}

/** Whether the headline has every name, and no part of a contest that the question has not, or lacks one. */
function isOf({ names, parts, text }: Asked, stated: Terms): boolean {
  const numbered = numberedParts([...stated])
  return names.every((name) => name.some((term) => stated.has(term))) &&
    [...lists.parts].every((part) => parts.has(part) === stated.has(part)) &&
    numberedParts(termsOf(text)).symmetricDifference(numbered).size === 0
}

/** "round 2" of "the second round", "game 3" of "Game 3". */
function numberedParts(terms: ReadonlyArray<string>): Terms {
  return new Set(terms.flatMap((term, n) => {
    if (!lists.parts.has(term) && term !== "game") return []
    return [terms[n - 1] ?? "", terms[n + 1] ?? ""].filter((it) => /^\d$/.test(it))
      .map((number) => `${term} ${number}`)
  }))
}

/** A market of one station or series is decided by a headline that names it. */
function isOfSeries({ series }: ScopedClaim["rules"], stated: Terms): boolean {
  return series === null ||
    termsOf(series).some((term) =>
      isInformative(term) && !lists.offices.has(term) && stated.has(term)
    )
}

const disputed = new RegExp(`\\b(?:${known.corrections.replaceAll(" ", "|")})\\b`, "gi")

/** Whether a headline corrects, denies or questions a report, by a word that the question does not have. */
export function disputes(title: string, question: string): boolean {
  const asked = new Set(termsOf(question))
  return (title.match(disputed) ?? []).flatMap(termsOf).some((term) => !asked.has(term))
}

/** A negation is no doubt: it may be the answer. */
function hasDoubt({ terms }: Asked, title: string): boolean {
  const doubts = lists.doubts.difference(terms).difference(lists.negations)
  return /\?/.test(title) || !doubts.isDisjointFrom(new Set(termsOf(title)))
}

/** Whether what is asked is still to come: "Lumen to launch", "agree to sign"; a side may "rally to win". */
function isToCome({ isMatch, yes }: Asked, tokens: ReadonlyArray<Word>): boolean {
  const at = tokens.findIndex(({ term }) => term === "to")
  const next = tokens.slice(at + 1, at + 3)
  if (at < 1 || !/^\p{Ll}/u.test(next[0]?.written ?? "")) return false
  const isFirst = tokens.slice(0, at)
    .every(({ term, capitalised }) => capitalised || /^(?:and|of|the)$/.test(term))
  return isFirst || !isMatch && next.some(({ term }) => yes.has(term))
}

/** "West Lorne" for "Lorne": a word with a capital that makes another name of one of the question's. */
function isOtherName({ capitals, terms, isMatch }: Asked, tokens: ReadonlyArray<Word>): boolean {
  const isInTitleCase = tokens.filter(({ capitalised }) => capitalised).length > tokens.length / 2
  const isForeign = ({ capitalised, term }: Word) =>
    capitalised && !terms.has(term) && !lists.titles.has(term)
  return !isMatch && !isInTitleCase && tokens.some((word, n) => {
    const before = tokens[n - 1]
    if (n < 2 || !word.follows || before === undefined) return false
    return capitals.has(word.term) && isForeign(before) ||
      capitals.has(before.term) && isForeign(word)
  })
}

/** Words that a match is level, and a score that says so. */
const drawn =
  /\b(?:draws?|drew|drawn|tied?|ties|stalemate|goalless|held|level|(?:points|spoils) shared)\b|\b(\d+)[-–]\1\b/i
/** A match on the way to a title decides no title, and a name on a list names no winner. */
const onTheWay =
  /\b(?:wins?|won|winning) (?:in|at|over|against|away|home|again|\d)|\b(?:named|picked|chosen) (?:in|for|to|among|by|at)\b/i

/** Whether the headline can answer the question with this outcome: no word that code knows says another. */
function mayAnswer(asked: Asked, title: string, outcome: 0 | 1): boolean {
  const { isMatch, isNamed, text, names, yes, no, terms } = asked
  const tokens = tokensOf(withoutDates(title))
  const isDrawn = drawn.test(title)
  const says = (words: Terms) => tokens.some(({ term }) => words.has(term))
  const agrees = (known: 0 | 1 | null) => known === null || known === outcome
  if (isMatch && !isFinalScore(text, title)) return false
  if (isMatch && drawn.test(text)) return isDrawn === (outcome === 0)
  const [first = -1, second = -1] = names.map((name) =>
    tokens.findIndex(({ term }) => name.includes(term))
  )
  if (isNamed || /\b(?:beat|defeat)\b/i.test(text) && names.length > 1) {
    return !isDrawn && agrees(winnerOf(yes, tokens, first, second))
  }
  if (onTheWay.test(title) && !isMatch) return false
  if (figuresOf(text).some((it) => isThreshold(asked, it))) return true
  // The other side is the first word with a capital that is not the question's.
  const other = tokens.findIndex(({ term, capitalised }) => capitalised && !terms.has(term))
  if (isMatch && names.length === 1 && !isDrawn && other >= 0) {
    return agrees(winnerOf(yes, tokens, first, other))
  }
  const isNo = says(no) || says(lists.negations.difference(terms)) || isMatch && isDrawn
  return agrees(isNo ? 1 : says(yes) ? 0 : null)
}

/** Whether a score is that of a whole series: of three, five or seven games the first to two, three or four. */
function isFinalScore(question: string, title: string): boolean {
  const [, games] = /\bBO(\d)\b/i.exec(question) ?? []
  const [won] = title.match(/\b\d{1,3}[-–]\d{1,3}\b/) ?? []
  return games === undefined || won === undefined ||
    Math.max(...won.split(/[-–]/).map(Number)) === (Number(games) + 1) / 2
}

/** Which of two sides, by their places, the words between them say has won; null for neither. */
function winnerOf(
  yes: Terms,
  tokens: ReadonlyArray<Word>,
  first: number,
  second: number,
): 0 | 1 | null {
  if (first < 0 || second < 0) return null
  const [from, to] = [Math.min(first, second), Math.max(first, second)]
  const between = tokens.slice(from + 1, to).filter(({ term, capitalised }) =>
    term !== "the" && (!capitalised || yes.has(term))
  ).map(({ term }) => term).join(" ")
  const last = between.slice(between.lastIndexOf(" ") + 1)
  const isLost = /\b(?:lose|lost|fall|fell|defeat|loss)\b.* (?:to|at|by|against)$/.test(between) ||
    last === "by" && between.split(" ").some((term) => yes.has(term))
  const isWon = /\b(?:win|won|victory|winner)\b.* (?:over|against|at|past)$/.test(between) ||
    yes.has(last)
  if (isLost === isWon) return null
  return isWon === (first < second) ? 0 : 1
}

interface Figure {
  readonly value: number
  readonly unit: string
}
const figure =
  /([$€£])?(?<![\p{L}\d.])(\d+(?:[.,]\d+)*)\s?(%|percent\b|°[CF]?|k\b|m\b|bn\b|million\b|billion\b|trillion\b|bps?\b|basis\b)?/giu
const powers: Readonly<Record<string, number>> = {
  k: 1e3,
  m: 1e6,
  million: 1e6,
  bn: 1e9,
  billion: 1e9,
  trillion: 1e12,
}

function figuresOf(text: string): ReadonlyArray<Figure> {
  return [...text.matchAll(figure)].map(([, sign = "", digits = "", suffix = ""]) => {
    const unit = suffix.toLowerCase()
    const power = powers[unit] ?? 1
    return {
      value: Number(digits.replace(/,(?=\d{3})/g, "")) * power,
      unit: sign !== "" ? sign : power > 1 ? "" : unit.replace("percent", "%").replace(/[cf]$/, "")
        .replace(/^b(?:p|ps|asis)$/, "bp"),
    }
  })
}

const upward =
  /\b(?:above|over|more|at least|exceed\w*|greater|higher|reach\w*|hits?|tops?|surpass\w*|gains?)\b|≥|\+/i
const downward = /\b(?:below|under|less|fewer|lower|at most|dips?|falls? to|short)\b|≤/i
const included =
  /\b(?:or (?:more|higher|above|less|lower|below|fewer)|at least|at most|reach\w*|hits?|tops?)\b|[≥≤]/i

/** Whether the question asks on which side of a number something ends. */
function isThreshold({ text, isMatch }: Asked, { value, unit }: Figure): boolean {
  return upward.test(text) !== downward.test(text) && (unit !== "" || value >= 100) && !isMatch
}

/**
 * Whether the question's numbers stand in the headline. A threshold may be passed instead: then the
 * headline has one number of its unit, and the comparison gives the outcome. Whether the threshold itself
 * counts is said by the `operator` of the rules, else by the words of the question.
 */
function numbersAgree(asked: Asked, { title, outcome, rules: { operator } }: ScopedClaim): boolean {
  const stated = figuresOf(withSpellings(withoutDates(title)))
  const isUp = upward.test(asked.text)
  return figuresOf(asked.text).every(({ value, unit }) => {
    const of = stated.filter((it) => it.unit === unit)
    const isSame = of.some((it) => it.value === value)
    if (!isThreshold(asked, { value, unit })) return isSame
    const [goesUp, goesDown] = [upward.test(title), downward.test(title)]
    if (isSame && (goesUp || goesDown)) {
      const isPassed = (isUp ? goesUp : goesDown) &&
        lists.negations.isDisjointFrom(new Set(termsOf(title)))
      return isPassed === (outcome === 0)
    }
    const [only] = of
    if (only === undefined || of.length > 1) return false
    const isPassed = isUp ? only.value > value : only.value < value
    const isIncluded = operator === null ? included.test(asked.text) : operator.endsWith("=")
    return (isPassed || isIncluded && only.value === value) === (outcome === 0)
  })
}
