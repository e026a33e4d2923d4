/**
 * The HTTP service over fakes: feed, tasks and rate limits in memory, and payments that accept any
 * signature.
 *
 * @module
 */
import { Clock, Effect, Layer, Option, Ref } from "effect"
import { familyOfOne } from "../../../src/catalog/domain/family.ts"
import { packagesOf } from "../../../src/http/documents/packages.ts"
import type { FeedItem } from "../../../src/feed/domain/item.ts"
import { type Authorization, PaymentId } from "../../../src/payments/domain/payment.ts"
import type { Outcome } from "../../../src/payments/purchase.ts"
import { unresolved } from "../../../src/payments/sale/responses.ts"
import type { Product } from "../../../src/catalog/domain/product.ts"
import { second } from "../../../src/core/domain/time.ts"
import { makeHttpService } from "../../../src/http/layer.ts"
import type { Site } from "../../../src/http/site.ts"
import { Feed } from "../../../src/feed/Feed.ts"
import { PublishedMarkets } from "../../../src/feed/PublishedMarkets.ts"
import type { DigestStore } from "../../../src/digest/DigestStore.ts"
import { tickJob } from "../../../src/core/domain/freshness.ts"
import { Freshness } from "../../../src/core/Freshness.ts"
import { FeedStore } from "../../../src/feed/FeedStore.ts"
import { JobSlots } from "../../../src/core/JobSlots.ts"
import { Narrator } from "../../../src/writing/Narrator.ts"
import { type HealthOfPayments } from "../../../src/payments/domain/paymentHealth.ts"
import { PaymentHealth } from "../../../src/payments/PaymentHealth.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { StoreClock } from "../../../src/core/StoreClock.ts"
import { StoreProbe, StoreRefusesWrites } from "../../../src/core/StoreProbe.ts"
import { RateLimits, RateLimitUnavailable } from "../../../src/core/RateLimits.ts"
import type { ReportStore } from "../../../src/research/ReportStore.ts"
import { Research } from "../../../src/research/Research.ts"
import { Resolving } from "../../../src/markets/Resolving.ts"
import type { Scorecard } from "../../../src/track-record/domain/scorecard.ts"
import { Status } from "../../../src/status/Status.ts"
import type { StatusReport } from "../../../src/status/domain/status.ts"
import { sampleStatus } from "../catalog/samples.ts"
import { TrackRecord } from "../../../src/track-record/TrackRecord.ts"
import { Calibration } from "../../../src/whales/Calibration.ts"
import { digestsOver, storedDigest } from "../digest/storedDigests.ts"
import { memoryReportStore } from "../research/memoryReports.ts"
import { sampleItem } from "../feed/items.ts"
import { feedOver } from "../feed/memoryFeed.ts"
import { memoryDigests } from "../digest/memoryDigests.ts"
import { memoryRateLimits } from "../memoryRateLimits.ts"
import { makeProductPorts, type ProductPorts, productPortsLayer } from "../products.ts"
import { SigningKey } from "../../../src/signing/SigningKey.ts"
import { testKey } from "../signing/key.ts"
import { authorizationFor, headerOf, nonce, terms, wirePayment } from "../payments/terms.ts"

/** As in production. */
export const tickIntervalMs = 600_000

export const serviceOptions: Site = {
  terms,
  commit: "0123456789ab",
  paymentMode: "simulated",
  tickIntervalMs,
  venueMode: "simulated",
  family: familyOfOne(terms.publicBaseUrl),
  packages: packagesOf({
    publicBaseUrl: terms.publicBaseUrl,
    files: new Map([["bellwether-mcp-1.0.0.tgz", new Uint8Array([1, 2, 3])]]),
    read: () => Promise.resolve(null),
    scope: null,
  }),
  contact: "mailto:security@localhost",
  trustedProxyHops: 1,
  limits: {
    free: { limit: 5, windowMs: 60_000 },
    documents: { limit: 120, windowMs: 60_000 },
    pages: { limit: 120, windowMs: 60_000 },
    invalidPayments: { limit: 30, windowMs: 60_000 },
  },
}

