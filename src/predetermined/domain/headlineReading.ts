/**
 * Which outcome of a market a headline reports: it must name who the question is about, with a verb
 * of the question's event or of its contrary.
 *
 * Only a few plain sentence forms are read. A headline in another form reports nothing, so that a wrong
 * reading is rare and a missing one frequent.
 *
 * @module
 */
import type { Market } from "../../markets/domain/market.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { familiesOf, isContraryFinal, takesObject, verbKind } from "./eventVerbs.ts"
import type { DetectionQuestion, SiblingMarket } from "./detection.ts"
import { reportsCompletedEvent } from "./headlineChecks.ts"
import {
  type Asked,
  askedOf,
  asksYesOrNo,
  emptyWords,
  isInformative,
  isPreposition,
  type Level,
  periodOf,
  sidesOf,
  stem,
  titles,
  totalOf,
} from "./question.ts"
import { scopeOf } from "./scope.ts"
import { type TitleText, titleText, type Token } from "./titleWords.ts"

/** The parts of a question that decide what a headline reports. */
type ReadingContext = Pick<DetectionQuestion, "market" | "siblings" | "rules" | "now">

/** What a headline reports of a market. */
export interface HeadlineReading {
  readonly outcome: 0 | 1
  /** False for a report that something did not happen while there is still time. */
  readonly isDecided: boolean
  /** A score, or figures with their unit: two headlines of one event have the same. */
  readonly figures: ReadonlyArray<string>
}

interface Publication {
  readonly title: string
  readonly publishedAt: EpochMs
}

/** Reads headlines for one market; the market's own texts are read once. */
export interface HeadlineReader {
  /** The outcome that a headline reports; null when it reports none, or is about something else. */
  readonly read: (publication: Publication) => HeadlineReading | null
  /** Whether it names who the market, or one of its rivals, is about; of a match, both sides. */
  readonly namesSubject: (title: string) => boolean
  /** Whether it reports that another one has won what only one can win. */
  readonly namesOtherWinner: (publication: Publication) => boolean
  /** Whether nothing shows that it is about another event. */
  readonly isInScope: (publication: Publication) => boolean
}

export function headlineReader(context: ReadingContext): HeadlineReader {
  const { market, siblings } = context
  const own = targetOf(market)
  const rivals = siblings.filter((sibling) => areRivals(market, sibling))
    .map(({ question, outcomes }) => targetOf({ ...market, question, outcomes }))
  const inScope = scopeOf(context)
  const ends = [market.endsAt, market.gameStartsAt, periodOf(market, context.now)?.until ?? null]
    .filter((at) => at !== null)
  const endsAt = ends.length === 0 ? Infinity : Math.min(...ends)
  return {
    read: ({ title, publishedAt }) => {
      if (!reportsCompletedEvent(title)) return null
      const text = titleText(title)
      if (!inScope(text, publishedAt)) return null
      const found = readOutcome(own, text) ?? readRivals(rivals, text)
      return found === null ? null : {
        outcome: found.outcome,
        // What has not happened can no longer happen after the end, or after a final report.
        isDecided: found.isFinal || finalWords.test(title) || publishedAt >= endsAt,
        figures: figuresOf(text),
      }
    },
    namesSubject: (title) => {
      const text = titleText(title)
      return own.sides !== null
        ? own.sides.every((side) => mentionsOf(side, text).length > 0)
        : [own, ...rivals].some((target) => isNamed(target, text))
    },
    namesOtherWinner: ({ title, publishedAt }) => {
      const [asked] = own.asked
      if (asked === null || !hasOneWinner(market.question, asked)) return false
      const text = titleText(title)
      return reportsCompletedEvent(title) && inScope(text, publishedAt) &&
        hasOtherWinner(asked, text)
    },
    isInScope: ({ title, publishedAt }) => inScope(titleText(title), publishedAt),
  }
}

/** A market whose question has been read. */
interface Target {
  readonly sides: ReturnType<typeof sidesOf>
  /** The level of a total; null for another market. */
  readonly total: number | null
  /** What is asked of each outcome; for yes or no only of the first. */
  readonly asked: readonly [Asked | null, Asked | null]
}

