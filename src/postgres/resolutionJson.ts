/**
 * Resolutions in SQL, as the code has them. The tables of two capabilities store them in equal columns.
 *
 * @module
 */
import type { SqlClient } from "effect/sql/SqlClient"

/** The columns of a resolution in JSON, without its market. */
export const resolutionColumns = (sql: SqlClient) =>
  sql.literal(`state text, payouts float8[], "resolvedAt" float8`)

/** The `resolution` of the market `m`, whose id is in `id`; null when it has not ended. */
export const resolutionJson = (sql: SqlClient, id: "m.market" | "m.market_id") => {
  const shared = `'marketId', ${id}, 'state', m.state,
    'resolvedAt', (extract(epoch FROM m.resolved_at) * 1000)::float8`
  return sql.literal(`CASE m.state WHEN 'cancelled' THEN json_build_object(${shared})
    WHEN 'paid' THEN json_build_object(${shared},
      'payouts', json_build_array(m.payout_first, m.payout_second)) END AS resolution`)
}
