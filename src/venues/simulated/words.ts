/**
 * The names of simulated markets and the headlines about them: like a venue's, but without real
 * people. The words are in `words.json`.
 *
 * @module
 */
import { type EpochMs, hour, isoTime } from "../../core/domain/time.ts"
import { type Key, mix, pick, uniform } from "./seed.ts"
import words from "./words.json" with { type: "json" }

/** The values of a template's placeholders. */
type Names = Readonly<Record<string, string>>

interface MarketTemplate {
  readonly question: string
  readonly slug: string
  /** `first` and `second` report that this outcome has happened. */
  readonly headlines: Readonly<Record<HeadlineKind, string>>
}

export const headlineKinds = ["first", "second", "preview", "rise", "fall"] as const
type HeadlineKind = typeof headlineKinds[number]

interface EventWords {
  readonly category: string
  readonly takerFeeRate: number
  readonly title: string
  readonly slug: string
  /** The words of the market at `index` of the event. */
  readonly market: (index: number) => MarketWords
}

interface MarketWords {
  readonly question: string
  readonly slug: string
  readonly outcomes: readonly [string, string]
  readonly subject: Subject
}

/** The template and names for headlines about a market. */
export interface Subject {
  readonly template: MarketTemplate
  readonly names: Names
}

const months =
  "January February March April May June July August September October November December"
    .split(" ")

/** The assets of five-minute markets; the short name is in their slugs. */
export const mechanicalAssets = words.assets

const lists: Readonly<Record<string, ReadonlyArray<string> | undefined>> = words.lists

export function wordOf(key: Key, list: keyof typeof words.lists): string {
  return pick(key, words.lists[list])
}

export function rulesText(kind: keyof typeof words.rules, names: Names): string {
  return fillTemplate(words.rules[kind], names)
}

/** The markets of a topic with a level differ by it only, each harder than the one before. */
export function topicOf(eventKey: Key) {
  return pick(mix(eventKey, 11), words.topics)
}

export function ordinaryWords(eventKey: Key, endsAt: EpochMs): EventWords {
  const key = mix(eventKey, 12)
  const topic = topicOf(eventKey)
  const { category, takerFeeRate, level } = topic
  const names: Record<string, string> = { day: dayOf(endsAt), month: monthOf(endsAt) }
  for (const [n, [name = "", list = ""]] of topic.drawn.entries()) {
    names[name] = pick(n === 0 ? key : mix(key, n), lists[list] ?? [])
  }
  const base = level === undefined ? 0 : level.from + Math.floor(uniform(mix(key, 1)) * level.count)
  return {
    category,
    takerFeeRate,
    title: fillTemplate(topic.title, names),
    slug: slugOf(fillTemplate(topic.slug, names)),
    market: (index) => {
      const own = { ...names }
      if (level !== undefined) {
        const value = (base + level.step * index) / 10 ** level.digits
        own["level"] = value.toFixed(level.digits)
      }
      const [name, list = ""] = topic.inTurn ?? []
      if (name !== undefined) own[name] = lists[list]?.at(index % lists[list].length) ?? ""
      return marketWords(topic.market, own, ["Yes", "No"])
    },
  }
}

/** The words of a match: one market on its winner, the others on its total. */
export function matchWords(eventKey: Key, startsAt: EpochMs): EventWords {
  const { category, takerFeeRate, title, slug, winner, total } = words.match
  const { clubs } = words.lists
  const first = Math.floor(uniform(eventKey) * clubs.length)
  const second = first + 1 + Math.floor(uniform(mix(eventKey, 1)) * (clubs.length - 1))
  const [home = "", away = ""] = [clubs[first], clubs[second % clubs.length]]
  const names = { home, away, date: isoTime(startsAt).slice(0, 10) }
  return {
    category,
    takerFeeRate,
    title: fillTemplate(title, names),
    slug: slugOf(fillTemplate(slug, names)),
    market: (index) =>
      index === 0
        ? marketWords(winner, names, [home, away])
        : marketWords(total, { ...names, total: String(index) }, ["Over", "Under"]),
  }
}

function marketWords(
  template: MarketTemplate,
  names: Names,
  outcomes: readonly [string, string],
): MarketWords {
  return {
    question: fillTemplate(template.question, names),
    slug: slugOf(fillTemplate(template.slug, names)),
    outcomes,
    subject: { template, names },
  }
}

export function headlineOf({ template, names }: Subject, kind: HeadlineKind): string {
  return fillTemplate(template.headlines[kind], names)
}

export function mechanicalTitle(name: string, from: EpochMs, to: EpochMs): string {
  return `${name} Up or Down - ${dayOf(from)}, ${clockOf(from)}-${clockOf(to)} ET`
}

/** Converts to a slug: lower-case letters, digits and single hyphens. */
export function slugOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")
}

function fillTemplate(template: string, names: Names): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? "")
}

function dayOf(at: EpochMs): string {
  const date = new Date(at)
  return `${months[date.getUTCMonth()]} ${date.getUTCDate()}`
}

function monthOf(at: EpochMs): string {
  const date = new Date(at)
  return `${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** Time of day at UTC-5, in the venue's format. */
function clockOf(at: EpochMs): string {
  const date = new Date(at - 5 * hour)
  const hours = date.getUTCHours()
  const minutes = date.getUTCMinutes().toString().padStart(2, "0")
  return `${hours % 12 === 0 ? 12 : hours % 12}:${minutes}${hours < 12 ? "AM" : "PM"}`
}
