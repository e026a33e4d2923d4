/**
 * Stories: one text that several publishers printed, with its earliest publication.
 *
 * Two headlines are one story if their words are the same, apart from case, punctuation, articles, the
 * publisher's name at the end and a neutral label such as "Breaking:". The label of a correction makes
 * another story. Word order, numbers and negations always count.
 *
 * @module
 */
import { mapParts, type Parts } from "../../core/domain/parts.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"
import { byTime, compare, type Headline } from "./headline.ts"
import vocabulary from "./vocabulary.json" with { type: "json" }
import { isInformative, wordsOf } from "./words.ts"

export interface Story {
  /** Of the earliest publication, without the label and the publisher's name at the end. */
  readonly title: string
  /** Of the earliest publication. */
  readonly url: string
  /** The publisher of the earliest publication. */
  readonly source: string
  readonly firstAt: EpochMs
  /** The label of its titles: whether the story corrects an earlier one. */
  readonly label: StoryLabel
  /** The first publication of each site, ascending; the first is the story's. At most `outletsMax`. */
  readonly outlets: ReadonlyArray<Headline>
  /** Whether a later story with the label `correction` is about the same words. */
  readonly corrected: boolean
}

type StoryLabel = "none" | "correction"

/** Publishers kept of one story. */
export const outletsMax = 40
/** A publication later than this after the first one starts another story. */
const storySpanMs = 2 * day
/** Labels removed from one title. */
const labelsMax = 3
/** Corrections that are compared with the other stories, and the share of words they must have. */
const correctionsMax = 100
const correctedShareMin = 0.6
/** Words of a publisher's name at the end of a title. */
const publisherWordsMax = 5

/**
 * The stories of these headlines, each headline in exactly one, the earliest first. The input order does
 * not matter.
 */
export function* storiesInParts(
  headlines: ReadonlyArray<Headline>,
): Parts<ReadonlyArray<Story>> {
  const names = new Set([
    ...knownPublishers,
    ...new Set(headlines.map(({ source }) => source)).values().map((it) =>
      plainWords(it).join(" ")
    ),
  ])
  const texts = yield* mapParts(headlines, (headline) => textOf(headline, names))
  const groups = new Map<string, Array<Member>>()
  for (const [number, headline] of headlines.entries()) {
    yield
    const text = texts[number]
    if (text === undefined) continue
    const key = `${text.label} ${text.words.join(" ")}`
    const members = groups.get(key) ?? []
    groups.set(key, members)
    members.push({ headline, text })
  }
  const ofGroups = yield* mapParts(groups.values(), (members) => inTime(members).flatMap(storyOf))
  const stories = ofGroups.flat().sort((a, b) =>
    a.firstAt - b.firstAt || compare(a.url, b.url) || compare(a.title, b.title) ||
    compare(a.label, b.label)
  )
  return yield* withCorrections(stories)
}

interface Member {
  readonly headline: Headline
  readonly text: Text
}

/** A title prepared for comparison. */
interface Text {
  readonly title: string
  readonly label: StoryLabel
  readonly words: ReadonlyArray<string>
}

/** Labels that do not change the meaning. */
const neutralLabel =
  /^(?:breaking(?: news)?|just in|exclusive|live|watch|video|in pictures|developing|alert)\s*[:|–—-]\s+|^updated?(?: ?\d{1,2})?\s*[:|–—-]\s*(?=\S)|\s*[([]updated?[)\]]$/i
const correctionLabel =
  /^(?:correction|corrected|clarification|clarified|retraction|retracted|withdrawn)(?: ?\d{1,2})?\s*[:|–—-]\s*(?=\S)|\s*[([]correct(?:ion|ed)[)\]]$/i

function textOf({ title }: Headline, publishers: ReadonlySet<string>): Text {
  let text = title.trim()
  let label: StoryLabel = "none"
  for (let removed = 0; removed < labelsMax; removed += 1) {
    const before = text
    text = text.replace(neutralLabel, "")
    if (correctionLabel.test(text)) label = "correction"
    text = text.replace(correctionLabel, "").trim()
    if (text === before) break
  }
  text = withoutPublisher(text, publishers)
  const words = plainWords(text).filter((word) => !articles.has(word))
  return { title: text, label, words: words.length > 0 ? words : [title] }
}

