/**
 * How politely the sources of news are asked, and how much of an answer is read.
 *
 * @module
 */
import { Duration } from "effect"
import { hour, minute } from "../../core/domain/time.ts"

export interface Limits {
  /** One request, its body included. */
  readonly timeout: Duration.Duration
  /** Most of an answer that is read, unpacked; the largest of the built-in feeds has 400 KB. */
  readonly bodyBytesMax: number
  /** Requests for one page, the first one included. */
  readonly attemptsMax: number
  readonly retryDelayMs: number
  /** A source that asks for a longer rest is left alone until then, and gives nothing now. */
  readonly retryAfterWaitMsMax: number
  /** The longest rest that a source can ask for. */
  readonly restMsMax: number
  /** Redirects followed, on the same host only. */
  readonly redirectsMax: number
  /** Rows of one answer; a feed has 10 to 150. */
  readonly rowsMax: number
  /** A feed is not asked again within it: what it said before is said again. */
  readonly feedEveryMs: number
  /** GDELT wants one request every 5 seconds, and refuses a whole network for a while otherwise. */
  readonly gdeltEveryMs: number
  /** Questions to GDELT in one reading: a minute and a half at most, with answers that take 5 s. */
  readonly gdeltQueriesMax: number
  /** No further question is begun after it. */
  readonly gdeltTimeMs: number
  /** Rows of one question to GDELT, which gives 250 at most. */
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
