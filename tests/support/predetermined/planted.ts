/**
 * The shape of the planted detection questions: a market, its headlines, an answer, and what must become
 * of the answer.
 *
 * All names, publishers and headlines are invented.
 *
 * @module
 */
import type {
  Detection,
  DetectionQuestion,
  SiblingMarket,
} from "../../../src/predetermined/domain/detection.ts"
import { evidenceOf } from "../../../src/predetermined/domain/evidence.ts"
import type { Market } from "../../../src/markets/domain/market.ts"
import type { Proposal } from "../../../src/markets/domain/proposal.ts"
import { hour } from "../../../src/core/domain/time.ts"
import { market } from "../movers/market.ts"

/** The hour of all planted questions, unless a case has its own: 2026-11-21 12:00 UTC. */
export const plantedNow = Date.UTC(2026, 10, 21, 12)

/** A headline: its title, and the hours since its publication. Each has another publisher. */
export type PlantedHeadline =
  | string
  | { readonly title: string; readonly hoursAgo?: number; readonly publisher?: string }

export interface PlantedCase {
  readonly question: string
  readonly outcomes?: readonly [string, string]
  readonly rules?: string
  readonly eventSlug?: string
  /** ISO date or time. */
  readonly endsAt?: string
  readonly gameStartsAt?: string
  readonly now?: string
  readonly siblings?: ReadonlyArray<string>
  readonly proposed?: { readonly outcome: 0 | 1; readonly hoursAgo: number }
  readonly headlines: ReadonlyArray<PlantedHeadline>
  readonly answer: string
  /** Copied from the first headline when absent. */
  readonly decisiveWords?: string
}

const publishers = ["First Ledger", "Second Gazette", "Third Courier", "Fourth Herald"]

/** The question of a case; null when it has no evidence to ask about. */
export function plantedQuestion(of: PlantedCase): DetectionQuestion | null {
  const now = of.now === undefined ? plantedNow : Date.parse(of.now)
  const planted: Market = market({
    question: of.question,
    ...(of.outcomes === undefined ? {} : { outcomes: of.outcomes }),
    ...(of.eventSlug === undefined ? {} : { eventSlug: of.eventSlug }),
    endsAt: of.endsAt === undefined ? null : Date.parse(of.endsAt),
    gameStartsAt: of.gameStartsAt === undefined ? null : Date.parse(of.gameStartsAt),
  })
  const proposal: Proposal | null = of.proposed === undefined ? null : {
    marketId: planted.id,
    outcome: of.proposed.outcome,
    proposedAt: now - of.proposed.hoursAgo * hour,
    settlesAt: now + hour,
    disputed: false,
  }
  const headlines = of.headlines.map((given, n) => {
    const { title, hoursAgo = 2, publisher = publishers[n] ?? `Press ${n}` } =
      typeof given === "string" ? { title: given } : given
    const host = publisher.toLowerCase().replaceAll(" ", "")
    return {
      ...{ title, source: publisher, url: `https://${host}.example/${n}` },
      publishedAt: now - hoursAgo * hour,
    }
  })
  const siblings = (of.siblings ?? []).map((question): SiblingMarket => ({
    ...{ question, outcomes: ["Yes", "No"], exclusive: false },
  }))
  const [first, ...others] = evidenceOf({ market: planted, siblings, proposal, headlines, now })
  return first === undefined ? null : {
    ...{ market: planted, siblings, rules: of.rules ?? "", mid: 0.6, proposal, now },
    evidence: [first, ...others],
  }
}

/** The answer of a detector that cites all evidence. */
export function plantedAnswer(of: PlantedCase, { evidence }: DetectionQuestion): Detection {
  const title = evidence.find(({ kind }) => kind === "news")?.title ?? evidence[0].title
  return {
    determined: true,
    outcome: of.answer,
    confidence: "high",
    evidence: evidence.map(({ id }) => id),
    decisiveWords: of.decisiveWords ?? title,
  }
}