function targetOf(market: Pick<Market, "question" | "outcomes">): Target {
  return {
    sides: sidesOf(market),
    total: totalOf(market.question),
    asked: [askedOf(market, 0), asksYesOrNo(market) ? null : askedOf(market, 1)],
  }
}

function isNamed({ asked }: Target, text: TitleText): boolean {
  return asked.some((one) =>
    one !== null &&
    one.subjects.every((subject) => mentionsOf(subject, text, one.places).length > 0)
  )
}

interface Found {
  readonly outcome: 0 | 1
  /** False for a report that something did not happen: it still may. */
  readonly isFinal: boolean
}

function readOutcome({ sides, total, asked }: Target, text: TitleText): Found | null {
  if (sides !== null && total !== null) return readTotal(sides, total, text)
  if (sides !== null && !sides.every((side) => mentionsOf(side, text).length > 0)) return null
  const answers = asked.flatMap((one, n): ReadonlyArray<Found> => {
    const answer = one === null ? null : readAsked(one, text)
    if (answer === null) return []
    return [{ outcome: answer.isYes === (n === 0) ? 0 : 1, isFinal: answer.isFinal }]
  })
  const [found] = answers
  return found === undefined || answers.some(({ outcome }) => outcome !== found.outcome)
    ? null
    : found
}

/** A rival's first outcome means this market's second one, because only one of them can happen. */
function readRivals(rivals: ReadonlyArray<Target>, text: TitleText): Found | null {
  const hasWon = rivals.some((rival) => readOutcome(rival, text)?.outcome === 0)
  return hasWon ? { outcome: 1, isFinal: true } : null
}

/**
 * Whether at most one of two questions can be answered with yes: the venue calls them exclusive, or they
 * differ in their subject only and ask who wins something that has one winner.
 */
function areRivals(market: Market, sibling: SiblingMarket): boolean {
  if (sibling.question === market.question) return false
  if (market.exclusive && sibling.exclusive) return true
  const [own, other] = [askedOf(market, 0), askedOf({ ...sibling }, 0)]
  if (own === null || other === null || own.level !== null || other.level !== null) return false
  return hasOneWinner(market.question, own) &&
    frameOf(market.question, own) === frameOf(sibling.question, other)
}

function hasOneWinner(question: string, { families }: Asked): boolean {
  return families.includes("win") && /\b(?:win|top|be|become) (?:elected |the )/.test(question)
}

/** Whether a text names what is asked about, with its places, and a winner that is not the subject. */
function hasOtherWinner(asked: Asked, text: TitleText): boolean {
  const known = knownOf(asked)
  const words = new Set(text.tokens.map(({ word }) => word))
  if (!namesObject(asked, text) || [...asked.places].some((place) => !words.has(place))) {
    return false
  }
  if (asked.subjects.some((subject) => mentionsOf(subject, text, known).length > 0)) return false
  return text.tokens.some(({ word }, at) => {
    const [before, second] = [text.tokens[at - 1]?.word, text.tokens[at - 2]?.word]
    return verbKind(word, "win") === "yes" && before !== "to" && before !== "not" &&
      second !== "not" && hasOwnObject({ asked, text, known, mentions: [] }, at)
  })
}

/** The question without the words of its subject. */
function frameOf(question: string, { subjects }: Asked): string {
  const own = new Set(subjects.flat().map(({ word }) => word))
  const { tokens, dates } = titleText(question)
  const rest = tokens.filter(({ word }) => !own.has(word) && word !== "the").map(({ word }) => word)
  return JSON.stringify([rest, dates])
}

/** Words that end a matter: the contrary can no longer become true. */
const finalWords =
  /\b(?:final (?:count|result|results|table|tally|score|vote|standings)|all ballots counted|certified|full count)\b/i

interface Answer {
  readonly isYes: boolean
  readonly isFinal: boolean
}

/** Every word of what is asked. */
function knownOf({ objects, places, subjects, names }: Asked): ReadonlySet<string> {
  const named = [...subjects, ...names].flat().map(({ word }) => stem(word))
  return new Set([...objects, ...places, ...named])
}

