/**
 * Every number that bounds how the venue is asked: pace, patience, sizes.
 *
 * @module
 */

export interface Limits {
  /** Requests a route may start in ten seconds, spaced evenly. */
  readonly perTenSeconds: {
    readonly listing: number
    readonly books: number
    readonly history: number
    readonly trades: number
  }
  /** Requests in flight at one host. */
  readonly inFlightMax: number
  /** How long one request may take, body included. */
  readonly timeoutMs: number
  /** A longer answer is a fault. A listing page of 100 full rows is about 1 MB. */
  readonly bodyBytesMax: number
  /** Tries of one request, the first included. */
  readonly attemptsMax: number
  /** The wait before the second try; it doubles with each further one, and half of it is random. */
  readonly retryDelayMs: number
  readonly retryDelayMsMax: number
  /** A Retry-After beyond this is cut to it. */
  readonly retryAfterMsMax: number
  /** Rows of a listing page; the venue gives no more than 100. */
  readonly pageRows: number
  /** Pages of one sweep: 300,000 markets. The venue had 210,000 flagged active, most long over. */
  readonly pagesMax: number
  /** Books in one request; the venue takes no more than 500. */
  readonly bookBatch: number
  /** Batches of books asked for at once. */
  readonly bookBatchesAtOnce: number
  /** Batches that are halved in one call, for the tokens that spoil them. */
  readonly bookSplitsMax: number
  /** Rows of a page of trades; the venue gives no more than 1,000. */
  readonly tradeRows: number
  /** Trades of one market in one answer. */
  readonly tradesMax: number
  /** Pages of one market's trades, should the venue give short ones. */
  readonly tradePagesMax: number
  /** Windows of one price history; the venue refuses one of over 15 days, and here each has 14. */
  readonly historyWindowsMax: number
}

/** About a fifth of what the venue documents (300, 500, 1,000 and 300 per ten seconds). */
export const defaultLimits: Limits = {
  perTenSeconds: { listing: 60, books: 100, history: 200, trades: 60 },
  inFlightMax: 8,
  timeoutMs: 20_000,
  bodyBytesMax: 32 * 1024 * 1024,
  attemptsMax: 6,
  retryDelayMs: 500,
  retryDelayMsMax: 15_000,
  retryAfterMsMax: 60_000,
  pageRows: 100,
  pagesMax: 3_000,
  bookBatch: 500,
  bookBatchesAtOnce: 4,
  bookSplitsMax: 40,
  tradeRows: 500,
  tradesMax: 1_000,
  tradePagesMax: 20,
  historyWindowsMax: 7,
}
