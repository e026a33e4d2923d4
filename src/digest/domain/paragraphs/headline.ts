/**
 * The title and the summary of a digest: its strongest findings, with their numbers.
 *
 * @module
 */
import type { DigestFact } from "../digest.ts"
import { about, has, type Line, line, ofTopic, spell, textOf } from "./draft.ts"
import { hour } from "../../../core/domain/time.ts"
import { absenceLine } from "./surroundings.ts"
import { reporters } from "../reported.ts"

/** Characters: room for a question, an outcome and a price move; a few sentences with names. */
export const digestLengths = { title: 220, summary: 1_000 } as const
/** A title is shorter than this if there is a finding that fits. */
const titleLengthWanted = 160
const summaryLinesMax = 4
/** News that is older than this before a move is not in a title, and not in a summary. */
const titleLagMsMax = hour
const summaryLagMsMax = 6 * hour
/** USD a share after fees. */
const spreadMin = 0.03

type Facts = readonly [DigestFact, ...ReadonlyArray<DigestFact>]

/** The strongest finding that fits, and a second one of another kind where it fits too. */
export function titleLine(facts: Facts): Line {
  const found = titles(facts)
  const short = found.filter(({ text }) => text.length <= titleLengthWanted)
  const [first] = [...short, ...found.filter(({ text }) => text.length <= digestLengths.title)]
  if (first === undefined) return quietTitle(facts)
  const second = short.find(({ text, kind }) =>
    kind !== first.kind && first.text.length + text.length + 2 <= titleLengthWanted
  )
  const lines = [first, ...second === undefined ? [] : [second]]
  return {
    text: lines.map(({ text }) => text).join("; "),
    facts: lines.flatMap(({ facts }) => facts),
  }
}

interface Title extends Line {
  readonly kind: string
}

/** The findings from which a title is chosen, the strongest first. */
function titles(facts: Facts): ReadonlyArray<Title> {
  const of = (kind: string, lines: ReadonlyArray<Line>): ReadonlyArray<Title> =>
    lines.map((line) => ({ ...line, kind }))
  const moves = ofTopic(facts, "move")
  const explained = moves.filter((move) => storyBefore(facts, move, titleLagMsMax) !== undefined)
  const others = moves.filter((move) => !explained.includes(move))
  return [
    ...of(
      "reported",
      ofTopic(facts, "reported").map(reportedTitle),
    ),
    ...of(
      "finding",
      ofTopic(facts, "finding").map((fact) =>
        line(
          fact,
          (spell) => spell`${"outcome"} is reported for ${"market"}, but trades at ${"price"}`,
        )
      ),
    ),
    ...of(
      "ladder",
      ofTopic(facts, "ladder", "sum").filter(isLarge).map((fact) =>
        line(
          fact,
          (spell) =>
            fact.topic === "sum"
              ? spell`Quotes contradict for ${"riskless"} after fees in ${"market"}`
              : spell`${"outcome"} at ${"price"} in ${"market"}, but at ${"price2"} for the easier ${"rung2"}`,
        )
      ),
    ),
    ...of("move", [...explained, ...others].map((move) => moveTitle(facts, move))),
    ...of(
      "proposal",
      ofTopic(facts, "proposal").map((fact) =>
        line(
          fact,
          (spell) => spell`${"outcome"} is proposed for ${"market"}, but trades at ${"price"}`,
        )
      ),
    ),
    ...of(
      "entry",
      ofTopic(facts, "entry").map((fact) =>
        line(fact, (spell) => spell`${"wallet"} puts ${"stake"} on ${"outcome"} in ${"market"}`)
      ),
    ),
    ...of(
      "resolution",
      ofTopic(facts, "resolution").filter(hasWinner).map((fact) =>
        line(fact, (spell) => spell`${"market"} resolves as ${"outcome"}`)
      ),
    ),
    ...of(
      "upcoming",
      ofTopic(facts, "upcoming").map((fact) =>
        line(
          fact,
          (spell) => spell`${"market"} is ${"left"} from its end, with ${"outcome"} at ${"price"}`,
        )
      ),
    ),
  ]
}

function reportedTitle(fact: DigestFact): Line {
  return line(
    fact,
    (spell) =>
      reporters(fact.values, spell) +
      spell` a result for ${"market"}, but ${"outcome"} is at ${"price"}`,
  )
}

/** A riskless spread that is worth a title. */
function isLarge(fact: DigestFact): boolean {
  const spread = fact.values["riskless"]
  return isRiskless(fact) && spread?.type === "change" && spread.value >= spreadMin
}

const isRiskless = (fact: DigestFact) =>
  has(fact, "riskless") && (fact.topic === "sum" || textOf(fact, "level") === "riskless")

const hasWinner = (fact: DigestFact) => has(fact, "outcome") && !has(fact, "outcome2")

/** The news shortly before a move whose words point the way the price went. */
function storyBefore(
  facts: Facts,
  move: DigestFact,
  lagMsMax: number,
): DigestFact | undefined {
  const story = about(facts, move.subject, "story")
  const lag = story?.values["lag"]
  const isBefore = story !== undefined && textOf(story, "order") === "before" &&
    textOf(story, "relation") === "direct" && textOf(story, "points") === "same" &&
    lag?.type === "duration" && lag.ms <= lagMsMax
  return isBefore ? story : undefined
}

function moveTitle(facts: Facts, move: DigestFact): Line {
  const story = storyBefore(facts, move, titleLagMsMax)
  const of = spell(move)
  const way = move.direction === "down" ? "down" : "up"
  const start = of`${"outcome"} ` + way +
    of` ${"change"} to ${"to"} within ${"window"} in ${"market"}`
  return story === undefined || textOf(story, "anchor") !== "began"
    ? { text: start, facts: [move.id] }
    : {
      text: `${start}; its largest step began ${spell(story)`${"lag"} after a headline`}`,
      facts: [move.id, story.id],
    }
}

