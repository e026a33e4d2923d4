/**
 * The decoders against the venue's own zod schemas: a row that a schema accepts is decodable, or is
 * rejected only because of a field that the domain value requires.
 *
 * @module
 */
import { Result } from "effect"
import {
  decodeActivity,
  decodeLeaderboardRow,
  decodeTrade,
} from "../../../src/venues/polymarket/data.ts"
import { decodeBook } from "../../../src/venues/polymarket/clob.ts"
import { decodeFacts, decodeMarket } from "../../../src/venues/polymarket/gamma.ts"
import { decodeRecord } from "../../../src/venues/polymarket/oracle.ts"
import {
  hasOracle,
  hasRecordings,
  recorded,
  registerSkipped,
  schemaAccepts,
} from "../../support/venues/oracle.ts"
import {
  activityRow,
  bookRow,
  gammaRow,
  leaderboardRow,
  recordedAt,
  recordRow,
  tradeRow,
} from "../../support/venues/polymarket.ts"

type Row = Readonly<Record<string, unknown>>

interface Mutant {
  readonly field: string
  readonly how: string
  readonly row: Row
  /** The same value in another format, which must never reject the row. */
  readonly sameValue: boolean
}

/** Changes to a field that a release of the venue may make. */
function mutants(row: Row): ReadonlyArray<Mutant> {
  return Object.keys(row).flatMap((field) => {
    const { [field]: value, ...rest } = row
    const as = (how: string, to: unknown, sameValue = false): Mutant => ({
      field,
      how,
      row: { ...row, [field]: to },
      sameValue,
    })
    const isNumeral = typeof value === "string" && value !== "" && !Number.isNaN(Number(value))
    return [
      { field, how: "dropped", row: rest, sameValue: false },
      as("null", null),
      as("empty", ""),
      as("unknown text", "something-new"),
      as("a list", []),
      as("an object", {}),
      as("a number", 7),
      ...(typeof value === "number" ? [as("the same as a string", String(value), true)] : []),
      ...(isNumeral ? [as("the same as a number", Number(value), true)] : []),
      ...(typeof value === "boolean" ? [as("the other", !value)] : []),
    ]
  })
}

/** The reasons for which a field may reject a row that the venue's schema accepts. */
const allowedReasons = {
  market: {
    conditionId: ["missing_id"],
    question: ["missing_question"],
    outcomes: ["not_binary"],
    clobTokenIds: ["missing_tokens"],
    active: ["inactive"],
    closed: ["closed"],
    archived: ["closed"],
    acceptingOrders: ["not_accepting_orders"],
  },
  book: { asset_id: ["missing_token"] },
  trade: {
    condition_id: ["missing_id"],
    token_id: ["missing_token"],
    timestamp: ["missing_time"],
    side: ["bad_side"],
    price: ["bad_price"],
    size: ["bad_size"],
  },
  activity: {
    proxy_wallet: ["missing_wallet"],
    condition_id: ["missing_id"],
    token_id: ["missing_token"],
    timestamp: ["missing_time"],
    transaction_hash: ["missing_transaction"],
    side: ["bad_side"],
    price: ["bad_price"],
    size: ["bad_size"],
  },
  leaderboard: { user_id: ["missing_wallet"], rank: ["missing_rank"] },
  record: { condition_id: ["missing_id"] },
} satisfies Record<string, Readonly<Record<string, ReadonlyArray<string>>>>

async function assertMutantsDecode(
  module: "gamma" | "clob" | "data",
  schema: string,
  row: Row,
  decode: (row: unknown) => Result.Result<unknown, string>,
  allowed: Readonly<Record<string, ReadonlyArray<string>>>,
): Promise<void> {
  const unchanged = decode(row)
  if (Result.isFailure(unchanged)) {
    throw new Error(`The row itself is rejected: ${unchanged.failure}`)
  }
  const all = mutants(row)
  const accepted = await schemaAccepts(module, schema, [
    row,
    ...all.map((mutant) => mutant.row),
  ])
  if (accepted[0] !== true) {
    throw new Error("The schema does not accept the row itself")
  }
  const violations = all.flatMap((mutant, at) => {
    if (accepted[at + 1] !== true) return []
    const decoded = decode(mutant.row)
    return Result.isSuccess(decoded) ||
        allowed[mutant.field]?.includes(decoded.failure)
      ? []
      : [`${mutant.field} ${mutant.how}: ${decoded.failure}`]
  })
  if (violations.length > 0) throw new Error(violations.join("\n"))
  const count = accepted.filter((verdict) => verdict).length
  if (count < all.length / 20) {
    throw new Error(`Only ${count} of ${all.length} mutants accepted`)
  }
}

