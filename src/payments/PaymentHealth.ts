/**
 * Whether payments work now, from what the service observes anyway: the calls of sales, sweeps and
 * scans (`observedPorts.ts`), and one measurement of the store and the treasury every SCAN. Only the
 * newest block is read for this alone, every 10 s. The rule is `domain/paymentHealth.ts`.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Metric, Option, Schedule } from "effect"
import { withDeadline } from "../core/deadline.ts"
import type { EpochMs } from "../core/domain/time.ts"
import { Chain } from "./Chain.ts"
import { address, type PaymentState } from "./domain/payment.ts"
import {
  type ChainHead,
  type HealthOfPayments,
  healthOfPayments,
  type HealthRules,
  type PaymentFacts,
  scanLagBlocks,
  scanLagSeconds,
  type StoredFacts,
} from "./domain/paymentHealth.ts"
import { type PaymentTerms, tokenOf } from "./domain/x402/terms.ts"
import { chainReadAge, inUsdc, PortRecords, treasuryUsdc } from "./observedPorts.ts"
import { PaymentStore, type ScannedAccount } from "./PaymentStore.ts"
import { isOwed, measureOwed, type OwedTotals, RefundQueue } from "./refunds/Refunds.ts"

/** The states in which something still has to happen to a payment. */
export const openStates = [
  "claimed",
  "settling",
  "unresolved",
  "settled",
  "refund_due",
] satisfies ReadonlyArray<PaymentState>

export interface OpenPayments {
  readonly payments: number
  /** Atomic units. */
  readonly amount: bigint
  /** Milliseconds since the oldest of them entered this state. */
  readonly oldestAgoMs: number
}

interface Stats {
  /** A state without payments is absent. */
  readonly open: ReadonlyMap<PaymentState, OpenPayments>
  /** The last block whose transfers to the account were matched; null before the first scan. */
  readonly scannedThrough: bigint | null
  /** Seconds since the newest answer of each product was sold; one that never was is absent. */
  readonly soldAgo: ReadonlyMap<string, number>
}

/** The port to the stored payments together. */
export class PaymentStats extends Context.Service<PaymentStats, {
  readonly read: (account: ScannedAccount) => Effect.Effect<Stats>
}>()("bellwether/payments/PaymentStats") {}

export class PaymentHealth extends Context.Service<PaymentHealth, {
  /** The verdict now. Reads memory only. */
  readonly current: Effect.Effect<HealthOfPayments>
  /** Measures what is stored and the treasury, for the verdict and the metrics. Runs every SCAN. */
  readonly measure: Effect.Effect<void>
  /** Notes that a sweep of waiting payments has finished. */
  readonly swept: Effect.Effect<void>
  /** Updates the gauges that change between two measurements; run it before a scrape. */
  readonly updateGauges: Effect.Effect<void>
}>()("bellwether/payments/PaymentHealth") {
  static readonly layer = (options: HealthOptions) => Layer.effect(PaymentHealth, make(options))
}

interface HealthOptions extends HealthRules {
  readonly terms: PaymentTerms
}

/** How often the newest block is read, and how long one read may take. */
const headEvery = Duration.seconds(10)
const headTimeout = Duration.seconds(8)
const balanceTimeout = Duration.seconds(8)

/** What this process knows, besides the records of the ports. */
interface Known {
  head: ChainHead | null
  balance: PaymentFacts["balance"]
  stored: StoredFacts | null
  sweptAt: EpochMs | null
}

