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

export interface Solvency {
  /**
   * Reserves a sale's price until its claim shows in the store; false, with nothing reserved, when it
   * could not be refunded besides all that others have reserved.
   */
  readonly reserve: (sale: object, units: bigint) => Effect.Effect<boolean>
  readonly unreserve: (sale: object) => Effect.Effect<void>
  /** True while all that the store shows could be refunded. False when the chain cannot tell. */
  readonly covered: Effect.Effect<boolean>
}

export function makeSolvency({ chain, store, asset, treasury }: SolvencyOptions): Solvency {
  let known: { readonly float: bigint; readonly atMs: number } | null = null
  /** Whole units of the sales whose claim the store does not show yet. */
  const reserved = new Map<object, bigint>()

  const float = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (known !== null && nowMs - known.atMs < floatAgeMs) return known.float
    const float = yield* Effect.timeout(chain.balanceOf(asset, treasury), floatPatience)
    known = { float, atMs: nowMs }
    return float
  })

  const covers = (units: bigint) =>
    Effect.zipWith(float, store.liability, (float, owed) => float >= owed + units).pipe(
      Effect.catch((error) =>
        Effect.as(Effect.logWarning("Cannot read the treasury's balance", error), false)
      ),
    )

  const unreserve = (sale: object) => Effect.sync(() => reserved.delete(sale))

  const reserve = Effect.fnUntraced(function* (sale: object, units: bigint) {
    reserved.delete(sale)
    const others = reserved.values().reduce((sum, units) => sum + units, 0n)
    reserved.set(sale, units)
    const covered = yield* covers(others + units)
    if (!covered) yield* unreserve(sale)
    return covered
  })
  return { reserve, unreserve, covered: covers(0n) }
}
