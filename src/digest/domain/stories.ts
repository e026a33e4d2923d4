/**
 * The facts of a digest about news: for each market of the digest its related story, with its earliest
 * publication, and whether its words point the way the price went.
 *
 * A story is never called the cause of a move: a fact states at most how long before the move was seen
 * it was published.
 *
 * @module
 */
import {
  count,
  duration,
  factOf,
  headlineValue,
  labelValue,
  listed,
  marketValue,
  type NewDigestFact,
  type Speller,
  time,
  type Values,
  word,
} from "./factBuilders.ts"
import type { DigestSection } from "./digest.ts"
import type { DigestMaterial, DigestStory, MoverItem, Strength } from "./material.ts"
import { describedMoves } from "./moves.ts"
import type { Value } from "../../writing/domain/values.ts"
import { bearingOf, reportsResult } from "../../news/domain/bearing.ts"
import { headlineLag } from "../../markets/domain/priceStep.ts"
import { periodsOf } from "../../news/domain/periods.ts"
import { safeName } from "../../core/domain/untrusted.ts"
import { type EpochMs, minute } from "../../core/domain/time.ts"

/** Another market of the digest that may have a story. */
export interface Subject {
  readonly slug: string
  readonly question: string
  /** The label of the first outcome; null when it is not known. */
  readonly outcome: string | null
  readonly section: DigestSection
}

/** `others`: the described markets that did not move. */
export function storyFacts(
  material: DigestMaterial,
  others: ReadonlyArray<Subject>,
): ReadonlyArray<NewDigestFact> {
  const moves = describedMoves(material)
  const moved = moves.flatMap((move) => {
    const found = storyOfMove(move, material)
    return found === null ? [] : [{ move, ...found }]
  })
  const movedSlugs = new Set(moves.map(({ data }) => data.market.slug))
  const about = others.filter(({ slug }, i) =>
    !movedSlugs.has(slug) && others.findIndex((it) => it.slug === slug) === i
  ).flatMap((subject) => {
    const found = related(material.stories, subject).sort(byStrength)[0]
    return found === undefined ? [] : [{ subject, ...found }]
  })
  return [
    ...moved.map(({ move, story, strength }) => moveStory(move, story, strength, material)),
    ...unexplained(moves.filter((move) => moved.every((it) => it.move !== move)), material),
    ...about.map(({ subject, story, strength }) =>
      subjectStory(subject, story, strength, material)
    ),
    ...about.some(({ subject }) => subject.section === "whales") ? [] : noStory(material),
  ]
}

interface Related {
  readonly story: DigestStory
  readonly strength: Strength
}

/** The stories about a market itself or its event: those about another date or match are left out. */
function related(
  stories: ReadonlyArray<DigestStory>,
  { question, slug }: Pick<Subject, "slug" | "question">,
): Array<Related> {
  return stories.flatMap((story) => {
    const strengths = story.markets.filter((it) => it.slug === slug).map((it) => it.strength)
    const [strength] = strengths.sort((a, b) => rankOf(a) - rankOf(b))
    const isOther = strength === undefined || strength === "family" ||
      namesOtherDay(story.title, question) || reportsResult(story.title, question)
    return isOther ? [] : [{ story, strength }]
  })
}

/** Whether both name days, and no day is the same. */
function namesOtherDay(title: string, question: string): boolean {
  const [own, other] = [title, question].map((text) => periodsOf(text, "with").days)
  return own !== undefined && other !== undefined && own.size > 0 && other.size > 0 &&
    own.isDisjointFrom(other)
}

const strengths: ReadonlyArray<Strength> = ["direct", "sibling", "family"]
const rankOf = (strength: Strength) => strengths.indexOf(strength)

function byStrength(a: Related, b: Related): number {
  return rankOf(a.strength) - rankOf(b.strength) || byTime(a.story, b.story)
}

function byTime(a: DigestStory, b: DigestStory): number {
  return a.firstAt - b.firstAt || (a.url < b.url ? -1 : 1)
}

/**
 * The story of a move: a direct one before a sibling's; then one whose words do not point the other way;
 * then the earliest of those published while the price moved, else the latest from before, else the
 * earliest from after.
 */
