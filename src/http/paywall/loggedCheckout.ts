/**
 * A checkout whose failed sales each have a log line, on every transport.
 *
 * @module
 */
import { Cause, Clock, Effect, Exit, Option, Result } from "effect"
import type { AnswerLog } from "../server/answerLog.ts"
import { errorRules, RequestId, toRefusal } from "../server/errors.ts"
import type { Checkout } from "./checkout.ts"

/** The same checkout; its failed sales are logged with the ids of request and payment. */
export function loggedCheckout(checkout: Checkout, log: AnswerLog): Checkout {
  const { product, identify, sell } = checkout
  const sellLogged: Checkout["sell"] = Effect.fnUntraced(function* (call) {
    const requestId = yield* RequestId
    const startedAt = yield* Clock.currentTimeMillis
    return yield* Effect.onExit(
      sell(call),
      (exit) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.sync(() => {
            // A buyer who hung up gets no answer.
            if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return
            const { code, message } = failureOf(exit.cause)
            log({
              requestId,
              paymentId: Option.getOrNull(Result.getSuccess(identify(call.payment))),
              product: product.id,
              status: errorRules[code].status,
              code,
              reason: message,
              durationMs: now - startedAt,
            })
          })),
    )
  })
  return { ...checkout, sell: sellLogged }
}

type Failure = Parameters<typeof toRefusal>[0]

/** The code and the reason of a failed sale. The handler logs a defect itself, with its cause. */
function failureOf(cause: Cause.Cause<Failure>) {
  return Option.match(Cause.findErrorOption(cause), {
    onNone: () => ({ code: "internal_error", message: "defect" }) as const,
    onSome: toRefusal,
  })
}
