/**
 * The decision cards of a digest: one for each of its markets, with all that the window brought there.
 * A market has one card, so its open proposal stands in every text about it.
 *
 * @module
 */
import type { DigestSection } from "./digest.ts"
import {
  causeFact,
  endsFact,
  findingFact,
  nextDigestAt,
  noCauseFact,
  noQuoteFact,
  tradedFact,
} from "./facts.ts"
import {
  type DigestMarket,
  type DigestMaterial,
  type DigestStory,
  isEnded,
  isLabelled,
  isThin,
  type Move,
  type PredeterminedItem,
  type WhaleEntryItem,
} from "./material.ts"
import { windowMs } from "../../feed/domain/item.ts"
import {
  type Contradiction,
  contradictionsOf,
  type ImpliedEnd,
  impliedEnds,
  type LadderRung,
  laddersOf,
} from "../../markets/domain/ladders.ts"
import { slugKey } from "../../markets/domain/market.ts"
import { headlineLag } from "../../markets/domain/priceStep.ts"
import { complement, quoteOfOutcome } from "../../markets/domain/quote.ts"
import { convergenceOf } from "../../markets/domain/resolving.ts"
import { breakEvenProbability, halfGivenBackAt } from "../../markets/domain/tradeCosts.ts"
import { settledStories } from "../../news/domain/evidence.ts"
import { attentionOf, type Card, ranked, valueOf } from "../../writing/domain/cards.ts"
import { clauseFact } from "../../writing/facts/clauses.ts"
import { noEndFact, payoutFact, validFact } from "../../writing/facts/endings.ts"
import { type About, type NewFact, present, unnamed } from "../../writing/facts/fact.ts"
import { causeLagMax, decisiveFact, headlineFact } from "../../writing/facts/headlines.ts"
import { impliedFact, pairFacts } from "../../writing/facts/ladders.ts"
import { moveFact, priceFact, stepFact } from "../../writing/facts/moves.ts"
import {
  disputeRateFact,
  proposalFact,
  proposalFlip,
  proposalRecordFact,
  standRate,
  unreadProposalFact,
} from "../../writing/facts/proposals.ts"
import { costFact, type Side, stakeFact } from "../../writing/facts/quotes.ts"
import {
  copyOf,
  favouredBy,
  type LabelledPosition,
  otherWalletsFact,
  positionFact,
  walletRecordFacts,
} from "../../writing/facts/wallets.ts"

/** A card and where it stands. */
export interface DigestCard extends Card {
  readonly section: DigestSection
}

/** Ladders whose strongest contradiction has a card. */
const laddersMax = 2
/** A contradiction that gains less at its quotes is left out. */
const gainUsdMin = 20
/** Shares taken to be offered at an ask whose size is not known. */
const sharesUnknown = 100
/** The probability of a decided outcome, halfway between certain and the price: reports err. */
const reportWeight = 0.5
/** A step counts as the move when it is at least this share of it. */
const stepShareMin = 0.5
/** Shares of a price change that count as worth knowing: see `attentionOf`. */
const attention = { implied: 0.1, move: 0.02 } as const

/** All that the window brought to one market. */
interface Subject {
  readonly one: DigestMarket
  readonly about: About
  readonly move: Move | null
  readonly entries: ReadonlyArray<WhaleEntryItem>
  readonly finding: PredeterminedItem | null
  /** The stories that report the outcome. */
  readonly reports: ReadonlyArray<DigestStory>
  readonly implied: ImpliedEnd | null
  readonly material: DigestMaterial
}

/** The best first. The order of the material does not matter. */
export function digestCards(material: DigestMaterial): ReadonlyArray<DigestCard> {
  const ladders = laddersOf(material.quoted)
  const implied = impliedEnds(ladders)
  const cards = material.markets.filter(({ market }) => !isEnded(material, market))
    .flatMap((one) => cardOf(subjectOf(one, implied, material)) ?? [])
  const pairs = newPairs(material, ladders).slice(0, laddersMax).flatMap(pairCard)
  return ranked([...pairs, ...cards])
}

/** The executable contradiction of each ladder that gains most, of those that began in the window. */
function newPairs(
  { startMids }: DigestMaterial,
  ladders: ReturnType<typeof laddersOf>,
): ReadonlyArray<Contradiction> {
  const startOf = ({ market: { id }, rung }: LadderRung) => {
    const mid = startMids.get(id)
    return mid === undefined ? null : rung.outcome === 0 ? mid : complement(mid)
  }
  const isOld = ({ easier, harder }: Contradiction) => {
    const [start, easierStart] = [startOf(harder), startOf(easier)]
    return start !== null && easierStart !== null && start > easierStart
  }
  const pairs = contradictionsOf(ladders)
    .filter((pair) => gainOf(pair) >= gainUsdMin && !isOld(pair))
    .toSorted((a, b) => gainOf(b) - gainOf(a))
  return [...Map.groupBy(pairs, ({ easier }) => easier.market.eventKey).values()]
    .flatMap(([pair]) => pair ?? [])
}

