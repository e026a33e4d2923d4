/**
 * One question over HTTP, and its answer; and how a service that is away is waited for.
 *
 * @module
 */
import { Clock, Duration, Effect, Schema } from "effect"
import { absence, readRetryAfter } from "./pace.ts"

/** A report takes up to a minute; an answer that takes longer is lost. */
const timeoutMs = 90_000
/** No answer of this service is as large. */
const bodyBytesMax = 4 * 1_024 * 1_024
/** How often in a row a service may fail to answer before it is given up. */
export const absencesMax = 12

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown
}

/** The service did not answer for too long, or not with what it should. */
export class GaveUp extends Schema.TaggedError<GaveUp>()("GaveUp", { message: Schema.String }) {}

export type Say = (line: string) => Effect.Effect<void>

/** Asks once. Null: no answer came, whatever became of the question. Redirects are not followed. */
export const ask = (
  url: URL,
  headers: Readonly<Record<string, string>> = {},
): Effect.Effect<Answer | null> =>
  Effect.tryPromise(async (signal) => {
    const response = await fetch(url, {
      headers,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const text = await textOf(response)
    return { status: response.status, headers: response.headers, text, body: parsed(text) }
  }).pipe(Effect.orElseSucceed(() => null))

/**
 * Asks until there is an answer worth reading: waits where the service is away, says when it comes
 * back, and never asks again sooner than it is told to. Rather than wait beyond `untilMs` it gives up.
 */
export const askPatiently = Effect.fnUntraced(function* (
  url: URL,
  { say, headers, untilMs = Infinity }: {
    readonly say: Say
    readonly headers?: Readonly<Record<string, string>>
    readonly untilMs?: number
  },
) {
  for (let times = 1; times <= absencesMax; times += 1) {
    const answer = yield* ask(url, headers)
    if (answer !== null && answer.status < 500 && answer.status !== 429) {
      if (times > 1) yield* say(`${url.pathname} answers again`)
      return answer
    }
    const waitMs = readRetryAfter(answer?.headers.get("retry-after") ?? null) ?? absence(times)
    const why = answer === null ? "no answer" : `status ${answer.status}`
    if ((yield* Clock.currentTimeMillis) + waitMs > untilMs) {
      return yield* new GaveUp({
        message: `${url.pathname}: ${why}; ${waitMs / 1_000} s more is longer than I wait`,
      })
    }
    yield* say(`${url.pathname}: ${why}; I ask again in ${waitMs / 1_000} s`)
    yield* Effect.sleep(Duration.millis(waitMs))
  }
  return yield* new GaveUp({
    message: `${url.origin} did not answer ${absencesMax} times in a row`,
  })
})

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new RangeError("The body is too large")
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
