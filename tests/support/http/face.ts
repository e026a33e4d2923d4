/**
 * The face over fakes: a feed in memory, an exact limit in memory, and a till that takes anything.
 *
 * @module
 */
import { Clock, Effect, Layer, Option, Ref } from "effect"
import { familyOfOne } from "../../../src/http/documents/family.ts"
import type { FeedItem } from "../../../src/feed/domain/item.ts"
import { defaultLegacyRoutes } from "../../../src/http/pages/legacy.ts"
import { type Authorization, PaymentId } from "../../../src/payments/domain/payment.ts"
import type { Delivery, PaymentOutcome } from "../../../src/payments/sale/responses.ts"
import type { Product } from "../../../src/catalog/domain/product.ts"
import { second } from "../../../src/core/domain/time.ts"
import { type HttpServiceOptions, makeHttpService } from "../../../src/http/layer.ts"
import { Feed } from "../../../src/feed/Feed.ts"
import type { DigestStore } from "../../../src/digest/DigestStore.ts"
import { FeedStore } from "../../../src/feed/FeedStore.ts"
import { JobSlots } from "../../../src/core/JobSlots.ts"
import { ReportNarrator } from "../../../src/research/ReportNarrator.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { RateLimits, RateLimitUnavailable } from "../../../src/core/RateLimits.ts"
import type { ReportStore } from "../../../src/research/ReportStore.ts"
import { Research } from "../../../src/research/Research.ts"
import { Resolving } from "../../../src/markets/Resolving.ts"
import { TaskStore } from "../../../src/http/a2a/TaskStore.ts"
import { TrackRecord } from "../../../src/track-record/TrackRecord.ts"
import { Calibration } from "../../../src/whales/Calibration.ts"
import { digestsOver, storedDigest } from "../digest/storedDigests.ts"
import { memoryReportStore } from "../research/memoryReports.ts"
import { memoryTasks } from "./memoryTasks.ts"
import { sampleItem } from "../feed/items.ts"
import { memoryDigests } from "../digest/memoryDigests.ts"
import { makeProductPorts, type ProductPorts, productPortsLayer } from "../products.ts"
import { authorizationFor, headerOf, nonce, terms, wirePayment } from "../payments/terms.ts"

export const serviceOptions: HttpServiceOptions = {
  terms,
  paymentMode: "simulated",
  venueMode: "simulated",
  family: familyOfOne(terms.publicBaseUrl),
  legacyRoutes: defaultLegacyRoutes,
  contact: "mailto:security@localhost",
  trustedProxyHops: 1,
  limits: {
    free: { limit: 5, windowMs: 60_000 },
    documents: { limit: 120, windowMs: 60_000 },
    invalidPayments: { limit: 30, windowMs: 60_000 },
  },
}

/** What a test may change under the face while it runs. */
export interface World {
  readonly items: Ref.Ref<ReadonlyArray<FeedItem>>
  /** It has one digest, made when the world was. */
  readonly digests: DigestStore["Service"]
  /** The tasks of /a2a, of all replicas over this world. */
  readonly tasks: TaskStore["Service"]
  /** When the last good tick ended. */
  readonly lastTickAt: Ref.Ref<number | null>
  /** False: the store dies on every question, and the limit is unavailable. */
  readonly storeUp: Ref.Ref<boolean>
  /** How often the shared limit was asked. */
  readonly asked: Ref.Ref<number>
  /** Markets, venue and wallets. */
  readonly shelf: ProductPorts
}

export const makeWorld = (count: number): Effect.Effect<World> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const digests = memoryDigests()
    yield* digests.add(storedDigest(now))
    return {
      digests,
      tasks: memoryTasks(),
      items: yield* Ref.make<ReadonlyArray<FeedItem>>(
        Array.from({ length: count }, (_, at) => sampleItem(at + 1, now - (count - at) * 1_000)),
      ),
      lastTickAt: yield* Ref.make<number | null>(now),
      storeUp: yield* Ref.make(true),
      asked: yield* Ref.make(0),
      shelf: yield* makeProductPorts,
    }
  })

const feedStore = (world: World) => {
  const items = Effect.flatMap(
    Ref.get(world.storeUp),
    (up) => up ? Ref.get(world.items) : Effect.die("the store is down"),
  )
  return Layer.succeed(FeedStore, {
    append: () => Effect.succeed([]),
    head: (dayStart) =>
      Effect.map(items, (all) => {
        const last = all.at(-1)
        const today = (type: FeedItem["type"]) =>
          all.filter((item) => item.type === type && Date.parse(item.createdAt) >= dayStart).length
        return {
          index: last?.feedIndex ?? 0,
          lastItemAt: last === undefined ? null : Date.parse(last.createdAt),
          todayByType: {
            mover: today("mover"),
            whale_entry: today("whale_entry"),
            predetermined: today("predetermined"),
          },
        }
      }),
    latest: Effect.map(items, (all) => Option.fromUndefinedOr(all.at(-1))),
    byIndex: (index) =>
      Effect.map(
        items,
        (all) => Option.fromUndefinedOr(all.find((item) => item.feedIndex === index)),
      ),
    page: ({ since, count, type }) =>
      Effect.map(items, (all) => {
        const fitting = all.filter((item) => type === null || item.type === type)
        return since === null
          ? fitting.slice(-count)
          : fitting.filter((item) => item.feedIndex > since).slice(0, count)
      }),
    moversSince: (since) =>
      Effect.map(
        items,
        (all) =>
          all.toReversed().flatMap((item) =>
            item.type === "mover" && Date.parse(item.createdAt) >= since ? [item] : []
          ),
      ),
    between: () => Effect.succeed({ items: [], total: 0 }),
    prune: () => Effect.succeed(0),
  })
}