const gainOf = ({ size }: Contradiction): number => size?.gainUsd ?? 0

function subjectOf(
  one: DigestMarket,
  implied: ReadonlyArray<ImpliedEnd>,
  material: DigestMaterial,
): Subject {
  const { slug, question, outcomes } = one.market
  const isHere = (other: string) => slugKey(other) === slugKey(slug)
  const stories = settledStories({ ...one, now: material.until })
    .filter(({ corrected }) => !corrected)
  const corrected = new Set(
    one.stories.filter(({ corrected }) => corrected)
      .flatMap(({ outlets }) => outlets.map(({ url }) => url)),
  )
  const found = material.predetermined
    .filter(({ data }) => data.kind !== "proposal" && isHere(data.market.slug))
    .filter(({ data }) => !data.evidence.some(({ url }) => corrected.has(url)))
    .toSorted((a, b) => b.feedIndex - a.feedIndex)
  return {
    one: { ...one, stories },
    about: { slug, question, outcomes, isNamed: true },
    move: material.moves.find(({ item }) => isHere(item.data.market.slug)) ?? null,
    entries: material.whaleEntries.filter(({ data }) => isHere(data.market.slug))
      .toSorted((a, b) => b.data.stakeUsd - a.data.stakeUsd || b.feedIndex - a.feedIndex),
    finding: found[0] ?? null,
    reports: stories.filter(({ reading }) => reading?.decides === true),
    implied:
      implied.find(({ target, mid }) =>
        target.market.id === one.market.id && mid !== null && convergenceOf(mid) === "contested"
      ) ?? null,
    material,
  }
}

/** Its events, the strongest first, then what every card has; null where nothing happened. */
function cardOf(subject: Subject): DigestCard | null {
  const heads = headsOf(subject)
  const [head] = heads
  if (head === undefined) return null
  const own = heads.flatMap(({ facts }, n) =>
    facts(n === 0 ? subject.about : unnamed(subject.about))
  )
  const [first, ...rest] = own
  if (first === undefined) return null
  const { kind, section, valueUsd } = head
  const shared = sharedFacts(subject, own, heads.map(({ kind }) => kind))
  const facts = [first, ...rest, ...shared, endOf(subject, head)] as const
  return { kind, section, market: subject.about.slug, valueUsd, facts }
}

interface Head extends Pick<DigestCard, "kind" | "section" | "valueUsd"> {
  readonly facts: (about: About) => ReadonlyArray<NewFact>
  /** What would change the card before its time, and the price at which it does. */
  readonly flip: string
  readonly level?: number
}

/** The events of a market by their value. */
function headsOf(subject: Subject): ReadonlyArray<Head> {
  return [
    ...reportHead(subject),
    ...proposalHead(subject),
    ...impliedHead(subject),
    ...walletHead(subject),
    ...moveHead(subject),
  ].sort((a, b) => b.valueUsd - a.valueUsd)
}

/** What a share of an outcome costs now. */
function sideOf({ market, quote }: DigestMarket, outcome: 0 | 1): Side & { shares: number } {
  const { bid = null, ask = null, askShares = null } = quote === null
    ? {}
    : quoteOfOutcome(quote, outcome)
  const { takerFeeRate } = market
  return { outcome, bid, ask, takerFeeRate, shares: askShares ?? sharesUnknown }
}

/** What a purchase at the ask is worth to one who believes in `probability`. */
function worth({ ask, shares, takerFeeRate }: ReturnType<typeof sideOf>, probability: number) {
  const edge = ask === null || takerFeeRate === null
    ? 0
    : probability - breakEvenProbability(ask, takerFeeRate)
  return valueOf({ edge, ask, offeredUsd: shares * (ask ?? 0) })
}