function storyOfMove(move: MoverItem, material: DigestMaterial): Related | null {
  const { createdAt, data } = move
  const [start, seen] = [Date.parse(data.startedAt), Date.parse(createdAt)]
  const place = ({ firstAt }: DigestStory) => firstAt > seen ? 2 : firstAt < start ? 1 : 0
  const opposes = (it: Related) => Number(pointsOf(move, it) === "other")
  const [first] = related(material.stories, data.market).sort((a, b) =>
    rankOf(a.strength) - rankOf(b.strength) ||
    opposes(a) - opposes(b) ||
    place(a.story) - place(b.story) ||
    (place(a.story) === 1 ? -byTime(a.story, b.story) : byTime(a.story, b.story))
  )
  return first ?? null
}

/** Whether the headline's words point the way the price went: `same`, `other` or `unknown`. */
function pointsOf({ data }: MoverItem, { story, strength }: Related): "same" | "other" | "unknown" {
  const { delta, market } = data
  // Of a sibling's story the words are about another outcome.
  const bearing = strength === "direct"
    ? bearingOf(story.title, market.question, market.outcomes?.[0] ?? "Yes")
    : null
  if (bearing === null) return "unknown"
  return (bearing === "for") === (delta >= 0) ? "same" : "other"
}

/** The values of a story, with its later outlets. */
function storyValues(story: DigestStory, until: EpochMs): Values {
  const later = story.outlets.slice(1)
  return {
    headline: headlineValue(story.title),
    publisher: labelValue(story.source),
    publishedAt: time(story.firstAt, until),
    ...later.length === 0 ? {} : {
      outlets: count(later.length, "more outlet"),
      lastAt: time(later.at(-1)?.publishedAt ?? story.firstAt, until),
    },
  }
}

/** The words about another outcome of the event, and about a later correction. */
function tail(story: DigestStory, strength: Strength): string {
  return [
    strength === "sibling" ? "It names another outcome of the same event." : "",
    story.corrected ? "A later story corrects it." : "",
  ].filter((text) => text !== "").map((text) => ` ${text}`).join("")
}

/** What a headline's words say of a move. */
const pointing = {
  same: " Its words point the same way.",
  other: " Its words point the other way, so it does not explain the move.",
  unknown: "",
} as const

function moveStory(
  move: MoverItem,
  story: DigestStory,
  strength: Strength,
  material: DigestMaterial,
): NewDigestFact {
  const { market } = move.data
  const { anchor, lag } = lagOf(move, story, material)
  const points = pointsOf(move, { story, strength })
  const values = {
    ...storyValues(story, material.until),
    market: marketValue(market),
    lag: duration(Math.abs(lag)),
    relation: word(strength),
    points: word(points),
    tail: word(tail(story, strength)),
    order: word(Math.abs(lag) < minute ? "during" : lag > 0 ? "before" : "after"),
    anchor: word(anchor),
  }
  return factOf(
    {
      ...{ kind: "news", topic: "story", section: "repriced", subject: market.slug },
      source: sourceOf(story, material),
    },
    values,
    (spell) => {
      const published =
        spell`${"headline"} was first published by ${"publisher"} at ${"publishedAt"}`
      const when = Math.abs(lag) < minute
        ? spell`in the hour of the move in ${"market"}`
        : lag > 0
        ? anchor === "began"
          ? spell`${"lag"} before the largest step of the move in ${"market"} began`
          : spell`${"lag"} before the move in ${"market"} ${"anchor"}`
        : anchor === "ended"
        ? spell`${"lag"} after the largest part of the move in ${"market"}`
        : spell`${"lag"} after the move in ${"market"} ${"anchor"}`
      const more = "outlets" in values ? spell`; ${"outlets"} carried it by ${"lastAt"}` : ""
      return `${published}, ${when}${more}.${tail(story, strength)}${pointing[points]}`
    },
  )
}

/** How long before the move the story was published, in milliseconds; 0 for during it. */
function lagOf(
  { createdAt, data }: MoverItem,
  { firstAt }: DigestStory,
  { steps }: DigestMaterial,
): { readonly lag: number; readonly anchor: string } {
  const step = steps.find(({ slug }) => slug === data.market.slug)
  if (step === undefined) return { lag: Date.parse(createdAt) - firstAt, anchor: "was seen" }
  const { lagMsMax, lagMsMin, position } = headlineLag(firstAt, step)
  return position === "before"
    ? { lag: lagMsMin, anchor: "began" }
    : { lag: position === "after" ? lagMsMax : 0, anchor: "ended" }
}