/** The state that a test may change while the service runs. */
export interface World {
  readonly items: Ref.Ref<ReadonlyArray<FeedItem>>
  /** One digest is stored at the start. */
  readonly digests: DigestStore["Service"]
  /** When the last successful tick ended; null before the first. */
  readonly lastTickAt: Ref.Ref<number | null>
  /** False: every store call dies, and the rate limits are unavailable. */
  readonly storeUp: Ref.Ref<boolean>
  /** How often the shared rate limits were called. */
  readonly limitCalls: Ref.Ref<number>
  readonly productPorts: ProductPorts
  /** The health of payments; none of the fakes changes it. */
  readonly paymentHealth: Ref.Ref<HealthOfPayments>
  /** Why the store refuses writes; null when it accepts them. */
  readonly writeFault: Ref.Ref<string | null>
  /** How its clock differs from the store's. */
  readonly clockFault: Ref.Ref<string | null>
  /** How often the store was asked to write. */
  readonly writes: Ref.Ref<number>
  /** A scorecard that is served instead of the computed one; null for none. */
  readonly scorecard: Ref.Ref<Scorecard | null>
  /** The record of the service. */
  readonly status: Ref.Ref<StatusReport>
}

const fine = { verdict: "ok", reason: null } as const
/** Payments of which every part works. */
export const healthyPayments: HealthOfPayments = {
  verdict: "ok",
  listing: null,
  parts: {
    ...{ verification: fine, settlement: fine, chain: fine, treasury: fine },
    ...{ unresolved: fine, refunds: fine, scan: fine, sweep: fine },
  },
}

export const makeWorld = (count: number): Effect.Effect<World> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const digests = memoryDigests()
    yield* digests.add(storedDigest(now))
    return {
      digests,
      items: yield* Ref.make<ReadonlyArray<FeedItem>>(
        Array.from({ length: count }, (_, at) => sampleItem(at + 1, now - (count - at) * 1_000)),
      ),
      lastTickAt: yield* Ref.make<number | null>(now),
      storeUp: yield* Ref.make(true),
      limitCalls: yield* Ref.make(0),
      productPorts: yield* makeProductPorts,
      paymentHealth: yield* Ref.make(healthyPayments),
      writeFault: yield* Ref.make<string | null>(null),
      clockFault: yield* Ref.make<string | null>(null),
      writes: yield* Ref.make(0),
      scorecard: yield* Ref.make<Scorecard | null>(null),
      status: yield* Ref.make(sampleStatus(now)),
    }
  })

const feedStore = (world: World) =>
  Layer.succeed(
    FeedStore,
    feedOver(Effect.flatMap(
      Ref.get(world.storeUp),
      (up) => up ? Ref.get(world.items) : Effect.die("the store is down"),
    )),
  )

const jobSlots = (world: World) =>
  Layer.mock(JobSlots, {
    lastOk: (job) =>
      Effect.map(
        Ref.get(job === tickJob ? world.lastTickAt : world.productPorts.jobsOkAt),
        Option.fromNullOr,
      ),
  })

const observed = (world: World) =>
  Layer.mergeAll(
    Layer.mock(PaymentHealth, {
      current: Ref.get(world.paymentHealth),
      updateGauges: Effect.void,
    }),
    Layer.succeed(StoreClock, { disagreement: Ref.get(world.clockFault) }),
    Layer.succeed(StoreProbe, {
      now: Clock.currentTimeMillis,
      write: Effect.gen(function* () {
        yield* Ref.update(world.writes, (count) => count + 1)
        const reason = yield* Ref.get(world.writeFault)
        if (reason !== null) return yield* new StoreRefusesWrites({ reason })
      }),
      tableSizes: Effect.succeed([]),
    }),
  )

const rateLimits = (world: World) =>
  Layer.sync(RateLimits, () =>
    memoryRateLimits(Effect.gen(function* () {
      yield* Ref.update(world.limitCalls, (count) => count + 1)
      if (!(yield* Ref.get(world.storeUp))) return yield* new RateLimitUnavailable()
    })))

