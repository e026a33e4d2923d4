/**
 * The decision cards of a digest: one for each of its markets, with all that the window brought there.
 * A market has one card, so its open proposal stands in every text about it.
 *
 * @module
 */
import type { DigestSection } from "./digest.ts"
import {
  causeFact,
  findingFact,
  nextDigestAt,
  noCauseFact,
  proposedFact,
  reportedFact,
  tradedFact,
} from "./facts.ts"
import {
  type DigestMarket,
  type DigestMaterial,
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
import type { EpochMs } from "../../core/domain/time.ts"
import {
  breakEvenProbability,
  halfGivenBackAt,
  limitPriceOf,
} from "../../markets/domain/tradeCosts.ts"
import { attentionOf, type Card, pairGainMax, ranked, valueOf } from "../../writing/domain/cards.ts"
import { clauseFact } from "../../writing/facts/clauses.ts"
import { noEndFact, payoutFact, validFact } from "../../writing/facts/endings.ts"
import { type About, type NewFact, present, unnamed } from "../../writing/facts/fact.ts"
import { causeLagMax, readFor } from "../../writing/facts/headlines.ts"
import { impliedFact, pairFacts } from "../../writing/facts/ladders.ts"
import { moveFact, stepFact } from "../../writing/facts/moves.ts"
import {
  disputeFacts,
  disputeRateFact,
  proposalFact,
  proposalFlip,
  proposalRecordFact,
  settlesAtOf,
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

/** A card and where it stands. Each of its facts is stated once in a digest. */
export interface DigestCard extends Pick<Card, "kind" | "market" | "valueUsd"> {
  readonly section: DigestSection
  /** Whether it came about in the window: only such a card is in the title or the summary. */
  readonly isNew: boolean
  /** What can be decided, with its main figure; names the market. */
  readonly decision: NewFact
  /** Its details; the first one names the market if asked to. */
  readonly details: (isNamed: boolean) => readonly [NewFact, ...ReadonlyArray<NewFact>]
  /** What speaks for it or against it; null where nothing does. */
  readonly why: NewFact | null
  /** What every card has. */
  readonly shared: ReadonlyArray<NewFact>
}

/** Ladders whose strongest contradiction has a card. */
const laddersMax = 3
/** A contradiction that gains less at its quotes is left out. */
const gainUsdMin = 20
/** A quote farther than this from the price that a move reached is of another time, USD a share. */
const quoteDistanceMax = 0.05
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
  readonly implied: ImpliedEnd | null
  readonly material: DigestMaterial
}

/** Those that came about in the window first, the best of them first. Deterministic. */
export function digestCards(material: DigestMaterial): ReadonlyArray<DigestCard> {
  const ladders = laddersOf(material.quoted)
  const implied = impliedEnds(ladders)
  const cards = material.markets.filter(({ market }) => !isEnded(material, market))
    .flatMap((one) => cardOf(subjectOf(one, implied, material)) ?? [])
  const pairs = pairsOf(material, ladders).slice(0, laddersMax)
    .flatMap((pair) => pairCard(pair, material.until))
  return ranked([...pairs, ...cards]).toSorted((a, b) => Number(b.isNew) - Number(a.isNew))
}

/** The executable contradiction of each ladder that gains most; none with a stale leg. */
function pairsOf(
  material: DigestMaterial,
  ladders: ReturnType<typeof laddersOf>,
): ReadonlyArray<Contradiction> {
  const pairs = contradictionsOf(ladders).filter((pair) =>
    gainOf(pair) >= gainUsdMin && pair.gainPerShare <= pairGainMax &&
    ![pair.easier, pair.harder].some((leg) => isStale(material, leg))
  ).toSorted((a, b) => gainOf(b) - gainOf(a))
  return [...Map.groupBy(pairs, ({ easier }) => easier.market.eventKey).values()]
    .flatMap(([pair]) => pair ?? [])
}

/** Whether a quote is likely of the past: its market should have ended, is reported, or moved away. */
function isStale(
  { moves, predetermined, until }: DigestMaterial,
  { market: { endsAt, slug }, quote }: LadderRung,
): boolean {
  const isHere = (it: { readonly market: { readonly slug: string } }) =>
    slugKey(it.market.slug) === slugKey(slug)
  return endsAt !== null && endsAt <= until || predetermined.some(({ data }) => isHere(data)) ||
    moves.some(({ item: { data } }) =>
      isHere(data) && Math.abs(data.priceNow - (quote?.mid ?? 0)) > quoteDistanceMax
    )
}

const gainOf = ({ size }: Contradiction): number => size?.gainUsd ?? 0

function subjectOf(
  one: DigestMarket,
  implied: ReadonlyArray<ImpliedEnd>,
  material: DigestMaterial,
): Subject {
  const { slug, question, outcomes } = one.market
  const isHere = (other: string) => slugKey(other) === slugKey(slug)
  const stories = one.stories.filter(({ corrected }) => !corrected)
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
    implied:
      implied.find(({ target, mid }) =>
        target.market.id === one.market.id && mid !== null && convergenceOf(mid) === "contested"
      ) ?? null,
    material,
  }
}

