/**
 * The refund worker: gives back what is owed. The only process that ever sees the treasury's key.
 *
 * It works on the service's PostgreSQL under a login of its own, listens to nobody, and migrates
 * nothing: it waits until the schema is there. Any number of workers may run at once.
 * `refund-worker.ts dev` takes simulated payments for granted; `refund-worker.ts start` nothing.
 *
 * @module
 */
import { Cause, Console, Duration, Effect, Exit, Layer, Logger } from "effect"
import { References, Schedule, Schema } from "effect"
import { layerPostgres } from "./postgres/client.ts"
import * as refundStore from "./payments/postgres/refundStore.ts"
import { schemaVersion } from "./postgres/schema.ts"
import { whyStopped } from "./app/announce.ts"
import { usd } from "./core/domain/money.ts"
import { address } from "./payments/domain/payment.ts"
import { usdcOnBase } from "./payments/domain/x402/terms.ts"
import { paymentPorts } from "./app/paymentPorts.ts"
import {
  type RefundOutcome,
  refundTimingWithin,
  RefundWorker,
} from "./payments/refunds/RefundWorker.ts"
import { Treasury } from "./payments/refunds/Treasury.ts"
import { InvalidSettings } from "./app/settings.ts"
import { untilSignal } from "./app/untilSignal.ts"
import { loadWorker, type WorkerSettings } from "./app/workerSettings.ts"

/** The migration this worker's statements are written for. */
const schemaNeeded = 10
/** How often, and how many times, a store that is not ready is asked again: two minutes in all. */
const readyEvery = Duration.seconds(2)
const readyTimes = 60
const connectionsMax = 6

const token = {
  chainId: usdcOnBase.chainId,
  asset: address(usdcOnBase.asset),
  name: usdcOnBase.tokenName,
  version: usdcOnBase.tokenVersion,
}

class SchemaMissing extends Schema.TaggedError<SchemaMissing>()("SchemaMissing", {}) {}

/** Waits, saying so, for a store whose schema is there: whoever owns it makes it in their own time. */
const ready = ({ databaseUrl: url }: WorkerSettings) =>
  schemaVersion.pipe(
    Effect.filterOrFail((version) => version >= schemaNeeded, () => new SchemaMissing()),
    Effect.provide(Layer.fresh(layerPostgres({ url, maxConnections: 1 }))),
    Effect.tapError(({ _tag }) =>
      Effect.logWarning(
        `Waiting for the store ${_tag === "SchemaMissing" ? "to be migrated" : "to answer"}`,
      )
    ),
    Effect.retry({ schedule: Schedule.spaced(readyEvery), times: readyTimes }),
  )

const databaseLayer = (settings: WorkerSettings) =>
  Layer.unwrap(Effect.as(
    ready(settings),
    layerPostgres({ url: settings.databaseUrl, maxConnections: connectionsMax }),
  ))

/** The key must be the one that the service has told its buyers of. */
const checkTreasury = (settings: WorkerSettings) =>
  Layer.effectDiscard(
    Effect.filterOrFail(
      Treasury,
      (treasury) => treasury.address === address(settings.treasury),
      () =>
        new InvalidSettings({
          message: "Cannot start: TREASURY_PRIVATE_KEY is not the key of TREASURY_ADDRESS",
        }),
    ),
  )

const refundsLayer = (settings: WorkerSettings) =>
  RefundWorker.layer({
    token,
    payTo: address(settings.payTo),
    caps: { perHour: settings.maxPerHour, perDay: settings.maxPerDay },
    timing: refundTimingWithin(settings.lease),
  }).pipe(
    Layer.provide(Layer.merge(refundStore.layer, paymentPorts(settings))),
    Layer.provide(databaseLayer(settings)),
    Layer.provideMerge(checkTreasury(settings)),
    Layer.provideMerge(Treasury.layer({ privateKey: settings.treasuryKey })),
  )

/** What somebody has to see to: owed, and not to be paid by this worker alone. */
function needsPerson({ to, reason }: RefundOutcome): boolean {
  const reasons = ["over_caps", "float_too_low", "of_another_treasury"]
  return to === "stuck" || (reason !== null && reasons.includes(reason))
}

const sweepLayer = ({ sweep, mode }: WorkerSettings) =>
  Layer.effectDiscard(Effect.gen(function* () {
    const worker = yield* RefundWorker
    const tell = (outcome: RefundOutcome) => {
      const { paymentId, from, to, reason } = outcome
      return mode === "dev"
        ? Console.log(refundLine(outcome))
        : Effect.annotateLogs(Effect.logInfo("refund"), { paymentId, from, to, reason })
    }
    const once = Effect.gen(function* () {
      const outcomes = yield* worker.sweep
      yield* Effect.forEach(outcomes.filter(({ known }) => !known), tell, { discard: true })
      const waiting = outcomes.filter(needsPerson)
      if (waiting.length > 0) {
        yield* Effect.logError(
          `${waiting.length} refunds need a person`,
          [...new Set(waiting.map(({ reason }) => reason))],
        )
      }
    })
    yield* once.pipe(
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.logError("Cannot sweep refunds", cause),
      ),
      Effect.repeat(Schedule.spaced(sweep)),
      Effect.forkScoped,
    )
  }))

/** One refund in one line. It shows no signature: whoever holds one can bring it to the chain. */
function refundLine({ paymentId, from, to, reason }: RefundOutcome): string {
  return `refund ${paymentId}  ${from} -> ${to}${reason === null ? "" : `  (${reason})`}`
}

function banner(settings: WorkerSettings): string {
  const { mode, payments, payTo, treasury, maxPerHour, maxPerDay, sweep } = settings
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["mode", mode],
    [
      "payments",
      payments.kind === "simulated"
        ? "simulated: real signatures, play money, no chain"
        : `live, by ${payments.facilitator.url}${payments.rehearsal ? " (a rehearsal)" : ""}`,
    ],
    ["treasury", `${treasury} pays back what ${payTo} was paid`],
    ["caps", `$${usd(maxPerHour)} an hour, $${usd(maxPerDay)} a day`],
    ["sweep", `every ${Duration.format(sweep)}`],
  ]
  const lines = rows.map(([name, value]) => `  ${name.padEnd(10)}${value}`)
  return ["Bellwether 1.0.0, refund worker", ...lines].join("\n")
}

const workerLayer = (settings: WorkerSettings) =>
  sweepLayer(settings).pipe(
    Layer.provide(refundsLayer(settings)),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, settings.logLevel)),
    Layer.provide(
      Logger.layer([settings.mode === "dev" ? Logger.consolePretty() : Logger.consoleJson]),
    ),
  )

const program = Effect.gen(function* () {
  const mode = Deno.args[0] === "dev" ? "dev" : "start"
  const settings = yield* loadWorker(mode, (name) => Deno.env.get(name))
  yield* Console.log(banner(settings))
  yield* Layer.build(workerLayer(settings))
  return yield* Effect.never
}).pipe(Effect.scoped)

const exit = await untilSignal(program)
if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
  const error = Cause.squash(exit.cause)
  await Effect.runPromise(Console.error(
    error instanceof SchemaMissing
      ? "Cannot start: the store has no schema for this worker; run the task migrate"
      : whyStopped(exit.cause),
  ))
  Deno.exit(1)
}
Deno.exit(0)
