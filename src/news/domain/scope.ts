/**
 * Whether the words of a headline fit what a market's question asks, so that a model's claim that it
 * decides the question can be believed.
 *
 * The model reads the meaning; these checks compare words, numbers and dates only, and refuse when in
 * doubt: each name, number and part of a contest in the question must stand in the headline, the headline
 * must name no other part, period or competition, and nothing in it may be a hope, a doubt or a correction.
 * They cannot detect a false report.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import type { Market } from "../../markets/domain/market.ts"
import { isYesNo, timesAgree, withoutDates } from "./times.ts"
import { isInformative, wordsOf } from "./words.ts"

/** Why a headline cannot decide a question. */
type ScopeFault =
  | "hedged"
  | "disputed"
  | "negated"
  | "another_part"
  | "another_side"
  | "another_name"
  | "another_number"
  | "other_words"
  | "another_time"
  | "a_sibling"

type ScopedMarket = Pick<
  Market,
  "question" | "eventSlug" | "outcomes" | "endsAt" | "gameStartsAt" | "exclusive"
>
/** Another market of the event. */
export type SiblingMarket = Pick<Market, "question" | "exclusive">

interface ScopedClaim {
  readonly title: string
  readonly publishedAt: EpochMs
  /** The outcome that it is said to decide for. */
  readonly outcome: 0 | 1
}

/** The first fault of the claim that a headline decides the question; null for none. */
export function scopeFault(
  market: ScopedMarket,
  siblings: ReadonlyArray<SiblingMarket>,
  claim: ScopedClaim,
): ScopeFault | null {
  const { title, outcome } = claim
  // Of exclusive markets one winner decides all others.
  const rivals = outcome === 1 && market.exclusive
    ? siblings.filter(({ exclusive }) => exclusive)
    : []
  const isWonByRival = rivals.some(({ question }) =>
    scopeFault({ ...market, question, exclusive: false }, [], { ...claim, outcome: 0 }) === null
  )
  if (isWonByRival) return null
  if (hedged.test(title)) return "hedged"
  if (disputed.test(title)) return "disputed"
  const question = readQuestion(market)
  const stated = new Set(termsOf(title))
  if (isYesNo(market) && isNegated(question, claim)) return "negated"
  if (hasOtherPart(question, stated, claim)) return "another_part"
  if (!hasNames(question, stated)) return "another_name"
  if (question.isMatch && isOtherWinner(market, claim)) return "another_side"
  if (!numbersAgree(question, claim)) return "another_number"
  if (!wordsAgree(question, stated)) return "other_words"
  if (!timesAgree(market, claim)) return "another_time"
  return fitsSibling(market.question, siblings, stated) ? "a_sibling" : null
}

/** The first fault of the claim that a headline favours the outcome; null for none. */
export function directionFault(market: ScopedMarket, claim: ScopedClaim): ScopeFault | null {
  const question = readQuestion(market)
  const stated = new Set(termsOf(claim.title))
  if (!hasNames(question, stated)) return "another_name"
  if (namesOtherPart(question, stated, claim.title)) return "another_part"
  // A headline without a number contradicts none.
  const isBare = figuresOf(withoutDates(claim.title)).length === 0
  return isBare || numbersAgree(question, claim) ? null : "another_number"
}

const hasNames = ({ names }: Question, stated: ReadonlySet<string>): boolean =>
  names.every((name) => name.some((term) => has(stated, term)))

/** Whether a headline corrects, denies or questions a report. */
export const disputes = (title: string): boolean => disputed.test(title)

const words = (text: string): string => text.trim().split(/\s+/).join("|")

