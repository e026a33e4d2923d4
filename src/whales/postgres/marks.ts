/**
 * The mark of positions that have to be counted anew.
 *
 * @module
 */
import type { SqlClient } from "effect/sql/SqlClient"

/**
 * Ends a statement: marks the positions of its `marked (event_id, wallet_id, market_id)`. One that is
 * marked keeps its place in the line and takes the number of this change.
 */
export const markUncounted = (sql: SqlClient) =>
  sql.literal(`
    INSERT INTO whale_uncounted (event_id, wallet_id, market_id, since, version)
    SELECT event_id, wallet_id, market_id, change, change
    FROM (SELECT marked.*, nextval('whale_change') AS change FROM marked) numbered
    ORDER BY event_id, wallet_id, market_id
    ON CONFLICT (event_id, wallet_id, market_id) DO UPDATE SET version = excluded.version`)