const jobSlots = (world: World) =>
  Layer.succeed(JobSlots, {
    claim: () => Effect.succeedNone,
    renew: () => Effect.succeed(false),
    finish: () => Effect.succeed(false),
    lastOk: () => Effect.map(Ref.get(world.lastTickAt), Option.fromNullOr),
    prune: () => Effect.succeed(0),
  })

const taskStore = ({ tasks, storeUp }: World) => {
  const served = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.flatMap(Ref.get(storeUp), (up) => up ? effect : Effect.die("the store is down"))
  return Layer.succeed(TaskStore, {
    open: (task) => served(tasks.open(task)),
    find: (id) => served(tasks.find(id)),
    move: (held, move) => served(tasks.move(held, move)),
    prune: served(tasks.prune),
  })
}

/** The port's promise, kept in memory: a sliding log for each key. */
const rateLimits = (world: World) =>
  Layer.sync(RateLimits, () => {
    const grants = new Map<string, ReadonlyArray<number>>()
    return {
      take: Effect.fnUntraced(function* ({ name, limit, windowMs }, key) {
        yield* Ref.update(world.asked, (asked) => asked + 1)
        if (!(yield* Ref.get(world.storeUp))) return yield* new RateLimitUnavailable()
        const now = yield* Clock.currentTimeMillis
        const id = `${name} ${key}`
        const live = (grants.get(id) ?? []).filter((at) => now - at < windowMs)
        const granted = live.length < limit
        const kept = granted ? [...live, now] : live
        grants.set(id, kept)
        return {
          granted,
          remaining: limit - kept.length,
          resetMs: (kept[0] ?? now) + windowMs - now,
        }
      }),
      prune: () => Effect.succeed(0),
    }
  })

/** Sells to anybody who shows a payment that matches, and remembers what it sold for which secret. */
const generousPayments = Layer.sync(Payments, () => {
  const sold = new Map<PaymentId, { readonly secret: string | null; readonly delivery: Delivery }>()
  const idOf = ({ nonce }: Authorization) => PaymentId.make(nonce)
  return {
    idOf,
    sell: ({ payment, secret }, { check, compute }) =>
      Effect.map(Effect.andThen(check, compute), ({ body, charge }) => {
        const paymentId = idOf(payment.authorization)
        const receipt = charge
          ? { payer: payment.authorization.from, transaction: "0x1", network: "eip155:8453" }
          : null
        const delivery: Delivery = { paymentId, body, receipt, replayed: false }
        if (charge) sold.set(paymentId, { secret, delivery })
        return delivery
      }),
    findOutcome: (paymentId, secret) =>
      Effect.sync((): PaymentOutcome => {
        const found = sold.get(paymentId)
        if (found === undefined) return { state: "unknown" }
        const { delivery } = found
        return secret !== null && secret === found.secret
          ? { state: "answered", delivery: { ...delivery, replayed: true } }
          : { state: "underway" }
      }),
    sent: () => Effect.void,
    status: () => Effect.succeedNone,
    sweep: Effect.succeed(0),
    scan: Effect.succeed(0),
  }
})

/** A tick every 10 minutes, as in production. */
export const tickIntervalMs = 600_000

/** Reports by rules, remembered here alone. */
const byRules = Layer.merge(memoryReportStore, ReportNarrator.layerTemplate)

export const servicesOver = (
  world: World,
  payments: Layer.Layer<Payments> = generousPayments,
  writing: Layer.Layer<ReportStore | ReportNarrator> = byRules,
) =>
  Layer.mergeAll(
    Feed.layer({ tickIntervalMs }).pipe(Layer.provide([feedStore(world), jobSlots(world)])),
    digestsOver(world.digests, world.storeUp),
    rateLimits(world),
    payments,
    taskStore(world),
    Layer.mergeAll(Resolving.layer, Research.layer, TrackRecord.layer, Calibration.layer).pipe(
      Layer.provide([productPortsLayer(world.shelf), writing]),
    ),
  )

/** The face over a world, as a function of requests from some peer. */
export const makeService = Effect.fnUntraced(
  function* (world: World, payments?: Layer.Layer<Payments>, options = serviceOptions) {
    const services = yield* Layer.build(servicesOver(world, payments))
    const face = yield* Effect.provide(makeHttpService(options), services)
    const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: "192.0.2.1", port: 1 }
    return {
      ...face,
      get: (path: string, init: RequestInit = {}) =>
        Effect.promise(async () =>
          await face.handle(new Request(`http://any.host${path}`, init), { remoteAddr })
        ),
    }
  },
)

const payer = { address: "0x00000000000000000000000000000000000000a1" }
/** Looks like a signature; the till of these tests reads none. */
const signature = `0x${"11".repeat(32)}${"22".repeat(32)}1b`

/** A payment header that pays for a product now; `n` makes it another payment. */
export const paymentFor = Effect.fnUntraced(function* (product: Product, n = 0) {
  const now = Math.floor((yield* Clock.currentTimeMillis) / second)
  const authorization = authorizationFor(payer, product, now, { nonce: nonce(n) })
  return headerOf(wirePayment(product, authorization, signature))
})