/** What a text reports of an asked event; null for nothing, or for both. */
function readAsked(asked: Asked, text: TitleText): Answer | null {
  const known = knownOf(asked)
  if (!asked.names.every((name) => mentionsOf(name, text, known).length > 0)) return null
  if (asked.level !== null) return readLevel(asked, asked.level, text, known)
  if (!namesObject(asked, text)) return null
  const named = asked.names.flatMap((name) => mentionsOf(name, text, known))
  // The last word of the subject can be a part of another name: `Lab Ostrava releases Tessera 5`.
  const subjects = asked.subjects.map((subject) =>
    mentionsOf(subject, text, known).filter(({ from, to }) =>
      !named.some((other) => other.from <= from && to <= other.to)
    )
  )
  if (subjects.length === 0 || subjects.some((mentions) => mentions.length === 0)) return null
  const sentence: Sentence = { asked, text, known, mentions: joined(subjects.flat(), text) }
  const isOther = isOfPart(sentence)
  const answers = [
    ...text.tokens.flatMap((_, at) =>
      isOther ? answerOfPurpose(sentence, at) : answerOfVerb(sentence, at)
    ),
    ...isOther ? [] : [...answerOfRecipient(sentence), ...answerWithout(sentence)],
  ]
  const [first] = answers
  if (first === undefined || answers.some(({ isYes }) => isYes !== first.isYes)) return null
  return first
}

/** Words for a single match or for a part of a contest. */
const partWords: ReadonlySet<string> = new Set([
  ...["match", "game", "race", "opener", "leg", "tie", "round", "set", "stage", "heat", "friendly"],
  ...["qualifier", "fixture", "clash", "derby", "bout", "sprint", "playoff", "toss"],
])
/** Words of elections: there a race is the whole contest, and who loses to another has lost it. */
const electionWords =
  /^(?:election|mayor|president|governor|senate|senator|parliament|seat|primary|nomination|nominee|referendum|minister|chancellor|race|contest)$/

/** Whether a cup, a title or a similar object is asked about, which one match does not decide. */
function asksForContest({ families, objects, names, isMatch }: Asked): boolean {
  return !isMatch && (objects.size > 0 || names.length > 0) &&
    families.some((family) => family === "win" || family === "qualify")
}

function isElection({ objects }: Asked): boolean {
  return [...objects].some((word) => electionWords.test(word))
}

/** Whether a word is for a part of the contest that is asked about. */
function isPart(asked: Asked, word: string): boolean {
  const [part, known] = [stem(word), knownOf(asked)]
  return partWords.has(part) && !known.has(part) && !known.has(word) &&
    !(part === "race" && isElection(asked))
}

/** Whether a text is about a part of the contest that is asked about: `win a World Cup match`. */
function isOfPart({ asked, text: { tokens } }: Pick<Sentence, "asked" | "text">): boolean {
  const isRaceTo = tokens.some(({ word }, n) =>
    word === "race" && tokens[n + 1]?.word === "to" &&
    tokens.slice(Math.max(0, n - 3), n).some(({ word }) => verbKind(word, "win") === "yes")
  )
  return isRaceTo || asksForContest(asked) && tokens.some(({ word }) => isPart(asked, word))
}

/**
 * Whether a verb can be about a single match, and no word makes it the final: `win at the World Cup`,
 * `lose to Senegal`.
 */
function isOfOneMatch({ asked, text: { tokens } }: Sentence, at: number): boolean {
  const next = tokens[at + 1]
  const isEnd = next === undefined || next.clause !== tokens[at]?.clause || next.score !== null ||
    ["in", "at", "on", "against", "over", "to", "by"].includes(next.word)
  return asksForContest(asked) && !isElection(asked) && isEnd &&
    /^(?:win|wins|winning|won|triumph|triumphs|triumphed|prevail|prevails|prevailed|lose|loses|lost|beaten|defeated|edged|thrashed|stunned|upset)$/
      .test(tokens[at]?.word ?? "") &&
    !tokens.some(({ word }) => word === "final")
}

/** Words of a contest that a headline may leave out. */
const optionalWords: ReadonlySet<string> = new Set([
  ...[
    "election",
    "race",
    "contest",
    "title",
    "crown",
    "championship",
    "trophy",
    "deal",
    "agreement",
  ],
])

