/**
 * The service: settings -> Layers -> serve, with ingestion and the upkeep of payments on schedules.
 *
 * The only place that chooses Layers. `main.ts dev` runs everything embedded and simulated unless
 * told otherwise; `main.ts start` takes nothing for granted.
 *
 * @module
 */
import { Cause, Console, Deferred, Duration, Effect, Exit, Layer, Logger, Ref } from "effect"
import { References, Schedule, Schema } from "effect"
import * as handOvers from "./payments/handOversFile.ts"
import * as digestStore from "./digest/postgres/digestStore.ts"
import * as feedStore from "./feed/postgres/feedStore.ts"
import * as jobStore from "./postgres/jobSlots.ts"
import * as rateStore from "./postgres/rateLimits.ts"
import * as marketStore from "./markets/postgres/marketStore.ts"
import * as paymentStore from "./payments/postgres/paymentStore.ts"
import * as refundStore from "./payments/postgres/refundStore.ts"
import * as reportStore from "./research/postgres/reportStore.ts"
import * as scoreStore from "./track-record/postgres/scoreStore.ts"
import * as taskStore from "./http/a2a/postgres/taskStore.ts"
import * as whaleStore from "./whales/postgres/whaleStore.ts"
import { banner, invitation, tickLine, whyStopped } from "./app/announce.ts"
import { type PaymentTerms, usdcOnBase } from "./payments/domain/x402/terms.ts"
import { serveAdmin } from "./http/server/admin.ts"
import * as face from "./http/layer.ts"
import * as deniedKeys from "./core/deniedKeys.ts"
import { Backfill } from "./whales/Backfill.ts"
import { Digest } from "./digest/Digest.ts"
import { Feed, tickJob } from "./feed/Feed.ts"
import { Ingestion, isGood } from "./movers/Ingestion.ts"
import { JobSlots } from "./core/JobSlots.ts"
import { moneyGauges } from "./payments/moneyGauges.ts"
import { Payments } from "./payments/Payments.ts"
import { RateLimits } from "./core/RateLimits.ts"
import { Research } from "./research/Research.ts"
import { Resolving } from "./markets/Resolving.ts"
import { keep } from "./core/Schedules.ts"
import { TaskStore } from "./http/a2a/TaskStore.ts"
import { TrackRecord } from "./track-record/TrackRecord.ts"
import { Tracking } from "./whales/Tracking.ts"
import { WalletHistory } from "./whales/WalletHistory.ts"
import { Whales } from "./whales/Whales.ts"
import { WhaleTable } from "./whales/WhaleTable.ts"
import { newsLayer, writersLayer } from "./app/intelligence.ts"
import { intelligenceJobs } from "./app/intelligenceJobs.ts"
import { paymentPorts, timingWithin } from "./app/paymentPorts.ts"
import { judgementJobs, judgementLayer } from "./app/judgementJobs.ts"
import { load, type Settings } from "./app/settings.ts"
import { untilSignal } from "./app/untilSignal.ts"
import { databaseLayer, venueLayer } from "./app/venuePorts.ts"
import { whaleJobs } from "./app/whaleJobs.ts"

const pruneEvery = Duration.hours(1)
/** What is judged by the prices of a tick waits for the first one, but no longer. */
const firstTickMax = Duration.minutes(1)
/** How long it is remembered which slots of a job were done. */
const slotsKept = Duration.days(7)
/** How long a shutdown waits for requests in flight. */
const drain = Duration.seconds(20)
/** How long a load balancer has to see that this replica drains, before it stops to listen. */
const grace = Duration.seconds(5)
/** Seconds a buyer has to pay in; and that verifying, working and settling may take in all. */
const paymentSeconds = { maxTimeout: 120, needed: 35 }

const storesLayer = Layer.mergeAll(
  feedStore.layer,
  digestStore.layer,
  marketStore.layer,
  jobStore.layer,
  paymentStore.layer,
  refundStore.layer,
  whaleStore.layer,
  scoreStore.layer,
  reportStore.layer,
  taskStore.layer(),
  deniedKeys.layer.pipe(Layer.provide(rateStore.layer())),
)

