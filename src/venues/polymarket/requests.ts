/**
 * One question to the venue over HTTP: paced, bounded, timed, and asked again while that may help.
 *
 * @module
 */
import { Clock, Effect, Random, Schema, Semaphore, Stream } from "effect"
import {
  HttpClient,
  type HttpClientError,
  type HttpClientRequest,
  type HttpClientResponse,
} from "effect/http"
import { VenueUnavailable } from "../../markets/VenueClient.ts"
import type { Limits } from "./limits.ts"

/** As much of a refusal is read (and thrown away) to keep its connection. */
const refusalBytesMax = 64 * 1024

/** Why one try gave no usable answer. */
class Fault extends Schema.TaggedError<Fault>()("Fault", {
  reason: Schema.String,
  /** Whether asking again may help. */
  transient: Schema.Boolean,
  /** How long the venue asked to be left alone. */
  retryAfterMs: Schema.NullOr(Schema.Finite),
}) {}

/** Asks until `read` makes something of the answer; a `read` that gives null is a fault like another. */
export type Ask = <A extends object>(
  operation: string,
  request: HttpClientRequest.HttpClientRequest,
  read: (body: unknown) => A | null,
) => Effect.Effect<A, VenueUnavailable>

/** Questions to one route: evenly spaced, and all held back when the venue asks for quiet. */
export function asks(
  client: HttpClient.HttpClient,
  host: Semaphore.Semaphore,
  perTenSeconds: number,
  limits: Limits,
): Ask {
  const pace = makePace(Math.ceil(10_000 / perTenSeconds))
  return <A extends object>(
    operation: string,
    request: HttpClientRequest.HttpClientRequest,
    read: (body: unknown) => A | null,
  ) => {
    const once = pace.turn.pipe(
      Effect.andThen(
        host.withPermits(1)(
          answer(client, request, limits.bodyBytesMax).pipe(
            Effect.timeoutOrElse({
              duration: limits.timeoutMs,
              orElse: () => Effect.fail(transient("no answer in time")),
            }),
          ),
        ),
      ),
      Effect.flatMap((body) => {
        const value = read(body)
        return value === null
          ? Effect.fail(transient("an answer of another shape"))
          : Effect.succeed(value)
      }),
    )
    const attempt = (count: number): Effect.Effect<A, Fault> =>
      once.pipe(
        Effect.catch((fault) =>
          fault.transient && count < limits.attemptsMax
            ? waitAfter(fault, count, limits, pace).pipe(Effect.andThen(attempt(count + 1)))
            : Effect.fail(fault)
        ),
      )
    return attempt(1).pipe(
      Effect.mapError(({ reason }) => new VenueUnavailable({ operation, reason })),
    )
  }
}

interface Pace {
  /** Waits for this caller's turn. Turns are handed out in order. */
  readonly turn: Effect.Effect<void>
  /** No turn comes before `ms` have passed. */
  readonly rest: (ms: number) => Effect.Effect<void>
}

function makePace(intervalMs: number): Pace {
  let next = 0
  let quietUntil = 0
  const turn: Effect.Effect<void> = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const at = Math.max(now, next)
    next = at + intervalMs
    if (at > now) yield* Effect.sleep(at - now)
    // Quiet may have been asked for while this caller waited: then it takes a later turn.
    if ((yield* Clock.currentTimeMillis) < quietUntil) yield* turn
  })
  const rest = (ms: number) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      quietUntil = Math.max(quietUntil, now + ms)
      next = Math.max(next, quietUntil)
    })
  return { turn, rest }
}

/** Half of the growing wait is certain and half random, so that replicas do not return together. */
const waitAfter = Effect.fnUntraced(
  function* (fault: Fault, count: number, limits: Limits, pace: Pace) {
    if (fault.retryAfterMs !== null) {
      yield* pace.rest(Math.min(fault.retryAfterMs, limits.retryAfterMsMax))
    }
    const random = yield* Random.next
    const full = Math.min(limits.retryDelayMs * 2 ** (count - 1), limits.retryDelayMsMax)
    yield* Effect.sleep(full / 2 + random * full / 2)
  },
)

/** The JSON of one answer. */
const answer = Effect.fnUntraced(
  function* (
    client: HttpClient.HttpClient,
    request: HttpClientRequest.HttpClientRequest,
    bytesMax: number,
  ) {
    const response = yield* client.execute(request).pipe(
      Effect.provideService(HttpClient.TracerPropagationEnabled, false),
      Effect.mapError(faultOf),
    )
    if (response.status !== 200) {
      yield* Effect.ignore(bodyText(response, refusalBytesMax))
      return yield* refused(response)
    }
    const body = yield* bodyText(response, bytesMax)
    return yield* Effect.try({
      try: (): unknown => JSON.parse(body),
      catch: () => transient("an answer that is not JSON"),
    })
  },
)

const refused = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const now = yield* Clock.currentTimeMillis
  return yield* new Fault({
    reason: `status ${response.status}`,
    transient: response.status >= 500 || [408, 425, 429].includes(response.status),
    retryAfterMs: retryAfter(response.headers["retry-after"], now),
  })
})

/** Read in pieces, so that an endless answer is cut off and never held. */
function bodyText(
  response: HttpClientResponse.HttpClientResponse,
  bytesMax: number,
): Effect.Effect<string, Fault> {
  return Effect.suspend(() => {
    const decoder = new TextDecoder()
    let text = ""
    let bytes = 0
    return Stream.runForEach(
      response.stream.pipe(Stream.mapError(faultOf)),
      (piece) =>
        Effect.suspend(() => {
          bytes += piece.byteLength
          if (bytes > bytesMax) return Effect.fail(lasting("an answer too long"))
          text += decoder.decode(piece, { stream: true })
          return Effect.void
        }),
    ).pipe(Effect.map(() => text + decoder.decode()))
  })
}

/** Seconds or an HTTP date; null when there is none to read. */
function retryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

function faultOf(error: HttpClientError.HttpClientError): Fault {
  return error.reason._tag === "InvalidUrlError"
    ? lasting("an address that is none")
    : transient("the connection broke")
}

function transient(reason: string): Fault {
  return new Fault({ reason, transient: true, retryAfterMs: null })
}

function lasting(reason: string): Fault {
  return new Fault({ reason, transient: false, retryAfterMs: null })
}
