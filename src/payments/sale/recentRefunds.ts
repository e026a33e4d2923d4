/**
 * Refuses a new settle-early sale to a payer whose answers were often not fetched, before the payment
 * is verified or claimed. The rule is in `domain/refundRatio.ts`.
 *
 * @module
 */
import { Effect } from "effect"
import type { Product } from "../../catalog/domain/product.ts"
import { NotCharged } from "../domain/failedSale.ts"
import type { Address } from "../domain/payment.ts"
import { pauseMs } from "../domain/refundRatio.ts"
import type { PaymentStore } from "../PaymentStore.ts"
import { unavailable } from "./responses.ts"

export const checkRecentRefunds = (
  store: PaymentStore["Service"],
  { settlementOrder }: Product,
  payer: Address,
): Effect.Effect<void, NotCharged> =>
  settlementOrder === "compute-first" ? Effect.void : store.recentSales(payer).pipe(
    Effect.map(pauseMs),
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError("Cannot read the refunds of a payer", defect), unavailable)
    ),
    Effect.flatMap((pause) => pause === null ? Effect.void : Effect.fail(tooManyRefunds(pause))),
  )

const tooManyRefunds = (pause: number) =>
  new NotCharged({
    code: "rate_limited",
    message: "Too many recent payments of this payer were refunded because their answers were " +
      "not fetched",
    hint:
      "Your payment was not used. After Retry-After, send it again if it is still valid; if not, " +
      "sign a new one, with the same key. Read each answer. " +
      "Products that are computed before they are charged are still sold.",
    retryAfterSeconds: Math.max(1, Math.ceil(pause / 1_000)),
  })
