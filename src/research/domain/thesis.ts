/**
 * The thesis of a report: what the price did, what came first, and what contradicts it.
 *
 * @module
 */
import { convergenceOf } from "../../markets/domain/resolving.ts"
import { proposalWords } from "../../markets/domain/proposal.ts"
import type { SeriesPoint } from "../../markets/domain/market.ts"
import type { RelatedStory } from "../../news/domain/reading.ts"
import {
  cents,
  count,
  duration,
  type Line,
  line,
  named,
  price,
  rate,
  roundTo,
  time,
  word,
} from "./lines.ts"
import { outcomeName, priceOfOutcome, type ReportMaterial } from "./material.ts"
import {
  type Change,
  directionOf,
  explanationOf,
  isPriceReport,
  type Movement,
  movementOf,
  outletsAround,
  reasonLagMax,
  sizeOf,
  statedIn,
  type StatedStory,
} from "./movement.ts"
import { rivalStories } from "./risks.ts"
import { hedgedPair, ladderLines, ownContradiction, sumLines } from "./siblingLines.ts"
import { listed, phrase, type Statement } from "../../writing/domain/statement.ts"
import { halfSteps } from "../../markets/domain/book.ts"
import { hour } from "../../core/domain/time.ts"

/** Stories with a sentence in the thesis, besides the one that is stated with the step. */
const moreStoriesMax = 3

/** In the order of the text; never empty. */
export function thesisLines(material: ReportMaterial): readonly [Line, ...ReadonlyArray<Line>] {
  const movement = movementOf(material)
  return [
    openingLine(material, movement),
    ...hedgedPair(material) === null
      ? [...statusLines(material), ...ladderLines(material)]
      : [...ladderLines(material), ...statusLines(material)],
    ...stepLines(material, movement),
    ...rangeLines(material, movement),
    ...newsLines(material, movement),
    ...sumLines(material),
  ]
}

function openingLine(material: ReportMaterial, { main, lastDay, price: now }: Movement): Line {
  const { market } = material
  const subject = phrase`${outcomeName(material, 0, "outcome")} in ${
    named("market", market.question)
  }`
  const details = { subject: market.slug, links: [market.url] }
  const change = main ?? lastDay
  if (change === null) {
    return line(
      "price",
      phrase`${subject} is priced at ${price("price", now.mid)}, as seen at ${
        time("at", now.at, material.now)
      }.`,
      details,
    )
  }
  const window = duration("window", change.to.at - change.from.at)
  const direction = directionOf(change)
  if (main !== null) {
    return line(
      "price",
      phrase`${subject} ${direction === "up" ? "rose" : "fell"} ${
        cents("change", change.to.mid - change.from.mid)
      } in ${window}, from ${price("from", change.from.mid)} to ${price("to", change.to.mid)}${
        reasonWords(material)
      }.`,
      { ...details, direction },
    )
  }
  const than = direction === null
    ? phrase`as ${window} before`
    : phrase`${cents("change", change.to.mid - change.from.mid)} ${
      direction === "up" ? "above" : "below"
    } its price of ${window} before`
  return line(
    "price",
    phrase`${subject} has hardly moved: it is priced at ${price("price", now.mid)}, ${than}.`,
    { ...details, direction },
  )
}

/** What is known of the reason for the move, as the end of a sentence. */
function reasonWords(material: ReportMaterial): Statement {
  const { news, proposal } = material
  if (ownContradiction(material) !== null) {
    return phrase`, and contradicts another market of its event`
  }
  const { status } = material.market
  if (status === "resolved" || status === "closed" || proposal !== null) return phrase``
  if (news === null || news.sources === 0) return phrase``
  const explanation = explanationOf(material)
  if (explanation.kind === "unmatched") return phrase``
  if (explanation.kind === "none") return phrase`, and no headline explains it`
  if (explanation.kind === "opposed") {
    return phrase`, and no headline explains it: the related one points the other way`
  }
  if (explanation.kind === "followed") return phrase`, ahead of the first headline`
  const { story } = explanation
  const { step } = movementOf(material)
  const before = step === null ? story.outlets.length : outletsAround(story, step).before
  if (story.corrected) return phrase`, after a report that was corrected since`
  if (explanation.isInside) return phrase`, with a report while it moved`
  return before === 1
    ? phrase`, after a report by one outlet`
    : phrase`, after a report by ${count("outlets", before, "outlet")}`
}

