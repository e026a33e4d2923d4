/**
 * Composes and runs the service: the settings choose the Layer of each port.
 *
 * @module
 */
import { products } from "../catalog/domain/product.ts"
import { Clock, Console, Duration, Effect, Layer, Logger, Ref, References } from "effect"
import { FetchHttpClient } from "effect/http"
import type { SqlClient } from "effect/sql/SqlClient"
import { Freshness } from "../core/Freshness.ts"
import { openAt } from "../core/listening.ts"
import { StoreClock } from "../core/StoreClock.ts"
import { UnmatchedRefundMin } from "../core/UnmatchedRefundMin.ts"
import { Digest } from "../digest/Digest.ts"
import * as digestStore from "../digest/postgres/digestStore.ts"
import { Feed } from "../feed/Feed.ts"
import { PublishedMarkets } from "../feed/PublishedMarkets.ts"
import * as feedStore from "../feed/postgres/feedStore.ts"
import { paths } from "../http/documents/addresses.ts"
import { builtFiles, packagesOf } from "../http/documents/packages.ts"
import * as http from "../http/layer.ts"
import { serveAdmin } from "../http/server/admin.ts"
import * as marketStore from "../markets/postgres/marketStore.ts"
import { Resolving } from "../markets/Resolving.ts"
import { Ingestion } from "../movers/Ingestion.ts"
import { News } from "../news/News.ts"
import { NewsReader } from "../news/NewsReader.ts"
import { NewsSources } from "../news/NewsSources.ts"
import * as newsStore from "../news/postgres/newsStore.ts"
import * as realNews from "../news/sources/sources.ts"
import { type PaymentTerms } from "../payments/domain/x402/terms.ts"
import * as deliveryJournal from "../payments/DeliveryJournal.ts"
import { PaymentHealth } from "../payments/PaymentHealth.ts"
import { Payments } from "../payments/Payments.ts"
import * as paymentStats from "../payments/postgres/paymentStats.ts"
import * as paymentStore from "../payments/postgres/paymentStore.ts"
import * as refundStore from "../payments/postgres/refundStore.ts"
import { Retention } from "../payments/postgres/retention.ts"
import * as testTriggers from "../payments/simulated/triggers.ts"
import { scaledTiming } from "../payments/timing.ts"
import * as jobStore from "../postgres/jobSlots.ts"
import { RateLimits } from "../core/RateLimits.ts"
import * as rateStore from "../postgres/rateLimits.ts"
import * as storeProbe from "../postgres/storeProbe.ts"
import { Predetermined } from "../predetermined/Predetermined.ts"
import { Status } from "../status/Status.ts"
import * as statusStore from "../status/postgres/statusStore.ts"
import { SigningKey } from "../signing/SigningKey.ts"
import * as signingKey from "../signing/ed25519/signingKey.ts"
import * as reportStore from "../research/postgres/reportStore.ts"
import { Research } from "../research/Research.ts"
import * as scoreStore from "../track-record/postgres/scoreStore.ts"
import * as contestedRecord from "../track-record/contestedRecord.ts"
import { SelfScore } from "../track-record/SelfScore.ts"
import { TrackRecord } from "../track-record/TrackRecord.ts"
import * as simulatedNews from "../venues/simulated/news.ts"
import * as simulatedReader from "../venues/simulated/reader.ts"
import { devWorld } from "../venues/simulated/venue.ts"
import type { World } from "../venues/simulated/world.ts"
import { Calibration } from "../whales/Calibration.ts"
import * as calibrationStore from "../whales/postgres/calibrationStore.ts"
import * as entryStore from "../whales/postgres/entryStore.ts"
import * as walletStore from "../whales/postgres/walletStore.ts"
import * as whaleMarketStore from "../whales/postgres/whaleMarketStore.ts"
import { Tracking } from "../whales/Tracking.ts"
import { WalletHistory } from "../whales/WalletHistory.ts"
import { Whales } from "../whales/Whales.ts"
import { Narrator } from "../writing/Narrator.ts"
import type { ModelOptions } from "../writing/openai/model.ts"
import { serviceBanner, startupHints } from "./console.ts"
import { jobTable, startJob } from "./jobs.ts"
import { paymentPorts } from "./paymentPorts.ts"
import { packageFolder } from "./sandbox.ts"
import { loadService, type ServiceSettings } from "./settings.ts"
import * as telemetry from "./telemetry.ts"
import { exitCodeOf } from "./untilSignal.ts"
import { notListening } from "./variables.ts"
import { databaseLayer, venueClientLayer } from "./venuePorts.ts"