const hedged = new RegExp(
  `\\?|\\b(?:${
    words(
      `will would could may might should shall can cannot expects? (?<!as.)expected likely unlikely possibl[ey]
    plan(?:s|ned)? hop(?:e|es|ing) aims? seeks? wants? eyes? vows? pledges? promises? threatens? urges? warns?
    propos(?:e|es|ed|al) predict(?:s|ed|ion)? forecasts? project(?:s|ed|ion) odds bets? betting favou?rites?
    favou?red tipped poised previews? polls? polled survey rumou?rs? reportedly alleg(?:es|ed|edly) if unless
    whether why how what when who before until nears? nearly almost soon chances? leads? leading trails?
    trailing tries attempts? faces? demands? push(?:es)? considers? mulls? weighs? needs? must rallies
    anniversary remember(?:s|ed)? throwback ago tomorrow probably perhaps seen appears? seems? mock fantasy
    simulat(?:ed|ion) satire rehearsal candidates? campaign hopefuls? bid confident closer estimates?`,
    )
  })\\b|\\b(?:set|due|about|close|ready|bound) to\\b|\\b(?:on (?:track|course|pace|the verge)|ahead of|in talks` +
    `|(?:last|next) (?:year|month|week|season)|(?<!after |of )talks(?! fail| collapse| end)|this day|calls? for|as it stands|claims? victory|one win)\\b`,
  "i",
)

const disputed = new RegExp(
  `\\b(?:${
    words(
      `correct(?:ion|ions|ed|s|ing) clarif\\w+ retract\\w* recounts? annul\\w* overturn\\w* overrul\\w*
    void(?:ed|s)? den(?:y|ies|ied|ial) refut\\w+ debunk\\w* hoax fake false falsely wrongly mistaken\\w*
    erroneous\\w* disput\\w+ premature untrue inconclusive withdrawn appeals? review disallowed
    abandoned postponed suspended replay(?:ed)? stripped conflicting unconfirmed unclear`,
    )
  })\\b`,
  "i",
)

const negation = new RegExp(
  `\\b(?:${
    words(
      `not never no without fail(?:s|ed)? miss(?:es|ed)? reject(?:s|ed)? los(?:es?|t|ing) eliminated
    acquit(?:s|ted) clear(?:s|ed)(?=.*(?:fraud|charge|guilt|murder)) unchanged block(?:s|ed)? veto(?:es|ed)?
    conced(?:es?|ed|ing) dismiss(?:es|ed) scrap(?:s|ped) shelve[sd]? halt(?:s|ed) cancel\\w* refuse[sd]?
    surviv(?:es?|ed) collapse[sd]? stall(?:s|ed) withdr[ae]ws? beaten sinks? sunk kills? killed spike[sd]
    snub(?:s|bed) abandons? delay(?:s|ed) thwart(?:s|ed) quash(?:es|ed) defer(?:s|red) runner-up torpedo\\w*`,
    )
  }|(?:falls?|fell|stops?|stopped|came|comes) short|short of|defeated by|rule[sd] out|(?:vot|turn)(?:es|ed|s) down)\\b`,
  "gi",
)
/** Words that say no only where the question asks for a change. */
const constancy = /\b(?:keeps?|kept|holds?|held|stays?|remains?|leaves|out of|exits?)\b/gi
/** A question that one of several wins, and the words that the winner comes before. */
const winning = /\b(?:win|beat|defeat|elected|become|next)\b/i
const wins =
  /\b(?:wins?|won|takes?|took|claims?|clinch\w*|secures?|beats?|defeats?|elected|crowned|named|sworn)\b/i
const before =
  /\b(?:over|beating|past|defeating|ahead of|edging|replac\w+|succeed\w*|oust\w*) (?:\S+ ){0,2}$/i
const passive = /(?:ed|en|un|ept) (?:\S+ ){0,4}by (?:the )?\p{Lu}/u
const drawn =
  /\b(?:draws?|drew|drawn|tied?|ties|stalemate|deadlock\w*|(?:points|spoils) shared|shares? (?:the )?(?:points|spoils))\b|\b(\d+)[-–]\1\b/i

/** The first letters of a word that says no: its forms are compared by them. */
const negationLength = 5

