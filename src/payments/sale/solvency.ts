/**
 * Whether a settle-early sale could be refunded: the treasury holds its price and all that may still
 * have to be given back.
 *
 * @module
 */
import { Clock, Duration, Effect } from "effect"
import type { Address } from "../domain/payment.ts"
import type { Chain } from "../Chain.ts"
import type { PaymentStore } from "../PaymentStore.ts"

interface SolvencyOptions {
  readonly chain: Chain["Service"]
  readonly store: PaymentStore["Service"]
  readonly asset: Address
  readonly treasury: Address
}

/** How old the treasury's balance may be: it falls by refunds alone, which were liabilities before. */
const floatAgeMs = 10_000
/** Longest wait for the balance. */
const floatPatience = Duration.seconds(5)

interface Solvency {
  /**
   * True while so many units more could be refunded. False when the chain cannot tell. What this
   * process has begun and the store does not show yet is `reserved`.
   */
  readonly covers: (units: bigint, reserved: bigint) => Effect.Effect<boolean>
}

export function makeSolvency({ chain, store, asset, treasury }: SolvencyOptions): Solvency {
  let known: { readonly float: bigint; readonly atMs: number } | null = null

  const float = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (known !== null && nowMs - known.atMs < floatAgeMs) return known.float
    const float = yield* Effect.timeout(chain.balanceOf(asset, treasury), floatPatience)
    known = { float, atMs: nowMs }
    return float
  })

  const covers = (units: bigint, reserved: bigint) =>
    Effect.zipWith(float, store.liability, (float, owed) => float >= owed + reserved + units).pipe(
      Effect.catch((error) =>
        Effect.as(Effect.logWarning("Cannot read the treasury's balance", error), false)
      ),
    )
  return { covers }
}