/** Its events, the strongest first, then what every card has; null where nothing happened. */
function cardOf(subject: Subject): DigestCard | null {
  const [head, ...others] = headsOf(subject)
  if (head === undefined) return null
  const [named, about] = [subject.about, unnamed(subject.about)]
  const { kind, section, valueUsd, isNew, decision, why } = head
  const own = [...head.details(about), ...present(why)]
  const more = others.flatMap((other) => [
    other.decision(about),
    ...other.details(about),
    ...present(other.why),
  ]).filter((fact) => !own.some((it) => pricesOf(it) !== "" && pricesOf(it) === pricesOf(fact)))
  const said = [head, ...others].map(({ kind }) => kind)
  const stated = [decision(named), ...own, ...more]
  return {
    ...{ kind, section, valueUsd, isNew, why, market: named.slug, decision: decision(named) },
    details: (isNamed) => {
      const [first, ...rest] = head.details(isNamed ? named : about)
      return [first ?? decision(named), ...rest]
    },
    shared: [...more, ...sharedFacts(subject, stated, said), endOf(subject, head)],
  }
}

/** What a fact says a purchase costs; empty for nothing. */
const pricesOf = ({ values }: NewFact): string =>
  JSON.stringify([values["gain"], values["breakEven"]].filter((it) => it !== undefined)).slice(
    1,
    -1,
  )

interface Head extends Pick<DigestCard, "kind" | "section" | "valueUsd" | "isNew" | "why"> {
  readonly decision: (about: About) => NewFact
  readonly details: (about: About) => ReadonlyArray<NewFact>
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
  ].sort((a, b) => Number(b.isNew) - Number(a.isNew) || b.valueUsd - a.valueUsd)
}

/** What a share of an outcome costs now. */
function sideOf({ market, quote }: DigestMarket, outcome: 0 | 1): Side & { shares: number } {
  const { bid = null, ask = null, askShares = null } = quote === null
    ? {}
    : quoteOfOutcome(quote, outcome)
  const { takerFeeRate } = market
  const askUsd = ask === null || askShares === null ? null : ask * askShares
  return { outcome, bid, ask, takerFeeRate, askUsd, shares: askShares ?? sharesUnknown }
}

/** What a purchase at the ask is worth to one who believes in `probability`. */
function worth({ ask, shares, takerFeeRate }: ReturnType<typeof sideOf>, probability: number) {
  const edge = ask === null || takerFeeRate === null
    ? 0
    : probability - breakEvenProbability(ask, takerFeeRate)
  return valueOf({ edge, ask, offeredUsd: shares * (ask ?? 0) })
}

/** An outcome that the feed found reported, while its evidence stands uncorrected. */
function reportHead(subject: Subject): ReadonlyArray<Head> {
  const { finding, material: { until }, one } = subject
  const { outcomes } = one.market
  const named = finding?.data.outcome
  const outcome = named === outcomes[1] ? 1 : named === outcomes[0] ? 0 : null
  if (finding === null || outcome === null || isClosed(subject)) return []
  const side = sideOf(one, outcome)
  const probability = 1 - reportWeight * (1 - (side.ask ?? 1))
  return [{
    kind: "report",
    section: "predetermined",
    valueUsd: worth(side, probability),
    isNew: true,
    decision: (about) => reportedFact(about, side),
    why: stakeFact(unnamed(subject.about), side),
    details: (about) => [findingFact(about, outcome, finding.data.evidence, until)],
    flip: "a correction",
  }]
}

/** Whether the price has decided already. */
function isClosed({ one: { quote } }: Subject): boolean {
  return quote === null || convergenceOf(quote.mid) === "converged"
}

