/**
 * The agent's HTTP client: requests with retries, waiting times, and the cleaning of foreign text
 * before it is printed on a terminal.
 *
 * @module
 */
import { Clock, Effect, Schema } from "effect"

/** A report takes up to a minute; a longer request has failed. */
const timeoutMs = 90_000
/** A larger body is an error; no answer of this service is that large. */
const bodyBytesMax = 4 * 1_024 * 1_024
/** After this many failed requests in a row the agent stops. */
const attemptsMax = 12
/** The first wait after a failed request; each further wait is twice as long. */
const backoffMsMin = 1_000
const backoffMsMax = 60_000
/** The longest wait that a header can request. */
const waitMsMax = 3_600_000

export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined when it is not JSON. */
  readonly body: unknown
}

/** The service does not answer, or its answer is not usable. */
export class CannotContinue
  extends Schema.TaggedError<CannotContinue>()("CannotContinue", { message: Schema.String }) {}

export type Print = (line: string) => Effect.Effect<void>

/**
 * Sends one request. Null: there was no answer, but the request may have been served. Follows no
 * redirects.
 */
export const request = (url: URL, headers: Readonly<Record<string, string>> = {}) =>
  Effect.tryPromise(async (signal): Promise<HttpAnswer> => {
    const response = await fetch(url, {
      headers,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const text = await readText(response)
    return { status: response.status, headers: response.headers, text, body: parseJson(text) }
  }).pipe(Effect.orElseSucceed(() => null))

/**
 * Repeats a request until it is answered, no sooner than the service allows. Fails when the next
 * wait would end after `untilMs`.
 */
export const requestWithRetry = Effect.fnUntraced(function* (
  url: URL,
  print: Print,
  { headers = {}, untilMs = Infinity }: {
    readonly headers?: Readonly<Record<string, string>>
    readonly untilMs?: number
  } = {},
) {
  for (let times = 1; times <= attemptsMax; times += 1) {
    const answer = yield* request(url, headers)
    if (answer !== null && answer.status < 500 && answer.status !== 429) {
      if (times > 1) yield* print(`${url.pathname} answers again`)
      return answer
    }
    const waitMs = readRetryAfter(answer?.headers.get("retry-after") ?? null) ?? backoffMs(times)
    const reason = `${url.pathname}: ${answer === null ? "no answer" : `status ${answer.status}`}`
    if ((yield* Clock.currentTimeMillis) + waitMs > untilMs) {
      return yield* new CannotContinue({
        message: `${reason}; a wait of ${waitMs / 1_000} s would exceed the time limit`,
      })
    }
    yield* print(`${reason}; retry in ${waitMs / 1_000} s`)
    yield* Effect.sleep(waitMs)
  }
  return yield* new CannotContinue({
    message: `${url.origin} did not answer ${attemptsMax} times in a row`,
  })
})

async function readText(response: Response): Promise<string> {
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `Retry-After: 5`, in milliseconds, never zero; null when it is absent or a date. */
export function readRetryAfter(field: string | null): number | null {
  if (field === null || !/^\d{1,9}$/.test(field)) return null
  return Math.max(1_000, Math.min(Number(field) * 1_000, waitMsMax))
}

/** The wait after `times` failed requests in a row. */
export function backoffMs(times: number): number {
  return Math.min(backoffMsMin * 2 ** Math.min(times - 1, 10), backoffMsMax)
}

/**
 * `RateLimit: "free";r=4;t=12`: four requests left, more in 12 seconds; null when it cannot be
 * parsed.
 */
export function readRateLimit(field: string | null) {
  const [, remaining, seconds] = /^"[^"]*";r=(\d{1,9});t=(\d{1,9})/.exec(field ?? "") ?? []
  if (remaining === undefined || seconds === undefined) return null
  return { remaining: Number(remaining), resetMs: Number(seconds) * 1_000 }
}

/** The wait before the next request: `wantedMs`, or longer when no request is left. */
export function pollDelayMs(
  allowance: ReturnType<typeof readRateLimit>,
  wantedMs: number,
): number {
  if (allowance === null || allowance.remaining > 0) return wantedMs
  return Math.max(wantedMs, Math.min(allowance.resetMs, waitMsMax))
}

/** Foreign text as one line of at most `max` characters, without invisible characters. */
export function plain(text: string, max: number): string {
  const line = text
    .replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\s]+/gu, " ")
    .replace(/(\p{M}{4})\p{M}+/gu, "$1")
    .trim()
  const characters = [...line]
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join("")}…`
}

/** A foreign name in quotation marks that it cannot close itself. */
export function quoted(name: string, max: number = 160): string {
  return `“${plain(name, max).replace(/[“”„‟"«»]/g, "'") || "unnamed"}”`
}