/** Whether the headline has a word of a kind whose forms the question does not have. */
const hasOwn = (kind: RegExp, question: string, title: string): boolean =>
  (title.match(kind) ?? []).some((word) =>
    // A short one is no part of a word: "no" is not in "November".
    !new RegExp(`\\b${word.slice(0, negationLength)}${word.length < 4 ? "\\b" : ""}`, "i")
      .test(question)
  )

/** Whether the headline says no to a question by a word, or by another one that won. */
function saysNo({ text, names: [subject = []], isMatch }: Question, title: string): boolean {
  if (isMatch && drawn.test(text)) return !drawn.test(title)
  if (hasOwn(negation, text, title) || isMatch && drawn.test(title)) return true
  if (!winning.test(text)) return false
  const places = subject.map((term) => title.toLowerCase().indexOf(term)).filter((at) => at >= 0)
  const at = Math.min(...places)
  if (at === Infinity) return false
  const [first, then] = [title.slice(0, at), title.slice(at)]
  const isOther = wins.test(first) && !/\b(?:by|to|for) (?:the )?$/i.test(first)
  return isOther || before.test(first) || passive.test(then)
}

/** Whether a Yes or No is not what the headline says. */
function isNegated(question: Question, { title, outcome }: ScopedClaim): boolean {
  const isNo = saysNo(question, title)
  if (outcome === 0) return isNo
  return !isNo && !hasOwn(constancy, question.text, title) &&
    !question.numbers.some((figure) => isThreshold(question, figure))
}

/** Parts of a contest: in the headline if and only if in the question. */
const parts: ReadonlySet<string> = new Set(
  wordsOf(
    `half halftime quarter period inning set map leg lap heat frame semifinal quarterfinal round stage
    qualifying qualifier qualification playoff playoffs corner corners card cards
    booking`,
  ).map(({ term }) => term),
)

/** Words of another competition, body, measure or degree of finality: only if in the question. */
const others: ReadonlySet<string> = new Set(
  wordsOf(
    `women u19 u20 u21 u23 youth junior reserve reserves academy friendly preseason exhibition primary
    committee subcommittee panel monthly core preliminary provisional partial flash interim draft
    unofficial virtual esports toss nomination nominee shortlist nominated deputy vice regional council sprint
    practice trial scrimmage stake study memorandum intent amendment coach partner teaser preorders lead`,
  ).map(({ term }) => term),
)
/** The same for a question that is about no single match. */
const matchWords: ReadonlySet<string> = new Set(
  wordsOf(
    `opener tie match derby clash fixture game bout fight first-leg weekend leader qualify qualifies reach
    reaches advance advances`,
  ).map(({ term }) => term),
)

/** Words of a question about a match that need not stand in a headline, besides the names of its sides. */
const matchFree: ReadonlySet<string> = new Set(
  wordsOf(
    `will the a an of in on at by to be for vs v end win winner beat beats match moneyline game bo1 bo3 bo5
    defeat against and lol dota cs2 csgo counter strike valorant nba nfl mlb nhl wnba ncaa ufc atp wta epl mls
    fc cf sc afc`,
  ).map(({ term }) => term),
)

/** Verbs and fillers of a question, which a headline puts in other words. */
const verbs: ReadonlySet<string> = new Set(
  wordsOf(
    `elected resign leave out pass passed approve sign signed cut raise hike hold keep increase decrease change
    become next remain declare confirm release launch agree join reach top gain drop lose happen occur take
    place make land landfall strike annual more most or above below over under than between exactly
    record grossing named given awarded received fall rise open opened close step down leaving office ban
    arrested convicted charged dip acquired merge invade deal enter exit ipo begin`,
  ).map(({ term }) => term),
)

/** Institutions and offices: capitals that name no single thing. */
const offices: ReadonlySet<string> = new Set(
  wordsOf(
    `president prime minister government parliament senator governor mayor chancellor king court chief secretary party club team city united the lab bank central yes no over under`,
  ).map(({ term }) => term),
)

