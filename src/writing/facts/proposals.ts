/**
 * Facts about a proposed outcome: its state, what it pays, and how often proposals fall, from the
 * venue's public record.
 *
 * @module
 */
import { challengeWindowMs, type Proposal, proposalAge } from "../../markets/domain/proposal.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { hour } from "../../core/domain/time.ts"
import { phrase } from "../domain/statement.ts"
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
  time,
  unnamed,
  word,
} from "./fact.ts"

/** How earlier proposals ended that this service published. */
export interface PublishedProposals {
  readonly proposals: number
  readonly upheldRate: number
  readonly upheldRateLow: number
  readonly upheldRateHigh: number
}

/**
 * The venue's settled requests: 123,499, of which 0.775 % were disputed (by category below), and 7.1 %
 * [5.7, 8.9] of the disputed ones overturned. From dispute to settlement: median 78, 90 % within 97
 * hours.
 */
const settled = {
  requests: 123_499,
  disputedRate: 0.00775,
  disputes: 957,
  overturned: { rate: 0.071, low: 0.057, high: 0.089 },
  disputeMedianMs: 78 * hour,
  dispute90Ms: 97 * hour,
} as const
/** The share of disputed requests by the venue's category. */
const disputedRates: Readonly<Record<string, number>> = {
  crypto: 0.004,
  sports: 0.0051,
  politics: 0.0102,
  entertainment: 0.0137,
  culture: 0.0137,
  macro: 0.0138,
  economics: 0.0138,
  economy: 0.0138,
}

/** When it becomes final unless it is disputed. */
export function settlesAtOf({ settlesAt, proposedAt }: Proposal): EpochMs {
  return settlesAt ?? proposedAt + challengeWindowMs
}

/** What changes a text about it, as the end of a sentence after "until". */
export function proposalFlip(proposal: Proposal, now: EpochMs): string {
  if (proposal.disputed) return "the vote"
  return settlesAtOf(proposal) <= now ? "it is paid" : "the proposal is disputed"
}

/** Its state in one sentence: outcome, its price where `mid` is given, dispute, window. */
export function proposalFact(
  about: About,
  proposal: Proposal,
  now: EpochMs,
  mid: number | null = null,
): NewFact {
  const until = settlesAtOf(proposal)
  const outcome = outcomeOf(about, proposal.outcome)
  const end = time("settlesAt", until, now)
  const priced = mid === null ? phrase`` : phrase`, priced at ${price("price", mid)}`
  return factOf(
    "resolution",
    about.slug,
    proposal.disputed
      ? phrase`The venue's proposal is ${outcome}${priced}, and it is ${
        word("status", "disputed")
      }.`
      : phrase`The venue's proposal is ${outcome}${priced}, ${
        word("status", `undisputed for ${proposalAge(proposal, now)}`)
      }; ${
        until > now ? phrase`it can be disputed until ${end}` : phrase`its window ended at ${end}`
      }.`,
  )
}

/** An outcome is proposed, but which one could not be read; or it could not be read whether one is. */
export function unreadProposalFact(about: About, isProposed: boolean = true): NewFact {
  return factOf(
    "resolution",
    about.slug,
    isProposed
      ? phrase`An outcome is proposed at the venue; which one could not be read.`
      : phrase`Whether an outcome is proposed at the venue could not be read.`,
  )
}

/** Only of a listing that was read now: its status says so. */
export function noProposalFact(about: About): NewFact {
  return factOf("resolution", about.slug, phrase`No outcome is proposed at the venue.`)
}

/** With fewer judged proposals the record is not used. */
const proposalsMin = 10

/**
 * The chance that the proposal stands, for the rank of its card alone: of a disputed one from the
 * venue's record; else the lower end of our record, or without one the mean of the venue's record and
 * the traders' price.
 */
export function standRate(
  { disputed }: Proposal,
  record: PublishedProposals | null,
  price: number,
): number {
  if (disputed) return 1 - settled.overturned.rate
  return record !== null && record.proposals >= proposalsMin
    ? record.upheldRateLow
    : (1 - settled.disputedRate * settled.overturned.rate + price) / 2
}

/** How often published proposals were upheld. */
export function proposalRecordFact(about: About, record: PublishedProposals): NewFact {
  return factOf(
    "record",
    about.slug,
    phrase`${part("kept", record.upheldRate * record.proposals)} ${
      count("reference", record.proposals, "earlier proposal")
    } that the service published were upheld (${rate("keptLow", record.upheldRateLow)} to ${
      rate("keptHigh", record.upheldRateHigh)
    }).`,
  )
}

/** How often the venue's requests are disputed, in the market's category where it is known. */
export function disputeRateFact(about: About, category: string | null): NewFact {
  const known = category === null ? undefined : disputedRates[category.toLowerCase()]
  const requests = count("reference", settled.requests, "settled request")
  return factOf(
    "record",
    about.slug,
    known === undefined
      ? phrase`At the venue ${rate("disputed", settled.disputedRate)} of ${requests} were disputed.`
      : phrase`In this category ${
        rate("disputed", known)
      } of the venue's requests were disputed (${requests} in all).`,
  )
}

/** How often a dispute overturns the proposal, and how long it takes. */
export function disputeFacts(about: About): ReadonlyArray<NewFact> {
  const { overturned, disputes, disputeMedianMs, dispute90Ms } = settled
  return [
    factOf(
      "record",
      about.slug,
      phrase`${part("overturned", overturned.rate * disputes)} ${
        count("reference", disputes, "dispute")
      } overturned the proposal (${rate("overturnedLow", overturned.low)} to ${
        rate("overturnedHigh", overturned.high)
      }).`,
    ),
    factOf(
      "record",
      about.slug,
      phrase`From dispute to settlement it took ${
        duration("median", disputeMedianMs)
      } in the median, and at most ${duration("most", dispute90Ms)} in nine of ten.`,
    ),
  ]
}

/** What the traders' price says of the proposal. */
export function doubtFact(about: About, proposal: Proposal, mid: number, now: EpochMs): NewFact {
  return factOf(
    "price",
    about.slug,
    phrase`Traders still price ${outcomeOf(unnamed(about), proposal.outcome)} at ${
      price("price", mid)
    }, ${word("age", proposalAge(proposal, now))} after the proposal.`,
  )
}
