/**
 * Limits for requests to the news sources, and for the size of their answers.
 *
 * @module
 */
import { hour } from "../../core/domain/time.ts"

export type Limits = Readonly<typeof defaultLimits>

export const defaultLimits = {
  /** One request, its body included. */
  timeoutMs: 20_000,
  /**
   * Bytes of one answer after decompression. The largest of the default feeds has 400 KB, and is parsed in
   * 10 ms. It is parsed between two turns of the event loop: the slowest hostile answer of this size takes
   * a third of a second.
   */
  bodyBytesMax: 1024 * 1024,
  /** Requests for one page, the first one included. */
  attemptsMax: 3,
  retryDelayMs: 1_000,
  retryDelayMsMax: 30_000,
  /** After a longer Retry-After the read fails, and no request is sent until it has passed. */
  retryAfterWaitMsMax: 30_000,
  /** A longer Retry-After is shortened to this. */
  restMsMax: 6 * hour,
  /** Redirects followed, on the same host only. */
  redirectsMax: 3,
  /** Rows of one answer; a feed has 10 to 150. */
  rowsMax: 500,
  /** GDELT allows one request every 5 seconds; it blocks a whole network that sends more. */
  gdeltEveryMs: 5_500,
  /** Queries to GDELT in one read: a minute and a half when each answer takes 5 s. */
  gdeltQueriesMax: 8,
  /** No further query starts after this time. */
  gdeltTimeMs: 90_000,
  /** Rows of one query to GDELT, whose maximum is 250. */
  gdeltRows: 75,
}
