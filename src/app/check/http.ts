/**
 * One GET of a part: its status, its body as JSON, and how far its clock is from ours. A failure is a
 * few words without the address, which may contain a key.
 *
 * @module
 */
import { Clock, Duration, Effect, Redacted, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import type { ClockReading } from "./rows.ts"

class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", { reason: Schema.String }) {}

interface Answer {
  readonly status: number
  /** Null when it is not JSON, or too long. */
  readonly body: unknown
  readonly ms: number
  readonly clocks: ReadonlyArray<ClockReading>
}

const timeout = Duration.seconds(8)
const bytesMax = 1024 * 1024

export const get = Effect.fnUntraced(
  function* (
    source: string,
    url: string,
    headers: Readonly<Record<string, string | Redacted.Redacted>> = {},
  ) {
    const client = yield* HttpClient.HttpClient
    const before = yield* Clock.currentTimeMillis
    const plain = Object.fromEntries(
      Object.entries(headers).map((
        [name, value],
      ) => [name, Redacted.isRedacted(value) ? Redacted.value(value) : value]),
    )
    const response = yield* client.execute(
      HttpClientRequest.get(url).pipe(HttpClientRequest.setHeaders(plain)),
    ).pipe(Effect.provideService(FetchHttpClient.RequestInit, { redirect: "error" }))
    const after = yield* Clock.currentTimeMillis
    const decoder = new TextDecoder()
    let bytes = 0
    const text = yield* Stream.runFold(
      Stream.takeWhile(response.stream, (chunk) => (bytes += chunk.length) <= bytesMax),
      () => "",
      (text, chunk) => text + decoder.decode(chunk, { stream: true }),
    )
    return {
      status: response.status,
      body: bytes > bytesMax ? null : parsed(text),
      ms: after - before,
      clocks: clocksOf(source, response.headers["date"], before, after),
    } satisfies Answer
  },
  Effect.timeoutOrElse({
    duration: timeout,
    orElse: () =>
      Effect.fail(new NoAnswer({ reason: `no answer within ${Duration.format(timeout)}` })),
  }),
  Effect.mapError((error) => error._tag === "NoAnswer" ? error : unreachable(error.reason.cause)),
  Effect.provide(FetchHttpClient.layer),
)

/** Deno gives a name to few faults of a connection; the message would repeat the address. */
function unreachable(cause: unknown): NoAnswer {
  const text = cause instanceof Error ? `${cause.message} ${String(cause.cause ?? "")}` : ""
  const known = [
    [/dns error|failed to lookup/i, "the name of its host is not known"],
    [/refused/i, "the connection was refused"],
    [/certificate|tls|handshake/i, "its certificate is not accepted"],
    [/redirect/i, "it answers with a redirect"],
    [/unreachable/i, "its network cannot be reached"],
  ] as const
  const [, reason] = known.find(([pattern]) => pattern.test(text)) ?? [null, "it cannot be reached"]
  return new NoAnswer({ reason })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The Date header has whole seconds: it may be up to one second old. */
function clocksOf(
  source: string,
  date: string | undefined,
  before: number,
  after: number,
): ReadonlyArray<ClockReading> {
  const at = Date.parse(date ?? "")
  if (Number.isNaN(at)) return []
  return [{ source, aheadMs: (before + after) / 2 - at - 500, errorMs: 500 + (after - before) / 2 }]
}
