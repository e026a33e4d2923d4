/**
 * The paragraphs about other news, about markets that resolve soon, and about the digest itself.
 *
 * @module
 */
import type { DigestFact, DigestSection } from "../digest.ts"
import {
  about,
  type Draft,
  draft,
  has,
  type Line,
  line,
  ofTopic,
  statementOf,
  textOf,
} from "./draft.ts"

/** Markets that resolve soon on every page. */
const requiredMax = 2
/** Stories of one paragraph. */
const storiesMax = 3

/** The news about a market whose paragraph names it. */
export function relatedLine(story: DigestFact): Line {
  return line(story, (spell) => {
    const more = has(story, "outlets") ? spell`; ${"outlets"} by ${"lastAt"}` : ""
    const scope = textOf(story, "relation") === "sibling"
      ? " about another outcome of the event"
      : ""
    return `The first related headline${scope} is ` +
      spell`${"headline"} (${"publisher"}, ${"publishedAt"}` + `${more}).`
  })
}

/** News about markets that wallets bought. */
export function contextDrafts(facts: ReadonlyArray<DigestFact>): ReadonlyArray<Draft> {
  const bought = ofTopic(facts, "story").filter(({ section }) => section === "whales")
  const lines = bought.map(statementOf)
  const none = ofTopic(facts, "absence").filter(({ section }) => section === "context")
  return [
    ...chunks(lines, storiesMax).map((sentences) =>
      draft({
        section: "context",
        topic: "news",
        sizes: sentences.map((_, i) => sentences.slice(0, i + 1)),
      })
    ),
    ...none.map((fact) =>
      draft({ section: "context", topic: "absence", sizes: [[statementOf(fact)]] })
    ),
  ]
}

export function watchDrafts(facts: ReadonlyArray<DigestFact>): ReadonlyArray<Draft> {
  const own = facts.filter(({ section }) => section === "watch")
  return [
    ...ofTopic(own, "upcoming").map((fact, place) => {
      const story = about(own, fact.subject, "story")
      const level = about(facts, fact.subject, "level")
      const news = [
        ...story === undefined ? [] : [relatedLine(story)],
        ...level === undefined
          ? []
          : [line(level, (spell) => spell`Half of its move is given back at ${"halfLevel"}.`)],
      ]
      return draft({
        section: "watch",
        topic: "upcoming",
        lead: textOf(fact, "market"),
        required: place < requiredMax,
        facts: [fact, story, level].flatMap((it) => it?.id ?? []),
        sizes: [[upcomingLine(fact)], [upcomingLine(fact), ...news]],
      })
    }),
    ...ofTopic(own, "absence").map((fact) =>
      draft({ section: "watch", topic: "absence", sizes: [[statementOf(fact)]] })
    ),
  ]
}

function upcomingLine(fact: DigestFact): Line {
  return line(
    fact,
    (spell) =>
      spell`${"outcome"} trades at ${"price"}, ${"left"} before the market resolves at about ${"endsAt"}; ${"liquidity"} of liquidity.`,
  )
}

/**
 * What the digest covers and what is missing, last; a gap of a section without any other paragraph stands
 * there.
 */
export function coverageDraft(
  facts: ReadonlyArray<DigestFact>,
  isFilled: (section: DigestSection) => boolean,
): ReadonlyArray<Draft> {
  const gaps = ofTopic(facts, "gap")
  const alone = gaps.filter(({ section }) => section !== "watch" && !isFilled(section))
  const closing = [...ofTopic(facts, "coverage"), ...gaps.filter((gap) => !alone.includes(gap))]
  const itself = { topic: "coverage", required: true, aboutItself: true } as const
  return [
    ...alone.map((gap) => draft({ ...itself, section: gap.section, sizes: [[statementOf(gap)]] })),
    draft({ ...itself, section: "watch", sizes: [closing.map(statementOf)] }),
  ]
}

function chunks<A>(list: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> {
  return list.length === 0 ? [] : [list.slice(0, size), ...chunks(list.slice(size), size)]
}