/** Accepts every payment without reading its signature; stores each delivery with its secret. */
export const acceptingPayments = Layer.sync(Payments, () => {
  const sold = new Map<PaymentId, { readonly secret: string | null; readonly delivery: Outcome }>()
  const idOf = ({ nonce }: Authorization) => PaymentId.make(nonce)
  return {
    idOf,
    sell: ({ payment, secret }, { check, compute }) =>
      Effect.map(Effect.andThen(check, compute), ({ body, charge }) => {
        const paymentId = idOf(payment.authorization)
        const receipt = charge
          ? { payer: payment.authorization.from, transaction: "0x1", network: "eip155:8453" }
          : null
        const delivery: Outcome = {
          paymentId,
          body,
          receipt,
          replayed: false,
          etag: '"a"',
          unchanged: false,
        }
        if (charge) sold.set(paymentId, { secret, delivery })
        return delivery
      }),
    findOutcome: (paymentId, secret) =>
      Effect.suspend(() => {
        const found = sold.get(paymentId)
        if (found === undefined) return Effect.succeed(null)
        return secret !== null && secret === found.secret
          ? Effect.succeed({ ...found.delivery, replayed: true })
          : unresolved
      }),
    findByTask: (task) =>
      Effect.sync(() => {
        const found = sold.values().find(({ secret }) => secret === task)
        return found === undefined ? null : { ...found.delivery, replayed: true }
      }),
    sent: () => Effect.void,
    status: () => Effect.succeedNone,
    sweep: Effect.succeed(0),
    sweepReleased: Effect.succeed(0),
    scan: Effect.succeed(0),
  }
})

const trackRecord = (world: World) =>
  Layer.effect(
    TrackRecord,
    Effect.map(TrackRecord, (computed) =>
      TrackRecord.of({
        ...computed,
        scorecard: Effect.flatMap(
          Ref.get(world.scorecard),
          (fixed) => fixed === null ? computed.scorecard : Effect.succeed(fixed),
        ),
      })),
  ).pipe(Layer.provide(TrackRecord.layer))

/** Reports from templates, stored in memory. */
const templateReports = Layer.merge(memoryReportStore, Narrator.layerNone)

export const servicesOver = (
  world: World,
  payments: Layer.Layer<Payments> = acceptingPayments,
  writing: Layer.Layer<ReportStore | Narrator> = templateReports,
) =>
  Layer.provideMerge(
    servicesOverFresh(world, payments, writing),
    Freshness.layer({ tickIntervalMs }).pipe(Layer.provide(jobSlots(world))),
  )

const servicesOverFresh = (
  world: World,
  payments: Layer.Layer<Payments>,
  writing: Layer.Layer<ReportStore | Narrator>,
) =>
  Layer.mergeAll(
    Layer.mergeAll(
      Feed.layer({ tickIntervalMs }).pipe(Layer.provide(Layer.succeed(SigningKey, testKey))),
      PublishedMarkets.layer,
    ).pipe(
      Layer.provide([feedStore(world), productPortsLayer(world.productPorts)]),
    ),
    digestsOver(world.digests, world.storeUp),
    rateLimits(world),
    observed(world),
    payments,
    Layer.succeed(SigningKey, testKey),
    Layer.succeed(Status, { report: Ref.get(world.status) }),
    Layer.mergeAll(
      Resolving.layer,
      Research.layer.pipe(Layer.provide([trackRecord(world), feedStore(world)])),
      trackRecord(world),
      Calibration.layer,
    ).pipe(
      Layer.provide([productPortsLayer(world.productPorts), writing]),
    ),
  )

/** The service over a world; `get` sends a request from a fixed peer address. */
export const makeService = Effect.fnUntraced(
  function* (world: World, payments?: Layer.Layer<Payments>, options = serviceOptions) {
    const services = yield* Layer.build(servicesOver(world, payments))
    const service = yield* Effect.provide(makeHttpService(options), services)
    const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: "192.0.2.1", port: 1 }
    return {
      ...service,
      get: (path: string, init: RequestInit = {}) =>
        Effect.promise(async () =>
          await service.handle(new Request(`http://any.host${path}`, init), { remoteAddr })
        ),
    }
  },
)

const payer = { address: "0x00000000000000000000000000000000000000a1" }
/** Has the form of a signature; `acceptingPayments` does not verify it. */
const signature = `0x${"11".repeat(32)}${"22".repeat(32)}1b`

/** The header of a payment for a product, valid now; each `n` gives another payment. */
export const paymentFor = Effect.fnUntraced(function* (product: Product, n = 0) {
  const now = Math.floor((yield* Clock.currentTimeMillis) / second)
  const authorization = authorizationFor(payer, product, now, { nonce: nonce(n) })
  return headerOf(wirePayment(product, authorization, signature))
})
