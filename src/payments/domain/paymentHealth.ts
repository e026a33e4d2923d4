/**
 * Whether payments work: from facts that were observed to one verdict, with a reason for each part
 * that does not work. The reasons are public: they contain no address, no key and no amount.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"

/** What a catalogue says of the product whose payment was settled: the facilitator's own words. */
export interface ListingVerdict {
  /** Such as `success`, `processing` or `rejected`: at most 100 printable characters. */
  readonly status: string
  /** Why, where it says; at most 100 printable characters. */
  readonly reason: string | null
}

/** `unknown`: nothing was observed yet. */
export type Verdict = "ok" | "unknown" | "degraded" | "failing"

const verdicts: ReadonlyArray<Verdict> = ["ok", "unknown", "degraded", "failing"]

/** What is known of the calls to a port. */
export interface CallRecord {
  /** When the last clear answer arrived; null before the first. */
  readonly goodAt: EpochMs | null
  /** Failures since then. */
  readonly failures: number
  readonly failedAt: EpochMs | null
}

export const noCalls: CallRecord = { goodAt: null, failures: 0, failedAt: null }

export const afterAnswer = (goodAt: EpochMs): CallRecord => ({ ...noCalls, goodAt })

export const afterFailure = (record: CallRecord, failedAt: EpochMs): CallRecord => ({
  goodAt: record.goodAt,
  failures: record.failures + 1,
  failedAt,
})

/** The newest block, and the newest safe block, as of one read. */
export interface ChainHead {
  readonly number: bigint
  /** Seconds since the Unix epoch. */
  readonly timestamp: bigint
  readonly safeNumber: bigint
}

/** What the store says of waiting payments, refunds and the scan. */
export interface StoredFacts {
  readonly measuredAt: EpochMs
  /** Atomic units that may still have to be refunded. */
  readonly liability: bigint
  /** Milliseconds since the oldest unresolved payment was intended; null when there is none. */
  readonly unresolvedAgoMs: number | null
  /** How many refunds a person must review. */
  readonly refundsInReview: number
  /** Milliseconds since the oldest refund that is not final became owed; 0 when there is none. */
  readonly refundAgoMs: number
  /** The last block whose transfers were matched; null before the first scan. */
  readonly scannedThrough: bigint | null
}

/** Everything the verdict is made from. */
export interface PaymentFacts {
  readonly now: EpochMs
  readonly startedAt: EpochMs
  readonly verify: CallRecord
  readonly settle: CallRecord
  readonly chain: CallRecord
  /** When two endpoints of the chain last contradicted each other; null when they never did. */
  readonly disputedAt: EpochMs | null
  /** The last verdict of a catalogue; null before the first. */
  readonly listing: ListingVerdict | null
  readonly head: ChainHead | null
  /** Atomic units of the treasury; null before the first read. */
  readonly balance: { readonly units: bigint; readonly at: EpochMs } | null
  readonly stored: StoredFacts | null
  /** When the last sweep of waiting payments finished. */
  readonly sweptAt: EpochMs | null
}

/** What the verdict depends on besides the facts. */
export interface HealthRules {
  /** The cheapest and the dearest product that is settled early, in atomic units. */
  readonly settleEarly: { readonly cheapest: bigint; readonly dearest: bigint }
  readonly sweepEveryMs: number
  readonly scanEveryMs: number
  /** False on a local node, which makes a block only when there is a transaction. */
  readonly blocksAreRegular: boolean
}

export type Part =
  | "verification"
  | "settlement"
  | "chain"
  | "treasury"
  | "unresolved"
  | "refunds"
  | "scan"
  | "sweep"

interface Finding {
  readonly verdict: Verdict
  readonly reason: string | null
}

export interface HealthOfPayments {
  /** The worst verdict of all parts. */
  readonly verdict: Verdict
  readonly parts: { readonly [P in Part]: Finding }
  readonly listing: ListingVerdict | null
}

