/**
 * How the venue is asked over HTTP: one question, paced, bounded, timed, and asked again while that may
 * help; one question about many things, some things at a time; and every number that limits them.
 *
 * @module
 */
import { Array, Clock, Effect, Random, Schema, Semaphore, Stream } from "effect"
import {
  HttpClient,
  type HttpClientError,
  type HttpClientRequest,
  type HttpClientResponse,
} from "effect/http"
import { type Decoded, VenueUnavailable } from "../../markets/VenueClient.ts"
import type { MarketId } from "../../markets/domain/market.ts"
import { merge, object } from "./wire.ts"

export interface Limits {
  /** Requests a route may start in ten seconds, spaced evenly. */
  readonly perTenSeconds: {
    readonly listing: number
    readonly books: number
    readonly history: number
    readonly trades: number
    readonly activity: number
    readonly leaderboard: number
    readonly resolutions: number
    /** The listing, asked about markets by their identity. */
    readonly facts: number
    /** A market's page at the exchange. */
    readonly page: number
  }
  /** Requests in flight at one host. */
  readonly inFlightMax: number
  /** How long one request may take, body included. */
  readonly timeoutMs: number
  /** A longer answer is a fault. A listing page of 100 full rows is about 1 MB. */
  readonly bodyBytesMax: number
  /** Tries of one request, the first included. */
  readonly attemptsMax: number
  /** The wait before the second try; it doubles with each further one, and half of it is random. */
  readonly retryDelayMs: number
  readonly retryDelayMsMax: number
  /** A Retry-After beyond this is cut to it. */
  readonly retryAfterMsMax: number
  /** Rows of a listing page; the venue gives no more than 100. */
  readonly pageRows: number
  /** Pages of one sweep: 300,000 markets. The venue had 210,000 flagged active, most long over. */
  readonly pagesMax: number
  /** Books in one request; the venue takes no more than 500. */
  readonly bookBatch: number
  /** Batches of books asked for at once. */
  readonly bookBatchesAtOnce: number
  /** Batches that are halved in one call, for the tokens that make them fail. */
  readonly bookSplitsMax: number
  /** Rows of a page of trades; the venue gives no more than 1,000. */
  readonly tradeRows: number
  /** Trades of one market in one answer. */
  readonly tradesMax: number
  /** Pages of one market's trades, should the venue give short ones. */
  readonly tradePagesMax: number
  /** Rows of a page of a wallet's activity; the venue gives no more than 1,000. */
  readonly activityRows: number
  /** Rows of a page of a leaderboard. */
  readonly boardRows: number
  /** Pages of one leaderboard, should the venue give short ones. */
  readonly boardPagesMax: number
  /** Markets in one question about how they ended; the venue takes no more than 20. */
  readonly resolutionBatch: number
  /** Markets in one question about their facts, whose address they are part of (81 bytes each). */
  readonly factsBatch: number
  /** Batches of markets asked for at once. */
  readonly marketBatchesAtOnce: number
  /** Batches of markets that are halved in one call, for the markets that make them fail. */
  readonly marketSplitsMax: number
  /** Markets in one call whose end is looked up in the listing, as the oracle does not publish it. */
  readonly listedResolutionsMax: number
  /** Market pages in one call, for ends that neither the oracle nor the listing publishes. */
  readonly resolutionPagesMax: number
  /** Windows of one price history; the venue refuses one of over 15 days, and here each has 14. */
  readonly historyWindowsMax: number
}

/**
 * About a fifth of what the venue documents, per ten seconds: listing 300, books 500, history 1,000,
 * trades 300, activity 200; leaderboard and resolutions together with the rest of their host 800,
 * facts with the rest of theirs 900. A page has no limit of its own below the exchange's 9,000.
 */