/** How long a shutdown waits for requests in flight. */
const drain = Duration.seconds(20)
const adminDrain = Duration.seconds(1)
/** How long a load balancer has to notice that this replica drains, before it stops listening. */
const grace = Duration.seconds(5)
/** All jobs are due at a start, and the first requests would wait for their statements. */
const jobsDelay = Duration.millis(500)
/**
 * `maxTimeout`: the seconds that a buyer has to pay. `needed`: the most seconds that verification,
 * computation and settlement take.
 */
const paymentSeconds = { maxTimeout: 120, needed: 35 }
/** Payments that a replica verifies at the facilitator, and verified ones that it sells, at the same time. */
const payingAtOnce = { verificationsMax: 256, salesMax: 512 }
/** A tracked wallet's entry of a smaller stake is not published. */
const stakeMinUsd = 1_000

/** The venue's name in a digest. */
const venueNames: Readonly<Record<ServiceSettings["venue"], string>> = {
  simulated: "a simulated venue",
  polymarket: "Polymarket",
}

/** Pays refunds on the service's store. */
type RefundsLayer = (
  settings: ServiceSettings,
) => Layer.Layer<never, Layer.Error<ReturnType<typeof paymentPorts>>, SqlClient>

/**
 * Runs the service until a signal, and returns its exit code. `get` reads one variable of the
 * environment. `refunds` pays refunds in this process.
 */
export async function runService(
  mode: "dev" | "start",
  get: (name: string) => string | undefined,
  refunds?: RefundsLayer,
): Promise<number> {
  const program = Effect.gen(function* () {
    const settings = yield* loadService(mode, get)
    yield* Console.log(serviceBanner(settings))
    yield* tryAddress(settings.host, settings.port).pipe(
      Effect.mapError(notListening("HOST", "PORT")),
    )
    yield* tryAddress(settings.adminHost, settings.adminPort).pipe(
      Effect.mapError(notListening("ADMIN_HOST", "ADMIN_PORT")),
    )
    return yield* serve(settings, refunds)
  }).pipe(Effect.scoped)
  return await exitCodeOf(program)
}

/** Fails where the service could not listen, before the store is opened and migrated. */
const tryAddress = (hostname: string, port: number) =>
  openAt(hostname, port, () => Deno.listen({ hostname, port }).close())

/** Runs the service until the scope closes. */
const serve = Effect.fnUntraced(function* (
  settings: ServiceSettings,
  refunds: RefundsLayer = () => Layer.empty,
) {
  const draining = yield* Ref.make(false)
  yield* Layer.build(serviceLayer(settings, refunds(settings), draining))
  // Added last, so it runs first: health probes see the drain before anything closes.
  yield* Effect.addFinalizer(() =>
    Effect.andThen(Ref.set(draining, true), Effect.sleep(settings.mode === "dev" ? 0 : grace))
  )
  return yield* Effect.never
})

const serviceLayer = (
  settings: ServiceSettings,
  refunds: ReturnType<RefundsLayer>,
  draining: Ref.Ref<boolean>,
) =>
  Layer.mergeAll(jobsLayer(settings), startupHintsLayer(settings), refunds).pipe(
    Layer.provideMerge(httpLayer(settings)),
    Layer.provideMerge(adminLayer(settings, draining)),
    Layer.provideMerge(productLayer(settings)),
    Layer.provideMerge(StoreClock.layer),
    Layer.provideMerge(storesLayer),
    Layer.provideMerge(signingLayer(settings)),
    Layer.provide(databaseLayer(settings)),
    Layer.provide(
      telemetry.layer(
        settings.collector === null ? null : { ...settings.collector, commit: settings.commit },
      ),
    ),
    Layer.provide(Layer.succeed(UnmatchedRefundMin, settings.unmatchedRefundMin)),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, settings.logLevel)),
    Layer.provide(
      Logger.layer([settings.mode === "dev" ? Logger.consolePretty() : Logger.consoleJson]),
    ),
  )

