/**
 * When an outcome is known, and the item that says so.
 *
 * @module
 */
import { deepStrictEqual as equal, match, strictEqual } from "node:assert/strict"
import { Arbitrary, Result, Schema } from "effect"
import { fromHalfSteps } from "../../../src/markets/domain/book.ts"
import { FeedItem } from "../../../src/feed/domain/item.ts"
import type { Proposal } from "../../../src/markets/domain/proposal.ts"
import type { RelatedStory } from "../../../src/news/domain/reading.ts"
import { day, hour } from "../../../src/core/domain/time.ts"
import {
  type KnownOutcome,
  knownOutcome,
  openBook,
  predeterminedItem,
  screenCandidate,
} from "../../../src/predetermined/domain/predetermined.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { report } from "../../support/predetermined/report.ts"
import { market, microstructureWith, now } from "../../support/movers/market.ts"

const runs = { runs: sized({ short: 200, full: 5_000 }) }
const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const titles = [
  "Lighthouse lit at last",
  "Minister opens harbour lamp to crowds",
  "Keeper lights great lantern of the bay",
  "Lighthouse lit at last - Post",
]
const sites = ["one", "two", "three"]

const anyInput = Arbitrary.schema(Schema.Struct({
  status: Schema.Literals(["open", "open", "proposed"]),
  proposal: Schema.NullOr(Schema.Struct({
    outcome: Schema.Literals([0, 1]),
    disputed: Schema.Literals([false, false, false, true]),
    halfPassed: Schema.Boolean,
  })),
  stories: Schema.Array(Schema.Struct({
    title: int(0, titles.length - 1),
    site: int(0, sites.length - 1),
    ageHours: int(-1, 60),
    read: Schema.Literals(["decides", "decides", "against", "bears", "unread"]),
    outcome: Schema.Literals(["Yes", "Yes", "No"]),
    doubt: Schema.Literals(["none", "none", "none", "corrected", "label", "words"]),
  })).check(Schema.isMaxLength(4)),
}))

function storyOf(
  drawn: typeof anyInput extends Arbitrary.Arbitrary<infer A>
    ? A extends { readonly stories: ReadonlyArray<infer S> } ? S : never
    : never,
): RelatedStory {
  const { read, outcome, doubt } = drawn
  const title = doubt === "words"
    ? "Keeper denies that lighthouse was lit"
    : titles[drawn.title] ?? ""
  const publishedAt = now - drawn.ageHours * hour
  const of = report(title, sites[drawn.site] ?? "")
  return {
    ...of,
    ...{ firstAt: publishedAt, outlets: of.outlets.map((it) => ({ ...it, publishedAt })) },
    ...{ corrected: doubt === "corrected", label: doubt === "label" ? "correction" : "none" },
    reading: read === "unread" ? null : {
      ...{ outcome, bears: read === "against" ? "against" : "for", quote: title },
      decides: read === "decides",
    },
  }
}

/** Whether a story speaks against an outcome, an hour before its first report or later. */
function isOpposed(stories: ReadonlyArray<RelatedStory>, outcome: number): boolean {
  const at = ({ outlets: [outlet] }: RelatedStory) => outlet?.publishedAt ?? Infinity
  const isPast = (story: RelatedStory) => at(story) <= now && at(story) >= now - 2 * day
  const first = Math.min(
    ...stories.filter((story) => story.reading?.decides === true && isPast(story)).map(at),
  )
  return stories.some((story) =>
    story.reading !== null && at(story) >= first - hour && at(story) <= now &&
    (story.reading.outcome === market().outcomes[outcome]) !== (story.reading.bears === "for")
  )
}

law("knownOutcome() accepts exactly what the rules allow", anyInput, (drawn) => {
  const of = market({ status: drawn.status })
  const proposal: Proposal | null = drawn.proposal === null ? null : {
    ...{ marketId: of.id, outcome: drawn.proposal.outcome, disputed: drawn.proposal.disputed },
    ...{ proposedAt: now - hour, settlesAt: now + (drawn.proposal.halfPassed ? hour : 2 * hour) },
  }
  const stories = drawn.stories.map(storyOf)
  const known = knownOutcome({ market: of, proposal, stories, now })
  const reported = stories.flatMap(({ reading, outlets: [outlet] }) => {
    if (reading?.decides !== true || outlet === undefined) return []
    if (outlet.publishedAt > now || outlet.publishedAt < now - 2 * day) return []
    return [reading.outcome === "Yes" ? 0 : 1]
  })
  const [outcome] = reported
  const isClear = outcome !== undefined && reported.every((it) => it === outcome) &&
    !stories.some(({ corrected, label, title }) =>
      corrected || label === "correction" || title.includes("denies")
    ) && !isOpposed(stories, outcome)
  const isOpen = proposal !== null && !proposal.disputed && drawn.proposal?.halfPassed === true
  const result = Result.match(known, {
    onFailure: () => null,
    onSuccess: ({ kind, outcome }) => [kind, outcome],
  })
  if (proposal?.disputed || proposal === null && drawn.status === "proposed") {
    return equal(result, null)
  }
  const agrees = isClear && (proposal === null || proposal.outcome === outcome)
  if (agrees && isOpen) return equal(result, ["evidence", outcome])
  if (isOpen) return equal(result, ["proposal", proposal.outcome])
  const texts = drawn.stories.filter(({ read, ageHours }) =>
    read === "decides" && ageHours >= 0 && ageHours <= 48
  ).map(({ title, site }) => ({ title: title % 3, site }))
  const isTwice = texts.some((one) =>
    texts.some(({ title, site }) => title !== one.title && site !== one.site)
  )
  equal(result, agrees && isTwice ? ["evidence", outcome] : null)
}, runs)