/** What the venue says about the outcome. */
function statusLines(material: ReportMaterial): ReadonlyArray<Line> {
  const { market, proposal, now, proposalRecord } = material
  const details = { subject: market.slug }
  if (market.status === "resolved") {
    return [
      line("resolution", phrase`The venue has resolved this market.`, {
        ...details,
        certain: true,
      }),
    ]
  }
  if (market.status === "closed") {
    return [line("market", phrase`The venue no longer takes orders in this market.`, details)]
  }
  if (proposal === null) {
    return market.status === "proposed"
      ? [
        line(
          "market",
          phrase`An outcome is proposed at the venue; which one is not known.`,
          details,
        ),
      ]
      : []
  }
  const own = priceOfOutcome(material, proposal.outcome)
  const isDoubted = convergenceOf(own) === "contested"
  const state = phrase`At the venue the outcome ${
    outcomeName(material, proposal.outcome, "outcome")
  } is ${word("status", proposalWords(proposal, now))}, and it costs ${price("price", own)}.`
  const proposed = { ...state.values, ...time("proposedAt", proposal.proposedAt, now).values }
  return [
    line("market", { ...state, values: proposed }, details),
    ...proposalRecord === null || proposal.disputed || !isDoubted ? [] : [line(
      "record",
      phrase`Of ${
        count(
          "resolved",
          proposalRecord.proposals,
          "earlier proposal that traders doubted",
          "earlier proposals that traders doubted",
        )
      }, ${rate("kept", proposalRecord.upheldRate)} were upheld (likely between ${
        rate("edgeLow", proposalRecord.upheldRateLow)
      } and ${rate("edgeHigh", proposalRecord.upheldRateHigh)})${
        proposalRecord.upheldRateLow > own
          ? phrase`: even the lower end is above the price of ${price("price", own)}`
          : phrase``
      }.`,
      details,
    )],
  ]
}

/** When the largest step came. */
function stepLines(
  { now, market, proposal }: ReportMaterial,
  { main, step, gapless, price: to }: Movement,
): ReadonlyArray<Line> {
  if (main === null || proposal !== null) return []
  const details = { subject: market.slug, direction: directionOf(main) }
  if (step === null) {
    return [
      gapless
        ? line(
          "price",
          phrase`The price drifted: no hour alone moved it that way by a cent.`,
          details,
        )
        : line("price", phrase`When it moved is not known: prices in between are missing.`, {
          ...details,
          negative: true,
        }),
    ]
  }
  const ends = phrase`from ${price("from", step.from.mid)} to ${
    price("to", step.to.mid)
  }, seen at ${time("at", step.to.at, now)}`
  const share = sizeOf(step) / sizeOf(main)
  const change = cents("change", step.to.mid - step.from.mid)
  const since = sinceWords(step, to)
  const within = duration("window", step.to.at - step.from.at)
  const text = share >= 1.1
    ? phrase`One step of ${change} within ${within} was larger than the whole move: ${ends}${since}.`
    : share >= 0.95
    ? phrase`One step within ${within} made all of the move: ${change}, ${ends}${since}.`
    : phrase`The largest step made ${
      rate("share", roundTo(share, 100))
    } of the move: ${change} within ${within}, ${ends}${since}.`
  return [line("price", text, details)]
}

/** A smaller change since a step means that the price held. */
const heldMax = 0.02

/** What the price did after a step, as the end of a sentence; nothing right after it. */
function sinceWords(step: Change, now: SeriesPoint): Statement {
  if (now.at - step.to.at < hour) return phrase``
  const change = now.mid - step.to.mid
  if (Math.abs(halfSteps(change)) < halfSteps(heldMax)) return phrase`; it has held since`
  const isOn = change > 0 === sizeOf(step) > 0
  return phrase`; since then it ${isOn ? "went on by" : "came back by"} ${cents("since", change)}`
}

/** Where the price is within the week. */
function rangeLines(material: ReportMaterial, movement: Movement): ReadonlyArray<Line> {
  const { whole, low, high, price: now } = movement
  if (whole === null) {
    return [line("price", phrase`No price from more than an hour earlier is known.`, {
      negative: true,
    })]
  }
  const span = duration("window", whole.to.at - whole.from.at)
  const [lowest, highest] = [price("low", low.mid), price("high", high.mid)]
  const place = (end: SeriesPoint) => halfSteps(end.mid) === halfSteps(now.mid)
  const range = place(low) && place(high)
    ? phrase`The price was ${lowest} at every hour of the ${span} before.`
    : place(high)
    ? phrase`The price is now the highest of ${span}; the lowest was ${lowest}.`
    : place(low)
    ? phrase`The price is now the lowest of ${span}; the highest was ${highest}.`
    : phrase`Over ${span} the price was between ${lowest} and ${highest}.`
  return [line("price", range, { subject: material.market.slug })]
}