/** Whether a text has the last word of what is asked about, and two thirds of all its words. */
function namesObject({ objects }: Asked, { tokens }: TitleText): boolean {
  const required = [...objects].filter((word) => !optionalWords.has(word))
  const asked = required.length > 0 ? required : [...objects]
  const last = asked.at(-1)
  if (last === undefined) return true
  const words = new Set(tokens.map(({ word }) => stem(word)))
  return words.has(last) && asked.filter((word) => words.has(word)).length * 3 >= asked.length * 2
}

interface Span {
  readonly from: number
  /** The first token after it. */
  readonly to: number
}

interface Sentence {
  readonly asked: Asked
  readonly text: TitleText
  readonly known: ReadonlySet<string>
  /** Where the text names the subject. */
  readonly mentions: ReadonlyArray<Span>
}

/** `Norway and Chile` is one mention. */
function joined(spans: ReadonlyArray<Span>, { tokens }: TitleText): ReadonlyArray<Span> {
  const sorted = [...spans].sort((a, b) => a.from - b.from)
  const found: Array<Span> = []
  for (const span of sorted) {
    const last = found.at(-1)
    const isJoined = last !== undefined && last.to + 1 === span.from &&
      tokens[last.to]?.word === "and"
    if (isJoined) found.splice(-1, 1, { from: last.from, to: span.to })
    else found.push(span)
  }
  return found
}

/** Words between a subject and its verb. */
const auxiliaries: ReadonlySet<string> = new Set([
  ...["has", "have", "had", "is", "are", "was", "were", "been", "be", "the", "a", "in", "of", "on"],
  ...["at", "for", "also", "now", "finally", "just", "narrowly", "officially", "formally", "again"],
  ...["do", "does", "did", "not", "fail", "fails", "failed", "to", "duly"],
])

/** What a verb at this place reports about the subject: at most one answer. */
function answerOfVerb(sentence: Sentence, at: number): ReadonlyArray<Answer> {
  const { asked, text: { tokens } } = sentence
  const verb = tokens[at]
  if (verb === undefined || asked.subjects.flat().some(({ word }) => word === verb.word)) return []
  const kinds = asked.families.flatMap((family) => {
    const kind = verbKind(verb.word, family)
    return kind === null ? [] : [{ kind, family }]
  })
  const [found] = kinds
  if (found === undefined) return []
  const word = (n: number) => tokens[n]?.word ?? ""
  const isFailing = word(at - 1) === "to" && /^fail(?:s|ed)?$/.test(word(at - 2))
  if (word(at - 1) === "to" && !isFailing) return answerOfPurpose(sentence, at)
  if (word(at + 1) === "to" && familiesOf(word(at + 2)).length > 0) return []
  if (isOfOneMatch(sentence, at)) return []
  const isDenied = word(at - 1) === "not" || isFailing
  const role = roleOf(sentence, at, isDenied || isFailing ? at - 2 : at)
  if (role === null) return []
  const { kind, family } = found
  const isPassiveForm = word(at + 1) === "by" || /(?:en|ed)$/.test(verb.word) &&
      /^(?:was|were|been|is|are)$/.test(word(at - 1)) ||
    verb.word === "beaten" ||
    verb.word === "eliminated" && kind === "beats" && role === "subject" && isAtEnd(tokens, at)
  const yes = yesOf(sentence, at, { kind, role, isPassiveForm, takesObject: takesObject(family) })
  if (yes === null) return []
  const isYes = isDenied ? !yes : yes
  return [{ isYes, isFinal: isYes || !isDenied && (kind === "beats" || isContraryFinal(family)) }]
}

/** Whether no object follows a verb: `eliminated from the cup`, `eliminated`. */
function isAtEnd(tokens: ReadonlyArray<Token>, at: number): boolean {
  const next = tokens[at + 1]
  return next === undefined || next.clause !== tokens[at]?.clause || isPreposition(next.word)
}

/** `France beat Spain to win the cup`. */
function answerOfPurpose(sentence: Sentence, at: number): ReadonlyArray<Answer> {
  const { asked, text: { tokens } } = sentence
  if (tokens[at - 1]?.word !== "to") return []
  const isOther = asksForContest(asked) &&
    tokens.slice(at).some(({ word }) => isPart(asked, word))
  if (isOther) return []
  const beatAt = tokens.findIndex(({ word, clause }, n) =>
    n < at && clause === tokens[at]?.clause && verbKind(word, "win") === "beats"
  )
  const hasWon = asked.families.includes("win") && beatAt >= 0 &&
    verbKind(tokens[at]?.word ?? "", "win") === "yes" &&
    roleOf(sentence, beatAt, beatAt) === "subject" && hasOwnObject(sentence, at)
  return hasWon ? [{ isYes: true, isFinal: true }] : []
}

