/**
 * What the chain and the store say after a battery: every transfer to the seller is one sale or one
 * refund, and no payment and no purchase key was sold twice.
 *
 * @module
 */
import { Effect } from "effect"
import { readLedger } from "../../tests/kill/ledger.ts"
import { sleep } from "../attacks/drill.ts"
import type { Environment } from "../attacks/environment.ts"

/** Counts of payments. */
export interface SalesCount {
  /** Transfers to the seller. */
  readonly transfers: number
  readonly delivered: number
  readonly refunded: number
  /** Payments without a decision yet. */
  readonly open: number
  /** Keys and authorizations that were taken twice, and transfers without a sale or the reverse. */
  readonly doubleSales: number
}

/** Payments by what became of them, and keys that were paid for more than once. */
const salesQuery = `
SELECT
  count(*) FILTER (WHERE state = 'answered')::int AS delivered,
  count(*) FILTER (WHERE state IN ('refund_due', 'refunded'))::int AS refunded,
  count(*) FILTER (WHERE state IN ('claimed', 'settling', 'settled', 'unresolved'))::int AS open,
  (SELECT count(*) FROM (
    SELECT key_hash FROM payment WHERE key_hash IS NOT NULL AND state = 'answered'
    GROUP BY key_hash HAVING count(*) > 1) AS keys)::int AS keys_sold_twice
FROM payment`

/** A payment that its buyer did not come back for is decided when it has expired. */
const decidedWithinMs = 300_000
const pollMs = 2_000

/** Waits until every payment is decided, then reads the chain and the store. */
export async function countSales(environment: Environment): Promise<SalesCount> {
  const end = performance.now() + decidedWithinMs
  const counts = async () => {
    const [row = {}] = await environment.query(salesQuery)
    return (name: string) => Number(row[name])
  }
  let count = await counts()
  while (count("open") > 0 && performance.now() < end) {
    await sleep(pollMs)
    count = await counts()
  }
  const ledger = await Effect.runPromise(readLedger(environment.chain, environment))
  const payments = ledger.payments.map(({ from, nonce }) => `${from} ${nonce}`)
  const sales = {
    transfers: payments.length,
    delivered: count("delivered"),
    refunded: count("refunded"),
    open: count("open"),
  }
  return {
    ...sales,
    doubleSales: count("keys_sold_twice") + payments.length - new Set(payments).size +
      Math.abs(sales.transfers - sales.delivered - sales.refunded),
  }
}
