/**
 * Facts about a proposed outcome: its state, what it pays, and how often proposals fall, from the
 * venue's public record.
 *
 * @module
 */
import { challengeWindowMs, type Proposal } from "../../markets/domain/proposal.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { day, hour } from "../../core/domain/time.ts"
import type { DoubtedRecord, Estimate } from "../domain/estimate.ts"
import { phrase, type Statement } from "../domain/statement.ts"
import {
  type About,
  count,
  duration,
  factOf,
  type NewFact,
  outcomeOf,
  part,
  price,
  rate,
  rounded,
  time,
  unnamed,
  usd,
  word,
} from "./fact.ts"

/** From a dispute to its settlement, in the median. */
export const disputeMedianMs = 78 * hour

/**
 * The venue's settled requests: 123,499, of which 957 were disputed, and 7.1 %
 * [5.7, 8.9] of the disputed ones overturned. From dispute to settlement: 90 % within 97 hours.
 */
const settled = {
  requests: 123_499,
  disputes: 957,
  overturned: { rate: 0.071, low: 0.057, high: 0.089 },
  dispute90Ms: 97 * hour,
} as const

/** When it becomes final unless it is disputed. */
export function settlesAtOf({ settlesAt, proposedAt }: Proposal): EpochMs {
  return settlesAt ?? proposedAt + challengeWindowMs
}

/** What changes a text about it, as the end of a sentence after "until". */
export function proposalFlip(proposal: Proposal, now: EpochMs): string {
  if (proposal.disputed) return "the vote"
  return settlesAtOf(proposal) <= now ? "it is paid" : "the proposal is disputed"
}

/** `No is proposed, but priced at 0.58.` */
export function proposedFact(about: About, { disputed, outcome }: Proposal, mid: number): NewFact {
  return factOf(
    "resolution",
    about.slug,
    phrase`${outcomeOf(about, outcome)} is proposed${disputed ? " and disputed" : ""}, ${
      mid < doubtedBelow ? "but" : "and"
    } priced at ${price("price", mid)}.`,
  )
}

/**
 * Its state: when it was made, whether it is disputed, and until when it can be. `isStated`: a sentence before
 * says what is proposed.
 */
export function proposalFact(
  about: About,
  proposal: Proposal,
  now: EpochMs,
  isStated = false,
): NewFact {
  const until = settlesAtOf(proposal)
  const side = outcomeOf(unnamed(about), proposal.outcome)
  const age = phrase`${duration("age", now - proposal.proposedAt)} ago`
  const proposed = isStated ? phrase`It was made ${age}` : phrase`The proposal of ${side} (${age})`
  const end = time("settlesAt", until, now)
  return factOf(
    "resolution",
    about.slug,
    proposal.disputed
      ? phrase`${proposed} is ${word("status", "disputed")}.`
      : phrase`${proposed}${isStated ? " and" : " is"} ${
        until > now
          ? phrase`${word("status", "not disputed")} so far; it can be until ${end}`
          : phrase`${
            word("status", "never disputed")
          }; the challenge window closed at ${end}, and it is not yet paid`
      }${
        isEarly(about, proposal)
          ? phrase`; it came ${
            duration("early", (about.endsAt ?? 0) - proposal.proposedAt)
          } before the listed end`
          : phrase``
      }.`,
  )
}

/** Whether it came so long before the listed end that the question may still change its answer. */
export function isEarly(
  { endsAt, gameStartsAt }: Pick<About, "endsAt" | "gameStartsAt">,
  { proposedAt }: Proposal,
): boolean {
  return endsAt !== null && gameStartsAt === null && endsAt - proposedAt > day
}

/** No proposal is known. `isRead`: the listing, whose status says whether there is one. */
export function noProposalFact(about: About, isProposed: boolean, isRead: boolean): NewFact {
  return factOf(
    "resolution",
    about.slug,
    isProposed
      ? phrase`An outcome is proposed at the venue; which one could not be read.`
      : isRead
      ? phrase`No outcome is proposed at the venue.`
      : phrase`Whether an outcome is proposed at the venue could not be read.`,
  )
}

/** A proposal is doubted at a lower price of its outcome. */
export const doubtedBelow = 0.9

/**
 * How such proposals ended at the venue. Of doubted ones it says only how long a dispute took; how those
 * end is our own record, unless the stated number says it.
 */
export function baseRateFacts(
  about: About,
  { disputed }: Pick<Proposal, "disputed">,
  mid: number,
  estimate: Estimate | null,
): ReadonlyArray<NewFact> {
  const isDoubted = mid < doubtedBelow
  if (disputed) return [...isDoubted ? [] : [overturnedFact(about)], disputeTimeFact(about)]
  if (!isDoubted) return [settledFact(about)]
  const isStated = estimate?.basis.some(({ ingredient }) => ingredient === "proposal") === true
  const doubted = isStated ? null : estimate?.doubted ?? null
  return doubted === null ? [] : [doubtedFact(about, doubted)]
}

const record = ({ slug }: About, statement: Statement) => factOf("record", slug, statement)

/** `49 of 72 doubted proposals in our record were paid as proposed (56.2% to 78.1%).` */
const doubtedFact = (
  about: About,
  { meanPrice, proposals, upheld, upheldRateHigh, upheldRateLow }: DoubtedRecord,
) =>
  record(
    about,
    phrase`${part("upheld", upheld)} ${
      count("cases", proposals, "doubted proposal")
    } in our record were paid as proposed (${rate("upheldLow", upheldRateLow)} to ${
      rate("upheldHigh", upheldRateHigh)
    })${
      meanPrice === null ? phrase`` : phrase`, priced ${rounded("meanPrice", meanPrice)} on average`
    }.`,
  )

/** `$1,000 of Yes at its ask gains $13 after the fee once it is paid, and loses on average if more than 1.3% of such proposals are overturned.` */
export function carryFact(
  about: About,
  outcome: 0 | 1,
  breakEven: number | null,
): NewFact | null {
  return breakEven === null ? null : factOf(
    "market",
    about.slug,
    phrase`${usd("carried", carriedUsd)} of ${
      outcomeOf(unnamed(about), outcome)
    } at its ask gains ${
      usd("carry", carriedUsd * (1 - breakEven) / breakEven)
    } after the fee once it is paid, and loses on average if more than ${
      rate("falls", 1 - breakEven)
    } of such proposals are overturned.`,
  )
}
const carriedUsd = 1_000

const overturnedRange = phrase`${rate("overturnedLow", settled.overturned.low)} to ${
  rate("overturnedHigh", settled.overturned.high)
}`
const overturnedCases = Math.round(settled.overturned.rate * settled.disputes)

/** How often the venue's proposals are disputed, and overturned. */
const settledFact = (about: About) =>
  record(
    about,
    phrase`${part("disputed", settled.disputes)} ${
      count("reference", settled.requests, "settled proposal")
    } were disputed, and ${
      count("overturned", overturnedCases, "was overturned", "were overturned")
    } (${rate("overturnedOfAll", overturnedCases / settled.requests)} of all).`,
  )

/** How often a dispute overturns the proposal. */
const overturnedFact = (about: About) =>
  record(
    about,
    phrase`${part("overturned", overturnedCases)} ${
      count("reference", settled.disputes, "dispute")
    } overturned the proposal (${overturnedRange}).`,
  )

/** How long a dispute takes. */
const disputeTimeFact = (about: About) =>
  record(
    about,
    phrase`From dispute to settlement it took ${
      duration("median", disputeMedianMs)
    } in the median, and at most ${duration("most", settled.dispute90Ms)} in nine of ten.`,
  )