/** One failure proves little: a call may be unclear because of its payment. */
const failuresDegraded = 2
const failuresFailing = 5
/**
 * After this time without a call, old failures no longer mean that the next call fails: without a
 * limit, buyers who read `failing` would never make the call that shows the recovery.
 */
const failureMsMax = 5 * 60_000
/** The chain is read every 10 s, so three reads fail before it counts as unreadable. */
const chainMsMax = 30_000
/**
 * How long nothing is sold after two endpoints of the chain contradicted each other. Without a limit
 * no read would be made that shows whether they still do.
 */
const disputeMsHeld = 60_000
/** The balance and the stored facts are measured every SCAN; this is the age at which they are old. */
const measureMsMax = 5 * 60_000
const unresolvedMsMax = 30 * 60_000
const refundMsMax = 2 * 60 * 60_000
const scanMsMax = 10 * 60_000
const sweepMsMax = 60_000
/** A measure, a scan or a sweep is late when this many of its intervals have passed. */
const intervalsMax = 4
/** Base makes a block every two seconds. */
const msPerBlock = 2_000

const fine: Finding = { verdict: "ok", reason: null }
const found = (verdict: Verdict, reason: string): Finding => ({ verdict, reason })

export function healthOfPayments(facts: PaymentFacts, rules: HealthRules): HealthOfPayments {
  const parts = {
    verification: facilitatorFinding(facts, facts.verify, "verify"),
    settlement: facilitatorFinding(facts, facts.settle, "settle"),
    chain: chainFinding(facts, rules),
    treasury: treasuryFinding(facts, rules),
    unresolved: unresolvedFinding(facts),
    refunds: refundsFinding(facts),
    scan: scanFinding(facts, rules),
    sweep: sweepFinding(facts, rules),
  }
  const worst = Math.max(...Object.values(parts).map(({ verdict }) => verdicts.indexOf(verdict)))
  return { verdict: verdicts[worst] ?? "unknown", parts, listing: facts.listing }
}

function facilitatorFinding({ now }: PaymentFacts, record: CallRecord, call: string): Finding {
  const { failures, failedAt } = record
  if (failedAt === null || failures < failuresDegraded) return fine
  if (now - failedAt > failureMsMax) {
    return found("degraded", `The last calls to ${call} a payment failed, and none was made since`)
  }
  return failures < failuresFailing
    ? found("degraded", `Some calls to ${call} a payment fail`)
    : found("failing", `Payments are not sold: the facilitator does not ${call} them`)
}

const unreadable = "Payments are not sold: the chain cannot be read"
const blockOld =
  "Payments are not safe to sell: the chain's newest block is over 30 s old, or the " +
  "store's clock is fast"
const clockBehind =
  "Payments are not sold: the store's clock is over 30 s behind the chain's newest block"

/** The chain has no block of the future, so the clock is slow. */
const isBehindChain = ({ now, head }: PaymentFacts) =>
  head !== null && Number(head.timestamp) * 1_000 > now

function chainFinding(facts: PaymentFacts, rules: HealthRules): Finding {
  const { chain } = facts
  if (isDisputed(facts)) {
    return found("failing", "Payments are not sold: the chain's endpoints contradict each other")
  }
  if (chain.goodAt === null && chain.failures === 0) {
    return found("unknown", "The chain has not been read yet")
  }
  if (chainAgeMs(facts, rules) <= chainMsMax) return fine
  return facts.head === null || facts.now - (chain.goodAt ?? -Infinity) > chainMsMax
    ? found("failing", unreadable)
    : found("failing", isBehindChain(facts) ? clockBehind : blockOld)
}

/** Whether two endpoints contradicted each other in the last minute, also by a clock that goes back. */
export function isDisputed({ now, disputedAt }: Pick<PaymentFacts, "now" | "disputedAt">): boolean {
  return disputedAt !== null && Math.abs(now - disputedAt) < disputeMsHeld
}

/**
 * The age of what is known of the chain: since the last good read, or of the newest block, whichever
 * is greater. A block that is ahead of the clock is as bad as an old one: the clock is slow then.
 */