if (!hasOracle) {
  registerSkipped(
    "the venue's own schemas",
    "npm ci --prefix tests/oracle was not run",
  )
} else {
  Deno.test("decodeMarket() accepts every mutant of a row that the venue's schema accepts", async () => {
    await assertMutantsDecode(
      "gamma",
      "MarketSchema",
      gammaRow(),
      decodeMarket,
      allowedReasons.market,
    )
  })

  Deno.test("decodeBook() accepts every mutant of a book that the venue's schema accepts", async () => {
    await assertMutantsDecode(
      "clob",
      "OrderBookSchema",
      bookRow(),
      (row) => decodeBook(row, recordedAt),
      allowedReasons.book,
    )
  })

  Deno.test("decodeTrade() accepts every mutant of a trade that the venue's schema accepts", async () => {
    await assertMutantsDecode("data", "TradeSchema", tradeRow(), decodeTrade, allowedReasons.trade)
  })

  for (const type of ["TRADE", "SPLIT", "MERGE", "REDEEM", "CONVERSION"]) {
    Deno.test(`decodeActivity() accepts every mutant of a ${type} that the venue's schema accepts`, async () => {
      const row = activityRow(1, { type, event_slug: "which-lighthouses-in-december" })
      await assertMutantsDecode(
        "data",
        "ActivitySchema",
        row,
        decodeActivity,
        allowedReasons.activity,
      )
    })
  }

  Deno.test("decodeLeaderboardRow() accepts every mutant of a row that the venue's schema accepts", async () => {
    const schema = "TraderLeaderboardEntrySchema"
    await assertMutantsDecode(
      "data",
      schema,
      leaderboardRow(),
      decodeLeaderboardRow,
      allowedReasons.leaderboard,
    )
  })

  Deno.test("decodeRecord() accepts every mutant of a record that the venue's schema accepts", async () => {
    await assertMutantsDecode(
      "data",
      "ResolutionSchema",
      recordRow(),
      decodeRecord,
      allowedReasons.record,
    )
    const pending = recordRow(1, {
      status: "disputed",
      price: "69",
      proposed_price: "1000000000000000000",
      last_update_timestamp: "1790649809",
    })
    await assertMutantsDecode(
      "data",
      "ResolutionSchema",
      pending,
      decodeRecord,
      allowedReasons.record,
    )
  })

  Deno.test("decodeFacts() accepts every mutant of a closed row that the venue's schema accepts", async () => {
    const row = gammaRow(1, { closed: true, acceptingOrders: false })
    await assertMutantsDecode("gamma", "MarketSchema", row, decodeFacts, allowedReasons.market)
  })
}

if (hasOracle && hasRecordings) {
  const rowsOf = (page: string) => {
    const { data } = recorded(`polymarket-data-v2/${page}.json`) as {
      readonly data: ReadonlyArray<Row>
    }
    return data
  }

  Deno.test("the decoders accept every recorded row of wallets and resolutions, also one that the venue's schema rejects", async () => {
    const read = async (
      page: string,
      schema: string,
      decode: (row: unknown) => Result.Result<unknown, string>,
    ) => {
      const rows = rowsOf(page)
      const accepted = await schemaAccepts("data", schema, rows)
      const rejected = rows.filter((row) => Result.isFailure(decode(row)))
      if (rows.length === 0 || rejected.length > 0) {
        throw new Error(`${page}: ${rejected.length} rejected`)
      }
      return accepted.filter((verdict) => !verdict).length
    }
    const rejectedBySchema = [
      await read("activity", "ActivitySchema", decodeActivity),
      await read("leaderboard", "TraderLeaderboardEntrySchema", decodeLeaderboardRow),
      await read("resolutions", "ResolutionSchema", decodeRecord),
      await read("resolutions_pending", "ResolutionSchema", decodeRecord),
      await read("trades", "TradeSchema", decodeTrade),
    ]
    if (rejectedBySchema.join() !== "1,0,0,0,0") {
      throw new Error(`The schemas reject ${rejectedBySchema} rows`)
    }
  })

  Deno.test("decodeActivity() accepts every mutant of a recorded row that the venue's schema accepts", async () => {
    await assertMutantsDecode(
      "data",
      "ActivitySchema",
      rowsOf("activity")[1] ?? {},
      decodeActivity,
      allowedReasons.activity,
    )
  })

  Deno.test("decodeMarket() accepts every mutant of recorded rows that the venue's schema accepts", async () => {
    const rows = recorded("radar/markets.json") as ReadonlyArray<Row>
    for (const at of [2, 7, 33]) {
      await assertMutantsDecode(
        "gamma",
        "MarketSchema",
        rows[at] ?? {},
        decodeMarket,
        allowedReasons.market,
      )
    }
  })
}