interface VerbUse {
  readonly kind: "yes" | "no" | "beats"
  readonly role: "subject" | "object" | "agent" | "after_to"
  readonly isPassiveForm: boolean
  readonly takesObject: boolean
}

function yesOf(sentence: Sentence, at: number, use: VerbUse): boolean | null {
  const { asked, text: { tokens } } = sentence
  const { kind, role, isPassiveForm } = use
  if (kind === "beats") {
    if (role === "agent") return true
    if (isRace(sentence, at)) return null
    if (role === "subject") {
      return isPassiveForm ? false : hasOwnObject(sentence, at) ? true : null
    }
    return role === "object" && !isPassiveForm ? false : null
  }
  const yes = kind === "yes"
  const isWin = asked.families.includes("win")
  if (role === "after_to") return isWin && !yes && /^los/.test(tokens[at]?.word ?? "") ? true : null
  if (isWin) {
    const isElected = role === "object" && /^(?:re)?elects?$/.test(tokens[at]?.word ?? "")
    return isElected || role === "subject" && hasOwnObject(sentence, at) ? yes : null
  }
  const isThirdPerson = /s$/.test(tokens[at]?.word ?? "")
  if (asked.isPassive) {
    const undergoes = role === "object" && !isPassiveForm ||
      role === "subject" && (!isThirdPerson || isAlsoIntransitive(asked))
    return undergoes ? yes : null
  }
  if (role === "agent") return yes
  if (role === "object") return use.takesObject && !isPassiveForm ? yes : null
  const isActive = !isPassiveForm || use.takesObject
  return isActive && hasOwnObject(sentence, at) ? yes : null
}

/** `The lighthouse opens` and `the lighthouse is opened` report the same. */
function isAlsoIntransitive({ families }: Asked): boolean {
  return families.some((family) => ["open", "light", "end"].includes(family))
}

/** How the subject stands to the verb; `first` is where its negation begins. */
function roleOf(
  { mentions, text: { tokens }, known }: Sentence,
  at: number,
  first: number,
): VerbUse["role"] | null {
  const word = (n: number) => tokens[n]?.word ?? ""
  const skip = (n: number): number =>
    titles.has(word(n)) || ["the", "a", "as"].includes(word(n)) ? skip(n + 1) : n
  const starts = (n: number) => mentions.some(({ from }) => from === n || from === skip(n))
  const byAt = [1, 2, 3].map((n) => at + n).find((n) => word(n) === "by")
  if (byAt !== undefined && starts(byAt + 1)) {
    const before = tokens.slice(0, at).filter(({ clause }) => clause === tokens[at]?.clause)
    const isKnown = before.every((token) => isHarmless(token, known))
    return isKnown ? "agent" : null
  }
  const places = /^los/.test(word(at)) ? ["to", "at", "against"] : ["to"]
  const toAt = [1, 2, 3].map((n) => at + n).find((n) => places.includes(word(n)))
  if (toAt !== undefined && starts(toAt + 1)) return "after_to"
  if (starts(at + 1)) return "object"
  const before = mentions.filter(({ to }) => to <= first).at(-1)
  if (before === undefined) return null
  const isOthers = ["of", "from", "for"].includes(word(before.from - 1)) &&
    !known.has(stem(word(before.from - 2)))
  if (isOthers) return null
  const between = tokens.slice(before.to, first)
  const sameClause = [...between, tokens[at]].every((token) =>
    token?.clause === tokens[before.to - 1]?.clause
  )
  const isPlain = between.every(({ word }) =>
    auxiliaries.has(word) || word.endsWith("ly") || known.has(stem(word))
  )
  const isCoordinated = between.at(-1)?.word === "and" && between.length <= 7
  return sameClause && (isPlain || isCoordinated) ? "subject" : null
}

