/**
 * Limits on the time, money and memory that a model may use.
 *
 * @module
 */
import { Duration } from "effect"

/**
 * One HTTP request, including its body. A reasoning model writes 800 words in 20 to 60 seconds; the
 * buyer of a report waits at most a minute in total, and a digest may be up to 20 minutes late.
 */
export const attemptTimeout = {
  digest: Duration.seconds(180),
  report: Duration.seconds(48),
  reading: Duration.seconds(60),
  judge: Duration.seconds(45),
} as const
/** One model request: its attempts and its wait for a free slot. */
export const requestTimeout = {
  digest: Duration.seconds(200),
  report: Duration.seconds(50),
  reading: Duration.seconds(100),
  judge: Duration.seconds(50),
} as const
/** HTTP requests for one model request, the first one included. */
export const attemptsMax = 2
export const retryDelay = Duration.millis(500)
/** A server that asks for a longer wait gets no retry of this request. */
export const retryAfterMax = Duration.seconds(10)
/** A text asks the judge's questions at once; those of another text wait. */
export const concurrentRequestsMax = 4
/** Further ones fail at once: by then no request would have its turn in its time. */
export const waitingRequestsMax = 64

/** Consecutive failures of one use that open its circuit breaker. */
export const failuresMax = 5
/** Well under the 20 minutes by which a digest may be late. */
export const circuitOpenDuration = Duration.minutes(5)
/** The longest pause that a server can impose. */
export const circuitOpenDurationMax = Duration.minutes(15)

/** The most tokens of an answer, reasoning included; its text is about a third of them. */
export const tokensMax = { digest: 16_000, report: 8_000, reading: 4_000, judge: 12_000 } as const
/** Bytes of an answer that are read: 16 bytes a token, for 64,000 tokens with the reasoning. */
export const answerBytesMax = 1024 * 1024
