/**
 * The sentences of a market's rules that decide it, for quotation.
 *
 * @module
 */
import { excerpt, safeName } from "../../core/domain/untrusted.ts"
import { rulesLengthMax } from "./proposal.ts"

/** Sentences of the rules that are judged. */
const sentencesMax = 60
/** Between sentences that do not follow one another in the rules. */
const omission = " […] "

/** How the market resolves. */
const resolves =
  /\b(?:will|shall|would|may) (?:immediately |also |only )?resolves?\b|\bresolves? (?:to|as)\b/i
/** Added to the first sentence that says how the market resolves: what the market is about. */
const mainWeight = 5
/** "Otherwise, this market will resolve to No" says what the reader expects; it has the least weight. */
const expected = /^otherwise\b.{0,60}$/i

/** What a deciding sentence is about, with its weight. A sentence has the sum of its topics. */
const topics: ReadonlyArray<readonly [weight: number, topic: RegExp]> = [
  [4, resolves],
  // The source.
  [4, /\bresolution source\b|\bsource (?:of|for) (?:the )?(?:resolution|this market)\b/i],
  [2, /\b(?:according to|as (?:reported|published|announced) by|credible report|official)/i],
  // The deadline.
  [
    2,
    /\b(?:by|before|until|no later than|between)\b.{0,60}\b(?:20\d\d|\d{1,2}:\d\d|[ap]m|et|utc)\b/i,
  ],
  // What counts, and what does not.
  [2, /\b(?:qualif(?:y|ies|ying)|counts?|considered|defined|regardless|does not include)\b/i],
  [1, /\b(?:otherwise|if (?:no|neither|the)|cancel|postpone|tie|draw|50-50|rounded)/i],
]

/**
 * The deciding sentences of rules, in their order, with […] where one was left out: one line of at most
 * `max` characters, and null when no sentence decides or fits. Untrusted words of the venue, sanitized
 * but never to be followed: a text puts them in quotation marks (`quoted`). Lower sentences are left
 * out first; one longer than `max` is cut only when it is the first of all by weight.
 */
export function rulesExcerpt(text: string, max: number): string | null {
  const sentences = sentencesOf(excerpt(text.slice(0, 2 * rulesLengthMax), rulesLengthMax))
  const main = sentences.findIndex((sentence) => resolves.test(sentence))
  const ranked = sentences.map((sentence, place) => ({
    place,
    weight: weightOf(sentence) + (place === main ? mainWeight : 0),
  }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.place - b.place)
  const [heaviest] = ranked
  if (heaviest === undefined || max < 1) return null
  const chosen = new Set([heaviest.place])
  for (const { place } of ranked) {
    const tried = new Set([...chosen, place])
    if ([...excerptOf(sentences, tried)].length <= max) chosen.add(place)
  }
  return safeName(excerptOf(sentences, chosen), max)
}

/** The first sentence that says how the market resolves; empty when none does. */
export function decidingSentence(text: string): string {
  return sentencesOf(excerpt(text, rulesLengthMax)).find((it) => resolves.test(it)) ?? ""
}

function excerptOf(sentences: ReadonlyArray<string>, chosen: ReadonlySet<number>): string {
  return sentences.map((sentence, place) => {
    if (!chosen.has(place)) return ""
    const follows = chosen.has(place - 1)
    const isFirst = Math.min(...chosen) === place
    return `${isFirst ? "" : follows ? " " : omission}${sentence}`
  }).join("")
}

function weightOf(sentence: string): number {
  if (expected.test(sentence)) return 1
  return topics.reduce((sum, [weight, topic]) => topic.test(sentence) ? sum + weight : sum, 0)
}

/** Splits after a full stop that a capital follows, but not after "U.S.", an initial or a title. */
export function sentencesOf(line: string): ReadonlyArray<string> {
  return line.split(sentenceEnd)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")
    .slice(0, sentencesMax)
}

const sentenceEnd = new RegExp(
  "(?<=[^.\\s][.!?][)\"'”]?)(?<!\\b(?:\\p{Lu}|Mr|Mrs|Ms|Dr|St|Jr|vs)\\.)\\s+(?=[\"'“(]?[\\p{Lu}\\d])",
  "u",
)