const articles: ReadonlySet<string> = new Set(["a", "an", "the"])

/** Publishers whose name often ends a title that another site prints. */
const knownPublishers = vocabulary.publishers.split(";").map((name) => name.trim())

function withoutPublisher(title: string, publishers: ReadonlySet<string>): string {
  const found = /^(.*\S)\s+[-|–—]\s+([^-|–—]{2,60})$/s.exec(title)
  if (found === null) return title
  const [, rest = title, end = ""] = found
  const name = plainWords(end)
  return name.length <= publisherWordsMax && publishers.has(name.join(" ")) ? rest : title
}

/** Lower case, aliases replaced, endings kept: "to resign" and "resigned" are two texts. */
export function plainWords(text: string): ReadonlyArray<string> {
  return wordsOf(text).map(({ written }) => written.toLowerCase())
}

/** The site's own name in its host: `bbc` of `www.bbc.co.uk` and of `bbc.com`. */
export function siteOf(url: string): string {
  // An address in its canonical form has no login and no port.
  const labels = (url.split("/", 3)[2] ?? url).split(".")
  const last = labels.length - 1
  const isSecondLevel = last >= 2 && labels[last]?.length === 2 &&
    /^(?:co|com|org|net|gov|ac|or|ne)$/.test(labels[last - 1] ?? "")
  return labels[isSecondLevel ? last - 2 : Math.max(0, last - 1)] ?? url
}

/** The first of each site, in their order. */
export function firstOfSites<A extends Pick<Headline, "url">>(all: ReadonlyArray<A>) {
  return [...Map.groupBy(all, ({ url }) => siteOf(url)).values()].flatMap((of) => of.slice(0, 1))
}

/** Splits the publications of one text where the next one is too long after the first. */
function inTime(members: ReadonlyArray<Member>): ReadonlyArray<ReadonlyArray<Member>> {
  const parts: Array<Array<Member>> = []
  for (const member of members.toSorted((a, b) => byTime(a.headline, b.headline))) {
    const part = parts.at(-1)
    const first = part?.[0]
    if (part === undefined || first === undefined || isLater(first, member)) parts.push([member])
    else part.push(member)
  }
  return parts
}

function isLater(first: Member, next: Member): boolean {
  return next.headline.publishedAt > first.headline.publishedAt + storySpanMs
}

/** The story of ascending publications; none without any. */
function storyOf(members: ReadonlyArray<Member>): ReadonlyArray<Story> {
  const [first] = members
  if (first === undefined) return []
  const outlets = firstOfSites(members.map(({ headline }) => headline)).slice(0, outletsMax)
  const { url, source, publishedAt } = first.headline
  const { title, label } = first.text
  return [{ title, url, source, firstAt: publishedAt, label, outlets, corrected: false }]
}

/** Marks for each correction the earlier stories that share most of its words. */
function* withCorrections(stories: ReadonlyArray<Story>): Parts<ReadonlyArray<Story>> {
  const corrections = stories.filter(({ label }) => label === "correction").slice(-correctionsMax)
  const termed = corrections.length === 0 ? [] : yield* mapParts(
    stories,
    (story) => ({ story, terms: subjectTerms(story.title) }),
  )
  const corrected = new Set<Story>()
  for (const { title, firstAt } of corrections) {
    yield
    const own = subjectTerms(title)
    const earlier = termed.filter(({ story }) =>
      story.label !== "correction" && story.firstAt <= firstAt
    ).map(({ story, terms }) => ({ story, share: sharedShare(own, terms) }))
    const best = earlier.reduce((most, { share }) => Math.max(most, share), correctedShareMin)
    for (const { story, share } of earlier) if (share >= best) corrected.add(story)
  }
  return stories.map((story) => corrected.has(story) ? { ...story, corrected: true } : story)
}

/** The terms that a correction shares with what it corrects; a changed outcome is not one. */
function subjectTerms(text: string): ReadonlySet<string> {
  return new Set(
    wordsOf(text).map(({ term }) => term)
      .filter((term) => isInformative(term) || /\p{N}/u.test(term)),
  )
}

/** Shared terms as a share of the larger set. */
function sharedShare(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return one.intersection(other).size / Math.max(one.size, other.size, 1)
}
