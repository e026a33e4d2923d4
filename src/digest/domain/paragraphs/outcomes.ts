/**
 * The paragraphs about predetermined outcomes, contested proposals and ended markets.
 *
 * @module
 */
import type { DigestFact } from "../digest.ts"
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
import { proposalEnd } from "../outcomes.ts"
import { reportedWords } from "../reported.ts"
import { relatedLine } from "./surroundings.ts"

/** Ended markets that are named. */
const endedMax = 3
/** Proposals that are watched. */
const watchedMax = 2

export function predeterminedDrafts(facts: ReadonlyArray<DigestFact>): ReadonlyArray<Draft> {
  const own = facts.filter(({ section }) => section === "predetermined")
  return [
    ...ofTopic(own, "reported").map((item) =>
      draft({
        section: "predetermined",
        topic: "reported",
        lead: textOf(item, "market"),
        required: true,
        sizes: [[line(item, (spell) => reportedWords(item.values, spell))]],
      })
    ),
    ...ofTopic(own, "finding", "proposal").map((item) => itemDraft(item, own)),
    ...ofTopic(own, "proposal").slice(0, watchedMax).map((item) =>
      draft({
        section: "watch",
        topic: "proposal",
        lead: textOf(item, "market"),
        required: true,
        sizes: [[watchLine(item)]],
      })
    ),
    ...endedDraft(ofTopic(own, "resolution").slice(0, endedMax).map(statementOf)),
  ]
}

/** The latest ended markets by name; a mere count is no news. */
function endedDraft(ended: ReadonlyArray<Line>): ReadonlyArray<Draft> {
  if (ended.length === 0) return []
  const sizes = ended.map((_, i) => ended.slice(0, i + 1))
  return [draft({ section: "predetermined", topic: "resolution", sizes })]
}

function itemDraft(item: DigestFact, facts: ReadonlyArray<DigestFact>): Draft {
  const story = about(facts, item.subject, "story")
  const isNew = story !== undefined && textOf(story, "headline") !== textOf(item, "headline")
  const news = isNew ? [relatedLine(story)] : []
  const first = ofTopic(facts, "proposal")[0]
  const record = item === first ? ofTopic(facts, "upheld").map(statementOf) : []
  const lines = item.topic === "finding" ? findingLines(item) : [proposalLine(item), ...record]
  return draft({
    section: "predetermined",
    topic: item.topic,
    lead: textOf(item, "market"),
    facts: [...lines.flatMap(({ facts }) => facts), ...isNew ? [story.id] : []],
    sizes: [lines, [...lines, ...news]],
  })
}

/** What to watch of a proposal. */
function watchLine(item: DigestFact): Line {
  return line(
    item,
    (spell) =>
      spell`If the proposal stands, a share of ${"outcome"} at ${"price"} pays in full; a dispute would open the question again.`,
  )
}

function proposalLine(item: DigestFact): Line {
  return line(item, (spell) => {
    const state = has(item, "age")
      ? spell`proposed, undisputed for ${"age"} at ${"seenAt"}`
      : spell`${"state"}`
    return spell`${"outcome"} is ` + state +
      spell`, and trades at ${"price"}, ${"edge"} below its payout if the proposal stands. ` +
      proposalEnd(item.values, spell)
  })
}

function findingLines(item: DigestFact): ReadonlyArray<Line> {
  return [
    line(item, (spell) => {
      const first = textOf(item, "several") === "" ? ": " : ", first "
      return spell`${"outcome"} is the reported outcome, by ${"evidence"}` + first +
        spell`${"headline"} of ${"publisher"} at ${"publishedAt"}.`
    }),
    line(
      item,
      (spell) =>
        spell`It traded at ${"price"} at ${"at"}, ${"edge"} below its payout; the confidence is ${"confidence"}.`,
    ),
  ]
}
