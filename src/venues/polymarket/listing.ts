/**
 * A sweep of the venue's listing, page after page, to the end or to a failure: never to a silent stop.
 *
 * @module
 */
import { Clock, Effect, Option, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Market } from "../../markets/domain/market.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { type Decoded, VenueUnavailable } from "../../markets/VenueClient.ts"
import { decodeMarkets, endedLongAgoMs } from "./gamma.ts"
import type { Limits } from "./limits.ts"
import type { Ask } from "./requests.ts"
import { id, object } from "./wire.ts"

interface Sweep {
  /** No market that ended before this is asked for: the venue keeps them by the hundred thousand. */
  readonly endedAfter: string
  readonly cursor: string | null
  readonly pages: number
  /** Cursors that were followed: one that returns would lead in a circle. */
  readonly followed: Set<string>
  /** The least and the greatest id of each page: the same page twice hides another. */
  readonly seen: Set<string>
}

/**
 * A page is asked for with the same cursor until it comes. A page that leads back, or that was
 * already served under another cursor, counts as not having come: taking it would skip markets.
 */
export function listMarkets(
  ask: Ask,
  gammaUrl: string,
  limits: Limits,
): Stream.Stream<Decoded<Market>, VenueUnavailable> {
  const page = Effect.fnUntraced(function* (sweep: Sweep) {
    if (sweep.pages >= limits.pagesMax) {
      return yield* new VenueUnavailable({ operation: "listMarkets", reason: "too many pages" })
    }
    const request = HttpClientRequest.get(`${gammaUrl}/markets/keyset`, {
      urlParams: {
        limit: limits.pageRows,
        closed: "false",
        include_tag: "true",
        end_date_min: sweep.endedAfter,
        ...(sweep.cursor === null ? {} : { after_cursor: sweep.cursor }),
      },
    })
    const found = yield* ask("listMarkets", request, (body) => unseenPage(body, sweep))
    const now = yield* Clock.currentTimeMillis
    sweep.seen.add(found.mark)
    if (found.next !== null) sweep.followed.add(found.next)
    const decoded = decodeMarkets(found.rows, now)
    const next: Option.Option<Sweep> = found.next === null
      ? Option.none()
      : Option.some({ ...sweep, cursor: found.next, pages: sweep.pages + 1 })
    return [[decoded], next] as const
  })
  const start = (now: EpochMs): Sweep => ({
    endedAfter: new Date(now - endedLongAgoMs).toISOString(),
    cursor: null,
    pages: 0,
    followed: new Set(),
    seen: new Set(),
  })
  return Stream.unwrap(
    Effect.map(Clock.currentTimeMillis, (now) => Stream.paginate(start(now), page)),
  )
}

interface ListingPage {
  readonly rows: ReadonlyArray<unknown>
  readonly next: string | null
  readonly mark: string
}

function unseenPage(body: unknown, sweep: Sweep): ListingPage | null {
  const fields = object(body)
  const rows = fields?.["markets"]
  if (!Array.isArray(rows)) return null
  const next = fields?.["next_cursor"]
  const cursor = typeof next === "string" && next !== "" ? next : null
  const ids = rows.flatMap(rowId).sort()
  const mark = ids.length === 0 ? `none ${sweep.pages}` : `${ids[0]} ${ids.at(-1)}`
  if (sweep.seen.has(mark) || (cursor !== null && sweep.followed.has(cursor))) return null
  return { rows, next: cursor, mark }
}

function rowId(row: unknown): ReadonlyArray<string> {
  const found = id(object(row)?.["id"]) ?? id(object(row)?.["conditionId"])
  return found === null ? [] : [found]
}
