/**
 * Checks that a settle-early sale could be refunded: the treasury must cover its price and all open
 * liabilities.
 *
 * @module
 */
import { Clock, Duration, Effect } from "effect"
import { leftMs } from "../../core/domain/time.ts"
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
const balanceAgeMsMax = 10_000
const balanceTimeout = Duration.seconds(5)

export function makeSolvency({ chain, store, asset, treasury }: SolvencyOptions) {
  let lastRead: { readonly balance: bigint; readonly atMs: number } | null = null
  /** Atomic units of the sales whose claim the store does not count yet. */
  const reserved = new Map<object, bigint>()

  const treasuryBalance = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (lastRead !== null && leftMs(lastRead.atMs, balanceAgeMsMax, nowMs) > 0) {
      return lastRead.balance
    }
    const balance = yield* Effect.timeout(chain.balanceOf(asset, treasury), balanceTimeout)
    lastRead = { balance, atMs: nowMs }
    return balance
  })

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
}
