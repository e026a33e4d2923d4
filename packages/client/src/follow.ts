/**
 * New feed items: the free index is polled, and items are bought when it has moved.
 *
 * Nothing but `since` is remembered. After a restart, continue with the index of the last item that
 * was handled: a call whose answer was lost then has the same address, so its payment is sent again.
 *
 * @module
 */
import type { BodyOf, FeedItem, ParametersOf } from "./contract.ts"
import { BuyError, Charged, NotCharged } from "./errors.ts"
import { type Http, type HttpAnswer, pollDelayMs } from "./http.ts"
import { utcDay } from "./ledger.ts"
import { fieldsOf } from "./text.ts"

export interface FollowOptions {
  /** The last index that was handled; by default the newest one, so that only later items come. */
  readonly since?: number
  readonly type?: FeedItem["type"]
  /** The shortest time between two polls of the index. */
  readonly everyMs?: number
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal
}

/** The service recommends a poll about every ten minutes. */
const everyMsDefault = 600_000
/** The most items of one call. */
const countMax = 20
/** After this many failures in a row the error is thrown. */
export const failuresMax = 3

export interface Feed {
  readonly http: Http
  /** The free index, or null when it has not changed since this ETag. */
  readonly poll: (etag: string | null, signal?: AbortSignal) => Promise<HttpAnswer | null>
  readonly buy: (
    parameters: ParametersOf<"get_signals">,
    signal?: AbortSignal,
  ) => Promise<{ readonly body: BodyOf<"get_signals">; readonly isEarlier: boolean }>
}

/** Yields new items in order, each once. Ends with a `BuyError` when no more can be bought. */
export async function* follow(
  { http, poll, buy }: Feed,
  { since, type, everyMs = everyMsDefault, signal }: FollowOptions,
): AsyncGenerator<FeedItem, void, undefined> {
  const isEnded = () => signal?.aborted === true
  const caughtUp = { last: since ?? null, etag: null as string | null, ofType: "" }
  let failures = 0
  while (!isEnded()) {
    let waitMs = everyMs
    try {
      const polled = await poll(caughtUp.etag, signal)
      if (polled !== null) {
        waitMs = pollDelayMs(polled.headers.get("ratelimit"), everyMs)
        const index = indexOf(polled)
        const ofType = type === undefined ? "" : countOf(polled, type, http.clock.nowMs())
        caughtUp.last ??= index
        while (index > caughtUp.last && (type === undefined || ofType !== caughtUp.ofType)) {
          const query = { since: caughtUp.last, count: countMax, ...(type && { type }) }
          const { body, isEarlier } = await buy(query, signal)
          const items = newItems(body.data, caughtUp.last)
          for (const item of items) {
            caughtUp.last = item.feedIndex
            yield item
          }
          // The answer of an earlier call may be older than the index.
          if (items.length === countMax || (isEarlier && items.length > 0)) continue
          // Items of other types, which this call did not return, are behind the index.
          caughtUp.last = Math.max(caughtUp.last, index)
          caughtUp.ofType = ofType
        }
        caughtUp.etag = polled.headers.get("etag")
      }
      failures = 0
    } catch (error) {
      if (isEnded()) return
      failures += 1
      if (!(error instanceof BuyError) || !isPassing(error) || failures === failuresMax) throw error
      waitMs = Math.max(everyMs, error.retryAfterMs ?? 0)
      http.onStep(`${error.sentence} The next poll is in ${waitMs / 1_000} s.`)
    }
    await http.clock.sleep(waitMs, signal)
  }
}

/**
 * The number of today's items of a type, with the day. While it has not changed, nothing is bought:
 * an answer without items is not charged, but its payment counts against the budget.
 */
function countOf({ body }: HttpAnswer, type: string, nowMs: number): string {
  return `${utcDay(nowMs)} ${fieldsOf(fieldsOf(body)["todayByType"])[type]}`
}

/** Whether the same call may succeed later. It sends the same payment while that is unclear. */
function isPassing(error: BuyError): boolean {
  return !(error instanceof Charged) && error.retryAfterMs !== null
}

function indexOf({ body }: HttpAnswer): number {
  const { index } = fieldsOf(body)
  if (typeof index === "number" && Number.isSafeInteger(index) && index >= 0) return index
  throw new NotCharged({
    code: "unknown_answer",
    message: "Nothing was charged: the free index cannot be read.",
    next: "Check the address of the service.",
  })
}

/** The items after an index, in order, each once, at most as many as were asked for. */
function newItems(data: unknown, last: number): ReadonlyArray<FeedItem> {
  const items = Array.isArray(data) ? data.slice(0, countMax) as ReadonlyArray<FeedItem> : []
  const found = new Map<number, FeedItem>()
  for (const item of items) {
    const { feedIndex } = fieldsOf(item)
    if (Number.isSafeInteger(feedIndex) && item.feedIndex > last) found.set(item.feedIndex, item)
  }
  return [...found.values()].sort((one, other) => one.feedIndex - other.feedIndex)
}
