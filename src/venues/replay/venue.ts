/**
 * A venue of recorded Polymarket pages: a folder of JSON files, read once at the start.
 *
 * The contents of a file are recognised by the shape of its rows. Only a price history needs its token's
 * id in the file name, because the page itself does not contain it.
 *
 * @module
 */
import { Clock, Effect, Layer, Stream } from "effect"
import type { OrderBook } from "../../markets/domain/book.ts"
import type { Market, MarketId, PricePoint, TokenId } from "../../markets/domain/market.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { type Decoded, VenueClient, VenueUnavailable } from "../../markets/VenueClient.ts"
import { proposalsIn } from "../polymarket/oracle.ts"
import {
  classify,
  decodePage,
  recordedEnds,
  type RecordedPage,
  type RecordedRows,
  recordedWallets,
} from "./recordings.ts"

interface ReplayOptions {
  readonly dir: string
  /**
   * The time as of which pages are decoded. By default the newest time in each file, or, for a file
   * without one, the newest in the folder.
   */
  readonly asOf?: EpochMs
}

interface Recording {
  /** Path relative to the folder. */
  readonly file: string
  /** Null when the file is not JSON. */
  readonly page: RecordedPage | null
  readonly asOf: EpochMs
}

/** Files read from the folder and its subfolders. */
const filesMax = 2_000

/** Larger files are not read. */
const fileBytesMax = 64 * 1024 * 1024

/** Levels of subfolders. */
const depthMax = 4

const tradesMax = 1_000

/** `VenueClient` over the recordings in a folder. Fails when the folder cannot be read. */
export function layer(options: ReplayOptions): Layer.Layer<VenueClient, VenueUnavailable> {
  return Layer.effect(VenueClient, Effect.map(read(options), client))
}

/** Reads every recording, in order of path. */
export const read = Effect.fn("replay.read")(function* (options: ReplayOptions) {
  const texts = yield* Effect.tryPromise({
    try: () => Array.fromAsync(jsonFiles(options.dir, "", depthMax)),
    catch: () => new VenueUnavailable({ operation: "replay", reason: "cannot read the folder" }),
  })
  const now = yield* Clock.currentTimeMillis
  const files = texts.sort((a, b) => a.file < b.file ? -1 : 1).slice(0, filesMax)
    .map(({ file, text }) => ({ file, rows: rowsOf(text) }))
  const newest = files.reduce((latest, { rows }) => Math.max(latest, rows?.newest ?? 0), 0)
  return files.map(({ file, rows }): Recording => {
    const asOf = options.asOf ?? rows?.newest ?? (newest > 0 ? newest : now)
    return { file, asOf, page: rows === null ? null : decodePage(rows, asOf) }
  })
})