/** A decisive report, read by a model or found by the feed. */
function reportHead(subject: Subject): ReadonlyArray<Head> {
  const { finding, material: { until }, one: { market }, reports: [report, ...others] } = subject
  const named = report?.reading?.outcome ?? finding?.data.outcome
  const outcome = named === market.outcomes[1] ? 1 : named === market.outcomes[0] ? 0 : null
  if (outcome === null || isClosed(subject)) return []
  const side = sideOf(subject.one, outcome)
  const probability = 1 - reportWeight * (1 - (side.ask ?? 1))
  return [{
    kind: "report",
    section: "predetermined",
    valueUsd: worth(side, probability),
    facts: (about) => [
      report !== undefined
        ? decisiveFact(about, report, others, until)
        : finding !== null
        ? findingFact(about, outcome, finding.data.evidence, until)
        : priceFact(about, 0, until, until),
      ...present(costFact(unnamed(about), side)),
    ],
    flip: "a correction",
  }]
}

/** Whether the price has decided already. */
function isClosed({ one: { quote } }: Subject): boolean {
  return quote === null || convergenceOf(quote.mid) === "converged"
}

/** A proposal at a contested price, however old. */
function proposalHead(subject: Subject): ReadonlyArray<Head> {
  const { material: { predetermined, until }, one: { market, proposal, quote } } = subject
  if (proposal === null || quote === null || isClosed(subject)) return []
  const side = sideOf(subject.one, proposal.outcome)
  const record = recordOf(predetermined)
  const { mid } = quoteOfOutcome(quote, proposal.outcome)
  return [{
    kind: "proposal",
    section: "predetermined",
    valueUsd: worth(side, standRate(proposal, record, mid)),
    facts: (about) => [
      proposalFact(about, proposal, until, mid),
      ...present(stakeFact(unnamed(about), side)),
      record === null
        ? disputeRateFact(unnamed(about), market.category)
        : proposalRecordFact(unnamed(about), record),
    ],
    flip: proposalFlip(proposal, until),
  }]
}

/** The newest record of earlier doubted proposals that an item carries. */
function recordOf(items: ReadonlyArray<PredeterminedItem>) {
  const [newest] = items.filter(({ data }) => (data.proposal?.record?.proposals ?? 0) > 0)
    .toSorted((a, b) => b.feedIndex - a.feedIndex)
  return newest?.data.proposal?.record ?? null
}

/** A price that a proposal or a result of another rung contradicts. */
function impliedHead(subject: Subject): ReadonlyArray<Head> {
  const { implied } = subject
  const fact = implied === null ? null : impliedFact(implied)
  if (implied === null || fact === null) return []
  const side = sideOf(subject.one, implied.outcome)
  const offeredUsd = side.shares * (side.ask ?? 0)
  const change = complement(implied.mid ?? 1)
  const share = implied.state === "resolved" ? reportWeight : attention.implied
  return [{
    kind: "report",
    section: "predetermined",
    valueUsd: attentionOf({ change, share, offeredUsd }),
    facts: (about) => [
      fact,
      ...present(costFact(unnamed(about), side)),
    ],
    flip: "another end of that market",
  }]
}

/** What a wallet whose record is hardly luck bought: of several, the one with the largest stake. */
function walletHead(subject: Subject): ReadonlyArray<Head> {
  const { entries, material: { records, until }, one: { market, quote } } = subject
  const [entry] = entries.filter(isLabelled)
  const label = entry?.data.calibration?.label
  if (entry === undefined || label === undefined || label === "neutral") return []
  const { data } = entry
  const position: LabelledPosition = {
    wallet: data.wallet,
    name: data.pseudonym,
    label,
    outcome: data.outcome === market.outcomes[1] ? 1 : 0,
    price: data.entryPrice,
    stakeUsd: data.stakeUsd,
    firstFillAt: Date.parse(data.firstFillAt),
    record: records.get(data.wallet) ?? null,
  }
  const copy = copyOf(position, quote, market.takerFeeRate)
  const side = sideOf(subject.one, favouredBy(position))
  const { ask } = side
  const offeredUsd = side.shares * (ask ?? 0)
  return [{
    kind: "wallet",
    section: "whales",
    valueUsd: valueOf({ edge: copy?.edgeLeft ?? 0, ask, offeredUsd }),
    facts: (about) => [
      positionFact(about, position, until),
      ...walletRecordFacts(unnamed(about), position, copy),
      ...present(costFact(unnamed(about), side)),
    ],
    flip: "a higher ask",
  }]
}

function moveHead(subject: Subject): ReadonlyArray<Head> {
  const { material: { until }, move, one } = subject
  if (move === null || isThin(move, one.quote)) return []
  const { createdAt, data } = move.item
  const change = {
    from: data.priceStart,
    to: data.priceNow,
    windowMs: windowMs[data.window],
  }
  const { step } = move
  return [{
    kind: "move",
    section: "repriced",
    valueUsd: attentionOf({
      change: data.delta,
      share: attention.move,
      offeredUsd: data.microstructure.depthUsdWithin5c.total,
    }),
    facts: (about) => [
      moveFact(about, change),
      ...step === null || step.delta / data.delta < stepShareMin ? [] : [stepFact(about, change, {
        from: step.priceFrom,
        to: step.priceTo,
        at: step.to,
        windowMs: step.to - step.from,
      }, until)],
      ...present(tradedFact(about, data.tradedUsd ?? null)),
      ...newsFacts(subject, about, Date.parse(createdAt)),
    ],
    flip: "the price gives back half of the move",
    level: halfGivenBackAt(data),
  }]
}