/** The use cases of the product, on top of the stores. A simulated venue and its news share one world. */
const productLayer = (settings: ServiceSettings) =>
  Layer.unwrap(
    Effect.map(Clock.currentTimeMillis, (at) =>
      productLayerIn(settings.venue === "simulated" ? devWorld(undefined, at) : null, settings)),
  )

const productLayerIn = (world: World | null, settings: ServiceSettings) => {
  const { tick, venue } = settings
  const tickIntervalMs = Duration.toMillis(tick)
  const venueClient = venueClientLayer(world)
  const fromVenue = Layer.mergeAll(
    Ingestion.layer({ tick }),
    Research.layer.pipe(Layer.provide(TrackRecord.layer)),
    Whales.layer({ tick, stakeMinUsd }),
    Tracking.layer,
    Predetermined.layer({ tick }).pipe(Layer.provide(contestedRecord.layer)),
    SelfScore.layer.pipe(Layer.provideMerge(Resolving.layer)),
    Digest.layer({
      venue: venueNames[venue],
      methodUrl: `${settings.publicBaseUrl}${paths.llmsFull}`,
    }).pipe(Layer.provide(TrackRecord.layer)),
  ).pipe(
    Layer.provideMerge(WalletHistory.layer),
    Layer.provide(venueClient),
  )
  return Layer.mergeAll(
    fromVenue,
    Feed.layer({ tickIntervalMs }),
    PublishedMarkets.layer,
    Retention.layer,
    TrackRecord.layer,
    Status.layer({
      tickIntervalMs,
      paymentMode: settings.payments.kind,
    })
      .pipe(Layer.provide(statusStore.layer)),
    paymentLayer(settings),
  ).pipe(
    Layer.provideMerge(Calibration.layer),
    Layer.provideMerge(Freshness.layer({ tickIntervalMs })),
    Layer.provideMerge(News.layer.pipe(Layer.provide(venueClient))),
    Layer.provide(writersLayer(world, settings)),
    Layer.provide(newsSources(world, settings)),
    Layer.provide(newsStore.layer),
  )
}

/** The prices of the products that are settled early, the cheapest first. */
const settleEarlyPrices: ReadonlyArray<bigint> = Object.values(products)
  .filter(({ settlementOrder }) => settlementOrder === "settle-early")
  .map(({ price }) => price)
  .toSorted((a, b) => a < b ? -1 : 1)

const timingOf = ({ lease, hold }: ServiceSettings) => scaledTiming({ lease, answerWindow: hold })

/** The sales; with simulated payments, also their test triggers. */
const salesLayer = (settings: ServiceSettings) => {
  const sales = Layer.unwrap(Effect.gen(function* () {
    const { sign } = yield* SigningKey
    return Payments.layer({
      terms: termsOf(settings),
      timing: timingOf(settings),
      sign,
      ...payingAtOnce,
      rateLimits: yield* RateLimits,
    })
  }))
  return settings.payments.kind === "simulated"
    ? testTriggers.layer.pipe(Layer.provide(sales))
    : sales
}

/** Sales and the health of payments, on the same ports. */
const paymentLayer = (settings: ServiceSettings) =>
  Layer.mergeAll(
    salesLayer(settings).pipe(
      Layer.provide(deliveryJournal.layerFile(settings.deliveryJournal)),
    ),
    PaymentHealth.layer({
      terms: termsOf(settings),
      settleEarly: {
        cheapest: settleEarlyPrices[0] ?? 0n,
        dearest: settleEarlyPrices.at(-1) ?? 0n,
      },
      sweepEveryMs: Duration.toMillis(settings.sweep),
      scanEveryMs: Duration.toMillis(settings.scan),
      blocksAreRegular: settings.payments.kind === "simulated" || !settings.payments.rehearsal,
    }).pipe(Layer.provide(paymentStats.layer)),
  ).pipe(Layer.provide(paymentPorts(settings, timingOf(settings))))

