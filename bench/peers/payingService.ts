/**
 * The HTTP layer with real payments over an in-memory feed, as a process for benchmarks.
 *
 * Each signature is checked, and every state of a payment is stored in the PostgreSQL of
 * `DATABASE_URL`, which also has the whales. Facilitator and chain are in process. Listens on `PORT`.
 *
 * @module
 */
import "../../src/core/fiberContext.ts"
import { Duration, Effect, Layer, Redacted } from "effect"
import { layerPostgres } from "../../src/postgres/client.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"
import * as paymentStore from "../../src/payments/postgres/paymentStore.ts"
import * as scoreStore from "../../src/track-record/postgres/scoreStore.ts"
import * as signatures from "../../src/payments/wasmSignatures.ts"
import { layer } from "../../src/http/layer.ts"
import { Freshness } from "../../src/core/Freshness.ts"
import { Chain } from "../../src/payments/Chain.ts"
import { Facilitator } from "../../src/payments/Facilitator.ts"
import { layerChain, layerFacilitator, PortRecords } from "../../src/payments/observedPorts.ts"
import { TrackRecord } from "../../src/track-record/TrackRecord.ts"
import { Calibration } from "../../src/whales/Calibration.ts"
import { postgresWhales } from "../../tests/support/whales/whaleStores.ts"
import { makeWorld, serviceOptions, servicesOver } from "../../tests/support/http/httpService.ts"
import { paymentsLayer } from "../../tests/support/payments/sales.ts"

const transaction = `0x${"1".padStart(64, "0")}`

const facilitator = Layer.succeed(Facilitator, {
  name: "in process",
  verify: () => Effect.succeed({ outcome: "valid" }),
  settle: () => Effect.succeed({ outcome: "settled", transaction }),
})

const chain = Layer.succeed(Chain, {
  head: Effect.succeed({ number: 1n, timestamp: 0n, safeNumber: 1n }),
  paymentProof: () =>
    Effect.succeed({
      proof: "paid",
      at: { transaction, block: 1n, logIndex: 1, finality: "latest" },
    }),
  transfers: ({ after }) => Effect.succeed({ transfers: [], through: after ?? 0n }),
  balanceOf: () => Effect.succeed(1_000_000_000n),
  isNonceUsed: () => Effect.succeed(false),
  hasCode: () => Effect.succeed(false),
  wouldSettle: () => Effect.succeed(true),
})

const connectionsMax = 16

const database = Layer.provideMerge(
  Layer.effectDiscard(Effect.flatMap(migrationFiles, migrate)),
  layerPostgres({
    url: Redacted.make(Deno.env.get("DATABASE_URL") ?? ""),
    maxConnections: connectionsMax,
  }),
)
const ports = Layer.merge(layerFacilitator, layerChain).pipe(
  Layer.provide(Layer.mergeAll(facilitator, chain, PortRecords.layer)),
)
const payments = paymentsLayer().pipe(
  Layer.provide(Layer.mergeAll(ports, signatures.layer, paymentStore.layer)),
  Layer.provide(database),
  Layer.orDie,
)
/** Fresh, because memoised Layers would return those over the in-memory stores. */
const whales = Layer.fresh(Layer.mergeAll(TrackRecord.layer, Calibration.layer)).pipe(
  Layer.provide(
    Layer.mergeAll(
      postgresWhales,
      scoreStore.layer,
      Layer.mock(Freshness, { asOf: () => Effect.succeed(null) }),
    ),
  ),
  Layer.provide(database),
  Layer.orDie,
)

const served = Effect.map(makeWorld(1_000), (world) =>
  layer({
    ...serviceOptions,
    limits: { free: "off", documents: "off", pages: "off", invalidPayments: "off" },
    hostname: "127.0.0.1",
    port: Number(Deno.env.get("PORT")),
    drain: Duration.seconds(1),
  }).pipe(Layer.provide(Layer.merge(servicesOver(world, payments), whales))))

await Effect.runPromise(Effect.scoped(Layer.launch(Layer.unwrap(served))))
