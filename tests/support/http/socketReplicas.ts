/**
 * Replicas of the service, each on its own socket, over ports that the test chooses; and buyers
 * that send plain HTTP requests to them.
 *
 * @module
 */
import { Context, Duration, Effect, Layer, type Scope } from "effect"
import { layerPostgres } from "../../../src/postgres/client.ts"
import { layer as paymentStore } from "../../../src/payments/postgres/paymentStore.ts"
import { layer as signatures } from "../../../src/payments/wasmSignatures.ts"
import { layerLedger, type SimulationOptions } from "../payments/simulated.ts"
import { layerStore, Ledger } from "../../../src/payments/simulated/ledger.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { makeHttpService } from "../../../src/http/layer.ts"
import { listen } from "../../../src/http/server/server.ts"
import { Chain } from "../../../src/payments/Chain.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { Feed } from "../../../src/feed/Feed.ts"
import type { Narrator } from "../../../src/writing/Narrator.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import type { ReportStore } from "../../../src/research/ReportStore.ts"
import { Resolving } from "../../../src/markets/Resolving.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { defaultTiming, type PaymentTiming } from "../../../src/payments/timing.ts"
import type { Redacted } from "effect"
import { serviceOptions, servicesOver, type World } from "./httpService.ts"
import { paymentsLayer } from "../payments/sales.ts"

/** The ports that replicas of one service share. */
export type ReplicaPorts = PaymentStore | Ledger | Signatures | Chain | Facilitator

/** The ports of a replica with its own connection pool on the PostgreSQL at `url`. */
export const pooledReplicaPorts = (
  url: Redacted.Redacted,
  simulation: SimulationOptions = {},
): Layer.Layer<ReplicaPorts> =>
  Layer.fresh(
    Layer.merge(paymentStore, layerLedger(simulation).pipe(Layer.provideMerge(layerStore))).pipe(
      Layer.provide(Layer.fresh(layerPostgres({ url, maxConnections: 6 }))),
      Layer.provideMerge(signatures),
    ),
  ).pipe(Layer.orDie)

/** Effects that run before a product is computed; a test can block a sale with them. */
export interface Works {
  readonly latest?: Effect.Effect<void>
  readonly check?: Effect.Effect<void>
  readonly list?: Effect.Effect<void>
}

export interface ReplicaOptions {
  readonly timing?: Partial<PaymentTiming>
  readonly works?: Works
  /** The narrator and the store of reports. */
  readonly writing?: Layer.Layer<ReportStore | Narrator>
  /** The limit of invalid payments of a client in a minute. */
  readonly invalidPayments?: number
  /** Called with each request before it is answered. */
  readonly onRequest?: (request: Request) => void
}

export interface Replica {
  readonly base: string
  readonly port: number
  readonly payments: Payments["Service"]
}

/** Serves one more replica over the ports in the context, until the scope closes. */
export const openReplica: (
  world: World,
  options?: ReplicaOptions,
) => Effect.Effect<Replica, never, ReplicaPorts | Scope.Scope> = Effect.fn("openReplica")(
  function* (
    world,
    { timing = {}, works = {}, writing, invalidPayments = 1_000, onRequest = () => {} } = {},
  ) {
    const ports = yield* Effect.context<ReplicaPorts>()
    const layer = Layer.fresh(paymentsLayer({ timing: { ...defaultTiming, ...timing } }))
    const built = yield* Layer.build(Layer.provide(layer, Layer.succeedContext(ports)))
    const payments = Context.get(built, Payments)
    const services = yield* Layer.build(
      servicesOver(world, Layer.succeed(Payments, payments), writing),
    )
    const { latest = Effect.void, check = Effect.void, list = Effect.void } = works
    const feed = Context.get(services, Feed)
    const resolving = Context.get(services, Resolving)
    const blockable = services.pipe(
      Context.add(Feed, { ...feed, latest: Effect.andThen(latest, feed.latest) }),
      Context.add(Resolving, {
        ...resolving,
        check: (query) => Effect.andThen(check, resolving.check(query)),
        list: (query) => Effect.andThen(list, resolving.list(query)),
      }),
    )
    const limits = {
      ...serviceOptions.limits,
      invalidPayments: { limit: invalidPayments, windowMs: 60_000 },
    }
    const { handle } = yield* Effect.provide(
      makeHttpService({ ...serviceOptions, limits }),
      blockable,
    )
    const { port } = yield* Effect.orDie(listen(
      { hostname: "127.0.0.1", port: 0, drain: Duration.seconds(2) },
      (request, peer) => {
        onRequest(request)
        return handle(request, peer)
      },
    ))
    return { base: `http://127.0.0.1:${port}`, port, payments }
  },
)

/** The two products that these tests buy, by settlement order. */
export const productBySettlementOrder = {
  "compute-first": products.latest,
  "settle-early": products.resolving,
} as const
export const orders = ["compute-first", "settle-early"] as const

export interface PaidRequest {
  /** A path with its query. */
  readonly path: string
  readonly payment: string
  readonly header?: "PAYMENT-SIGNATURE" | "X-PAYMENT"
  /** The Idempotency-Key. */
  readonly key?: string | null
  /** The last part of the client's address. */
  readonly client?: number
}

/** An answer as the buyer reads it. */
export interface PaidResponse {
  readonly status: number
  readonly text: string
  /** The error's code; null when there is none. */
  readonly code: string | null
  /** `error.charged` of the body; undefined when it is absent. */
  readonly charged: boolean | null | undefined
  readonly retryAfter: string | null
  readonly receipt: string | null
}

/** Sends a request with a payment, and reads the whole answer. */
export const ask = (base: string, { path, payment, header, key, client }: PaidRequest) =>
  Effect.promise(async (signal): Promise<PaidResponse> => {
    const response = await fetch(`${base}${path}`, {
      signal,
      headers: {
        [header ?? "PAYMENT-SIGNATURE"]: payment,
        "x-forwarded-for": `198.18.${(client ?? 0) >> 8}.${(client ?? 0) & 255}`,
        ...key === undefined || key === null ? {} : { "idempotency-key": key },
      },
    })
    const text = await response.text()
    const { error } = JSON.parse(text)
    return {
      status: response.status,
      text,
      code: error?.code ?? null,
      charged: error?.charged,
      retryAfter: response.headers.get("retry-after"),
      receipt: response.headers.get("payment-response"),
    }
  })