const termsOf = (settings: Settings): PaymentTerms => ({
  ...usdcOnBase,
  payTo: settings.payTo,
  maxTimeoutSeconds: paymentSeconds.maxTimeout,
  neededSeconds: paymentSeconds.needed,
  treasury: settings.treasury,
  publicBaseUrl: settings.publicBaseUrl,
  serviceName: "Bellwether",
})

/** How a digest calls its venue. */
const venueNames: Readonly<Record<Settings["venue"]["kind"], string>> = {
  simulated: "a simulated venue",
  replay: "recorded pages of Polymarket",
  polymarket: "Polymarket",
}

/** What the product does, over the stores. */
const servicesLayer = (settings: Settings) => {
  const tick = settings.tick
  const venue = venueLayer(settings)
  return Layer.mergeAll(
    Feed.layer({ cadenceMs: Duration.toMillis(tick) }),
    TrackRecord.layer,
    Layer.mergeAll(
      Ingestion.layer({ tick }),
      Resolving.layer,
      Research.layer,
      whalesLayer(settings),
      judgementLayer(settings),
    ).pipe(Layer.provide(venue)),
    WhaleTable.layer,
    Digest.layer({ venue: venueNames[settings.venue.kind] }),
    Payments.layer({ terms: termsOf(settings), timing: timingWithin(settings) }).pipe(
      Layer.provide(paymentPorts(settings)),
      Layer.provide(handOvers.layer(settings.handOvers)),
    ),
  ).pipe(
    Layer.provide(writersLayer(settings.model)),
    Layer.provideMerge(newsLayer(settings)),
  )
}

/** Who is tracked, what they did, and what that says of them. */
const whalesLayer = ({ tick, whaleStakeUsdMin }: Settings) =>
  Layer.mergeAll(
    Whales.layer({ tick, stakeMinUsd: whaleStakeUsdMin }),
    Backfill.layer,
    Tracking.layer,
  ).pipe(Layer.provide(WalletHistory.layer))

const faceLayer = (settings: Settings) =>
  face.layer({
    terms: termsOf(settings),
    paymentMode: settings.payments.kind,
    venueMode: settings.venue.kind,
    family: settings.family,
    legacyRoutes: settings.legacyRoutes,
    contact: settings.contact,
    trustedProxyHops: settings.trustedProxyHops,
    limits: {
      free: settings.freeLimit,
      documents: settings.documentLimit,
      invalidPayments: settings.invalidPaymentLimit,
    },
    hostname: settings.host,
    port: settings.port,
    drain,
  })

/** A tick of which too little came for the feed to be called up to date. */
class TickFailed extends Schema.TaggedError<TickFailed>()("TickFailed", {
  stages: Schema.Array(Schema.String),
}) {}

/** A grant older than this counts in no window any more. */
const longestWindowMs = ({ freeLimit, documentLimit, invalidPaymentLimit }: Settings) =>
  Math.max(
    ...[freeLimit, documentLimit, invalidPaymentLimit].map((budget) =>
      budget === "off" ? 0 : budget.windowMs
    ),
    Duration.toMillis(pruneEvery),
  )