interface Question {
  readonly isMatch: boolean
  /** Each name as its terms: one of them must stand in the headline. */
  readonly names: ReadonlyArray<ReadonlyArray<string>>
  /** Other words: at least half of them must stand there, in a match or without a name all. */
  readonly words: ReadonlyArray<string>
  /** All terms, those of the outcomes included. */
  readonly terms: ReadonlySet<string>
  /** Numbers that are no date. */
  readonly numbers: ReadonlyArray<Figure>
  readonly text: string
}

function readQuestion({ question, outcomes, gameStartsAt }: ScopedMarket): Question {
  const text = withoutDates(question)
  const named = outcomes.filter((outcome) =>
    !/^(?:yes|no|over|under|draw|tie|up|down|odd|even)\b/i.test(outcome)
  )
  const sides = sidesOf(text) ?? (named.length === 2 ? named : [])
  const isMatch = sides.length > 0 || gameStartsAt !== null
  const sideTerms = sides.map((side) => termsOf(side))
  const distinct = sideTerms.map((own, n) => {
    const others = own.filter((term) => !sideTerms[1 - n]?.includes(term))
    const names = others.filter((term) => isInformative(term) && !offices.has(term))
    // Of a long name the last word is the side's, the others may be a place's.
    return names.length === 0 ? others : own.length > 2 ? names.slice(-1) : names
  })
  const runs = sides.length > 0 ? sideTerms : namesOf(text)
  const names = sides.length > 0 ? distinct : runs.map((run) => run.filter(isNaming))
  const known = new Set(runs.flat())
  const rest = termsOf(isMatch ? withoutCompetition(text) : text).filter((term) =>
    !known.has(term) && !/\d/.test(term)
  )
  return {
    isMatch,
    names: names.filter((name) => name.length > 0),
    words: isMatch
      ? rest.filter((term) => !matchFree.has(term))
      : rest.filter((term) => isInformative(term) && !verbs.has(term)),
    terms: new Set([...termsOf(text), ...outcomes.flatMap(termsOf)]),
    numbers: figuresOf(text),
    text,
  }
}

