/**
 * What a model reads in stories about a market: whether they are about the question, which way they bear
 * on it, and whether they decide it. Its answer is a claim, which code checks before it is stored.
 *
 * @module
 */
import { Schema } from "effect"
import { type Clause, clauseOf, decidingSentence } from "../../markets/domain/clause.ts"
import type { Market } from "../../markets/domain/market.ts"
import { rulesLengthMax } from "../../markets/domain/proposal.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { excerpt, safeName } from "../../core/domain/untrusted.ts"
import { judgingPrompt, ListOf, type Prompt, TextOf } from "../../writing/domain/prompt.ts"
import { titleLengthMax } from "./headline.ts"
import { isAbout, settles, type SiblingMarket, wordsSettle } from "./scope.ts"
import type { Story } from "./stories.ts"

/** A checked reading of a story that is about the question. */
interface StoryReading {
  /** The outcome that it bears on, as the market spells it; null for none. */
  readonly outcome: string | null
  readonly bears: "for" | "against" | null
  /** Whether it reports that the outcome is settled; then it bears for it. */
  readonly decides: boolean
  /** Words of the story's title, letter by letter. */
  readonly quote: string
}

/** `refused`: the claim was not what the headline says, so the pair counts as unread and is not asked again. */
export type Verdict = StoryReading | "unrelated" | "refused"

/** A story that shares names or numbers with a question. */
export interface RelatedStory extends Story {
  /** Null when no model has read it: then it shares words, and nothing follows from that. */
  readonly reading: StoryReading | null
}

/** One question to the model. */
export interface ReadingTask {
  readonly market: Market
  readonly siblings: ReadonlyArray<SiblingMarket>
  /** The venue's rules for the resolution; empty when they are unknown. */
  readonly rules: string
  readonly stories: readonly [Story, ...ReadonlyArray<Story>]
  readonly now: EpochMs
}

/**
 * Headlines of our own in each question, made from that of its first story. None settles anything, so the
 * decisions of a model that says of one that it does are not believed.
 */
const controls: ReadonlyArray<(title: string) => string> = [
  (title) => `Ten years ago this week: ${title}`,
  (title) => `${title}, a columnist predicts`,
  (title) => `What if: ${title}`,
]

/** Stories in one question, other markets of the event, and characters of an outcome. */
export const storiesAskedMax = 12
export const siblingsMax = 12
const outcomeLengthMax = 200

const Claim = Schema.Struct({
  story: Schema.String.check(Schema.isPattern(/^H[0-9]{1,3}$/)),
  about: Schema.Boolean,
  outcome: Schema.NullOr(TextOf(outcomeLengthMax)),
  bears: Schema.NullOr(Schema.Literals(["for", "against"])),
  decides: Schema.Boolean,
  quote: TextOf(titleLengthMax),
})
export type ReadingClaim = typeof Claim.Type

export const ReadingAnswer = Schema.Struct({
  readings: ListOf(Claim, storiesAskedMax + controls.length),
})

const task =
  `You read headlines for a prediction market. The first line of the data is the market: its question, outcomes, rules, times and the other markets of its event. Each other line is one headline with its id, publisher and time. Judge each headline by its words alone.
"about": true only if it is about this very question: the same people, place, contest, stage, part of the match, period and figure. A headline about another market of the event, another year, round, level or competition is not. Words in common are not enough.
"outcome" and "bears": the one outcome that it makes more likely ("for") or less likely ("against"), spelled exactly as among the outcomes; both null when it favours none.
"decides": true only if it reports that the outcome is settled: a final result of this very question, after the event. A forecast, a poll, a hope, a plan, a partial result, a claim of one side, a report that is corrected or denied settles nothing.
"quote": the words of the headline that say so, copied letter by letter; for a headline that is not about the question an empty string.
When in doubt: about false, decides false. Give one reading for each headline.`

export function readingPrompt(
  { market, siblings, rules, stories, now }: ReadingTask,
  boundary: string,
): Prompt {
  const time = (at: EpochMs | null) => at === null ? null : isoTime(at)
  return judgingPrompt({
    task,
    opening: "The market, then the headlines:",
    data: [
      {
        question: safeName(market.question),
        outcomes: market.outcomes.map((outcome) => safeName(outcome)),
        rules: excerpt(rules, rulesLengthMax),
        scheduledEnd: time(market.endsAt),
        gameStarts: time(market.gameStartsAt),
        otherMarketsOfTheEvent: siblings.slice(0, siblingsMax).map((it) => safeName(it.question)),
        now: isoTime(now),
      },
      ...linesOf(stories).map(({ title, source, firstAt, label }, n) => ({
        headline: `H${n + 1}`,
        title: safeName(title, titleLengthMax),
        publisher: safeName(source),
        publishedAt: isoTime(firstAt),
        label,
      })),
    ],
    closing: "Give your readings.",
  }, boundary)
}

