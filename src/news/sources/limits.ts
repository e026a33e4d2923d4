/**
 * Limits for requests to the news sources, and for the size of their answers.
 *
 * @module
 */
import { Duration } from "effect"
import { hour, minute } from "../../core/domain/time.ts"

export interface Limits {
  /** One request, its body included. */
  readonly timeout: Duration.Duration
  /** Bytes of one answer after decompression; the largest of the default feeds has 400 KB. */
  readonly bodyBytesMax: number
  /** Requests for one page, the first one included. */
  readonly attemptsMax: number
  readonly retryDelayMs: number
  /** After a longer Retry-After the read fails, and no request is sent until it has passed. */
  readonly retryAfterWaitMsMax: number
  /** A longer Retry-After is shortened to this. */
  readonly restMsMax: number
  /** Redirects followed, on the same host only. */
  readonly redirectsMax: number
  /** Rows of one answer; a feed has 10 to 150. */
  readonly rowsMax: number
  /** Within this time a feed is not requested again; its cached rows are returned. */
  readonly feedEveryMs: number
  /** GDELT allows one request every 5 seconds; it blocks a whole network that sends more. */
  readonly gdeltEveryMs: number
  /** Queries to GDELT in one read: a minute and a half when each answer takes 5 s. */
  readonly gdeltQueriesMax: number
  /** No further query starts after this time. */
  readonly gdeltTimeMs: number
  /** Rows of one query to GDELT, whose maximum is 250. */
  readonly gdeltRows: number
}

export const defaultLimits: Limits = {
  timeout: Duration.seconds(20),
  bodyBytesMax: 2 * 1024 * 1024,
  attemptsMax: 3,
  retryDelayMs: 1_000,
  retryAfterWaitMsMax: 30_000,
  restMsMax: 6 * hour,
  redirectsMax: 3,
  rowsMax: 500,
  feedEveryMs: 5 * minute,
  gdeltEveryMs: 5_500,
  gdeltQueriesMax: 8,
  gdeltTimeMs: 90_000,
  gdeltRows: 75,
}
