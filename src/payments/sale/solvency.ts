/**
 * Checks that a settle-early sale could be refunded: the treasury must cover its price and all open
 * liabilities.
 *
 * @module
 */
import { Duration, Effect } from "effect"
import { cachedFor } from "../../core/cachedFor.ts"
import type { Address } from "../domain/payment.ts"
import type { Chain } from "../Chain.ts"
import type { PaymentStore } from "../PaymentStore.ts"

interface SolvencyOptions {
  readonly chain: Chain["Service"]
  readonly store: PaymentStore["Service"]
  readonly asset: Address
  readonly treasury: Address
}

/**
 * Maximum age of the cached balance of the treasury. Only refunds reduce the balance, and a refund
 * counts as a liability until it is confirmed on a safe block.
 */
const balanceAgeMax = Duration.seconds(10)
const balanceTimeout = Duration.seconds(5)

export const makeSolvency = Effect.fnUntraced(function* (
  { chain, store, asset, treasury }: SolvencyOptions,
) {
  const readBalance = Effect.timeout(chain.balanceOf(asset, treasury), balanceTimeout)
  const [treasuryBalance] = yield* cachedFor(readBalance, balanceAgeMax)
  /** Atomic units of the sales whose claim the store does not count yet. */
  const reserved = new Map<object, bigint>()

  const covers = (units: bigint) =>
    Effect.zipWith(treasuryBalance, store.liability, (balance, owed) => balance >= owed + units)
      .pipe(
        Effect.orDie,
        Effect.catchDefect((defect) =>
          Effect.as(Effect.logWarning("Cannot read what is owed or covered", defect), false)
        ),
      )

  const unreserve = (sale: object) => Effect.sync(() => reserved.delete(sale))

  /**
   * Reserves a sale's price until the store counts its claim. False, with nothing reserved, when
   * the balance does not cover it together with all liabilities and other reservations.
   */
  const reserve = Effect.fnUntraced(function* (sale: object, units: bigint) {
    reserved.delete(sale)
    const others = reserved.values().reduce((sum, units) => sum + units, 0n)
    reserved.set(sale, units)
    const covered = yield* covers(others + units)
    if (!covered) yield* unreserve(sale)
    return covered
  })
  return {
    reserve,
    unreserve,
    /**
     * True while the balance covers all liabilities in the store. False when either cannot be read.
     */
    covered: covers(0n),
  }
})
