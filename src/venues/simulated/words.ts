/**
 * The names of simulated markets and the headlines about them: like a venue's, but without real
 * people. The words are in `words.json`.
 *
 * @module
 */
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { type Key, mix, pick, uniform } from "./seed.ts"
import words from "./words.json" with { type: "json" }

/** The values of a template's placeholders. */
type Names = Readonly<Record<string, string>>

/** What the markets of an event are about. */
interface Topic {
  readonly category: string
  readonly takerFeeRate: number
  /** Names and the lists that they are taken from, once for the event. */
  readonly drawn: ReadonlyArray<ReadonlyArray<string>>
  /** A name, and the list from which each market of the event has the next value. */
  readonly inTurn?: ReadonlyArray<string>
  /** Whether at most one market of the event pays its first outcome. */
  readonly exclusive?: boolean
  /** The markets of a topic with a level differ by it only, each harder than the one before. */
  readonly level?: {
    readonly from: number
    readonly count: number
    readonly step: number
    readonly digits: number
  }
  readonly title: string
  readonly slug: string
  readonly outcomes: ReadonlyArray<string>
  readonly market: {
    readonly question: string
    readonly slug: string
    readonly headlines: Readonly<Record<HeadlineKind, string>>
  }
}

/** `first` and `second` report that this outcome has happened. */
export const headlineKinds = ["first", "second", "rise", "fall"] as const
type HeadlineKind = typeof headlineKinds[number]

const lists: Readonly<Record<string, ReadonlyArray<string> | undefined>> = words.lists

export function wordOf(key: Key, list: keyof typeof words.lists): string {
  return pick(key, words.lists[list])
}

export function rulesText(kind: keyof typeof words.rules, names: Names): string {
  return fillTemplate(words.rules[kind], names)
}

/** Of the `nth` event; `turn` says which names it has, so that in a small world no two have the same. */
export function topicOf(nth: number, kind: keyof typeof words.rules): Topic & { turn: number } {
  const [count, own] = [words.topics.length, words.topics[nth % words.topics.length]]
  return kind === "sports" || own === undefined
    ? { ...words.match, turn: nth }
    : { ...own, turn: Math.floor(nth / count) }
}

/** How far apart in their lists the names of an event are. */
const nameStep = 5

/** The words of the market at `index` of an event that ends at `endsAt`. */
export function wordsOf(
  topic: ReturnType<typeof topicOf>,
  eventKey: Key,
  index: number,
  endsAt: EpochMs,
) {
  const names: Record<string, string> = {
    day: dateOf(endsAt, "day"),
    month: dateOf(endsAt, "month"),
    date: isoTime(endsAt).slice(0, 10),
  }
  for (const [n, [name = "", list = ""]] of topic.drawn.entries()) {
    const from = lists[list] ?? []
    names[name] = from[(topic.turn + nameStep * n) % from.length] ?? ""
  }
  const [eventTitle, eventSlug] = [topic.title, topic.slug].map((text) => fillTemplate(text, names))
  const { level, inTurn: [name, list = ""] = [], market } = topic
  if (level !== undefined) {
    const base = level.from + Math.floor(uniform(mix(eventKey, 12)) * level.count)
    names["level"] = ((base + level.step * index) / 10 ** level.digits).toFixed(level.digits)
  }
  if (name !== undefined) names[name] = lists[list]?.at(index % lists[list].length) ?? ""
  const headlines = headlineKinds.map((kind) =>
    [kind, fillTemplate(market.headlines[kind], names)] as const
  )
  const [first = "", second = ""] = topic.outcomes
  return {
    eventTitle: eventTitle ?? "",
    eventSlug: slugOf(eventSlug ?? ""),
    question: fillTemplate(market.question, names),
    slug: slugOf(fillTemplate(market.slug, names)),
    headlines: Object.fromEntries(headlines) as Readonly<Record<HeadlineKind, string>>,
    outcomes: [first, second] as const,
    category: topic.category,
    takerFeeRate: topic.takerFeeRate,
  }
}

/** Converts to a slug: lower-case letters, digits and single hyphens. */
export function slugOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")
}

function fillTemplate(template: string, names: Names): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? "")
}

/** Made once: making one takes longer than drawing a market. */
const dateForms = {
  day: dateForm({ month: "long", day: "numeric" }),
  month: dateForm({ month: "long", year: "numeric" }),
  minute: dateForm({ dateStyle: "long", timeStyle: "short" }),
}

function dateForm(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", { ...options, timeZone: "UTC" })
}

export const dateOf = (at: EpochMs, form: keyof typeof dateForms) => dateForms[form].format(at)