/** What runs beside the listener: ticks, forgetting, and payments that wait for somebody. */
const upkeepLayer = (settings: Settings) =>
  Layer.effectDiscard(Effect.gen(function* () {
    const ingestion = yield* Ingestion
    const payments = yield* Payments
    const served = yield* face.Served
    const tick = Effect.fnUntraced(function* (slot: number) {
      const report = yield* ingestion.tick(slot)
      yield* settings.mode === "dev"
        ? Console.log(tickLine(report))
        : Effect.annotateLogs(Effect.logInfo("tick"), { ...report })
      if (!isGood(report)) return yield* new TickFailed({ stages: report.failed })
    })
    const slots = yield* JobSlots
    const limits = yield* RateLimits
    const research = yield* Research
    const tasks = yield* TaskStore
    const prune = Effect.fnUntraced(function* (slot: number) {
      yield* ingestion.prune
      yield* research.prune
      yield* tasks.prune
      yield* slots.prune(slot - Duration.toMillis(slotsKept))
      yield* limits.prune(slot - longestWindowMs(settings))
    })
    const gauges = yield* moneyGauges
    const ticked = yield* Deferred.make<void>()
    const jobs = [
      keep({
        name: tickJob,
        every: settings.tick,
        run: tick,
        after: Effect.andThen(served.refresh, Deferred.succeed(ticked, undefined)),
      }),
      keep({ name: "prune", every: pruneEvery, run: prune }),
      payments.sweep.pipe(
        Effect.catchCause((cause) => Effect.logWarning("Cannot sweep payments", cause)),
        Effect.repeat(Schedule.spaced(settings.sweep)),
      ),
      payments.scan.pipe(
        Effect.catchCause((cause) => Effect.logWarning("Cannot scan the chain", cause)),
        Effect.repeat(Schedule.spaced(settings.scan)),
      ),
      gauges.pipe(
        Effect.catchCause((cause) => Effect.logWarning("Cannot measure what is owed", cause)),
        Effect.repeat(Schedule.spaced(settings.scan)),
      ),
    ]
    const ofWhales = yield* whaleJobs(settings, served.refresh, Deferred.await(ticked))
    const written = yield* intelligenceJobs(settings, served.refresh, Deferred.await(ticked))
    const firstTick = Deferred.await(ticked).pipe(Effect.timeoutOption(firstTickMax))
    const judged = (yield* judgementJobs(settings, served.refresh))
      .map((job) => Effect.andThen(firstTick, job))
    const all = [...jobs, ...ofWhales, ...written, ...judged]
    yield* Effect.forEach(all, (job) => Effect.forkScoped(job))
  }))

const adminLayer = (settings: Settings, draining: Ref.Ref<boolean>) =>
  Layer.effectDiscard(serveAdmin({
    hostname: settings.host,
    port: settings.adminPort,
    drain: Duration.seconds(1),
    draining: Ref.get(draining),
  }))

const announceLayer = (settings: Settings) =>
  Layer.effectDiscard(Effect.andThen(face.Served, Console.log(invitation(settings))))

/** The whole service; it runs for as long as the Layer lives. */
const serviceLayer = (settings: Settings, draining: Ref.Ref<boolean>) =>
  Layer.mergeAll(upkeepLayer(settings), announceLayer(settings)).pipe(
    Layer.provideMerge(faceLayer(settings)),
    Layer.provideMerge(adminLayer(settings, draining)),
    Layer.provideMerge(servicesLayer(settings)),
    Layer.provideMerge(storesLayer),
    Layer.provide(databaseLayer(settings)),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, settings.logLevel)),
    Layer.provide(
      Logger.layer([settings.mode === "dev" ? Logger.consolePretty() : Logger.consoleJson]),
    ),
  )

const program = Effect.gen(function* () {
  const mode = Deno.args[0] === "dev" ? "dev" : "start"
  const settings = yield* load(mode, (name) => Deno.env.get(name))
  yield* Console.log(banner(settings))
  const draining = yield* Ref.make(false)
  yield* Layer.build(serviceLayer(settings, draining))
  // Added last, so that it runs first: probes see the drain before anything closes.
  yield* Effect.addFinalizer(() =>
    Effect.andThen(Ref.set(draining, true), Effect.sleep(settings.mode === "dev" ? 0 : grace))
  )
  return yield* Effect.never
}).pipe(Effect.scoped)

const exit = await untilSignal(program)
if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
  await Effect.runPromise(Console.error(whyStopped(exit.cause)))
  Deno.exit(1)
}
Deno.exit(0)
