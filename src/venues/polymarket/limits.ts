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
    readonly activity: number
    readonly leaderboard: number
    readonly resolutions: number
    /** The listing, asked about markets by their identity. */
    readonly facts: number
    /** A market's page at the exchange. */
    readonly page: number
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
  /** Rows of a page of a wallet's activity; the venue gives no more than 1,000. */
  readonly activityRows: number
  /** Rows of a page of a leaderboard. */
  readonly boardRows: number
  /** Pages of one leaderboard, should the venue give short ones. */
  readonly boardPagesMax: number
  /** Markets in one question about how they ended; the venue takes no more than 20. */
  readonly resolutionBatch: number
  /** Markets in one question about their facts, whose address they are part of (81 bytes each). */
  readonly factsBatch: number
  /** Batches of markets asked for at once. */
  readonly marketBatchesAtOnce: number
  /** Batches of markets that are halved in one call, for the markets that spoil them. */
  readonly marketSplitsMax: number
  /** Markets in one call whose end is looked up in the listing, as the oracle does not tell it. */
  readonly listedEndsMax: number
  /** Market pages in one call, for ends that neither the oracle nor the listing tells. */
  readonly endPagesMax: number
  /** Windows of one price history; the venue refuses one of over 15 days, and here each has 14. */
  readonly historyWindowsMax: number
}

/**
 * About a fifth of what the venue documents, per ten seconds: listing 300, books 500, history 1,000,
 * trades 300, activity 200; leaderboard and resolutions together with the rest of their host 800,
 * facts with the rest of theirs 900. A page has no limit of its own below the exchange's 9,000.
 */
export const defaultLimits: Limits = {
  perTenSeconds: {
    listing: 60,
    books: 100,
    history: 200,
    trades: 60,
    activity: 40,
    leaderboard: 20,
    resolutions: 40,
    facts: 60,
    page: 50,
  },
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
  activityRows: 1_000,
  boardRows: 100,
  boardPagesMax: 20,
  resolutionBatch: 20,
  factsBatch: 40,
  marketBatchesAtOnce: 4,
  marketSplitsMax: 40,
  listedEndsMax: 400,
  endPagesMax: 40,
}