/** Words that may stand before an object without making it another thing. */
const fillers: ReadonlySet<string> = new Set([
  ...["race", "election", "vote", "title", "crown", "trophy", "contest", "coveted", "top", "main"],
  ...[
    "historic",
    "landmark",
    "key",
    "sweeping",
    "controversial",
    "disputed",
    "new",
    "final",
    "big",
  ],
  ...["huge", "surprise", "first", "rival", "rivals", "champion", "champions", "visiting", "hosts"],
  ...["own", "home", "steady", "unchanged", "early", "winner", "game", "match", "again", "all"],
  ...[
    "defeat",
    "today",
    "tonight",
    "yesterday",
    "public",
    "safely",
    "deal",
    "agreement",
    "pact",
    "opener",
  ],
])

/** Whether a word next to a verb does not make its subject or object another thing. */
function isHarmless({ word, number, score }: Token, known: ReadonlySet<string>): boolean {
  if (number !== null) return number.unit !== "%" || known.has(word)
  return score !== null || !isInformative(word) || known.has(stem(word)) || fillers.has(word) ||
    titles.has(word) || word.endsWith("ly")
}

/** Whether a word after “win” leaves it a plain win: `win 2-0`, `win the derby`. */
function isPlainWin({ word, number, score }: Token): boolean {
  return number !== null || score !== null || emptyWords.has(word) ||
    ["game", "match", "derby", "again", "away", "home"].includes(word)
}

/**
 * Whether the words after the verb, up to a preposition, are the object that is asked about. `Resigns
 * from the board` and `beat them to a signing` are about something else.
 */
function hasOwnObject({ asked, known, text: { tokens } }: Sentence, at: number): boolean {
  const isOpen = asked.families.includes("win") && asked.objects.size === 0 &&
    asked.names.length === 0
  const isBeating = verbKind(tokens[at]?.word ?? "", "win") === "beats"
  const { clause } = tokens[at] ?? { clause: 0 }
  for (const [n, token] of tokens.entries()) {
    if (n <= at) continue
    if (token.clause !== clause) return true
    const next = tokens[n + 1]
    if (token.word === "from") return next === undefined || isHarmless(next, known)
    if (isPreposition(token.word)) return true
    if (isOpen ? !isBeating && !isPlainWin(token) : !isHarmless(token, known)) return false
  }
  return true
}

/** `Beat the Gulls to a signing` is no result, but `beat the Gulls to win the cup` is one. */
function isRace({ text: { tokens } }: Sentence, at: number): boolean {
  const clause = tokens[at]?.clause
  const to = tokens.findIndex(({ word }, n) => n > at && word === "to")
  return to > 0 && tokens[to]?.clause === clause &&
    familiesOf(tokens[to + 1]?.word ?? "").length === 0
}

const givingVerbs = /^(?:awarded|award|awards|gives|given|gave|goes|went|hands|handed)$/
const sellingVerbs = /^(?:sold|sells)$/

/** `Grand prize awarded to “Low Tide”`, `Brindle Ferries sold to Tellmark Air`. */
function answerOfRecipient({ asked, text: { tokens }, mentions }: Sentence): ReadonlyArray<Answer> {
  const isSale = asked.families.includes("acquire")
  if (!isSale && !asked.families.includes("win")) return []
  const verbs = isSale ? sellingVerbs : givingVerbs
  const isGiven = mentions.some(({ from }) =>
    tokens[from - 1]?.word === "to" &&
    tokens.slice(0, from).some(({ word }) => verbs.test(word)) &&
    (isSale || tokens.slice(0, from).some(({ word }) => asked.objects.has(stem(word))))
  )
  return isGiven ? [{ isYes: true, isFinal: true }] : []
}

/** `“Low Tide” leaves the festival without the grand prize`. */
function answerWithout({ asked, text: { tokens }, mentions }: Sentence): ReadonlyArray<Answer> {
  const at = tokens.findIndex(({ word }) => word === "without")
  if (at < 0 || !mentions.some(({ to }) => to <= at)) return []
  const missed = tokens.slice(at + 1).filter(({ word }) => asked.objects.has(stem(word))).length
  return missed > 0 && missed * 2 >= asked.objects.size ? [{ isYes: false, isFinal: false }] : []
}

/** A figure that a text states: exactly, at least or at most. */
interface Bound {
  readonly value: number
  readonly kind: "exact" | "up" | "down"
}