/** "A vs. B" of a question, without what follows. */
function sidesOf(text: string): ReadonlyArray<string> | null {
  const found =
    /^(?:[^:]{1,60}: )?(?:will )?(.{2,60}?) vs?\.? (.{2,60}?)(?= ?[:(–—]| - |\?|$| end in)/i.exec(
      text,
    )
  return found === null ? null : found.slice(1)
}

/** Without "LoL: " before the sides of a match, and without "(BO3)" and "- Playoffs" after them. */
const withoutCompetition = (text: string): string => text.replace(/^[^:]{1,60}: (?=.* vs)/i, "")

/** Names: runs of words with a capital, each once; in title case there are none. */
function namesOf(text: string): ReadonlyArray<ReadonlyArray<string>> {
  const all = wordsOf(text.replace(/^(?:will|did|does|is|has|do)\s+(?:the\s+)?/i, ""))
  const runs: Array<Array<string>> = []
  for (const [place, { term, capitalised, follows, written }] of all.entries()) {
    if (!capitalised && !/^\p{L}+\d/u.test(written)) continue
    const run = runs.at(-1)
    if (run !== undefined && follows && all[place - 1]?.capitalised === true) run.push(term)
    else runs.push([term])
  }
  return runs.filter((run) => run.some(isNaming))
}

/** Whether a term of a name is no office or article in it: "Meridian" of "Lab Meridian". */
const isNaming = (term: string): boolean => !offices.has(term) && term !== "the"

/** Words with small numbers as digits: "first half" and "1st half" are one. */
function termsOf(text: string): ReadonlyArray<string> {
  return wordsOf(
    text.replace(/\b(?:quarter|half)[- ](?:of )?(?:an? )?(?:percentage )?points?\b/gi, "")
      .replace(/\bin (?:straight|\w+) sets\b/gi, "").replace(/\b([1-4])H\b/g, "$1 half").replace(
        /\b([1-4])Q\b|\bQ([1-4])\b/g,
        "$1$2 quarter",
      )
      .replace(/\bO\/U\b/gi, "total").replace(/\b(\d{1,2})(?:st|nd|rd|th)\b/gi, "$1")
      .replace(/\bunder-(?=\d\d\b)/gi, "u"),
  ).map(({ term }) => ordinals[term] ?? term)
}

const ordinals: Readonly<Record<string, string>> = {
  first: "1",
  second: "2",
  third: "3",
  fourth: "4",
  fifth: "5",
  sixth: "6",
  seventh: "7",
  one: "1",
  two: "2",
  three: "3",
  four: "4",
  five: "5",
  six: "6",
  seven: "7",
  eighth: "8",
}

function has(terms: ReadonlySet<string>, term: string): boolean {
  return terms.has(term) || [...terms].some((other) => same(term, other))
}

/** Two forms of one word: "Fed" and "Federal", "president" and "presidency". */
function same(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  if (/\d/.test(short) || short.length < 3) return short === long
  if (short.length < 5) return long.startsWith(short) && long.length <= short.length + 4
  let shared = 0
  while (shared < short.length && short[shared] === long[shared]) shared += 1
  return shared >= short.length - 1 && long.length <= short.length + 4
}

/** Whether one of both names a part of a contest that the other does not. */
function namesOtherPart(
  { terms, text }: Question,
  stated: ReadonlySet<string>,
  title: string,
): boolean {
  return others.intersection(stated).difference(terms).size > 0 ||
    [...parts].some((part) => terms.has(part) !== stated.has(part)) ||
    numberedParts(text).symmetricDifference(numberedParts(title)).size > 0
}

/** The same, or whether the headline is of another contest. */
function hasOtherPart(
  question: Question,
  stated: ReadonlySet<string>,
  { title, outcome }: ScopedClaim,
): boolean {
  const { isMatch, terms, text } = question
  if (!isMatch && outcome === 1 && knockedOut.test(title)) {
    return others.intersection(stated).difference(terms).size > 0
  }
  if (namesOtherPart(question, stated, title)) return true
  if (isMatch) return false
  const isFinal = decider.test(title)
  for (const word of matchWords) if (stated.has(word) && !terms.has(word) && !isFinal) return true
  if (!/\bwins?\b/i.test(text) || !contest.test(text)) return false
  if (outcome === 1) return !knockedOut.test(title)
  // A match on the way to a title decides no title.
  return !won.test(title) || wonMatch.test(title) && !isFinal
}

const contest =
  /\b(?:cup|league|championships?|title|trophy|tournament|open|finals?|series|bowl|grand prix|gold|medal|slam|division|pennant)\b/i
const won =
  /\b(?:win|wins|won|winners?|winning|lifts?|lifted|crowned|champions?|takes?|took|claims?|claimed|clinch\w*|seals?|sealed|secures?|secured|goes? to|awarded)\b/i
const wonMatch =
  /\b(?:(?:wins?|won|victory) (?:in|at|over|against|away|home|again|\d)|beats?|beaten|defeats?|defeated|edges?|edged|thrash\w*|past|overcome|draws?)\b/i
const knockedOut =
  /\b(?:eliminat\w+|knocked out|crash\w* out|out of|exits?|los(?:es?|t)\b.* final)\b/i
const decider =
  /\b(?:finals?|titles?|crown\w*|champions?|lifts?|to (?:win|claim|take|seal|clinch))\b/i

/** "round 2" of "the second round", "game 3" of "Game 3". */
function numberedParts(text: string): ReadonlySet<string> {
  const terms = termsOf(text)
  return new Set(terms.flatMap((term, n) => {
    if (!parts.has(term) && term !== "game") return []
    return [terms[n - 1] ?? "", terms[n + 1] ?? ""].filter((it) => /^\d$/.test(it))
      .map((number) => `${term} ${number}`)
  }))
}

const losesTo =
  /\b(?:los(?:es?|t|ing)|falls? to|fell to|beaten by|defeated by|knocked out by|defeat (?:by|to)|under)\b|\bby (?:\p{L}+ )?$/iu

/** Whether the words between the names of two sides say that the other one won. */
function isOtherWinner({ outcomes }: ScopedMarket, { title, outcome }: ScopedClaim): boolean {
  const words = title.toLowerCase()
  const places = outcomes.map((side) => {
    const found = side.toLowerCase().split(/\s+/).filter((word) =>
      word.length > 3 && words.includes(word)
    )
    return found.length === 0 ? -1 : Math.min(...found.map((word) => words.indexOf(word)))
  })
  const [own = -1, other = -1] = outcome === 0 ? places : places.toReversed()
  if (own < 0 || other < 0) return false
  const between = title.slice(Math.min(own, other), Math.max(own, other))
  if (drawn.test(title)) return true
  if (own > other) return !losesTo.test(between)
  const isOtherActing = /\b(?:as|while|after|when) (?:the )?$/i.test(between) &&
    (!won.test(between) || won.test(title.slice(other)))
  return isOtherActing || losesTo.test(between)
}

/** Whether enough of the question's other words stand in the headline: all where no name identifies it. */
function wordsAgree(
  { words, names, isMatch, text }: Question,
  stated: ReadonlySet<string>,
): boolean {
  const objects = [...text.matchAll(/\b(?:to|for) (?:the |all )?(\p{Ll}{3,})/gu)]
    .flatMap(([, word = ""]) => termsOf(word)).filter((term) => words.includes(term))
  if (!objects.every((term) => has(stated, term))) return false
  const found = words.filter((term) => has(stated, term)).length
  return isMatch || names.length === 0 ? found === words.length : 2 * found >= words.length
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
const isThreshold = ({ text, isMatch }: Question, { value, unit }: Figure): boolean =>
  upward.test(text) !== downward.test(text) && (unit !== "" || value >= 100) && !isMatch

/**
 * Whether the question's numbers stand in the headline. A threshold may be passed instead: then the
 * headline has one number of its unit, and the comparison gives the outcome.
 */
function numbersAgree(
  question: Question,
  { title, outcome }: ScopedClaim,
): boolean {
  const stated = figuresOf(withoutDates(title))
  const { numbers, text } = question
  const isUp = upward.test(text)
  return numbers.every(({ value, unit }) => {
    const of = stated.filter((it) => it.unit === unit)
    const isSame = of.some((it) => it.value === value)
    if (!isThreshold(question, { value, unit })) return isSame
    const [goesUp, goesDown] = [upward.test(title), downward.test(title)]
    if (isSame && (goesUp || goesDown)) {
      const isPassed = (isUp ? goesUp : goesDown) && !hasOwn(negation, text, title)
      return isPassed === (outcome === 0)
    }
    const [only] = of
    if (only === undefined || of.length > 1) return false
    const isPassed = isUp ? only.value > value : only.value < value
    return (isPassed || included.test(text) && only.value === value) === (outcome === 0)
  })
}

/** Whether the headline has words of another market of the event, and none that only this one has. */
function fitsSibling(
  question: string,
  siblings: ReadonlyArray<SiblingMarket>,
  stated: ReadonlySet<string>,
): boolean {
  const own = new Set(termsOf(question))
  return siblings.some((sibling) => {
    const other = new Set(termsOf(sibling.question))
    const isStated = (term: string) => (isInformative(term) || /\d/.test(term)) && has(stated, term)
    const onlyOwn = [...own.difference(other)].filter(isInformative)
    return onlyOwn.length > 0 && !onlyOwn.some(isStated) &&
      [...other.difference(own)].some(isStated)
  })
}
