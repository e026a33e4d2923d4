/**
 * Limits on the time, money and memory that a model may use.
 *
 * @module
 */
import { Duration } from "effect"

/**
 * One model request: its HTTP requests, with their bodies. A reasoning model writes 800 words in 20 to 60
 * seconds; the buyer of a report waits at most a minute in total, and a digest may be up to 20 minutes late.
 * Each is less than its text has: a text that ends first would hide the silence from the circuit breaker.
 */
export const requestTimeout = {
  digest: Duration.seconds(180),
  report: Duration.seconds(45),
  reading: Duration.seconds(60),
  judge: Duration.seconds(45),
} as const
/** Retries of a status that may pass: after half a second, or when the server asks for it within a minute. */
export const retriesMax = 1
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