function subjectStory(
  { outcome, section, ...market }: Subject,
  story: DigestStory,
  strength: Strength,
  material: DigestMaterial,
): NewDigestFact {
  const values: Values = {
    ...storyValues(story, material.until),
    market: marketValue(market),
    relation: word(strength),
    ...outcome === null || strength !== "direct" ? {} : {
      outcome: labelValue(outcome),
      bearing: word(bearingOf(story.title, market.question, outcome) ?? "unknown"),
    },
    ...purchaseOf(market, story, material),
  }
  return factOf(
    {
      ...{ kind: "news", topic: "story", section, subject: market.slug },
      source: sourceOf(story, material),
    },
    values,
    (spell) => {
      const more = "outlets" in values ? spell`; ${"outlets"} carried it by ${"lastAt"}` : ""
      return spell`On ${"market"}: ${"headline"} was first published by ${"publisher"} at ${"publishedAt"}` +
        `${more}.${tail(story, strength)}` +
        ("wallet" in values
          ? purchaseWords(values, spell)
          : bearingWords(values["bearing"])
          ? ` Its words ${bearingWords(values["bearing"])} ${spell`${"outcome"}`}.`
          : "")
    },
  )
}

/** The largest purchase of a tracked wallet in the market of a story, and how it lies to it in time. */
function purchaseOf(
  { question, slug }: Pick<Subject, "slug" | "question">,
  story: DigestStory,
  { whaleEntries }: DigestMaterial,
): Values {
  const [largest] = whaleEntries.filter(({ data }) => data.market.slug === slug)
    .toSorted((a, b) => b.data.stakeUsd - a.data.stakeUsd || b.feedIndex - a.feedIndex)
  if (largest === undefined) return {}
  const { lastFillAt, outcome, pseudonym, wallet } = largest.data
  const lag = Date.parse(lastFillAt) - story.firstAt
  return {
    wallet: labelValue(pseudonym, wallet),
    outcome2: labelValue(outcome),
    lag: duration(Math.abs(lag)),
    order: word(lag < 0 ? "before" : "after"),
    points: word(bearingOf(story.title, question, outcome) ?? "unknown"),
  }
}

/** What a headline's words say of an outcome; empty when it is not known. */
export function bearingWords(bearing: Value | undefined): string {
  const text = bearing?.type === "word" ? bearing.text : ""
  return text === "for" ? "favour" : text === "against" ? "go against" : ""
}

function purchaseWords(values: Values, spell: Speller): string {
  const points = values["points"]?.type === "word" ? values["points"].text : ""
  const favour = points === "for"
    ? ", which the headline favours,"
    : points === "against"
    ? ", against the headline,"
    : ""
  return spell` ${"wallet"} last bought ${"outcome2"}` + favour + spell` ${"lag"} ${"order"} it.`
}

/** Of an older headline it is not known whether its publisher answered in the window. */
function sourceOf({ firstAt, source }: DigestStory, { from }: DigestMaterial): string | null {
  return firstAt >= from ? safeName(source) : null
}

/** Whether any source answered: only then may the digest say that there was no headline. */
function hasAnswers({ missing, news }: DigestMaterial["coverage"]): boolean {
  return !missing.includes("news") && news !== null && news.answered > 0
}

/** States once for all of them that no related headline was found. */
function unexplained(
  moves: ReadonlyArray<MoverItem>,
  { coverage }: DigestMaterial,
): ReadonlyArray<NewDigestFact> {
  if (moves.length === 0 || !hasAnswers(coverage)) return []
  const markets = moves.map(({ data }) => marketValue(data.market))
  const slots = markets.map((_, i) => i === 0 ? "market" : `market${i + 1}`)
  const values: Values = {
    moves: count(moves.length, "move"),
    ...Object.fromEntries(markets.map((market, i) => [slots[i] ?? "", market])),
  }
  return [
    factOf(
      { kind: "news", topic: "unexplained", section: "repriced", negative: true },
      values,
      (spell) =>
        spell`No headline about the question was found for ${"moves"}: in ` +
        `${listed(slots.map((slot) => spell`${slot}`))}.`,
    ),
  ]
}

function noStory({ coverage }: DigestMaterial): ReadonlyArray<NewDigestFact> {
  if (!hasAnswers(coverage)) return []
  const parts = { kind: "news", topic: "absence", section: "context", negative: true } as const
  return [
    factOf(parts, {}, () => "No other headline about a market of this digest was found."),
  ]
}
