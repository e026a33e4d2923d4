/**
 * A shop for buyers' packages, of which several call from one address within a minute; and what an
 * address has spent there.
 *
 * @module
 */
import { Effect } from "effect"
import { address } from "../../../src/payments/domain/payment.ts"
import { Ledger, playBalance } from "../../../src/payments/simulated/ledger.ts"
import { serviceOptions } from "../http/httpService.ts"
import { type Between, openShop as open } from "../http/servedService.ts"

/** Serves until the scope closes; returns the origin. */
export const openShop = (between?: Between, options: Partial<typeof serviceOptions> = {}) =>
  open(between, { limits: { ...serviceOptions.limits, free: "off" }, ...options })

/** What an address has spent. */
export const spentBy = (payer: string) =>
  Effect.map(
    Effect.flatMap(Ledger, (ledger) => ledger.balance(address(payer))),
    (balance) => playBalance - balance,
  )