function client(recordings: ReadonlyArray<Recording>): VenueClient["Service"] {
  const pages = recordings.flatMap(({ page }) => page === null ? [] : [page])
  const unreadable = recordings.length - pages.length
  const listed = pages.map(({ markets }) => markets)
    .filter(({ rows, rejected }) => rows.length > 0 || Object.keys(rejected).length > 0)
  const books = newestBooks(pages)
  const histories = historiesOf(recordings)
  const facts = new Map(
    pages.flatMap((page) => page.facts.rows).map((market) => [market.id, market]),
  )
  const ends = recordedEnds(pages, recordings.reduce((now, { asOf }) => Math.max(now, asOf), 0))
  const records = pages.flatMap((page) => page.records.rows)
  const proposed = new Map(
    proposalsIn(records).filter(({ marketId }) => !ends.has(marketId))
      .map((proposal) => [proposal.marketId, proposal]),
  )
  const rules = new Map(
    pages.flatMap((page) => page.rules.rows).map((found) => [found.marketId, found]),
  )
  const trades = pages.flatMap((page) => page.trades.rows).sort((a, b) => b.at - a.at)
  return VenueClient.of({
    listMarkets: Stream.fromIterable([
      ...listed,
      ...(unreadable === 0 ? [] : [{ rows: [], rejected: { unreadable_file: unreadable } }]),
    ]),
    bySlug: (slug) => Effect.succeed({ rows: withSlug(listed, slug), rejected: {} }),
    books: (tokenIds) =>
      Effect.succeed({
        rows: [...new Set(tokenIds)].flatMap((tokenId) => books.get(tokenId) ?? []),
        rejected: {},
      }),
    priceHistory: (tokenId, { from, to }) =>
      Effect.succeed(
        (histories.get(tokenId) ?? []).filter(({ at }) => at >= from && at <= to),
      ),
    facts: (marketIds) =>
      Effect.succeed({
        rows: [...new Set(marketIds)].flatMap((id) => facts.get(id) ?? []),
        rejected: {},
      }),
    resolutions: (marketIds) =>
      Effect.succeed({
        rows: [...new Set(marketIds)].flatMap((id) => ends.get(id) ?? []),
        rejected: {},
      }),
    proposals: (marketIds) =>
      Effect.succeed({
        rows: [...new Set(marketIds)].flatMap((id) => proposed.get(id) ?? []),
        rejected: {},
      }),
    rules: (marketIds) =>
      Effect.succeed({
        rows: [...new Set(marketIds)].flatMap((id) => rules.get(id) ?? []),
        rejected: {},
      }),
    wallets: recordedWallets(pages),
    trades: (marketId: MarketId, since) =>
      Effect.succeed({
        rows: trades.filter((trade) => trade.marketId === marketId && trade.at >= since)
          .slice(0, tradesMax),
        rejected: {},
      }),
  })
}

/** The market with this slug, or else those of the event with it; in any case. */
function withSlug(listed: ReadonlyArray<Decoded<Market>>, slug: string): ReadonlyArray<Market> {
  const same = (other: string) => other.toLowerCase() === slug.toLowerCase()
  const rows = listed.flatMap((page) => page.rows)
  const all = [...new Map(rows.map((market) => [market.id, market])).values()]
  const own = all.filter((market) => same(market.slug))
  return own.length > 0 ? own : all.filter(({ eventSlug }) => same(eventSlug))
}

function newestBooks(pages: ReadonlyArray<RecordedPage>): ReadonlyMap<TokenId, OrderBook> {
  const books = new Map<TokenId, OrderBook>()
  for (const book of pages.flatMap((page) => page.books.rows)) {
    const known = books.get(book.tokenId)
    if (known === undefined || known.observedAt <= book.observedAt) books.set(book.tokenId, book)
  }
  return books
}

function historiesOf(
  recordings: ReadonlyArray<Recording>,
): ReadonlyMap<string, ReadonlyArray<PricePoint>> {
  const histories = new Map<string, ReadonlyArray<PricePoint>>()
  for (const { file, page } of recordings) {
    const tokenId = /\d{20,}/.exec(file)?.[0]
    if (tokenId !== undefined && page !== null && page.points.length > 0) {
      histories.set(tokenId, [...(histories.get(tokenId) ?? []), ...page.points])
    }
  }
  return histories
}

async function* jsonFiles(
  dir: string,
  folder: string,
  depth: number,
): AsyncGenerator<{ readonly file: string; readonly text: string | null }> {
  for await (const entry of Deno.readDir(`${dir}/${folder}`)) {
    const file = `${folder}${entry.name}`
    if (entry.isDirectory && depth > 0) yield* jsonFiles(dir, `${file}/`, depth - 1)
    if (!entry.isFile || !entry.name.endsWith(".json")) continue
    const { size } = await Deno.stat(`${dir}/${file}`)
    yield { file, text: size > fileBytesMax ? null : await Deno.readTextFile(`${dir}/${file}`) }
  }
}

/** Null when the text is not JSON. A leading byte-order mark is allowed. */
function rowsOf(text: string | null): RecordedRows | null {
  try {
    return text === null ? null : classify(JSON.parse(text.replace(/^\ufeff/, "")))
  } catch {
    return null
  }
}
