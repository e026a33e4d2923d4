/**
 * Composes the process that pays refunds: it waits until the store has its schema, checks that it has the
 * treasury's key, and sweeps due refunds. Its probes and metrics have a listener of their own.
 *
 * In `dev` the service sweeps refunds itself, because a simulated treasury's key is public.
 *
 * @module
 */
import {
  Cause,
  Duration,
  Effect,
  Layer,
  Logger,
  Redacted,
  References,
  Schedule,
  Schema,
} from "effect"
import { AtomicAmount } from "../core/domain/money.ts"
import { StoreClock } from "../core/StoreClock.ts"
import { UnmatchedRefundMin } from "../core/UnmatchedRefundMin.ts"
import { SqlClient } from "effect/sql/SqlClient"
import { address } from "../payments/domain/payment.ts"
import { type QueueName, type RefundOutcome, refundQueues } from "../payments/domain/refund.ts"
import type { Network } from "../payments/domain/x402/terms.ts"
import * as refundStore from "../payments/postgres/refundStore.ts"
import { RefundWorker, scaledRefundTiming } from "../payments/refunds/RefundWorker.ts"
import { Treasury } from "../payments/refunds/Treasury.ts"
import { layerPostgres } from "../postgres/client.ts"
import * as storeProbe from "../postgres/storeProbe.ts"
import { bindStore } from "../postgres/storeBinding.ts"
import { appliedNames } from "../postgres/schemaVersion.ts"
import { PortRecords } from "../payments/observedPorts.ts"
import { probesLayer, readChainLayer, sweepAgeLayer, swept, WorkerBeat } from "./workerProbes.ts"
import { printer } from "./console.ts"
import { simulatedTreasuryKey, storedPayments, type WorkerSettings } from "./moneySettings.ts"
import { paymentPorts } from "./paymentPorts.ts"
import type { ServiceSettings } from "./settings.ts"
import { InvalidSettings, type Mode } from "./variables.ts"

/** The migration that this worker's statements need. */
const neededMigration = { id: 1, name: "schema" }
/** The interval and the number of checks for a store that is not ready: two minutes in all. */
const readyCheckInterval = Duration.seconds(2)
const readyCheckRetriesMax = 60
const connectionsMax = 6

const tokenOf = ({ usdc: { chainId, asset, tokenName, tokenVersion } }: Network) => ({
  ...{ chainId, asset: address(asset) },
  ...{ name: tokenName, version: tokenVersion },
})

class SchemaMissing extends Schema.TaggedError<SchemaMissing>()("SchemaMissing", {}) {
  override get message() {
    return "Cannot start: the store has no schema for this worker; run the task migrate"
  }
}

/** Runs the worker while the Layer lives. */
export const workerLayer = (settings: WorkerSettings) =>
  Layer.mergeAll(
    Layer.merge(sweepLayer(settings, "start"), readChainLayer)
      .pipe(
        Layer.provide(refundsLayer(settings)),
        Layer.provide(StoreClock.layer),
        Layer.provide(storeProbe.layer),
        Layer.provide(databaseLayer(settings)),
        Layer.provide(treasuryChecked(settings)),
      ),
    probesLayer(settings),
  ).pipe(
    Layer.provide(Layer.merge(WorkerBeat.layer, PortRecords.layer)),
    Layer.provide(Layer.succeed(UnmatchedRefundMin, settings.unmatchedRefundMin)),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, settings.logLevel)),
    Layer.provide(Logger.layer([Logger.consoleJson])),
  )

/** More than any simulated refund: play money needs no cap. */
const noCap = AtomicAmount.make(10n ** 12n)

/** Sweeps the refunds of simulated payments in the service of `dev`. */
export const simulatedRefunds = (service: ServiceSettings) => {
  if (service.payments.kind !== "simulated") return Layer.empty
  const settings = {
    ...service,
    treasuryKey: Redacted.make(simulatedTreasuryKey),
    ...{ maxPerHour: noCap, maxPerDay: noCap, maxUnmatchedPerDay: noCap },
  }
  return Layer.merge(sweepLayer(settings, "dev"), sweepAgeLayer).pipe(
    Layer.provide(refundsLayer(settings)),
    Layer.provide(WorkerBeat.layer),
  )
}