/** The dated cause of a move, or that none was found, with the nearest headline. */
function newsFacts(
  { material: { coverage, until }, move, one: { market, stories } }: Subject,
  about: About,
  seenAt: number,
): ReadonlyArray<NewFact> {
  if (move === null || coverage.news === null) return []
  const { delta, startedAt } = move.item.data
  const step = move.step ?? { from: Date.parse(startedAt), to: seenAt }
  const near = stories.map((story) => ({ story, ...headlineLag(story.firstAt, step) }))
    .filter(({ position, lagMsMin }) => position !== "after" && lagMsMin <= causeLagMax)
    .toSorted((a, b) => a.lagMsMin - b.lagMsMin || (a.story.url < b.story.url ? -1 : 1))
  const points = ({ reading }: DigestStory) => {
    const way = reading?.bears === "for" ? 1 : reading?.bears === "against" ? -1 : 0
    return way * (reading?.outcome === market.outcomes[1] ? -1 : 1) * Math.sign(delta)
  }
  const cause = near.find(({ story }) => points(story) > 0)
  if (cause !== undefined) return [causeFact(about, cause.story, until)]
  const [nearest] = near
  return [
    noCauseFact(about),
    ...nearest === undefined ? [] : [headlineFact(about, nearest.story, {
      position: nearest.position,
      lagMs: Math.max(0, move.step === null ? nearest.lagMsMin : nearest.lagMsMax),
      isStep: move.step !== null,
    }, until)],
  ]
}

/** What every card has, unless its events said it: cost, wallets, proposal, what pays, and when. */
function sharedFacts(
  subject: Subject,
  own: ReadonlyArray<NewFact>,
  said: ReadonlyArray<Card["kind"]>,
): ReadonlyArray<NewFact> {
  const { entries, material: { until }, one: { expected, market, proposal, rules } } = subject
  const about = unnamed(subject.about)
  const isPriced = own.some(({ values }) =>
    values["breakEven"] !== undefined || values["gain"] !== undefined
  )
  const others = entries.filter((entry) => !isLabelled(entry)).map(({ data }) => ({
    wallet: data.wallet,
    stakeUsd: data.stakeUsd,
    outcome: data.outcome === market.outcomes[1] ? 1 as const : 0 as const,
  }))
  const proposed = said.includes("proposal")
    ? null
    : proposal !== null
    ? proposalFact(about, proposal, until)
    : market.status === "proposed"
    ? unreadProposalFact(about)
    : null
  return [
    ...present(proposed),
    ...isPriced ? [] : [costFact(about, sideOf(subject.one, 0)) ?? noQuoteFact(about)],
    ...present(otherWalletsFact(about, others, true)),
    ...rules === null ? [] : present(clauseFact(about, rules)),
    expected === null ? noEndFact(about) : payoutFact(about, market, expected, until),
  ]
}

/** What ends the card's validity before the next digest: the kick-off or the payout, and its own end. */
function endOf(
  { about, material: { until }, one: { expected, market } }: Subject,
  { flip, level }: Head,
): NewFact {
  const { gameStartsAt } = market
  const [end] = [
    ...gameStartsAt === null ? [] : [{ until: gameStartsAt, why: "when the game starts" }],
    ...expected === null ? [] : [{ until: expected.at, why: "when the payout is expected" }],
  ].filter(({ until: at }) => at > until && at < nextDigestAt(until))
    .sort((a, b) => a.until - b.until)
  return end === undefined
    ? endsFact(about, flip, level ?? null)
    : validFact(unnamed(about), { ...end, flip }, until)
}

/** Two prices that contradict each other, after fees. */
function pairCard(found: Contradiction): ReadonlyArray<DigestCard> {
  const { easier } = found
  const about = { ...easier.market, isNamed: false }
  const [first, ...rest] = pairFacts(found)
  if (first === undefined) return []
  return [{
    kind: "contradiction",
    section: "repriced",
    market: easier.market.slug,
    valueUsd: gainOf(found),
    facts: [first, ...rest, endsFact(about, "either quote changes", null)],
  }]
}
