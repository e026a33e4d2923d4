/**
 * The handler of every product in the catalog.
 *
 * The compiler checks that each product has a handler, and that it uses the parameters, the body
 * and the errors that its row declares.
 *
 * @module
 */
import { Array, Effect, Struct } from "effect"
import type { ProductId, products } from "../catalog/domain/product.ts"
import { BelowThreshold } from "../core/domain/belowThreshold.ts"
import { type DataStale, inputs } from "../core/domain/freshness.ts"
import { prepared, preparedFor } from "../core/domain/prepared.ts"
import { type EpochMs, isoTime } from "../core/domain/time.ts"
import { Freshness } from "../core/Freshness.ts"
import {
  type CalibrationTable,
  matchingRows,
  type RowFilter,
  tableRowsMax,
} from "../whales/domain/whale.ts"
import { Digest } from "../digest/Digest.ts"
import { Feed } from "../feed/Feed.ts"
import type { ProductHandler } from "./paywall/checkout.ts"
import { Research } from "../research/Research.ts"
import { Resolving } from "../markets/Resolving.ts"
import { scoredRow, type WalletScore } from "../track-record/domain/entryScore.ts"
import { TrackRecord } from "../track-record/TrackRecord.ts"
import { Calibration } from "../whales/Calibration.ts"

type Products = typeof products
type Handlers = { readonly [Id in ProductId]: ProductHandler<Products[Id]> }

const disclaimer =
  "Written from the evidence in this report. Informational only, not financial advice."

/** The handlers of all products, over the services that they read. */
export const makeHandlers = Effect.gen(function* () {
  const digests = yield* Digest
  const markets = yield* Resolving
  const research = yield* Research
  const { fresh } = yield* Freshness
  const listing = Effect.map(fresh(inputs.listing), isoTime)
  const records = Effect.map(fresh(inputs.walletRecords), isoTime)
  const handlers: Handlers = {
    ...feedHandlers(yield* Feed),
    ...yield* whaleHandlers(records),
    digest: {
      compute: () =>
        Effect.map(digests.fresh, ({ digest, belowThreshold }) => ({
          body: { data: digest },
          charge: !belowThreshold,
        })),
    },
    digest_history: {
      compute: ({ hours, limit }) =>
        Effect.map(digests.history(hours, limit), (found) => ({
          body: {
            count: found.length,
            hours,
            data: found.map((one) => Struct.pick(one, ["id", "title", "summary", "createdAt"])),
          },
          charge: found.length > 0,
        })),
    },
    resolving: {
      check: (filters) => Effect.andThen(listing, markets.check(filters)),
      compute: Effect.fnUntraced(function* (filters) {
        const asOf = yield* listing
        const [first, ...others] = yield* markets.list(filters)
        const data = [first, ...others.slice(0, filters.limit - 1)] as const
        const omitted = others.length + 1 - data.length
        return { body: { count: data.length, omitted, asOf, filters, data }, charge: true }
      }),
    },
    research: {
      check: ({ market }) => research.check(market),
      compute: ({ market }) =>
        Effect.map(research.report(market), ({ cached, generatedAt, report }) => ({
          body: { cached, generatedAt: isoTime(generatedAt), data: report, disclaimer },
          charge: true,
        })),
    },
  }
  return handlers
})

function feedHandlers(feed: Feed["Service"]): Pick<Handlers, "latest" | "signal" | "signals"> {
  const newest = Effect.map(feed.latest, ({ item, status, asOf }) => ({
    body: { status, asOf, data: item },
    charge: true,
  }))
  return {
    latest: { compute: () => newest },
    signal: {
      compute: ({ index }) =>
        index === null
          ? newest
          : Effect.map(feed.byIndex(index), (item) => ({ body: { data: item }, charge: true })),
    },
    signals: {
      compute: Effect.fnUntraced(function* ({ since, count, type }) {
        const items = yield* feed.page({ since, count, type })
        const filters = { since, count, type: type ?? "all" } as const
        return {
          body: { count: items.length, filters, asOf: yield* feed.asOf, data: items },
          charge: items.length > 0,
        }
      }),
    },
  }
}

const noMatch = "No wallet of the calibration table matches the parameters"

const whaleHandlers = Effect.fnUntraced(
  function* whaleHandlers(records: Effect.Effect<string, DataStale>) {
    const { table, whyNoRow } = yield* Calibration
    const { walletScores } = yield* TrackRecord
    const wholeRows = preparedFor((found: CalibrationTable) => matchingRows(found, noFilter))
    const rowsOf = Effect.fnUntraced(function* rowsOf(filter: RowFilter) {
      const found = yield* table
      const rows = isWhole(filter) ? wholeRows(found) : matchingRows(found, filter)
      if (rows !== null) return { found, rows }
      const { wallet } = filter
      const hasNoRow = wallet !== null && matchingRows(found, { ...noFilter, wallet }) === null
      const why = hasNoRow ? yield* whyNoRow(wallet) : null
      return yield* new BelowThreshold({ message: why ?? noMatch })
    })
    const wholeTable = prepared((...of: Parameters<typeof whalesBody>) => {
      const body = whalesBody(...of)
      return { body, encoded: utf8.encode(JSON.stringify(body)), charge: true }
    })
    const handlers: Pick<Handlers, "whales"> = {
      whales: {
        check: (filter) => Effect.asVoid(Effect.all([records, rowsOf(filter), walletScores])),
        compute: Effect.fnUntraced(function* (filter) {
          const asOf = yield* records
          const { found, rows } = yield* rowsOf(filter)
          const scores = yield* walletScores
          return isWhole(filter)
            ? wholeTable(noFilter, found.computedAt, rows, scores, asOf)
            : { body: whalesBody(filter, found.computedAt, rows, scores, asOf), charge: true }
        }),
      },
    }
    return handlers
  },
)

const noFilter: RowFilter = { label: null, wallet: null, limit: null }
const isWhole = ({ label, wallet, limit }: RowFilter) =>
  label === null && wallet === null && limit === null

const whalesBody = (
  { label, wallet, limit }: RowFilter,
  computedAt: EpochMs,
  rows: NonNullable<ReturnType<typeof matchingRows>>,
  scores: ReadonlyMap<string, WalletScore>,
  asOf: string,
) => ({
  computedAt: isoTime(computedAt),
  asOf,
  filters: { label: label ?? "all", wallet, limit: limit ?? tableRowsMax } as const,
  data: {
    ...rows,
    wallets: Array.map(rows.wallets, (row) => scoredRow(row, scores.get(row.wallet))),
  },
})

const utf8 = new TextEncoder()