const upWords =
  /^(?:above|over|more|greater|exceed|exceeds|exceeded|top|tops|topped|hit|hits|reach|reaches|reached|surpass|surpasses|surpassed|pass|passes|passed|cross|crosses|crossed|least|gain|gains|gained)$/
const downWords = /^(?:below|under|less|fewer|lower)$/
const exactWords = /^(?:was|is|were|at|to|of|win|wins|won|take|takes|took|secure|secures|secured)$/

function boundsOf({ tokens }: TitleText, { unit }: Pick<Level, "unit">): ReadonlyArray<Bound> {
  return tokens.flatMap(({ number, clause }, n): ReadonlyArray<Bound> => {
    if (number === null || number.unit !== unit) return []
    const before = tokens.slice(Math.max(0, n - 4), n).filter((token) => token.clause === clause)
      .map(({ word }) => word)
    const [after = "", next = ""] = tokens.slice(n + 1, n + 4).map(({ word }) => word)
      .filter((word) => word.length > 1)
    const near = before.slice(-2)
    const isDenied = before.includes("not")
    const up = after === "or" && upWords.test(next) || near.some((word) => upWords.test(word))
    const down = after === "or" && downWords.test(next) ||
      near.some((word) => downWords.test(word))
    if (up !== down) return [{ value: number.value, kind: up !== isDenied ? "up" : "down" }]
    return exactWords.test(before.at(-1) ?? "") && !isDenied
      ? [{ value: number.value, kind: "exact" }]
      : []
  })
}

const closingVerbs =
  /^(?:clos(?:e|es|ed|ing)|end|ends|ended|finish|finishes|finished|settles?|settled)$/
/** Verbs and nouns that may follow what is measured. */
const measuringWords =
  /^(?:was|is|were|has|rises?|rose|falls?|fell|slow(?:s|ed)|climb(?:s|ed)|drop(?:s|ped)|hits?|reach(?:es|ed)?|top(?:s|ped)|exceed(?:s|ed)|surpass(?:es|ed)|pass(?:es|ed)|cross(?:es|ed)|stay(?:s|ed)|jump(?:s|ed)|gain(?:s|ed)|dip(?:s|ped)|eas(?:es|ed)|slip(?:s|ped)|cool(?:s|ed)|accelerat(?:es|ed)|did|wins?|won|takes?|took|secures?|secured|shares?|stock|price|rate)$/

/** Whether a text names what is measured by itself: not `Bitcoin Cash`, not a `Bitcoin miner`. */
function isMeasured(
  subject: ReadonlyArray<Token>,
  text: TitleText,
  known: ReadonlySet<string>,
): boolean {
  const { tokens } = text
  return mentionsOf(subject, text, known).some(({ from, to }) => {
    const [before, after] = [tokens[from - 1], tokens[to]]
    const isOther = before !== undefined && before.clause === tokens[from]?.clause &&
      before.isCapital && before.place === null && !known.has(stem(before.word)) &&
      !emptyWords.has(before.word)
    const isPlain = after === undefined || after.clause !== tokens[from]?.clause ||
      after.number !== null || isPreposition(after.word) || closingVerbs.test(after.word) ||
      measuringWords.test(after.word) || known.has(stem(after.word))
    return !isOther && isPlain
  })
}

function readLevel(
  asked: Asked,
  level: Level,
  text: TitleText,
  known: ReadonlySet<string>,
): Answer | null {
  if (!asked.subjects.every((subject) => isMeasured(subject, text, known))) return null
  const isClose = asked.families.includes("end")
  if (isClose && !text.tokens.some(({ word }) => closingVerbs.test(word))) return null
  const isCount = level.unit === "" && asked.objects.size > 0
  if (isCount && !text.tokens.some(({ word }) => asked.objects.has(stem(word)))) return null
  const answers = boundsOf(text, level).flatMap((bound): ReadonlyArray<Answer> => {
    const isYes = compared(level, bound)
    if (isYes === null) return []
    // What was not touched yet can still be touched, and a maximum can still rise.
    return [{ isYes, isFinal: isYes || !level.isTouch && bound.kind === "exact" }]
  })
  const [first] = answers
  return first === undefined || answers.some(({ isYes }) => isYes !== first.isYes) ? null : first
}

