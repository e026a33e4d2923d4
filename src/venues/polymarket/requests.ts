/**
 * HTTP requests to the venue: paced, and split into batches. All limits are in `defaultLimits`.
 *
 * @module
 */
import { Array, Clock, Effect, Metric, Schedule, type Semaphore } from "effect"
import type { HttpClient, HttpClientRequest } from "effect/http"
import { readAnswer, statusFault, transientFault } from "../../core/httpReading.ts"
import { type Decoded, VenueRefusals, VenueUnavailable } from "../../markets/VenueClient.ts"
import type { MarketId } from "../../markets/domain/market.ts"
import { merge, object } from "./wire.ts"

/**
 * The rates are about a fifth of the venue's documented limits, which are, per ten seconds: listing
 * 300, books 500, history 1,000, trades 300, activity 200. Leaderboard and resolutions share their
 * host's 800; facts share their host's 900. Market pages have only the exchange's general limit of 9,000.
 */
export const defaultLimits = {
  /** Requests a route may start in ten seconds, spaced evenly. */
  perTenSeconds: {
    listing: 60,
    books: 100,
    history: 200,
    trades: 60,
    activity: 40,
    leaderboard: 20,
    resolutions: 40,
    /** The listing, requested by market id. */
    facts: 60,
    /** A market's page at the exchange. */
    page: 50,
  },
  /** Requests in flight at one host. */
  inFlightMax: 8,
  /** How long one request may take, body included. */
  timeoutMs: 20_000,
  /** A longer response is a fault. A listing page of 100 full rows is about 1 MB. */
  bodyBytesMax: 32 * 1024 * 1024,
  /** Attempts of one request, the first included. */
  attemptsMax: 6,
  /** The backoff before the second attempt. It doubles each time, and a fifth of it is random. */
  retryDelayMs: 500,
  /** The longest Retry-After that is obeyed. */
  retryAfterMsMax: 60_000,
  /** Rows of a listing page; the venue's maximum is 100. */
  pageRows: 100,
  /**
   * Pages of the whole listing: 300,000 markets. The venue had 210,000 flagged active, most of which had
   * ended long before.
   */
  pagesMax: 3_000,
  /**
   * Pages of the markets with the most volume of the last 24 hours, whatever their end: 10,000 markets,
   * more than have books read in a tick. Beyond it an overdue or undated market is not found.
   */
  volumePagesMax: 100,
  /**
   * Time for those pages, which take about 20 seconds. One page that hangs would otherwise take longer
   * than the whole listing of a tick may.
   */
  volumePassMsMax: 60_000,
  /** Books in one request; the venue's maximum is 500. */
  bookBatch: 500,
  /** Batches of books requested at once. */
  bookBatchesAtOnce: 4,
  /** How many failing batches one call may split in half to isolate a bad token. */
  bookSplitsMax: 40,
  /** Rows of a page of trades; the venue's maximum is 1,000. */
  tradeRows: 500,
  /** Trades that one call returns for a market. */
  tradesMax: 1_000,
  /** Pages of one market's trades, in case the venue returns short pages. */
  tradePagesMax: 20,
  /** Rows of a page of a wallet's activity; the venue's maximum is 1,000. */
  activityRows: 1_000,
  /** Rows of a page of a leaderboard. */
  boardRows: 100,
  /** Pages of one leaderboard, in case the venue returns short pages. */
  boardPagesMax: 20,
  /** Markets in one request to the oracle; the venue's maximum is 20. */
  resolutionBatch: 20,
  /** Markets in one request for facts. Their ids are in the URL (81 bytes each). */
  factsBatch: 40,
  /** Batches of markets requested at once. */
  marketBatchesAtOnce: 4,
  /** How many failing batches one call may split in half to isolate a bad market. */
  marketSplitsMax: 40,
  /** Markets in one call whose payout is read from the listing because the oracle has none. */
  listedResolutionsMax: 400,
  /** Market pages in one call, for payouts that neither the oracle nor the listing has. */
  resolutionPagesMax: 40,
  /** Windows of one price history, of 14 days each (the venue rejects more than 15 days). */
  historyWindowsMax: 7,
}

export type RequestLimits = Readonly<typeof defaultLimits>

/** Repeats the request until `read` accepts the answer; a null from `read` is a fault. */
type Send = <A extends object>(
  operation: string,
  request: HttpClientRequest.HttpClientRequest,
  read: (body: unknown) => A | null,
) => Effect.Effect<A, VenueUnavailable>

/** Requests to one route: evenly spaced, and all delayed by a Retry-After. */
export function makeSend(
  client: HttpClient.HttpClient,
  host: Semaphore.Semaphore,
  perTenSeconds: number,
  limits: RequestLimits,
): Send {
  const pace = makePace(Math.ceil(10_000 / perTenSeconds))
  // Replicas do not retry at the same time.
  const backoff = Schedule.jittered(Schedule.exponential(limits.retryDelayMs))
  return (operation, request, read) => {
    const attempt = Effect.gen(function* () {
      yield* pace.slot
      const answer = yield* host.withPermits(1)(readAnswer(client, request, limits))
      if (answer.status !== 200) return yield* statusFault(answer)
      const body = yield* Effect.try({
        try: (): unknown => JSON.parse(new TextDecoder().decode(answer.body)),
        catch: () => transientFault("response is not JSON"),
      })
      return read(body) ?? (yield* transientFault("unexpected response shape"))
    })
    return attempt.pipe(
      Effect.tapError(({ retryAfterMs }) =>
        retryAfterMs === null
          ? Effect.void
          : pace.pause(Math.min(retryAfterMs, limits.retryAfterMsMax))
      ),
      Effect.retry({
        while: ({ transient }) => transient,
        times: limits.attemptsMax - 1,
        schedule: backoff,
      }),
      Effect.mapError(({ reason }) => new VenueUnavailable({ operation, reason })),
    )
  }
}