/** The story that may be the reason, then others, the earliest first. */
function newsLines(material: ReportMaterial, movement: Movement): ReadonlyArray<Line> {
  const { news, now, market } = material
  const absent = (text: Statement): ReadonlyArray<Line> => [
    line("coverage", text, { negative: true, subject: market.slug }),
  ]
  if (news === null) return absent(phrase`The news could not be read.`)
  if (news.sources === 0) return absent(phrase`No news was read.`)
  const stated = statedIn(material)
  if (stated === null) {
    return absent(
      news.answered === 1
        ? phrase`The one news source that answered has no headline about this question in the last week.`
        : phrase`None of the ${
          count("sources", news.answered, "news source")
        } that answered has a headline about this question in the last week.`,
    )
  }
  return [
    statedLine(material, movement, stated),
    ...moreLines(otherStories(material, stated.story), now, market.slug),
  ]
}

function statedLine(
  material: ReportMaterial,
  { main, step }: Movement,
  { story, order, lagMs, opposed }: StatedStory,
): Line {
  const { now, market, proposal } = material
  const lag = duration("lag", lagMs)
  const what = story.strength === "direct"
    ? "related headline"
    : "headline about another outcome of this event"
  const cited = citation(story, now)
  const text = step === null
    ? main === null || proposal !== null
      ? phrase`The week's first ${what}: ${cited}.`
      : opposed
      ? phrase`The first ${what} in this time points the other way: ${cited}.`
      : phrase`The first ${what} in this time: ${cited}.`
    : order === "after"
    ? phrase`The first ${what} came ${lag} after that step, so it did not start it${
      opposed ? phrase`, and points the other way` : phrase``
    }: ${cited}.`
    : lagMs > reasonLagMax
    ? phrase`The last ${what} came ${lag} before that step, too early to explain it: ${cited}.`
    : opposed
    ? phrase`No headline explains the step: the first ${what}, ${lag} before it was seen, points the other way: ${cited}.`
    : isPriceReport(material, story)
    ? phrase`The first ${what}, ${lag} before that step was seen, describes the price, not a reason: ${cited}.`
    : order === "inside"
    ? phrase`A possible reason was published during that step, ${lag} before its end was seen: ${cited}.`
    : phrase`A possible reason came first, ${lag} before that step was seen: ${cited}.`
  return line("news", text, { subject: market.slug, links: [story.url] })
}

/** The headline, its publisher, its time, and who has printed it since. */
function citation(story: RelatedStory, now: number): Statement {
  const { title, source, firstAt, outlets, corrected } = story
  const others = outlets.length - 1
  const last = outlets.at(-1)?.publishedAt ?? firstAt
  const since = others > 0
    ? phrase`${count("outlets", others, "more outlet")} by ${time("lastAt", last, now)}`
    : phrase`no other outlet since`
  return phrase`${named("headline", title)} (${named("publisher", source)}, ${
    time("publishedAt", firstAt, now)
  }; ${since}${corrected ? "; corrected since" : ""})`
}

/** The stories besides the stated one, without the one that is stated as a risk. */
function otherStories(material: ReportMaterial, stated: RelatedStory): ReadonlyArray<RelatedStory> {
  const [risk] = rivalStories(material)
  return (material.news?.stories ?? []).filter((story) =>
    story.strength !== "family" && story.url !== stated.url && story.url !== risk?.url
  )
}

function moreLines(
  stories: ReadonlyArray<RelatedStory>,
  now: number,
  subject: string,
): ReadonlyArray<Line> {
  const more = stories.slice(0, moreStoriesMax).toSorted((a, b) => a.firstAt - b.firstAt)
  if (more.length === 0) return []
  const cited = more.map(({ title, source, firstAt }, n) =>
    phrase`${named(`headline${n + 2}`, title)} (${named(`publisher${n + 2}`, source)}, ${
      time(`publishedAt${n + 2}`, firstAt, now)
    })`
  )
  return [line("news", phrase`Also published: ${listed(cited)}.`, {
    subject,
    links: more.map(({ url }) => url),
  })]
}