const storesLayer = Layer.mergeAll(
  storeProbe.layer,
  feedStore.layer,
  digestStore.layer,
  marketStore.layer,
  jobStore.layer,
  paymentStore.layer,
  refundStore.queueLayer,
  walletStore.layer,
  whaleMarketStore.layer,
  entryStore.layer,
  calibrationStore.layer,
  scoreStore.layer,
  reportStore.layer,
  rateStore.layer(),
)

/**
 * The narrator, the judge and the reader of the news: a model if one is configured, else the template
 * and, of simulated news, a stand-in for a reader. They share its limits.
 */
const writersLayer = (
  world: World | null,
  { model, news }: ServiceSettings,
): Layer.Layer<Narrator | NewsReader> =>
  model === null
    ? Layer.mergeAll(
      Narrator.layerNone,
      news.kind === "simulated" && world !== null
        ? simulatedReader.layer(world)
        : NewsReader.layerNone,
    )
    : Layer.mergeAll(
      Narrator.layerModel,
      NewsReader.layerModel,
    )
      .pipe(Layer.provide(modelLayer(model)))

/** The client of the model is loaded only where one is used. */
const modelLayer = (options: ModelOptions) =>
  Layer.unwrap(Effect.map(
    Effect.promise(() => import("../writing/openai/model.ts")),
    ({ layer }) => layer(options),
  ))

/** Real headlines with the real venue, simulated ones with the simulated venue. */
const newsSources = (
  world: World | null,
  settings: ServiceSettings,
): Layer.Layer<NewsSources> => {
  const { news, publicBaseUrl } = settings
  if (news.kind === "real") {
    return realNews.layer({ ...news, home: publicBaseUrl }).pipe(
      Layer.provide(FetchHttpClient.layer),
    )
  }
  return news.kind === "simulated" && world !== null
    ? simulatedNews.layer(world)
    : Layer.succeed(NewsSources, [])
}

const signingLayer = ({ signing, publicBaseUrl }: ServiceSettings) =>
  signingKey.layer({ ...signing, publicBaseUrl })

const termsOf = (settings: ServiceSettings): PaymentTerms => ({
  ...settings.network.usdc,
  payTo: settings.payTo,
  maxTimeoutSeconds: paymentSeconds.maxTimeout,
  neededSeconds: paymentSeconds.needed,
  treasury: settings.treasury,
  publicBaseUrl: settings.publicBaseUrl,
  serviceName: "Bellwether",
})

/** A file that buyers install; null where it is not built. */
const readPackage = (name: string) =>
  Deno.readFile(`${packageFolder}/${name}`).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return null
    throw error
  })

const httpLayer = (settings: ServiceSettings) =>
  Layer.unwrap(Effect.promise(async () =>
    http.layer({
      packages: packagesOf({
        publicBaseUrl: settings.publicBaseUrl,
        files: await builtFiles(readPackage),
        read: readPackage,
        scope: settings.packageScope,
      }),
      terms: termsOf(settings),
      commit: settings.commit,
      paymentMode: settings.payments.kind,
      tickIntervalMs: Duration.toMillis(settings.tick),
      venueMode: settings.venue,
      ...(settings.payments.kind === "simulated" ? { testTriggers: testTriggers.triggers } : {}),
      family: settings.family,
      contact: settings.contact,
      trustedProxyHops: settings.trustedProxyHops,
      limits: settings.limits,
      hostname: settings.host,
      port: settings.port,
      drain,
    })
  ))

const adminLayer = (settings: ServiceSettings, draining: Ref.Ref<boolean>) =>
  Layer.effectDiscard(serveAdmin({
    hostname: settings.adminHost,
    port: settings.adminPort,
    drain: adminDrain,
    draining: Ref.get(draining),
  }))

const jobsLayer = (settings: ServiceSettings) =>
  Layer.effectDiscard(
    Effect.flatMap(jobTable(settings), (jobs) =>
      Effect.forEach(jobs, startJob).pipe(Effect.delay(jobsDelay), Effect.forkScoped)),
  )

/** Printed once the service listens. */
const startupHintsLayer = (settings: ServiceSettings) =>
  Layer.effectDiscard(
    Effect.andThen(http.Served, Console.log(startupHints(settings, Object.values(products)))),
  )