const make = Effect.fnUntraced(function* (options: HealthOptions) {
  const chain = yield* Chain
  const records = yield* PortRecords
  const payments = yield* PaymentStore
  const queue = yield* RefundQueue
  const stats = yield* PaymentStats
  const startedAt = yield* Clock.currentTimeMillis
  const known: Known = { head: null, balance: null, stored: null, sweptAt: null }
  const { chainId, treasury, payTo } = options.terms
  const { asset } = tokenOf(options.terms)
  const account = { chainId, asset, payTo: address(payTo) }

  const facts = Effect.map(
    Clock.currentTimeMillis,
    (now): PaymentFacts => ({ now, startedAt, ...records, ...known }),
  )

  const readHead = quietly(withDeadline(headTimeout)(chain.head)).pipe(
    Effect.map((head) => {
      if (Option.isSome(head)) known.head = head.value
    }),
  )

  const readBalance = Effect.gen(function* () {
    const read = chain.balanceOf(asset, address(treasury))
    const units = yield* quietly(withDeadline(balanceTimeout)(read))
    if (Option.isNone(units)) return
    known.balance = { units: units.value, at: yield* Clock.currentTimeMillis }
    yield* Metric.update(treasuryUsdc, inUsdc(units.value))
  })

  const readStored = Effect.gen(function* () {
    const owed = yield* measureOwed(payments, queue)
    const read = yield* stats.read(account)
    known.stored = storedFacts(owed, read, yield* Clock.currentTimeMillis)
    for (const state of openStates) {
      const { payments = 0, amount = 0n, oldestAgoMs = 0 } = read.open.get(state) ?? {}
      yield* Metric.update(Metric.withAttributes(paymentsByState, { state }), payments)
      yield* Metric.update(Metric.withAttributes(openUsdc, { state }), inUsdc(amount))
      yield* Metric.update(Metric.withAttributes(oldestPayment, { state }), oldestAgoMs / 1_000)
    }
    for (const [product, seconds] of read.soldAgo) {
      yield* Metric.update(Metric.withAttributes(lastSold, { product }), seconds)
    }
  })

  yield* Effect.forkScoped(Effect.repeat(readHead, Schedule.spaced(headEvery)))
  return PaymentHealth.of({
    current: Effect.map(facts, (facts) => healthOfPayments(facts, options)),
    measure: Effect.all([readBalance, readStored], { concurrency: 2, discard: true }),
    swept: Effect.map(Clock.currentTimeMillis, (now) => void (known.sweptAt = now)),
    updateGauges: Effect.flatMap(facts, (facts) => setGauges(facts, options)),
  })
})

/** None when the chain cannot be read: the failure is in the records already. */
const quietly = <A, E>(read: Effect.Effect<Option.Option<A>, E>) =>
  Effect.catch(read, () => Effect.succeed(Option.none<A>()))

/**
 * Refunds of unmatched transfers are no part of it: anyone can send one, and their cap may let them
 * wait for days.
 */
function storedFacts(
  { liability, refunds }: OwedTotals,
  { open, scannedThrough }: Stats,
  measuredAt: EpochMs,
): StoredFacts {
  const ofSales = refunds.filter((totals) => totals.queue === "sales" && isOwed(totals))
  return {
    measuredAt,
    liability,
    unresolvedAgoMs: open.get("unresolved")?.oldestAgoMs ?? null,
    refundsInReview: ofSales.find(({ state }) => state === "needs_review")?.refunds ?? 0,
    refundAgoMs: Math.max(0, ...ofSales.map(({ oldestAgoMs }) => oldestAgoMs)),
    scannedThrough,
  }
}

const paymentsByState = Metric.gauge("payments_open", {
  description: "Payments in each state that is not final",
})
const openUsdc = Metric.gauge("payments_open_usdc", {
  description: "The sum of the payments in each state that is not final, in USDC",
})
const oldestPayment = Metric.gauge("payments_open_oldest_seconds", {
  description: "Seconds since the oldest payment of each state entered it",
})
const lastSold = Metric.gauge("product_last_sold_seconds", {
  description: "Seconds since an answer of each product was last sold; none for one never sold",
})
const healthGauge = Metric.gauge("payments_health", {
  description: "0 ok, 1 unknown, 2 degraded, 3 failing, by part and in all",
})
const chainBlock = Metric.gauge("chain_block", { description: "The newest block that was read" })
const chainAge = Metric.gauge("chain_block_age_seconds", {
  description: "Age of the newest block that was read",
})
const sweepAge = Metric.gauge("last_sweep_age_seconds", {
  description: "Seconds since the last sweep of waiting payments finished",
})
const scanLag = Metric.gauge("chain_scan_lag_seconds", {
  description: "Time on the chain whose transfers are not matched yet",
})

const levels = { ok: 0, unknown: 1, degraded: 2, failing: 3 } as const

const setGauges = Effect.fnUntraced(function* (facts: PaymentFacts, rules: HealthRules) {
  const { now, head, chain, sweptAt } = facts
  const { verdict, parts } = healthOfPayments(facts, rules)
  for (const [part, finding] of [...Object.entries(parts), ["all", { verdict }] as const]) {
    yield* Metric.update(Metric.withAttributes(healthGauge, { part }), levels[finding.verdict])
  }
  const secondsSince = (at: EpochMs | null) => at === null ? NaN : (now - at) / 1_000
  yield* Metric.update(chainBlock, head === null ? NaN : Number(head.number))
  yield* Metric.update(
    chainAge,
    secondsSince(head === null ? null : Number(head.timestamp) * 1_000),
  )
  yield* Metric.update(chainReadAge, secondsSince(chain.goodAt))
  yield* Metric.update(sweepAge, secondsSince(sweptAt))
  const lag = scanLagBlocks(facts)
  yield* Metric.update(scanLag, lag === null ? NaN : scanLagSeconds(lag))
})