Deno.test("a proposal counts after half of its window, or after an hour without a window", () => {
  const at = (agoMs: number, windowMs: number | null) =>
    Result.isSuccess(knownOutcome({
      ...{ market: market(), stories: [], now },
      proposal: {
        ...{ marketId: market().id, outcome: 0, disputed: false, proposedAt: now - agoMs },
        settlesAt: windowMs === null ? null : now - agoMs + windowMs,
      },
    }))
  const found = [at(59, 120), at(60, 120), at(3_599_999, null), at(3_600_000, null)]
  equal(found, [false, true, false, true])
})

Deno.test("a report before the match has been played is no evidence", () => {
  const at = (gameStartsAt: number) =>
    Result.isSuccess(knownOutcome({
      ...{ market: market({ gameStartsAt }), proposal: null, now },
      stories: [report("Keeper lights the lamp", "one"), report("Crowds cheer at the pier", "two")],
    }))
  equal([at(now - 2 * hour), at(now - 60_000)], [true, false])
})

const knownOf = (fields: Partial<KnownOutcome> = {}): KnownOutcome => ({
  ...{ kind: "proposal", outcome: 0, confidence: "medium" },
  evidence: [{
    ...{ kind: "venue", title: "Outcome proposed", url: market().url, source: "the venue" },
    publishedAt: now - hour,
  }],
  ...fields,
})

const itemOf = (known: KnownOutcome, of = market(), mid = 0.6) => {
  const { dedupeKey, ...item } = predeterminedItem({
    ...{ market: of, known, microstructure: { ...microstructureWith(), mid } },
    ...{ detector: "rules", record: null },
  }, now)
  strictEqual(dedupeKey, "predetermined:m1")
  return item
}

const anyWords = Arbitrary.schema(Schema.Struct({
  ...{ question: Schema.String, title: Schema.String, source: Schema.String },
  outcomes: Schema.Tuple([Schema.String, Schema.String]),
  ageMs: int(0, 40 * 3_600_000),
}))

law("outside its quotation marks a statement has our own words only", anyWords, (drawn) => {
  const of = market({ question: drawn.question, outcomes: drawn.outcomes })
  const shape = (kind: "venue" | "news") => {
    const { title, source, ageMs } = drawn
    const piece = { kind, title, source, url: of.url, publishedAt: now - ageMs }
    const item = itemOf(
      knownOf({ kind: kind === "venue" ? "proposal" : "evidence", evidence: [piece] }),
      of,
    )
    return String(Object(item.data).statement).replace(/“[^“”]*”/g, "◦")
  }
  strictEqual(shape("news"), "By the headline ◦ of ◦, the outcome of ◦ is ◦.")
  match(
    shape("venue"),
    /^At the venue the outcome ◦ of ◦ is proposed, undisputed for [a-z0-9 ]+\.$/,
  )
}, runs)

const anyPrice = Arbitrary.schema(
  Schema.Struct({ steps: int(601, 19_399), outcome: Schema.Literals([0, 1]) }),
)

law("an item has the price of its outcome, and the rest to 1 as the edge", anyPrice, (drawn) => {
  const { steps, outcome } = drawn
  const item = itemOf(knownOf({ outcome }), market(), fromHalfSteps(steps))
  const { type, data } = Schema.decodeUnknownSync(FeedItem)({ feedIndex: 1, ...item })
  if (type !== "predetermined") throw new Error(type)
  const of = outcome === 0 ? steps : 20_000 - steps
  equal([data.marketPrice, data.impliedEdge], [of / 20_000, (20_000 - of) / 20_000])
  strictEqual(data.outcome, market().outcomes[outcome])
  equal(data.confidence, "medium")
  equal(data.evidence.map(({ url, source }) => [url, source]), [[market().url, "the venue"]])
}, runs)

const anyFacts = Arbitrary.schema(Schema.Struct({
  volumeUsd: Schema.Literals([9_999.99, 10_000, 50_000]),
  depthUsd: Schema.Literals([2_400, 2_600, 10_000]),
  steps: int(300, 9_700),
  spread: Schema.Literals([0.01, 0.05, 0.058]),
  status: Schema.Literals(["open", "proposed", "resolved", "closed"]),
  book: Schema.Literals(["valid", "valid", "none", "crossed"]),
}))

law("a live, liquid market with an open price is accepted, and no other", anyFacts, (drawn) => {
  const { volumeUsd, status, spread, depthUsd, book } = drawn
  const micro = microstructureWith({ mid: drawn.steps / 10_000, spread, depthUsd })
  const read = book === "none"
    ? null
    : book === "crossed"
    ? Result.fail("crossed" as const)
    : Result.succeed(micro)
  const isOpen = volumeUsd >= 10_000 && micro.depthUsdWithin5c.total >= 2_500 &&
    micro.spread <= 0.05 && (status === "open" || status === "proposed") && book === "valid" &&
    0.03 < micro.mid && micro.mid < 0.97
  const screened = screenCandidate(market({ volumeUsd, status }), micro.mid)
  equal(Result.isSuccess(screened) && Result.isSuccess(openBook(read)), isOpen)
}, runs)