/** A proposal at a contested price that was made, or whose window ended, in this digest's window. */
function proposalHead(subject: Subject): ReadonlyArray<Head> {
  const { material: { from, predetermined, until }, one, one: { market, proposal, quote } } =
    subject
  if (proposal === null || quote === null || isClosed(subject)) return []
  const times = [proposal.proposedAt, settlesAtOf(proposal)]
  if (!times.some((at) => at >= from && at <= until)) return []
  const side = sideOf(one, proposal.outcome)
  const record = recordOf(predetermined)
  const { mid } = quoteOfOutcome(quote, proposal.outcome)
  const isOpen = !proposal.disputed && settlesAtOf(proposal) > until
  const about = unnamed(subject.about)
  return [{
    kind: "proposal",
    section: "predetermined",
    valueUsd: worth(side, standRate(proposal, record, mid)),
    isNew: true,
    decision: (about) => proposedFact(about, side, mid),
    why: record !== null
      ? proposalRecordFact(about, record)
      : proposal.disputed
      ? disputeFacts(about)[0] ?? null
      : isOpen
      ? disputeRateFact(about, market.category)
      : null,
    details: (about) => [proposalFact(about, proposal, until)],
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
  const { implied, material: { from, markets } } = subject
  const fact = implied === null ? null : impliedFact(implied)
  if (implied === null || fact === null) return []
  const side = sideOf(subject.one, implied.outcome)
  const offeredUsd = side.shares * (side.ask ?? 0)
  const change = complement(implied.mid ?? 1)
  const share = implied.state === "resolved" ? reportWeight : attention.implied
  const source = markets.find(({ market }) => market.id === implied.source.market.id)
  return [{
    kind: "report",
    section: "predetermined",
    valueUsd: attentionOf({ change, share, offeredUsd }),
    isNew: implied.state === "resolved" || (source?.proposal?.proposedAt ?? 0) >= from,
    decision: () => fact,
    why: null,
    details: (about) => present(costFact(about, side)),
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
  const { takerFeeRate } = market
  const copy = copyOf(position, quote, takerFeeRate)
  const side = sideOf(subject.one, favouredBy(position))
  const { ask } = side
  const offeredUsd = side.shares * (ask ?? 0)
  const [left, ...record] = walletRecordFacts(unnamed(subject.about), position, copy).toReversed()
  return [{
    kind: "wallet",
    section: "whales",
    valueUsd: valueOf({ edge: copy?.edgeLeft ?? 0, ask, offeredUsd }),
    isNew: true,
    decision: (about) => positionFact(about, position, until),
    why: left ?? null,
    details: (about) => [...present(costFact(about, side)), ...record],
    flip: "the wallet's edge is used up",
    ...copy === null || copy.edgeLeft <= 0 || takerFeeRate === null ? {} : {
      level: limitPriceOf(
        breakEvenProbability(copy.ask, takerFeeRate) + copy.edgeLeft,
        takerFeeRate,
      ),
    },
  }]
}

/**
 * A move that a reader can trade: its market is offered, and will be decided. It is worth less the nearer
 * its price is to 0 or 1.
 */
function moveHead(subject: Subject): ReadonlyArray<Head> {
  const { material: { until }, move, one } = subject
  if (move === null || isThin(move, one.quote) || one.expected === null) return []
  const side = sideOf(one, 0)
  if (side.ask === null || side.takerFeeRate === null) return []
  const { data } = move.item
  const change = { from: data.priceStart, to: data.priceNow, windowMs: windowMs[data.window] }
  const { step } = move
  const isStep = step !== null && step.delta / data.delta >= stepShareMin
  return [{
    kind: "move",
    section: "repriced",
    valueUsd: attentionOf({
      change: data.delta * 4 * data.priceNow * complement(data.priceNow),
      share: attention.move,
      offeredUsd: data.microstructure.depthUsdWithin5c.total,
    }),
    isNew: true,
    decision: (about) => moveFact(about, change),
    why: causeOf(subject, move),
    details: (about) => [
      ...present(costFact(about, side)),
      ...isStep
        ? [stepFact(about, change, {
          from: step.priceFrom,
          to: step.priceTo,
          at: step.to,
          windowMs: step.to - step.from,
        }, until)]
        : [],
      ...present(tradedFact(about, data.tradedUsd ?? null)),
    ],
    flip: "the price gives back half of the move",
    level: halfGivenBackAt(data),
  }]
}

/** The dated cause of a move, or that none was found; null without news. */
function causeOf(
  { about, material: { coverage, until }, one: { market, stories } }: Subject,
  { item, step }: Move,
): NewFact | null {
  if (coverage.news === null) return null
  const { createdAt, data: { delta, startedAt } } = item
  const moved = step ?? { from: Date.parse(startedAt), to: Date.parse(createdAt) }
  const [cause] = stories
    .filter((story) => readFor(story, market.outcomes) === (delta > 0 ? 0 : 1))
    .map((story) => ({ story, ...headlineLag(story.firstAt, moved) }))
    .filter(({ position, lagMsMin }) => position !== "after" && lagMsMin <= causeLagMax)
    .toSorted((a, b) => a.lagMsMin - b.lagMsMin || (a.story.url < b.story.url ? -1 : 1))
  return cause === undefined ? noCauseFact(about) : causeFact(about, cause.story, until)
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
    ...isPriced ? [] : present(costFact(about, sideOf(subject.one, 0))),
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
  return validFact(unnamed(about), { ...end, flip, level: level ?? null }, until)
}

/** Two prices that contradict each other, after fees. */
function pairCard(found: Contradiction, now: EpochMs): ReadonlyArray<DigestCard> {
  const { easier } = found
  const [decision, why, ...[first, ...rest]] = pairFacts(found, now)
  if (decision === undefined || why === undefined || first === undefined) return []
  const about = { ...easier.market, isNamed: false }
  return [{
    kind: "contradiction",
    section: "repriced",
    market: easier.market.slug,
    valueUsd: gainOf(found),
    isNew: true,
    ...{ decision, why, details: () => [first, ...rest] },
    shared: [validFact(about, { flip: "a quote changes, or a leg is proposed or reported" }, now)],
  }]
}
