/**
 * The decoders and requests for proposals and rules of markets that have not ended.
 *
 * @module
 */
import { Arbitrary, Effect, Layer, Result, Schema } from "effect"
import { HttpClient } from "effect/http"
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import {
  decodeRecord,
  type OracleRecord,
  proposalsIn,
} from "../../../src/venues/polymarket/oracle.ts"
import { decodeRules } from "../../../src/venues/polymarket/gamma.ts"
import { layer } from "../../../src/venues/polymarket/venue.ts"
import { type Proposal, rulesLengthMax } from "../../../src/markets/domain/proposal.ts"
import { MarketId } from "../../../src/markets/domain/market.ts"
import { VenueClient, VenueRefusals } from "../../../src/markets/VenueClient.ts"
import { law, liveTest } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import {
  hasOracle,
  hasRecordings,
  recorded,
  registerSkipped,
  schemaAccepts,
} from "../../support/venues/oracle.ts"
import {
  conditionId,
  gammaRow,
  recordRow,
  scriptedClient,
  unpaced,
} from "../../support/venues/polymarket.ts"

const yes = "1000000000000000000"
const half = "500000000000000000"
const changedAt = Date.parse("2026-09-29T17:50:27Z")

/** A record before its market has ended. */
const pending = (fields: Readonly<Record<string, unknown>>, market = 1) =>
  recordRow(market, {
    payouts: undefined,
    resolved_at: undefined,
    last_update_timestamp: String(changedAt / 1_000),
    price: "69",
    reproposed_price: "69",
    ...fields,
  })

function recordOf(row: unknown): OracleRecord {
  const decoded = decodeRecord(row)
  if (Result.isFailure(decoded)) throw new Error(decoded.failure)
  return decoded.success
}

function proposalOf(row: unknown): Proposal | null {
  return proposalsIn([recordOf(row)])[0] ?? null
}

/** `-` for none, else the outcome, and `!` when it is disputed. */
function toText(proposal: Proposal | null): string {
  return proposal === null ? "-" : `${proposal.outcome}${proposal.disputed ? "!" : ""}`
}

const prices = [yes, "0", half, "69", undefined] as const

/** By state: the result of each pair of first and second price, in the order of `prices`. */
const expectedByState: Readonly<Record<string, ReadonlyArray<string>>> = {
  initialized: ["-----", "-----", "-----", "-----", "-----"],
  posed: ["-----", "-----", "-----", "-----", "-----"],
  active: ["-----", "-----", "-----", "-----", "-----"],
  resolved: ["-----", "-----", "-----", "-----", "-----"],
  "": ["-----", "-----", "-----", "-----", "-----"],
  "something new": ["-----", "-----", "-----", "-----", "-----"],
  proposed: ["00000", "11111", "-----", "-----", "-----"],
  challenged: ["01-00", "01-11", "01---", "01---", "01---"],
  reproposed: ["01---", "01---", "01---", "01---", "01---"],
  disputed: ["01-0-", "01-1-", "01---", "01---", "01---"],
  arbitration: ["01-0-", "01-1-", "01---", "01---", "01---"],
}

Deno.test("decodeRecord() reads the current proposal for every state and pair of prices", () => {
  let cases = 0
  for (const [status, table] of Object.entries(expectedByState)) {
    for (const [first, row] of table.entries()) {
      for (const [second, expected] of [...row].entries()) {
        for (const spelling of [status, status.toUpperCase()]) {
          const found = proposalOf(pending({
            status: spelling,
            proposed_price: prices[first],
            reproposed_price: prices[second],
          }))
          const disputed = expected !== "-" && status !== "proposed"
          strictEqual(
            toText(found),
            `${expected}${disputed ? "!" : ""}`,
            `${status} ${first} ${second}`,
          )
          cases++
        }
      }
    }
  }
  strictEqual(cases, 550)
})

Deno.test("decodeRecord() reads a price as number or string, and rejects other units", () => {
  const ofPrice = (price: unknown) =>
    toText(proposalOf(pending({ status: "proposed", proposed_price: price })))
  equal([1e18, "1e18", " 1000000000000000000 ", 0, "0", "0.0"].map(ofPrice).join(""), "000111")
  for (const price of ["1", 1, "1000000000000000001000", "-1", "", null, [], {}, "yes", "69", 69]) {
    strictEqual(ofPrice(price), "-", JSON.stringify(price))
  }
})

Deno.test("decodeRecord() reads the times of a proposal and whether it was challenged", () => {
  const of = (fields: Readonly<Record<string, unknown>>) =>
    proposalOf(pending({ status: "proposed", proposed_price: yes, ...fields }))
  const marketId = MarketId.make(conditionId(1))
  const plain = { marketId, outcome: 0, proposedAt: changedAt, settlesAt: null, disputed: false }
  equal(of({}), plain)
  equal(of({ last_update_timestamp: "2026-09-29T17:50:27Z" }), plain)
  const settlesAt = Date.parse("2026-09-29T19:50:27Z")
  equal(of({ expected_settlement_time: "2026-09-29T19:50:27Z" }), { ...plain, settlesAt })
  equal(of({ expected_settlement_time: String(settlesAt / 1_000) }), { ...plain, settlesAt })
  equal(of({ expected_settlement_time: "soon" }), plain)
  equal(of({ was_disputed: true }), { ...plain, disputed: true })
  equal(of({ extended_review: "true" }), { ...plain, disputed: true })
  for (const at of [undefined, "", "0", "0001-01-01T00:00:00Z", null]) {
    strictEqual(of({ last_update_timestamp: at }), null)
  }
})

