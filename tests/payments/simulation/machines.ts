/**
 * The real services as processes: replicas that sell, sweep and scan, and workers that refund.
 *
 * @module
 */
import { Context, Duration, Effect, Layer } from "effect"
import { address } from "../../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { Chain } from "../../../src/payments/Chain.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { RefundStore } from "../../../src/payments/refunds/RefundStore.ts"
import { type RefundTiming, RefundWorker } from "../../../src/payments/refunds/RefundWorker.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import type { PaymentTiming } from "../../../src/payments/timing.ts"
import { Treasury } from "../../../src/payments/refunds/Treasury.ts"
import { terms, token } from "../../support/payments/terms.ts"
import { type Between, chainBetween, facilitatorBetween, storeBetween } from "./between.ts"
import { startMachine } from "./machine.ts"
import type { World } from "./world.ts"

/** The real order of lengths, shortened where a run would only wait. HOLD is the run's own. */
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
  drain: Duration.seconds(15),
}

const roomy = { perHour: 10n ** 12n, perDay: 10n ** 12n }

/** A chore that fails is done again when its turn comes. */
const stubborn = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<void> =>
  effect.pipe(Effect.asVoid, Effect.catchCause(() => Effect.void))

const outside = ({ facilitator, chain, signatures }: World, between: Between) =>
  Layer.mergeAll(
    Layer.succeed(Facilitator, facilitatorBetween(facilitator, between)),
    Layer.succeed(Chain, chainBetween(chain, between)),
    Layer.succeed(Signatures, signatures),
  )

/** A replica of the service. */
export const startReplica = (world: World, name: string) =>
  startMachine(
    world,
    name,
    (between) =>
      Layer.fresh(Payments.layer({ terms, timing: { ...timing, answerWindow: world.hold } })).pipe(
        Layer.provide(outside(world, between)),
        Layer.provide(
          Layer.succeed(PaymentStore, storeBetween(world.database.payments, between)),
        ),
        Layer.build,
        Effect.map((context) => Context.get(context, Payments)),
      ),
    ({ sweep, scan }) => [[15, stubborn(sweep)], [30, stubborn(scan)]],
  )

/** A refund worker. */
export const startWorker = (world: World, name: string) =>
  startMachine(
    world,
    name,
    (between) =>
      Layer.fresh(RefundWorker.layer({
        token,
        payTo: address(terms.payTo),
        caps: roomy,
        timing: refundTiming,
      })).pipe(
        Layer.provide(outside(world, between)),
        Layer.provide(Layer.succeed(RefundStore, refundsBetween(world.database.refunds, between))),
        Layer.provide(Layer.succeed(Treasury, {
          address: address(terms.treasury),
          sign: (_token, authorization) => Effect.sync(() => world.sign(authorization)),
        })),
        Layer.build,
        Effect.map((context) => Context.get(context, RefundWorker)),
      ),
    ({ sweep }) => [[15, stubborn(sweep)]],
  )

function refundsBetween(store: RefundStore["Service"], between: Between): RefundStore["Service"] {
  return {
    ...store,
    claimDue: (...args) => between("claimDue", store.claimDue(...args)),
    sign: (...args) => between("sign", store.sign(...args)),
    move: (...args) => between("refund", store.move(...args)),
    signedForOthers: (...args) => between("signedForOthers", store.signedForOthers(...args)),
  }
}
