/**
 * How much a model may take of time, money and memory.
 *
 * @module
 */
import { Duration } from "effect"

/**
 * One request, its body included. A model that reasons writes 800 words in 20 to 60 seconds; the buyer
 * of a report waits for no more than a minute in all, and a digest is due in 20 minutes.
 */
export const attemptTimeout = {
  digest: Duration.seconds(90),
  report: Duration.seconds(40),
  detection: Duration.seconds(40),
} as const
/** One question with its retries and its wait for a turn. */
export const requestTimeout = {
  digest: Duration.seconds(150),
  report: Duration.seconds(50),
  detection: Duration.seconds(100),
} as const
/** Requests a question, the first one included. What is retried is retried once. */
export const attemptsMax = 2
export const retryDelay = Duration.millis(500)
/** A server that asks for a longer wait is not asked again for this question. */
export const retryAfterMax = Duration.seconds(10)
/** Requests at once: a digest and a report, or two reports. */
export const concurrentRequestsMax = 2

/** Questions of one use in a row without an answer, after which no more of it are asked: nearly two
 * whole texts. */
export const failuresMax = 5
/** For how long none are asked then: well under the 20 minutes in which a late digest is still in time. */
export const circuitOpenDuration = Duration.minutes(5)
/** The longest rest that a server can ask for. */
export const circuitOpenDurationMax = Duration.minutes(15)

/** What an answer may cost, reasoning included; the text itself is about a third of it. */
export const tokensMax = { digest: 8_000, report: 6_000, detection: 3_000 } as const
/** Most of an answer that is read: the most tokens there may be, in long words, twice over. */
export const answerBytesMax = 256 * 1024
