/**
 * How the agent asks over HTTP: one request and its answer, how long it waits between requests, and
 * how a stranger's text is made harmless before a terminal shows it.
 *
 * @module
 */
import { Clock, Effect, Schema } from "effect"

/** A report takes up to a minute; an answer that takes longer is lost. */
const timeoutMs = 90_000
/** No answer of this service is as large. */
const bodyBytesMax = 4 * 1_024 * 1_024
/** How often in a row a service may fail to answer before the agent gives up. */
const absencesMax = 12
/** The first wait for a service that does not answer; each further one is twice as long. */
const absenceMs = 1_000
const absenceMsMax = 60_000
/** The longest wait that a header can ask for. */
const waitMsMax = 3_600_000

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined when it is not JSON. */
  readonly body: unknown
}

/** The service does not answer, or not with something the agent can use. */
export class GaveUp extends Schema.TaggedError<GaveUp>()("GaveUp", { message: Schema.String }) {}

export type Say = (line: string) => Effect.Effect<void>

/** Asks once. Null: no answer came, and the request may have been served. Follows no redirects. */
export const ask = (url: URL, headers: Readonly<Record<string, string>> = {}) =>
  Effect.tryPromise(async (signal): Promise<Answer> => {
    const response = await fetch(url, {
      headers,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const text = await textOf(response)
    return { status: response.status, headers: response.headers, text, body: parsed(text) }
  }).pipe(Effect.orElseSucceed(() => null))

/**
 * Asks until there is an answer worth reading, and never sooner than the service allows. Rather than
 * wait beyond `untilMs` it gives up.
 */
export const askPatiently = Effect.fnUntraced(function* (
  url: URL,
  say: Say,
  { headers = {}, untilMs = Infinity }: {
    readonly headers?: Readonly<Record<string, string>>
    readonly untilMs?: number
  } = {},
) {
  for (let times = 1; times <= absencesMax; times += 1) {
    const answer = yield* ask(url, headers)
    if (answer !== null && answer.status < 500 && answer.status !== 429) {
      if (times > 1) yield* say(`${url.pathname} answers again`)
      return answer
    }
    const waitMs = readRetryAfter(answer?.headers.get("retry-after") ?? null) ?? absence(times)
    const why = `${url.pathname}: ${answer === null ? "no answer" : `status ${answer.status}`}`
    if ((yield* Clock.currentTimeMillis) + waitMs > untilMs) {
      return yield* new GaveUp({
        message: `${why}; ${waitMs / 1_000} s more is longer than I wait`,
      })
    }
    yield* say(`${why}; I ask again in ${waitMs / 1_000} s`)
    yield* Effect.sleep(waitMs)
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

/** `Retry-After: 5`, in milliseconds, never zero; null when it is absent or a date. */
export function readRetryAfter(field: string | null): number | null {
  if (field === null || !/^\d{1,9}$/.test(field)) return null
  return Math.max(1_000, Math.min(Number(field) * 1_000, waitMsMax))
}

/** How long to wait for a service that did not answer `times` times in a row. */
export function absence(times: number): number {
  return Math.min(absenceMs * 2 ** Math.min(times - 1, 10), absenceMsMax)
}

/** `RateLimit: "free";r=4;t=12`: four more now, and more in twelve seconds; null when unreadable. */
export function readAllowance(field: string | null) {
  const [, remaining, seconds] = /^"[^"]*";r=(\d{1,9});t=(\d{1,9})/.exec(field ?? "") ?? []
  if (remaining === undefined || seconds === undefined) return null
  return { remaining: Number(remaining), resetMs: Number(seconds) * 1_000 }
}

/** How long to wait before the next request: as often as wanted, never when none is left. */
export function waitAfter(
  allowance: ReturnType<typeof readAllowance>,
  wantedMs: number,
): number {
  if (allowance === null || allowance.remaining > 0) return wantedMs
  return Math.max(wantedMs, Math.min(allowance.resetMs, waitMsMax))
}

/** A stranger's text as one line of at most `max` characters, without invisible characters. */
export function plain(text: string, max: number): string {
  const line = text
    .replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\s]+/gu, " ")
    .replace(/(\p{M}{4})\p{M}+/gu, "$1")
    .trim()
  const characters = [...line]
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join("")}…`
}

/** A stranger's name in quotation marks that it cannot close. */
export function quoted(name: string, max: number = 160): string {
  return `“${plain(name, max).replace(/[“”„‟"«»]/g, "'") || "unnamed"}”`
}