/** Nothing that fits: what did not happen, or what is covered. */
function quietTitle(facts: Facts): Line {
  const [fact] = [...ofTopic(facts, "absence"), facts[0]]
  return { text: (fact ?? facts[0]).statement.replace(/\.$/, ""), facts: [(fact ?? facts[0]).id] }
}

/** Two to four sentences of different kinds, that of the title first, then more moves; in a quiet window what did not happen. */
export function summaryLines(
  facts: Facts,
  title: Line,
): readonly [Line, ...ReadonlyArray<Line>] {
  const [strongest, ...moves] = ofTopic(facts, "move")
  const first = [
    ...ofTopic(facts, "reported").slice(0, 1).map((fact) =>
      line(
        fact,
        (spell) =>
          reporters(fact.values, spell) +
          spell` ${"headline"} (${"publisher"}); the venue has not resolved it, and ${"outcome"} is at ${"price"}.`,
      )
    ),
    ...strongest === undefined ? [] : [moveSummary(facts, strongest)],
    ...ofTopic(facts, "ladder", "sum").filter(isLarge).slice(0, 1).map(contradictionSummary),
    ...ofTopic(facts, "finding", "proposal").slice(0, 1).map(outcomeSummary),
    ...ofTopic(facts, "calibration").filter((record) => textOf(record, "label") !== "neutral")
      .slice(0, 1).flatMap((record) => walletSummary(facts, record)),
  ]
  const more = [
    ...moves.slice(0, 2).map((move) => moveSummary(facts, move)),
    ...ofTopic(facts, "upcoming").slice(0, first.length + moves.length < 2 ? 1 : 0).map((fact) =>
      line(
        fact,
        (spell) =>
          spell`Next, ${"market"} resolves at about ${"endsAt"}, with ${"outcome"} at ${"price"}.`,
      )
    ),
  ]
  const isOfTitle = (line: Line) => Number(line.facts.some((id) => title.facts.includes(id)))
  // Two markets of one name may have moved alike.
  const lines = [...new Map([...first, ...more].map((line) => [line.text, line])).values()]
    .slice(0, summaryLinesMax)
    .sort((a, b) => isOfTitle(b) - isOfTitle(a))
  const quiet = ofTopic(facts, "absence").slice(0, summaryLinesMax)
  const [line1, ...rest] = lines.length >= 2 || quiet.length === 0
    ? lines
    : [...lines, absenceSummary(quiet)]
  return line1 === undefined
    ? [{ text: `${facts[0].statement}`, facts: [facts[0].id] }]
    : [line1, ...rest]
}

function moveSummary(facts: Facts, move: DigestFact): Line {
  const of = spell(move)
  const way = move.direction === "down" ? "fell" : "rose"
  const start = of`${"outcome"} in ${"market"} ` + way +
    of` ${"change"} to ${"to"} within ${"window"}`
  const story = storyBefore(facts, move, summaryLagMsMax)
  if (story === undefined) return { text: `${start}.`, facts: [move.id] }
  const news = spell(story)`${"lag"} after ${"headline"} (${"publisher"})`
  const noun = move.direction === "down" ? "fall" : "rise"
  const began = textOf(story, "anchor") === "began"
    ? "its largest step began"
    : `the ${noun} was seen`
  return { text: `${start}; ${began} ${news}.`, facts: [move.id, story.id] }
}

function contradictionSummary(fact: DigestFact): Line {
  return line(
    fact,
    (spell) =>
      fact.topic === "sum"
        ? spell`The prices of ${"markets"} around ${"market"} add up to ${"sum"}; ` +
          leftWords(fact)
        : spell`${"outcome"} in ${"market"} costs ${"price"}, more than the ${"price2"} of the easier ${"rung2"}; ` +
          leftWords(fact),
  )
}

/** What a contradiction is worth, and for how much, as the end of a sentence. */
function leftWords(fact: DigestFact): string {
  const of = spell(fact)
  const depth = has(fact, "stake")
    ? of`, for at most ${"stake"}.`
    : has(fact, "shares")
    ? of`, for at most ${"shares"} of each.`
    : "; the depth is not known."
  return of`at the quoted prices, ${"riskless"} a share are left after fees` + depth
}

function outcomeSummary(fact: DigestFact): Line {
  return line(
    fact,
    (spell) =>
      fact.topic === "finding"
        ? spell`${"outcome"} is reported as the outcome of ${"market"}, and traded at ${"price"}.`
        : spell`${"outcome"} in ${"market"} is ` +
          (has(fact, "age")
            ? spell`proposed, undisputed for ${"age"} at ${"seenAt"}`
            : spell`${"state"}`) +
          spell`, at a price of ${"price"}.`,
  )
}

function walletSummary(facts: Facts, record: DigestFact): ReadonlyArray<Line> {
  const entry = about(facts, record.subject, "entry")
  if (entry === undefined) return []
  return [
    line(
      entry,
      (of) =>
        of`${"wallet"}` + spell(record)`, labelled ${"label"}, ` +
        of`put ${"stake"} on ${"outcome"} in ${"market"} at ${"entryPrice"}.`,
      record,
    ),
  ]
}

/** What did not happen, in one sentence. */
function absenceSummary(absences: ReadonlyArray<DigestFact>): Line {
  const { facts, text } = absenceLine(absences)
  return { text: absences.length === 1 ? text.replace(/\.$/, " in this window.") : text, facts }
}
