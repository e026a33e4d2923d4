/**
 * The facts of a digest about news: for each market of the digest its related story, with its earliest
 * publication; and the stories that most publishers printed.
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
  time,
  type Values,
  word,
} from "./factBuilders.ts"
import type { DigestSection } from "./digest.ts"
import type { DigestMaterial, DigestStory, MoverItem, Strength } from "./material.ts"
import { describedMoves } from "./moves.ts"
import { headlineLag } from "../../markets/domain/priceStep.ts"
import { safeName } from "../../core/domain/untrusted.ts"
import { type EpochMs, hour, minute } from "../../core/domain/time.ts"

/** A family story is stated with a move only if it is at most this much older than the move's start. */
const familyLagMax = 6 * hour
/** Stories without a market that have a fact of their own. */
const headlinesMax = 8

/** Another market of the digest that may have a story. */
export interface Subject {
  readonly slug: string
  readonly question: string
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
    const found = related(material.stories, subject.slug).sort(byStrength)[0]
    return found === undefined ? [] : [{ subject, ...found }]
  })
  const stated = new Set([...moved, ...about].map(({ story }) => story.url))
  const rest = material.stories.filter(({ url }) => !stated.has(url)).toSorted(byOutlets)
  return [
    ...moved.map(({ move, story, strength }) => moveStory(move, story, strength, material)),
    ...unexplained(moves.filter((move) => moved.every((it) => it.move !== move)), material),
    ...about.map(({ subject, story, strength }) =>
      subjectStory(subject, story, strength, material)
    ),
    ...rest.slice(0, headlinesMax).map((story) => headlineFact(story, material)),
    ...rest.length > 0 ? [] : noStory(material),
  ]
}

interface Related {
  readonly story: DigestStory
  readonly strength: Strength
}

function related(stories: ReadonlyArray<DigestStory>, slug: string): Array<Related> {
  return stories.flatMap((story) => {
    const strengths = story.markets.filter((it) => it.slug === slug).map((it) => it.strength)
    const [strength] = strengths.sort((a, b) => rankOf(a) - rankOf(b))
    return strength === undefined ? [] : [{ story, strength }]
  })
}

const strengths: ReadonlyArray<Strength> = ["direct", "sibling", "family"]
const rankOf = (strength: Strength) => strengths.indexOf(strength)

function byStrength(a: Related, b: Related): number {
  return rankOf(a.strength) - rankOf(b.strength) || byTime(a.story, b.story)
}

function byTime(a: DigestStory, b: DigestStory): number {
  return a.firstAt - b.firstAt || (a.url < b.url ? -1 : 1)
}

function byOutlets(a: DigestStory, b: DigestStory): number {
  return b.outlets.length - a.outlets.length || -byTime(a, b)
}

/**
 * The story of a move: a direct one before a sibling's and a family's; then the earliest of those
 * published while the price moved, else the latest from before, else the earliest from after. A family
 * story is none when it is much older than the move, or newer.
 */
function storyOfMove({ createdAt, data }: MoverItem, material: DigestMaterial): Related | null {
  const [start, seen] = [Date.parse(data.startedAt), Date.parse(createdAt)]
  const place = ({ firstAt }: DigestStory) => firstAt > seen ? 2 : firstAt < start ? 1 : 0
  const isNear = ({ story, strength }: Related) =>
    strength !== "family" || story.firstAt >= start - familyLagMax && story.firstAt <= seen
  const [first] = related(material.stories, data.market.slug).filter(isNear).sort((a, b) =>
    rankOf(a.strength) - rankOf(b.strength) ||
    place(a.story) - place(b.story) ||
    (place(a.story) === 1 ? -byTime(a.story, b.story) : byTime(a.story, b.story))
  )
  return first ?? null
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

/** What a story that is not about the market itself is about. */
const scopes: Readonly<Record<Strength, string>> = {
  direct: "",
  sibling: "It names another outcome of the same event.",
  family: "It is about another date, limit or match of the same subject.",
}

/** The words about the outlets since, the kind of relation and a later correction. */
function tail(story: DigestStory, strength: Strength): string {
  return [scopes[strength], story.corrected ? "A later story corrects it." : ""]
    .filter((text) => text !== "").map((text) => ` ${text}`).join("")
}

function moveStory(
  move: MoverItem,
  story: DigestStory,
  strength: Strength,
  material: DigestMaterial,
): NewDigestFact {
  const { market } = move.data
  const { anchor, lag } = lagOf(move, story, material)
  const values = {
    ...storyValues(story, material.until),
    market: marketValue(market),
    lag: duration(Math.abs(lag)),
    relation: word(strength),
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
        ? spell`${"lag"} before the move in ${"market"} ${"anchor"}`
        : spell`${"lag"} after the move in ${"market"} ${"anchor"}`
      const more = "outlets" in values ? spell`; ${"outlets"} carried it by ${"lastAt"}` : ""
      return `${published}, ${when}${more}.${tail(story, strength)}`
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
  { section, ...market }: Subject,
  story: DigestStory,
  strength: Strength,
  material: DigestMaterial,
): NewDigestFact {
  const values = {
    ...storyValues(story, material.until),
    market: marketValue(market),
    relation: word(strength),
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
        `${more}.${tail(story, strength)}`
    },
  )
}

function headlineFact(story: DigestStory, material: DigestMaterial): NewDigestFact {
  const values = storyValues(story, material.until)
  return factOf(
    {
      ...{ kind: "news", topic: "headline", section: "context" },
      source: sourceOf(story, material),
    },
    values,
    (spell) =>
      spell`${"headline"} was first published by ${"publisher"} at ${"publishedAt"}` +
      ("outlets" in values ? spell`; ${"outlets"} carried it by ${"lastAt"}.` : "."),
  )
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
        spell`No related headline was found for ${"moves"}: in ` +
        `${listed(slots.map((slot) => spell`${slot}`))}.`,
    ),
  ]
}

function noStory({ coverage, stories }: DigestMaterial): ReadonlyArray<NewDigestFact> {
  if (!hasAnswers(coverage)) return []
  const parts = { kind: "news", topic: "absence", section: "context", negative: true } as const
  return [
    factOf(
      parts,
      {},
      () =>
        stories.length === 0
          ? "No headline was published in this window."
          : "No other headline was published in this window.",
    ),
  ]
}