Deno.test("proposalsIn() uses the newest record of a market, and returns none once it has ended", () => {
  const first = recordOf(pending({ status: "proposed", proposed_price: yes }))
  const later = recordOf(pending({
    status: "proposed",
    proposed_price: "0",
    last_update_timestamp: String(changedAt / 1_000 + 60),
  }))
  const reset = recordOf(pending({
    status: "initialized",
    last_update_timestamp: String(changedAt / 1_000 + 90),
  }))
  const other = recordOf(pending({ status: "proposed", proposed_price: yes }, 2))
  const ended = recordOf(recordRow(1, { last_update_timestamp: "2025-01-01T00:00:00Z" }))
  const proposed = (...records: ReadonlyArray<OracleRecord>) =>
    proposalsIn(records).map(toText).join()
  strictEqual(proposed(first, later), "1")
  strictEqual(proposed(later, first), "1")
  strictEqual(proposed(later, reset, first), "")
  strictEqual(proposed(other, ended, first), "0")
  strictEqual(proposed(ended, first), "")
})

const anyText = Arbitrary.schema(Schema.String.check(Schema.isMaxLength(300)))
law("decodeRules() returns plain text within its limit for any description", anyText, (
  text,
) => {
  const long = `${text}\u0000\u202e\n ${text.repeat(200)}`
  for (const description of [text, long]) {
    const decoded = decodeRules(gammaRow(1, { description, events: [] }))
    if (Result.isFailure(decoded)) {
      strictEqual(decoded.failure, "missing_rules")
      strictEqual(text.replace(/[\p{C}\p{Z}\u034f\u115f\u1160\u3164\uffa0\s]/gu, ""), "")
      continue
    }
    const { text: rules } = decoded.success
    ok(rules !== "" && [...rules].length <= rulesLengthMax && !/[\p{C}\n]/u.test(rules))
  }
}, { runs: sized({ short: 200, full: 1_000 }) })

Deno.test("decodeRules() reads a market's rules, else its event's, cut to 4,000 characters", () => {
  const of = (fields: Readonly<Record<string, unknown>>) => {
    const decoded = decodeRules(gammaRow(1, fields))
    return Result.isSuccess(decoded) ? decoded.success.text : decoded.failure
  }
  const events = [{ description: "By the harbour master." }]
  strictEqual(of({ description: " By  the\nkeeper. ", events }), "By the keeper.")
  for (const description of [undefined, null, "", " \n", 7, []]) {
    strictEqual(of({ description, events }), "By the harbour master.")
    strictEqual(of({ description, events: [] }), "missing_rules")
  }
  const long = of({ description: "😀".repeat(20_000) })
  strictEqual(long, `${"😀".repeat(rulesLengthMax - 1)}…`)
  strictEqual(of({ conditionId: "" }), "missing_id")
  equal(decodeRules(null), Result.fail("undecodable"))
})

/** Runs `use` on a venue with scripted responses. */
const withVenue = <A, E>(
  answer: (url: URL) => Response,
  use: (venue: VenueClient["Service"]) => Effect.Effect<A, E>,
) =>
  Effect.flatMap(VenueClient, use).pipe(Effect.provide(
    layer({
      ...{ gammaUrl: "http://gamma", clobUrl: "http://clob", dataUrl: "http://data/v2" },
      limits: { perTenSeconds: unpaced, retryDelayMs: 1, attemptsMax: 2, factsBatch: 3 },
    }).pipe(
      Layer.provide(
        Layer.succeed(HttpClient.HttpClient, scriptedClient((url) => Effect.succeed(answer(url)))),
      ),
    ),
  ))

const ids = (count: number) =>
  Array.from({ length: count }, (_, n) => MarketId.make(conditionId(n + 1)))

liveTest(
  "proposals() requests 20 at a time, counts bad rows, and loses only the batch that fails",
  () =>
    Effect.gen(function* () {
      const requested: Array<number> = []
      const { rows, rejected } = yield* withVenue((url) => {
        const conditions = (url.searchParams.get("condition") ?? "").split(",")
        requested.push(conditions.length)
        if (conditions.includes(conditionId(21))) return new Response("", { status: 500 })
        const data = conditions.map((_, at) =>
          pending({ status: "proposed", proposed_price: yes }, at + 1)
        )
        return Response.json({ data: [null, { condition_id: "" }, pending({}, 999), ...data] })
      }, ({ proposals }) => proposals(ids(30)))
      strictEqual(rows.length, 20)
      equal(rejected, { undecodable: 1, missing_id: 1, not_requested: 1, unavailable: 10 })
      equal(requested.toSorted(), [10, 10, 20])
    }),
)