/** The asked stories, then the controls. */
export function linesOf([first, ...others]: ReadingTask["stories"]): ReadonlyArray<Story> {
  const asked = [first, ...others].slice(0, storiesAskedMax)
  return [...asked, ...controls.map((control) => ({ ...first, title: control(first.title) }))]
}

/**
 * The verdict on each asked story, in their order: null without a claim, `refused` without a usable one,
 * and for every decision where not each control was found to settle nothing.
 */
export function verdictsOf(
  asked: ReadingTask,
  claims: ReadonlyArray<ReadingClaim>,
  clause: Clause = clauseOf(asked.market.question, asked.rules),
): ReadonlyArray<Verdict | null> {
  const lines = linesOf(asked.stories)
    .map((story, n) => ({ story, claims: claims.filter((it) => it.story === `H${n + 1}`) }))
  const isCareful = lines.slice(-controls.length)
    .every(({ claims }) => claims.length === 1 && claims[0]?.decides === false)
  return lines.slice(0, -controls.length).map(({ story, claims: [claim, another] }) => {
    if (claim === undefined) return null
    if (another !== undefined || claim.decides && !isCareful) return "refused"
    return verdictOf(asked, clause, story, claim)
  })
}

function verdictOf(
  { market, siblings, rules }: ReadingTask,
  clause: Clause,
  story: Story,
  claim: ReadingClaim,
): Verdict {
  if (!claim.about) return "unrelated"
  const quote = claim.quote.trim()
  const [first, second] = market.outcomes.map((it) =>
    safeName(it) === safeName(claim.outcome ?? "")
  )
  const outcome = first === second ? null : first ? 0 : 1
  if (!quotes(story.title, quote) || claim.outcome !== null && outcome === null) return "refused"
  if (outcome === null || claim.bears === null) {
    return { outcome: null, bears: null, decides: false, quote }
  }
  const decided = claim.bears === "for" ? outcome : outcome === 0 ? 1 : 0
  const scoped = {
    title: safeName(story.title, titleLengthMax),
    publishedAt: story.firstAt,
    outcome: decided,
    rules: { ...clause, deciding: decidingSentence(rules) },
  } as const
  if (claim.decides && story.label === "none") {
    if (settles(market, siblings, scoped)) {
      return { outcome: market.outcomes[decided], bears: "for", decides: true, quote }
    }
    // The words settle the other outcome only, now or at the end.
    const [isFor, isAgainst] = ([decided, decided === 0 ? 1 : 0] as const)
      .map((outcome) => wordsSettle(market, { ...scoped, outcome }))
    if (isAgainst && !isFor) {
      return { outcome: market.outcomes[decided], bears: "against", decides: false, quote }
    }
  }
  return isAbout(market, scoped)
    ? { outcome: market.outcomes[outcome], bears: claim.bears, decides: false, quote }
    : { outcome: null, bears: null, decides: false, quote }
}

/** Whether the words are whole words of the title, and say more than "in" or "the". */
function quotes(title: string, quote: string): boolean {
  const [text, words] = [safeName(title, titleLengthMax), safeName(quote, titleLengthMax)]
    .map((it) => it.toLowerCase())
  if (text === undefined || words === undefined || !/\p{L}{3}/u.test(words)) return false
  const at = text.indexOf(words)
  return at >= 0 && !/[\p{L}\p{N}]/u.test(text[at - 1] ?? "") &&
    !/[\p{L}\p{N}]/u.test(text[at + words.length] ?? "")
}

/** The outcome that a story settles; null for none. */
export function decidedOutcome(
  { outcomes }: Pick<Market, "outcomes">,
  { reading }: Pick<RelatedStory, "reading">,
): 0 | 1 | null {
  if (reading === null || !reading.decides) return null
  return reading.outcome === outcomes[0] ? 0 : reading.outcome === outcomes[1] ? 1 : null
}
