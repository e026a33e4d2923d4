/**
 * The services of the table of jobs, for tests whose jobs do not use them.
 *
 * @module
 */
import { type Duration, Effect, Layer } from "effect"
import { RateLimits } from "../../src/core/RateLimits.ts"
import { Feed } from "../../src/feed/Feed.ts"
import { Served } from "../../src/http/layer.ts"
import { Ingestion } from "../../src/movers/Ingestion.ts"
import { PaymentId } from "../../src/payments/domain/payment.ts"
import { PaymentHealth } from "../../src/payments/PaymentHealth.ts"
import { Payments } from "../../src/payments/Payments.ts"
import { Retention } from "../../src/payments/postgres/retention.ts"
import { Predetermined } from "../../src/predetermined/Predetermined.ts"
import { Research } from "../../src/research/Research.ts"
import { SelfScore } from "../../src/track-record/SelfScore.ts"
import { Tracking } from "../../src/whales/Tracking.ts"
import { WalletHistory } from "../../src/whales/WalletHistory.ts"
import { Whales } from "../../src/whales/Whales.ts"

/** All but the digest, the news, the slots and the clock. */
export const otherServices = Layer.mergeAll(
  Layer.mock(Served, {
    address: { transport: "tcp", hostname: "127.0.0.1", port: 0 },
    refresh: Effect.void,
  }),
  Layer.mock(Payments, { idOf: () => PaymentId.make(`0x${"0".repeat(64)}`) }),
  ...[Layer.mock(PaymentHealth, {}), Layer.mock(Retention, {})],
  ...[Layer.mock(Ingestion, {}), Layer.mock(RateLimits, {}), Layer.mock(Research, {})],
  ...[Layer.mock(Whales, {}), Layer.mock(Tracking, {})],
  ...[Layer.mock(WalletHistory, {}), Layer.mock(Predetermined, {}), Layer.mock(SelfScore, {})],
  ...[Layer.mock(Feed, {})],
)

/** No calls are limited. */
export const jobSettings = (every: Duration.Duration) => ({
  ...{ mode: "start" as const, tick: every, sweep: every, scan: every },
  limits: { free: "off", documents: "off", pages: "off", invalidPayments: "off" } as const,
})