liveTest(
  "proposals() fails, and says so, when the venue refuses several markets in one request",
  () =>
    Effect.gen(function* () {
      const refusals = new Map<string, string>()
      let requests = 0
      let isFixed = false
      const asked = withVenue((url) => {
        requests++
        const conditions = (url.searchParams.get("condition") ?? "").split(",")
        if (conditions.length > 1 && !isFixed) {
          return Response.json({ error: "duplicate field" }, { status: 400 })
        }
        return Response.json({ data: [] })
      }, ({ proposals }) => proposals(ids(12))).pipe(Effect.provideService(VenueRefusals, refusals))
      const refused = yield* Effect.result(asked)
      ok(Result.isFailure(refused) && refused.failure.operation === "proposals")
      equal([...refusals], [["proposals", "several items in one request are refused"]])
      ok(requests <= 12, `${requests} requests`)
      isFixed = true
      equal((yield* asked).rows, [])
      equal([...refusals], [])
    }),
)

liveTest(
  "proposals() and rules() fail only when all requests fail",
  () =>
    Effect.gen(function* () {
      const down = () => new Response("", { status: 503 })
      const one = yield* Effect.result(withVenue(down, ({ proposals }) => proposals(ids(3))))
      const other = yield* Effect.result(withVenue(down, ({ rules }) => rules(ids(3))))
      ok(Result.isFailure(one) && one.failure.operation === "proposals")
      ok(Result.isFailure(other) && other.failure.operation === "rules")
      const nothing = yield* withVenue(down, ({ proposals }) => proposals([MarketId.make("no id")]))
      equal(nothing, { rows: [], rejected: {} })
    }),
)

liveTest(
  "rules() requests open markets first, then the rest as closed markets",
  () =>
    Effect.gen(function* () {
      const requested: Array<string> = []
      const { rows, rejected } = yield* withVenue((url) => {
        const conditions = url.searchParams.getAll("condition_ids")
        const closed = url.searchParams.get("closed") === "true"
        requested.push(`${closed ? "closed" : "open"} ${conditions.length}`)
        const markets = conditions.flatMap((id) => {
          const market = Number(id)
          return market % 2 === (closed ? 1 : 0)
            ? [gammaRow(market, { description: `Rules ${market}` })]
            : []
        })
        return Response.json({ markets: [7, gammaRow(999), ...markets] })
      }, ({ rules }) => rules(ids(5)))
      equal(rows.map(({ text }) => text).toSorted(), [1, 2, 3, 4, 5].map((n) => `Rules ${n}`))
      equal(requested.toSorted(), ["closed 3", "open 2", "open 3"])
      equal(rejected, { undecodable: 3, not_requested: 3 })
    }),
)

if (!hasRecordings) {
  registerSkipped("proposals and rules of recordings", "../shared/data is missing")
} else {
  Deno.test("proposalsIn() finds the recorded proposal of an outcome, and skips the one of half each", () => {
    const page = recorded("polymarket-data-v2/resolutions_pending.json") as {
      readonly data: ReadonlyArray<unknown>
    }
    equal(proposalsIn(page.data.map(recordOf)), [{
      marketId: "0x2458f124d8c37c68c7b0119078c5a8ba70beb840dcd90ee1aeca63c88abebbfd",
      outcome: 0,
      proposedAt: changedAt,
      settlesAt: Date.parse("2026-09-29T19:50:27Z"),
      disputed: false,
    }])
  })

  Deno.test("decodeRules() reads the rules of every recorded row of the listing", () => {
    const rows = ["gamma_market.json", "gamma_market_sports_market_money_line.json"]
      .flatMap((file) => recorded(`polymarket-captures/${file}`) as ReadonlyArray<unknown>)
    const rules = rows.flat().map(decodeRules)
    ok(rules.length > 0)
    for (const decoded of rules) ok(Result.isSuccess(decoded) && decoded.success.text.length > 40)
  })
}

if (!hasOracle) {
  registerSkipped(
    "rules against the venue's own schema",
    "npm ci --prefix tests/oracle was not run",
  )
} else {
  Deno.test("decodeRules() accepts every changed row that the venue's schema accepts", async () => {
    const row: Readonly<Record<string, unknown>> = gammaRow(1, { description: "By the keeper." })
    const mutants = Object.keys(row).filter((field) => field !== "conditionId")
      .flatMap((field) =>
        [null, "", "something-new", [], {}, 7].map((value) => ({ ...row, [field]: value }))
      )
    const accepted = await schemaAccepts("gamma", "MarketSchema", mutants)
    const acceptedMutants = mutants.filter((_, at) => accepted[at] === true)
    ok(acceptedMutants.length > 20, `${acceptedMutants.length}`)
    for (const mutant of acceptedMutants) {
      const decoded = decodeRules(mutant)
      ok(Result.isSuccess(decoded) || decoded.failure === "missing_rules")
    }
  })
}