/** Whether a figure within the bound is on the asked side of the level; null when it can be on both. */
function compared({ value, isUp, isInclusive }: Level, bound: Bound): boolean | null {
  if (bound.kind === "exact") {
    return bound.value === value ? isInclusive : bound.value > value === isUp
  }
  if (bound.kind === "up") return bound.value >= value ? isUp : null
  return bound.value <= value ? !isUp : null
}

/** The total of a match, from words (`more than 2.5`) or from its only score. */
function readTotal(
  sides: NonNullable<Target["sides"]>,
  total: number,
  text: TitleText,
): Found | null {
  if (!sides.every((side) => mentionsOf(side, text).length > 0)) return null
  const level = { value: total, unit: "" as const, isUp: true, isInclusive: false, isTouch: false }
  const [a, b] = sides
  const own = new Set(sides.flat().map(({ word }) => stem(word)))
  const contest = { families: ["win" as const], isPassive: false, objects: new Set<string>() }
  const isResult = [[a, b], [b, a]].some(([subject = [], other = []]) =>
    readAsked(
      { ...contest, subjects: [subject], names: [other], places: own, level: null, isMatch: true },
      text,
    ) !== null
  )
  const scores = text.tokens.flatMap(({ score }) => score === null ? [] : [score])
  const [score] = scores
  const bounds: ReadonlyArray<Bound> = scores.length === 1 && score !== undefined && isResult
    ? [{ value: score[0] + score[1], kind: "exact" }]
    : boundsOf(text, level)
  const answers = bounds.map((bound) => compared(level, bound))
  const [first] = answers
  if (first === undefined || first === null || answers.some((answer) => answer !== first)) {
    return null
  }
  return { outcome: first ? 0 : 1, isFinal: true }
}

/** Where the text names something: by its whole name, by its last word, or by its first words. */
function mentionsOf(
  name: ReadonlyArray<Token>,
  { tokens }: TitleText,
  known: ReadonlySet<string> = new Set(),
): ReadonlyArray<Span> {
  const words = name.map(({ word }) => stem(word))
  const last = name.at(-1)
  const equals = (at: number, parts: ReadonlyArray<string>) =>
    parts.every((part, n) => stem(tokens[at + n]?.word ?? "") === part)
  const isApart = (at: number): boolean => {
    const before = tokens[at - 1]
    if (before === undefined || before.clause !== tokens[at]?.clause) return true
    const { word, isCapital, number, score } = before
    if (emptyWords.has(word) || titles.has(word) || number !== null || score !== null) return true
    if (known.has(stem(word)) || words.includes(stem(word)) || familiesOf(word).length > 0) {
      return true
    }
    return last?.isCapital === true && !isCapital
  }
  return tokens.flatMap((token, at): ReadonlyArray<Span> => {
    if (words.length > 0 && equals(at, words)) {
      const isWhole = words.length > 1 || !vagueWords.has(token.word) || isApart(at)
      return isWhole ? [{ from: at, to: at + words.length }] : []
    }
    if (words.length < 2 || last === undefined) return []
    const isLast = stem(token.word) === words.at(-1) && last.number === null &&
      (!last.isCapital || token.isCapital) && !vagueWords.has(token.word) && isApart(at) &&
      !equals(at - words.length + 1, words)
    if (isLast) return [{ from: at, to: at + 1 }]
    const isStart = words.length > 2 && equals(at, words.slice(0, -1)) && isApart(at) &&
      tokens[at - 1]?.word !== "of" && tokens[at + words.length - 1]?.isCapital !== true
    return isStart ? [{ from: at, to: at + words.length - 1 }] : []
  })
}

/** Last words of names that are ordinary words too. */
const vagueWords: ReadonlySet<string> = new Set([
  ...["year", "day", "time", "party", "city", "united", "world", "house", "home"],
  ...["court", "group", "company", "bank", "state", "states", "week", "month", "game", "team"],
])

/** Scores and figures with a unit, to compare two reports of one event. */
function figuresOf({ tokens }: TitleText): ReadonlyArray<string> {
  return tokens.flatMap(({ score, number }, n) => {
    if (score !== null) return [`score ${score[0]}-${score[1]}`]
    const before = tokens[n - 1]?.word ?? ""
    return number !== null && number.unit !== "" && exactWords.test(before)
      ? [`${number.unit} ${number.value}`]
      : []
  })
}
