/**
 * The real services as processes: replicas that sell, sweep and scan, and workers that refund.
 *
 * @module
 */
import { Context, Duration, Effect, Layer } from "effect"
import { address } from "../../../src/payments/domain/payment.ts"
import { refundQueues } from "../../../src/payments/domain/refund.ts"
import { layerFile } from "../../../src/payments/DeliveryJournal.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { Chain } from "../../../src/payments/Chain.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { RefundStore } from "../../../src/payments/refunds/RefundStore.ts"
import {
  defaultRefundTiming,
  type RefundTiming,
  RefundWorker,
} from "../../../src/payments/refunds/RefundWorker.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import type { PaymentTiming } from "../../../src/payments/timing.ts"
import { Treasury } from "../../../src/payments/refunds/Treasury.ts"
import { paymentsLayer } from "../../support/payments/sales.ts"
import { terms, token } from "../../support/payments/terms.ts"
import {
  type Intercept,
  interceptChain,
  interceptFacilitator,
  interceptStore,
} from "./interceptors.ts"
import { startProcess } from "./simulatedProcess.ts"
import type { World } from "./world.ts"

/**
 * In the same order as the real ones, but shorter where a run would only wait. Each run draws HOLD.
 */
const timing: Omit<PaymentTiming, "answerWindow"> = {
  lease: Duration.seconds(50),
  verifyTimeout: Duration.seconds(4),
  workTimeout: Duration.seconds(10),
  paidWorkTimeout: Duration.seconds(30),
  settleTimeout: Duration.seconds(21),
  proveInterval: Duration.millis(500),
  proveRetriesMax: 6,
  proveTimeout: Duration.seconds(15),
  recoveryWindow: Duration.seconds(80),
  waitInterval: Duration.seconds(1),
  waitRetriesMax: 15,
}

const refundTiming: RefundTiming = {
  ...defaultRefundTiming,
  lease: Duration.seconds(60),
  validity: Duration.seconds(90),
  chainTimeout: Duration.seconds(10),
  settleTimeout: Duration.seconds(30),
  storeTimeout: Duration.seconds(5),
  proofRetryDelay: Duration.seconds(10),
  unknownRetryDelay: Duration.seconds(15),
  declinedRetryDelayMin: Duration.seconds(10),
  declinedRetryDelayMax: Duration.seconds(40),
  shortageRetryDelay: Duration.seconds(60),
  reviewRetryDelay: Duration.seconds(60),
}

const noCaps = { perHour: 10n ** 12n, perDay: 10n ** 12n }

/** A job that fails runs again at its next interval. */
const ignoringFailure = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<void> =>
  effect.pipe(Effect.asVoid, Effect.catchCause(() => Effect.void))

const outsidePorts = ({ facilitator, chain, signatures }: World, intercept: Intercept) =>
  Layer.mergeAll(
    Layer.succeed(Facilitator, interceptFacilitator(facilitator, intercept)),
    Layer.succeed(Chain, interceptChain(chain, intercept)),
    Layer.succeed(Signatures, signatures),
  )

/** A replica of the service. */
export const startReplica = (world: World, name: string) =>
  startProcess(
    world,
    name,
    (intercept) =>
      Layer.fresh(
        paymentsLayer({ timing: { ...timing, answerWindow: world.answerWindow } }),
      ).pipe(
        Layer.provide(outsidePorts(world, intercept)),
        // The files outlive the process, as on a machine.
        Layer.provide(layerFile(`${world.journals}/${name}`)),
        Layer.provide(
          Layer.succeed(PaymentStore, interceptStore(world.database.payments, intercept)),
        ),
        Layer.build,
        Effect.map((context) => Context.get(context, Payments)),
      ),
    ({ sweep, sweepReleased, scan }) => [
      [15, ignoringFailure(sweep)],
      [15, ignoringFailure(sweepReleased)],
      [30, ignoringFailure(scan)],
    ],
  )

/** A refund worker. */
export const startWorker = (world: World, name: string) =>
  startProcess(
    world,
    name,
    (intercept) =>
      Layer.fresh(RefundWorker.layer({
        token,
        payTo: address(terms.payTo),
        caps: { sales: noCaps, unmatched: noCaps },
        timing: refundTiming,
      })).pipe(
        Layer.provide(outsidePorts(world, intercept)),
        Layer.provide(
          Layer.succeed(RefundStore, interceptRefunds(world.database.refunds, intercept)),
        ),
        Layer.provide(Layer.succeed(Treasury, {
          address: address(terms.treasury),
          sign: (_token, authorization) => Effect.sync(() => world.sign(authorization)),
        })),
        Layer.build,
        Effect.map((context) => Context.get(context, RefundWorker)),
      ),
    ({ sweep }) => refundQueues.map((queue) => [15, ignoringFailure(sweep(queue))] as const),
  )

function interceptRefunds(
  store: RefundStore["Service"],
  intercept: Intercept,
): RefundStore["Service"] {
  return {
    ...store,
    claimDue: (...args) => intercept("claimDue", store.claimDue(...args)),
    sign: (...args) => intercept("sign", store.sign(...args)),
    move: (...args) => intercept("refund", store.move(...args)),
    signedSums: (...args) => intercept("signedSums", store.signedSums(...args)),
    reserved: (...args) => intercept("reserved", store.reserved(...args)),
  }
}
