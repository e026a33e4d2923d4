/**
 * The paragraphs about price moves, each with its news, and about prices that contradict one another.
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
  spell,
  statementOf,
  textOf,
} from "./draft.ts"
import { listed } from "../factBuilders.ts"
import { commonWords, tradeWords } from "../relations.ts"

/** Names listed for moves without news: the strongest. */
const namesMax = 3

export function moveDrafts(facts: ReadonlyArray<DigestFact>): ReadonlyArray<Draft> {
  const stated = new Set<string>()
  const moves = ofTopic(facts, "move").map((move): Draft => {
    const story = about(facts, move.subject, "story")
    const level = about(facts, move.subject, "level")
    const cost = about(facts, move.subject, "cost")
    const news = story === undefined ? [] : newsLines(move, story, stated)
    const costs = cost === undefined ? [] : [costLine(cost)]
    const levels = level === undefined ? [] : [levelLine(level)]
    const brief = story === undefined ? plainLine(move) : briefLine(move, story)
    return draft({
      section: "repriced",
      topic: "move",
      lead: textOf(move, "market"),
      required: story !== undefined,
      facts: [move, story, level, cost].flatMap((fact) => fact?.id ?? []),
      sizes: [
        [brief],
        [brief, ...costs, ...levels],
        [strengthLine(move), ...news, ...costs, ...levels],
      ],
    })
  })
  const none = ofTopic(facts, "absence").filter(({ kind }) => kind === "mover")
  return [
    ...moves,
    ...none.map((fact) =>
      draft({ section: "repriced", topic: "absence", sizes: [[statementOf(fact)]] })
    ),
  ]
}

const verb = ({ direction }: DigestFact) => direction === "down" ? "fell" : "rose"

function changeOf(move: DigestFact): string {
  const of = spell(move)
  return of`${"outcome"} ` + verb(move) +
    of` ${"change"} within ${"window"}, from ${"from"} to ${"to"}, ` + whenOf(move)
}

/** When most of it happened, or when it was seen. */
function whenOf(move: DigestFact): string {
  const of = spell(move)
  return has(move, "stepFrom")
    ? of`at least half of it between ${"stepFrom"} and ${"stepTo"}, ${"ago"} before this digest`
    : of`seen at ${"at"}`
}

function sizeOf(move: DigestFact): string {
  return spell(move)` (${"deviations"} of the ${"usual"}, ${"depth"} of depth)`
}

function plainLine(move: DigestFact): Line {
  return line(move, () => `${changeOf(move)}${sizeOf(move)}.`)
}

function strengthLine(move: DigestFact): Line {
  return line(move, (spell) => {
    const reason = has(move, "volume")
      ? spell`${"volume"} of trades behind it`
      : textOf(move, "basis") === "trades"
      ? "trades behind it"
      : "a stable new price"
    return changeOf(move) + spell`: ${"deviations"} of the ${"usual"}, ` + reason +
      spell`, ${"depth"} of depth and a spread of ${"spread"}.`
  })
}

/** The move and its news in one sentence. */
function briefLine(move: DigestFact, story: DigestFact): Line {
  const named = spell(story)`${"headline"} (${"publisher"}, ${"publishedAt"})`
  const scope = scopeOf(story)
  const news = textOf(story, "points") === "other"
    ? `; no headline found explains the ${noun(move)}, and ${named}${scope} points the other way`
    : `; ${named}${scope} came ${lagOf(story)}`
  return line(move, () => `${changeOf(move)}${sizeOf(move)}${news}.`, story)
}

const noun = ({ direction }: DigestFact) => direction === "down" ? "fall" : "rise"

function lagOf(story: DigestFact): string {
  const of = spell(story)
  switch (textOf(story, "order")) {
    case "before":
      return textOf(story, "anchor") === "began"
        ? of`${"lag"} before its largest step ${"anchor"}`
        : of`${"lag"} before this move ${"anchor"}`
    case "after":
      return textOf(story, "anchor") === "ended"
        ? of`${"lag"} after the largest part of this move`
        : of`${"lag"} after this move ${"anchor"}, too late to explain it`
    default:
      return "in the hour of this move"
  }
}

function scopeOf(story: DigestFact): string {
  return textOf(story, "relation") === "sibling"
    ? ", which names another outcome of the event,"
    : ""
}

/** The news of a move; a headline of an earlier paragraph is stated in fewer words. */
function newsLines(
  move: DigestFact,
  story: DigestFact,
  stated: Set<string>,
): ReadonlyArray<Line> {
  const headline = textOf(story, "headline")
  const again = stated.has(headline)
  stated.add(headline)
  const isOther = textOf(story, "points") === "other"
  const lag = lagOf(story)
  const news = line(story, (spell) => {
    if (isOther) {
      return `No headline found explains the ${noun(move)}; ` +
        spell`${"headline"} (${"publisher"}, ${"publishedAt"}) points the other way and came ` +
        `${lag}.${textOf(story, "tail")}`
    }
    if (again) {
      return spell`${"headline"} (${"publisher"}, ${"publishedAt"})` +
        `${scopeOf(story)} came ${lag}.`
    }
    const more = has(story, "outlets") ? spell`; ${"outlets"} by ${"lastAt"}` : ""
    return spell`${"headline"} was first published by ${"publisher"} at ${"publishedAt"}, ` +
      `${lag}${more}.${textOf(story, "tail")}`
  })
  return [news]
}

