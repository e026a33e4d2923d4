/**
 * Several facilitators as one: when one does not answer, the next gets the same payment.
 *
 * Only the same payment may be sent again: its authorization moves money at most once, through
 * either. An answer is final for the call, a refusal too. A report that is not clear (pending,
 * no transaction) is an answer: the chain decides. After a facilitator that did not answer a
 * settlement, the refusal of the next may be due to what the first one submitted, so it is unclear.
 *
 * @module
 */
import { Clock, Duration, Effect } from "effect"
import { leftMs } from "../../core/domain/time.ts"
import {
  Facilitator,
  type FacilitatorRequest,
  type SettleOutcome,
  type VerifyOutcome,
} from "../Facilitator.ts"
import { defaultTiming, type PaymentTiming } from "../timing.ts"

/** A facilitator that did not answer is asked last for this time. */
const restMs = Duration.toMillis(Duration.seconds(30))

/** The part of a step's time that all facilitators share. The rest is for the step itself. */
const budgetShare = 0.95

/** The time limits of the steps that call a facilitator. Refunds only settle. */
export type FacilitatorSteps = Partial<Pick<PaymentTiming, "verifyTimeout" | "settleTimeout">>

/**
 * One or more facilitators, in the order in which they are asked. One alone is used as it is.
 * Several have equal parts of the step's time, by default that of a sale.
 */
export function failover(
  facilitators: ReadonlyArray<Facilitator["Service"]>,
  steps: FacilitatorSteps = {},
): Facilitator["Service"] {
  const [only, second] = facilitators
  if (only !== undefined && second === undefined) return only
  const { verifyTimeout, settleTimeout } = { ...defaultTiming, ...steps }
  const inTime = (step: Duration.Duration) =>
    Effect.timeoutOrElse({
      duration: Duration.times(step, budgetShare / facilitators.length),
      orElse: () => Effect.succeed(silent),
    })
  const failedAtMs = new Map<Facilitator["Service"], number>()

  const inOrder = Effect.map(Clock.currentTimeMillis, (nowMs) => {
    const rests = (one: Facilitator["Service"]) =>
      leftMs(failedAtMs.get(one) ?? -Infinity, restMs, nowMs) > 0
    return [...facilitators.filter((one) => !rests(one)), ...facilitators.filter(rests)]
  })

  /** The first answer; the last outcome when none answers. */
  const firstAnswer = Effect.fnUntraced(function* <A extends VerifyOutcome | SettleOutcome>(
    call: "verify" | "settle",
    ask: (facilitator: Facilitator["Service"]) => Effect.Effect<A>,
  ) {
    let outcome: A | typeof silent = silent
    let asked = 0
    for (const facilitator of yield* inOrder) {
      if (asked++ > 0) {
        yield* Effect.logWarning("A facilitator did not answer: the next gets the same payment", {
          call,
        })
      }
      outcome = yield* ask(facilitator)
      if (outcome.outcome !== "unknown" || outcome.unanswered !== true) break
      failedAtMs.set(facilitator, yield* Clock.currentTimeMillis)
    }
    return { outcome, isFirst: asked === 1 }
  })

  return Facilitator.of({
    name: facilitators.map(({ name }) => name).join(", "),
    verify: (request: FacilitatorRequest) =>
      Effect.map(
        firstAnswer("verify", ({ verify }) => inTime(verifyTimeout)(verify(request))),
        ({ outcome }) => outcome,
      ),
    settle: (request: FacilitatorRequest) =>
      Effect.map(
        firstAnswer("settle", ({ settle }) => inTime(settleTimeout)(settle(request))),
        ({ outcome, isFirst }): SettleOutcome =>
          outcome.outcome !== "declined" || isFirst
            ? outcome
            : { outcome: "unknown", reason: `declined after no answer: ${outcome.reason}` },
      ),
  })
}

const silent = { outcome: "unknown", reason: "no answer in time", unanswered: true } as const