type RefundSettings = Omit<WorkerSettings, "databaseUrl" | "adminHost" | "adminPort">

const refundsLayer = (settings: RefundSettings) =>
  RefundWorker.layer({
    token: tokenOf(settings.network),
    payTo: address(settings.payTo),
    caps: {
      sales: { perHour: settings.maxPerHour, perDay: settings.maxPerDay },
      unmatched: { perHour: settings.maxUnmatchedPerDay, perDay: settings.maxUnmatchedPerDay },
    },
    timing: scaledRefundTiming(settings.lease),
  }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        refundStore.layer,
        paymentPorts(settings, scaledRefundTiming(settings.lease)),
      ),
    ),
    Layer.provideMerge(Treasury.layer({ privateKey: settings.treasuryKey })),
  )

/** A worker of the other kind of payments would cancel refunds, because its chain does not have them. */
const databaseLayer = (settings: WorkerSettings) =>
  Layer.unwrap(Effect.as(
    storeReady(settings),
    Layer.provideMerge(
      Layer.effectDiscard(bindStore("payments", storedPayments(settings))),
      layerPostgres({ url: settings.databaseUrl, maxConnections: connectionsMax }),
    ),
  ))

/** Waits until the store has the schema. The worker migrates nothing. */
const storeReady = ({ databaseUrl: url }: WorkerSettings) =>
  Effect.flatMap(SqlClient, appliedNames).pipe(
    Effect.filterOrFail(
      (applied) => applied.get(neededMigration.id) === neededMigration.name,
      () => new SchemaMissing(),
    ),
    Effect.provide(Layer.fresh(layerPostgres({ url, maxConnections: 1 }))),
    Effect.tapError(({ _tag }) =>
      Effect.logWarning(
        `Waiting for the store ${_tag === "SchemaMissing" ? "to be migrated" : "to respond"}`,
      )
    ),
    Effect.retry({ schedule: Schedule.spaced(readyCheckInterval), times: readyCheckRetriesMax }),
  )

/** The key must belong to the address that the service publishes to its buyers. */
const treasuryChecked = (settings: WorkerSettings) =>
  Layer.effectDiscard(
    Effect.filterOrFail(
      Treasury,
      (treasury) => treasury.address === address(settings.treasury),
      () =>
        new InvalidSettings({
          problems: ["Cannot start: TREASURY_PRIVATE_KEY is not the key of TREASURY_ADDRESS"],
        }),
    ),
  ).pipe(Layer.provide(Treasury.layer({ privateKey: settings.treasuryKey })))

const sweepLayer = ({ sweep }: RefundSettings, mode: Mode) =>
  Layer.effectDiscard(Effect.gen(function* () {
    const worker = yield* RefundWorker
    const print = printer(mode)
    const sweepOnce = Effect.fnUntraced(function* (queue: QueueName) {
      const outcomes = yield* worker.sweep(queue)
      yield* swept(queue, outcomes)
      for (const outcome of outcomes.filter(({ unchanged }) => !unchanged)) {
        const { paymentId, from, to, reason } = outcome
        yield* print("refund", { paymentId, from, to, reason })
      }
      const needOperator = outcomes.filter((outcome) => needsOperator(queue, outcome))
      if (needOperator.length > 0) {
        yield* Effect.logError(
          `${needOperator.length} refunds need an operator`,
          [...new Set(needOperator.map(({ reason }) => reason))],
        )
      }
    })
    // One loop for each queue, so that no refund of a sale waits for an unmatched one.
    for (const queue of refundQueues) {
      yield* sweepOnce(queue).pipe(
        Effect.catchCauseIf(
          (cause) => !Cause.hasInterruptsOnly(cause),
          (cause) => Effect.logError("Cannot sweep refunds", cause),
        ),
        Effect.repeat(Schedule.spaced(sweep)),
        Effect.forkScoped,
      )
    }
  }))

/**
 * Whether an operator must act: the refund is due, and this worker alone cannot pay it. An unmatched
 * refund may wait for its cap or for the sales.
 */
function needsOperator(queue: QueueName, { to, reason }: RefundOutcome): boolean {
  const shortages = queue === "sales" ? ["over_caps", "float_too_low"] : []
  const reasons = [...shortages, "of_another_treasury"]
  return to === "needs_review" || (reason !== null && reasons.includes(reason))
}