/** The half level. */
function levelLine(level: DigestFact): Line {
  return line(
    level,
    (spell) =>
      spell`Half of the move is given back at ${"halfLevel"}` +
      (has(level, "price") ? spell` (now ${"price"})` : "") + ".",
  )
}

function costLine(cost: DigestFact): Line {
  return line(
    cost,
    (spell) =>
      spell`At the ask of ${"ask"}, ${"outcome"} breaks even at ${"breakEven"}; a round trip costs ${"roundTrip"} a share.`,
  )
}

/** Says once, for all moves without news, that none was found. */
export function unexplainedDraft(facts: ReadonlyArray<DigestFact>): ReadonlyArray<Draft> {
  const sizes = [unexplainedLines(facts, () => true)]
  return sizes[0]?.length === 0
    ? []
    : [draft({ section: "repriced", topic: "unexplained", required: true, sizes })]
}

/** `isStated`: whether the move in a market of this name has a paragraph; the others are not named. */
export function unexplainedLines(
  facts: ReadonlyArray<DigestFact>,
  isStated: (market: string) => boolean,
): ReadonlyArray<Line> {
  return ofTopic(facts, "unexplained").flatMap((fact) => {
    const slots = Object.keys(fact.values).filter((slot) => slot.startsWith("market"))
    const stated = slots.filter((slot) => isStated(textOf(fact, slot)))
    const leading = slots.slice(0, namesMax).filter((slot) => stated.includes(slot))
    const named = leading.length > 0 ? leading : stated.slice(0, 1)
    if (named.length === 0) return []
    const isMore = stated.length > named.length
    const start = "No headline about the question was found for the"
    return [line(fact, (spell) => {
      const moves = isMore || named.length > 1 ? "moves" : "move"
      const names = listed(named.map((slot) => spell`${slot}`))
      return isMore
        ? `${start} ${moves} in ${names}, and for more of this section.`
        : `${start} ${moves} in ${names}.`
    })]
  })
}

/** Contradicting prices, one paragraph for each ladder: first in the section of their markets. */
export function contradictionDrafts(
  facts: ReadonlyArray<DigestFact>,
  section: DigestSection,
): ReadonlyArray<Draft> {
  const own = facts.filter((fact) => fact.section === section)
  const ladders = Map.groupBy(ofTopic(own, "ladder"), (fact) => textOf(fact, "ladder"))
  const required = { section, topic: "contradiction", required: true } as const
  return [
    ...[...ladders.values()].map((ladder) =>
      draft({
        ...required,
        lead: ladder[0] === undefined ? null : textOf(ladder[0], "market"),
        sizes: [ladderLines(ladder)],
      })
    ),
    ...ofTopic(own, "sum", "implied").map((fact) =>
      draft({ ...required, sizes: [[statementOf(fact)]] })
    ),
  ]
}

/** The paragraphs in their order; those of moves say where a contradiction of their market stands. */
export function withContradictions(
  drafts: ReadonlyArray<Draft>,
  facts: ReadonlyArray<DigestFact>,
): ReadonlyArray<Draft> {
  const ladders = ofTopic(facts, "ladder")
  return drafts.map((own, place) => {
    const ladder = own.topic !== "move"
      ? undefined
      : ladders.find((fact) =>
        [textOf(fact, "market"), textOf(fact, "market2")].includes(own.lead ?? "")
      )
    const other = ladder === undefined
      ? -1
      : drafts.findIndex(({ facts, topic }) =>
        topic === "contradiction" && facts.includes(ladder.id)
      )
    if (ladder === undefined || other < 0) return own
    const words = ` This market is in the contradiction ${other < place ? "above" : "below"}.`
    const pointed = ([first, ...rest]: ReadonlyArray<Line>): ReadonlyArray<Line> =>
      first === undefined
        ? []
        : [{ text: `${first.text}${words}`, facts: [...first.facts, ladder.id] }, ...rest]
    return { ...own, facts: [...own.facts, ladder.id], sizes: own.sizes.map(pointed) }
  })
}

/** The strongest pair with its trade, the others in one sentence. */
function ladderLines(ladder: ReadonlyArray<DigestFact>): ReadonlyArray<Line> {
  const [first, ...others] = ladder
  if (first === undefined) return []
  const lines = [
    line(
      first,
      (spell) =>
        spell`${"outcome"} at ${"rung"} costs ${"price"}, but ${"outcome2"} at ${"rung2"} only ${"price2"}, and ${"reason"}.`,
    ),
    line(first, (spell) => tradeWords(first.values, spell)),
  ]
  const [second, ...rest] = others
  if (second === undefined) return lines
  const pairs = others.map((fact) => {
    const of = spell(fact)
    return of`${"rung"} (${"price"}) and ${"rung2"} (${"price2"})`
  })
  const same = `The same ladder contradicts itself at ${pairs.join("; at ")}`
  return [
    ...lines,
    line(second, () => `${same}; such gains overlap and cannot be added.`, ...rest),
    ...has(first, "common") ? [line(first, (spell) => commonWords(spell))] : [],
  ]
}