function chainAgeMs({ now, chain, head }: PaymentFacts, { blocksAreRegular }: HealthRules): number {
  if (chain.goodAt === null) return Infinity
  const readMs = now - chain.goodAt
  if (!blocksAreRegular) return readMs
  return head === null ? Infinity : Math.max(readMs, Math.abs(now - Number(head.timestamp) * 1_000))
}

const notSold = "products that are settled early are not sold: the treasury"

function treasuryFinding(facts: PaymentFacts, rules: HealthRules): Finding {
  const { now, startedAt, balance, stored } = facts
  const { settleEarly } = rules
  if (balance === null || stored === null || now - balance.at > oldMs(rules)) {
    return now - startedAt <= oldMs(rules) && balance === null
      ? found("unknown", "The treasury has not been read yet")
      : found("degraded", `All ${notSold} cannot be read`)
  }
  const left = balance.units - stored.liability
  if (left < settleEarly.cheapest) {
    return found("degraded", `All ${notSold} does not cover them`)
  }
  return left < settleEarly.dearest
    ? found("degraded", `Some ${notSold} does not cover them`)
    : fine
}

const oldMs = ({ scanEveryMs }: HealthRules) => Math.max(measureMsMax, intervalsMax * scanEveryMs)

function unresolvedFinding({ stored }: PaymentFacts): Finding {
  return (stored?.unresolvedAgoMs ?? 0) > unresolvedMsMax
    ? found("degraded", "A payment has been unresolved for more than 30 minutes")
    : fine
}

function refundsFinding({ stored }: PaymentFacts): Finding {
  if (stored === null) return fine
  if (stored.refundAgoMs > refundMsMax) {
    return found("degraded", "Refunds are late: one has been owed for more than 2 hours")
  }
  return stored.refundsInReview > 0
    ? found("degraded", "A refund waits for a person to review it")
    : fine
}

function scanFinding(facts: PaymentFacts, rules: HealthRules): Finding {
  const { now, startedAt, stored } = facts
  if (stored === null || now - stored.measuredAt > oldMs(rules)) {
    return now - startedAt <= oldMs(rules)
      ? fine
      : found("degraded", "The state of stored payments cannot be read")
  }
  const lag = scanLagBlocks(facts)
  const lagMsMax = Math.max(scanMsMax, intervalsMax * rules.scanEveryMs)
  return lag !== null && Number(lag) * msPerBlock > lagMsMax
    ? found("degraded", "Transfers without a request are found late: the scan is behind")
    : fine
}

/** How many safe blocks the scan has not matched; null while that is unknown. */
export function scanLagBlocks({ head, stored }: Pick<PaymentFacts, "head" | "stored">) {
  if (head === null || stored === null || stored.scannedThrough === null) return null
  const lag = head.safeNumber - stored.scannedThrough
  return lag > 0n ? lag : 0n
}

export const scanLagSeconds = (blocks: bigint) => Number(blocks) * msPerBlock / 1_000

function sweepFinding({ now, startedAt, sweptAt }: PaymentFacts, rules: HealthRules): Finding {
  const limitMs = Math.max(sweepMsMax, intervalsMax * rules.sweepEveryMs)
  return now - (sweptAt ?? startedAt) > limitMs
    ? found("degraded", "Waiting payments are resolved late: no sweep has finished")
    : fine
}

/** What a catalogue said at the last settlement: `rejected: why`; null when it said nothing. */
export function listingText({ listing }: HealthOfPayments): string | null {
  return listing === null ? null : [listing.status, listing.reason ?? []].flat().join(": ")
}

/** The reasons of all parts that do not work, the worst first. */
export function reasonsOf({ parts }: HealthOfPayments): ReadonlyArray<string> {
  return Object.values(parts)
    .filter(({ reason }) => reason !== null)
    .toSorted((a, b) => verdicts.indexOf(b.verdict) - verdicts.indexOf(a.verdict))
    .flatMap(({ reason }) => reason === null ? [] : [reason])
}