export const defaultLimits: Limits = {
  perTenSeconds: {
    listing: 60,
    books: 100,
    history: 200,
    trades: 60,
    activity: 40,
    leaderboard: 20,
    resolutions: 40,
    facts: 60,
    page: 50,
  },
  inFlightMax: 8,
  timeoutMs: 20_000,
  bodyBytesMax: 32 * 1024 * 1024,
  attemptsMax: 6,
  retryDelayMs: 500,
  retryDelayMsMax: 15_000,
  retryAfterMsMax: 60_000,
  pageRows: 100,
  pagesMax: 3_000,
  bookBatch: 500,
  bookBatchesAtOnce: 4,
  bookSplitsMax: 40,
  tradeRows: 500,
  tradesMax: 1_000,
  tradePagesMax: 20,
  historyWindowsMax: 7,
  activityRows: 1_000,
  boardRows: 100,
  boardPagesMax: 20,
  resolutionBatch: 20,
  factsBatch: 40,
  marketBatchesAtOnce: 4,
  marketSplitsMax: 40,
  listedResolutionsMax: 400,
  resolutionPagesMax: 40,
}

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
type Ask = <A extends object>(
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

interface Batching {
  /** Things in one request. */
  readonly size: number
  readonly atOnce: number
  /** Batches that are halved in one call, for the things that make them fail. */
  readonly splitsMax: number
}

/** How the venue calls a request wrong. */
const refusals: ReadonlySet<string> = new Set(["status 400", "status 422"])

/**
 * A batch the venue calls wrong holds a thing it does not know: it is halved until the others are
 * read. Things that stay unavailable are counted; only when all are does the call fail.
 */
export const inBatches = Effect.fnUntraced(function* <Thing, A>(
  things: ReadonlyArray<Thing>,
  { size, atOnce, splitsMax }: Batching,
  ask: (batch: ReadonlyArray<Thing>) => Effect.Effect<Decoded<A>, VenueUnavailable>,
) {
  const failures: globalThis.Array<VenueUnavailable> = []
  let splits = 0
  const read = (batch: ReadonlyArray<Thing>): Effect.Effect<Decoded<A>> =>
    ask(batch).pipe(Effect.catch((failure) => {
      if (refusals.has(failure.reason) && batch.length > 1 && splits < splitsMax) {
        splits++
        const halves = Array.chunksOf(batch, Math.ceil(batch.length / 2))
        return Effect.map(Effect.forEach(halves, read), merge)
      }
      failures.push(failure)
      return Effect.succeed({ rows: [], rejected: { unavailable: batch.length } })
    }))
  const found = merge(
    yield* Effect.forEach(Array.chunksOf(things, size), read, { concurrency: atOnce }),
  )
  const [failure] = failures
  if (failure !== undefined && found.rejected["unavailable"] === things.length) {
    return yield* failure
  }
  return found
})

/** Where a kind of question is asked, and how often it may be. */
export interface Route {
  readonly ask: Ask
  readonly url: string
}

/** The rows of an answer. */
export interface Rows {
  readonly rows: ReadonlyArray<unknown>
}

/** What can be asked for by identity, each once: anything else might fail a whole batch. */
export function askable(marketIds: ReadonlyArray<MarketId>): ReadonlyArray<MarketId> {
  return [...new Set(marketIds)].filter((id) => /^0x[0-9a-f]{64}$/.test(id))
}

/** Asks about markets, `size` at a time. */
export function byMarkets<A>(
  marketIds: ReadonlyArray<MarketId>,
  size: number,
  limits: Limits,
  ask: (batch: ReadonlyArray<MarketId>) => Effect.Effect<Decoded<A>, VenueUnavailable>,
): Effect.Effect<Decoded<A>, VenueUnavailable> {
  const batching = { size, atOnce: limits.marketBatchesAtOnce, splitsMax: limits.marketSplitsMax }
  return inBatches(marketIds, batching, ask)
}

/** Reads an answer that holds its rows under `name`. */
export function rowsIn(name: string): (body: unknown) => Rows | null {
  return (body) => {
    const rows = object(body)?.[name]
    return Array.isArray(rows) ? { rows } : null
  }
}
