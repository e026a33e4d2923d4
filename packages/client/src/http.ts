/**
 * Requests with a time limit, bounded bodies and no redirects, and the waits that a service asks for.
 *
 * @module
 */
import { fieldsOf, plain, quoted } from "./text.ts"

/** A report takes up to a minute; a longer request with a payment has failed. */
const timeoutMs = 90_000
/** How long a request without a payment waits: it is answered from what the service has. */
export const silenceMsMax = 30_000
/** A larger body is an error; no answer of this service is that large. */
export const bodyBytesMax = 4 * 1_024 * 1_024
/** The wait after the first failed request; each further wait is twice as long. */
const backoffMsMin = 1_000
const backoffMsMax = 60_000
/** How often a request without a payment is sent. */
const attemptsMax = 12
/** The longest wait that a header can request. */
const waitMsMax = 3_600_000

/** Time, as the client sees it. */
export interface Clock {
  nowMs(): number
  /** Ends early, without an error, when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined when it is not JSON. */
  readonly body: unknown
}

export interface Http {
  readonly fetch: typeof globalThis.fetch
  readonly clock: Clock
  readonly onStep: (line: string) => void
}

type RequestHeaders = Readonly<Record<string, string>>

/** Sends one request. Null: there was no answer, but the request may have been served. */
export async function request(
  http: Http,
  url: URL,
  headers: RequestHeaders,
  signal?: AbortSignal,
): Promise<HttpAnswer | null> {
  const sent = await send(http, url, headers, AbortSignal.timeout(timeoutMs), signal)
  return typeof sent === "string" ? null : sent
}

/** One request; its answer, null, or a sentence where another request would have no answer either. */
async function send(
  { fetch }: Http,
  url: URL,
  headers: RequestHeaders,
  timeout: AbortSignal,
  signal?: AbortSignal,
): Promise<HttpAnswer | string | null> {
  try {
    const response = await fetch(url, {
      headers,
      redirect: "manual",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
    const text = await readText(response)
    return { status: response.status, headers: response.headers, text, body: parseJson(text) }
  } catch (error) {
    return timeout.aborted
      ? `${url.origin} was silent for ${silenceMsMax / 1_000} s: check that the service runs there`
      : whyDead(url, error)
  }
}

/** A refused connection, an unknown host or a blocked port, in Deno's and in Node's words. */
function whyDead({ origin }: URL, error: unknown): string | null {
  const { code, message } = fieldsOf(fieldsOf(error)["cause"])
  const text = `${fieldsOf(error)["message"]} ${message}`
  if (/bad port|requests to port \d+ are blocked/i.test(text)) {
    return `fetch sends nothing to the port of ${origin}: correct the address`
  }
  return /ECONNREFUSED|ENOTFOUND|connection refused|dns error/i.test(`${code} ${text}`)
    ? `nothing listens at ${origin}: start the service, or set BASE_URL to its address`
    : null
}

/** The end of a request that was repeated: an answer, or why there is none. */
export type Repeated =
  | { readonly kind: "answered"; readonly answer: HttpAnswer }
  | { readonly kind: "given up"; readonly reason: string; readonly waitMs: number }

/**
 * Repeats a request without a payment until it is answered, no sooner than the service allows. A
 * connection that is refused ends it at once, a silent one after its limit.
 */
export async function requestWithRetry(
  http: Http,
  url: URL,
  { headers = {}, untilMs, signal, isAnswer = () => false }: {
    readonly headers?: RequestHeaders
    readonly untilMs: number
    readonly signal?: AbortSignal | undefined
    /** Whether a 429 or 5xx is an answer all the same. */
    readonly isAnswer?: (answer: HttpAnswer) => boolean
  },
): Promise<Repeated> {
  const isEnded = () => signal?.aborted === true
  for (let times = 1;; times += 1) {
    const answer = await send(http, url, headers, AbortSignal.timeout(silenceMsMax), signal)
    if (typeof answer === "string") {
      return { kind: "given up", reason: answer, waitMs: backoffMsMin }
    }
    if (answer !== null && (isAnswer(answer) || answer.status < 500 && answer.status !== 429)) {
      return { kind: "answered", answer }
    }
    const waitMs = retryAfterMs(answer) ?? backoffMs(times)
    const reason = answer === null ? "no answer" : failureReason(answer)
    if (times === attemptsMax || isEnded() || http.clock.nowMs() + waitMs > untilMs) {
      return { kind: "given up", reason, waitMs }
    }
    http.onStep(`${url.pathname}: ${reason}; again in ${waitMs / 1_000} s`)
    await http.clock.sleep(waitMs, signal)
    if (isEnded()) return { kind: "given up", reason, waitMs }
  }
}

/** `rate_limited: Too many requests`, or the status. */
function failureReason({ status, body }: HttpAnswer): string {
  const { code, message } = fieldsOf(fieldsOf(body)["error"])
  return typeof code === "string" && typeof message === "string"
    ? `${plain(code, 40)}: ${quoted(message, 300)}`
    : `status ${status}`
}

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

/** The wait of Retry-After, never zero; null when it is absent or a date. */
export function retryAfterMs(answer: HttpAnswer | null): number | null {
  const field = answer?.headers.get("retry-after") ?? ""
  if (!/^\d{1,9}$/.test(field)) return null
  return Math.max(1_000, Math.min(Number(field) * 1_000, waitMsMax))
}

/** The wait after `times` failed requests in a row. */
export function backoffMs(times: number): number {
  return Math.min(backoffMsMin * 2 ** Math.min(times - 1, 10), backoffMsMax)
}

/**
 * The wait before the next poll: `everyMs`, or longer when `RateLimit: "free";r=0;t=12` says that no
 * request is left for 12 seconds.
 */
export function pollDelayMs(field: string | null, everyMs: number): number {
  const [, remaining, seconds] = /^"[^"]*";r=(\d{1,9});t=(\d{1,9})/.exec(field ?? "") ?? []
  if (remaining === undefined || Number(remaining) > 0) return everyMs
  return Math.max(everyMs, Math.min(Number(seconds) * 1_000, waitMsMax))
}