/** Slots are assigned in the order of the calls, by time that passed: no clock that jumps moves them. */
export function makePace(intervalMs: number) {
  let next = 0
  let pausedUntil = 0
  /** Waits for the caller's slot. */
  const slot: Effect.Effect<void> = Effect.gen(function* () {
    const now = yield* elapsedMs
    const at = Math.max(now, next)
    next = at + intervalMs
    if (at > now) yield* Effect.sleep(at - now)
    // A pause may have started while this caller waited: it then takes a later slot.
    if ((yield* elapsedMs) < pausedUntil) yield* slot
  })
  /** Delays all slots until `ms` have passed. */
  const pause = (ms: number) =>
    Effect.map(elapsedMs, (now) => {
      pausedUntil = Math.max(pausedUntil, now + ms)
      next = Math.max(next, pausedUntil)
    })
  return { slot, pause }
}

const elapsedMs = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

interface Batching {
  /** Items in one request. */
  readonly size: number
  readonly atOnce: number
  /** How many failing batches one call may split in half. */
  readonly splitsMax: number
}

/** The reasons of a request that contains an item unknown to the venue. */
const badRequests: ReadonlySet<string> = new Set(["status 400", "status 422"])

const refusedCalls = Metric.counter("venue_refused_calls_total", {
  description: "Calls whose form the venue refused, by operation",
  incremental: true,
})

/**
 * Splits a rejected batch in half until all items but the unknown one are read. Items that stay
 * unavailable are counted; the call fails only when all of them are, or when two items were refused
 * together and accepted alone: then the venue refuses how several are asked for (`VenueRefusals`).
 */
export const inBatches = Effect.fnUntraced(function* <Item, A>(
  operation: string,
  items: ReadonlyArray<Item>,
  { size, atOnce, splitsMax }: Batching,
  readBatch: (batch: ReadonlyArray<Item>) => Effect.Effect<Decoded<A>, VenueUnavailable>,
) {
  const failures: globalThis.Array<VenueUnavailable> = []
  const refusals = yield* VenueRefusals
  let splits = 0
  let form: "unknown" | "accepted" | "refused" = "unknown"
  const read = (
    batch: ReadonlyArray<Item>,
  ): Effect.Effect<Decoded<A> & { readonly all: boolean }> =>
    readBatch(batch).pipe(
      Effect.map((found) => {
        if (batch.length > 1) form = "accepted"
        return { ...found, all: true }
      }),
      Effect.catch((failure) => {
        const isRefused = badRequests.has(failure.reason) && form !== "refused"
        if (isRefused && batch.length > 1 && splits < splitsMax) {
          splits++
          const halves = Array.chunksOf(batch, Math.ceil(batch.length / 2))
          return Effect.map(Effect.forEach(halves, read), (found) => {
            const all = found.every((half) => half.all)
            if (all && batch.length === 2 && form !== "accepted") form = "refused"
            return { ...merge(found), all }
          })
        }
        failures.push(failure)
        return Effect.succeed({ rows: [], rejected: { unavailable: batch.length }, all: false })
      }),
    )
  const found = merge(
    yield* Effect.forEach(Array.chunksOf(items, size), read, { concurrency: atOnce }),
  )
  const [failure] = failures
  const isRefused = (form as string) === "refused"
  const isFailed = failure !== undefined && found.rejected["unavailable"] === items.length
  if (!isRefused && !isFailed) {
    refusals.delete(operation)
    return found
  }
  const reason = isRefused ? "several items in one request are refused" : failure?.reason ?? ""
  if (isRefused || badRequests.has(reason)) {
    refusals.set(operation, reason)
    yield* Metric.update(refusedCalls.pipe(Metric.withAttributes({ operation })), 1)
    yield* Effect.logError(`The venue refuses ${operation}: ${reason}`)
  }
  return yield* new VenueUnavailable({ operation, reason })
})

/** A base URL, and a sender paced for one of its routes. */
export interface Route {
  readonly send: Send
  readonly url: string
}

/** Rows of a response, not decoded yet. */
export interface RawRows {
  readonly rows: ReadonlyArray<unknown>
}

/** The well-formed ids, each once: any other id may make a whole batch fail. */
export function validMarketIds(marketIds: ReadonlyArray<MarketId>): ReadonlyArray<MarketId> {
  return [...new Set(marketIds)].filter((id) => /^0x[0-9a-f]{64}$/.test(id))
}

export function inMarketBatches<A>(
  operation: string,
  marketIds: ReadonlyArray<MarketId>,
  size: number,
  limits: RequestLimits,
  readBatch: (batch: ReadonlyArray<MarketId>) => Effect.Effect<Decoded<A>, VenueUnavailable>,
): Effect.Effect<Decoded<A>, VenueUnavailable> {
  const batching = { size, atOnce: limits.marketBatchesAtOnce, splitsMax: limits.marketSplitsMax }
  return inBatches(operation, marketIds, batching, readBatch)
}

/** Reads a response whose rows are in the field `name`. */
export function rowsIn(name: string): (body: unknown) => RawRows | null {
  return (body) => {
    const rows = object(body)?.[name]
    return Array.isArray(rows) ? { rows } : null
  }
}
