/**
 * `deno task check`: tries the settings, and what the service's start does not try: whether buyers can
 * pay, whether the treasury can refund them, whether the venue answers and the model judges well.
 *
 * What stops a start says why in one sentence at that start, so it is not tried here: a port in use, an
 * unmigrated schema, a store of another venue, the key of another treasury.
 *
 * @module
 */
import {
  Clock,
  Console,
  Duration,
  Effect,
  Layer,
  Predicate,
  Redacted,
  Schema,
  Stream,
} from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { SqlClient } from "effect/sql/SqlClient"
import { AtomicAmount, usd } from "../core/domain/money.ts"
import { excerpt } from "../core/domain/untrusted.ts"
import { readAnswer } from "../core/httpReading.ts"
import { VenueClient } from "../markets/VenueClient.ts"
import { ClauseAnswer, clausePrompt } from "../news/domain/clauseReading.ts"
import { layer as chainLayer } from "../payments/chain/chain.ts"
import { scanBlocksMax } from "../payments/chain/transfers.ts"
import { Chain } from "../payments/Chain.ts"
import { address } from "../payments/domain/payment.ts"
import type { Network } from "../payments/domain/x402/terms.ts"
import { bearer } from "../payments/facilitator/bearerToken.ts"
import { layerPostgres } from "../postgres/client.ts"
import { type PolymarketUrls, polymarketUrls } from "../venues/polymarket/addresses.ts"
import * as polymarket from "../venues/polymarket/venue.ts"
import { isTrusted, trialWords } from "../writing/domain/trial.ts"
import { measuredJudge, Narrator } from "../writing/Narrator.ts"
import { Model } from "../writing/Model.ts"
import type { ModelOptions } from "../writing/openai/model.ts"
import type { LivePayments } from "./moneySettings.ts"
import { fail, hasFailed, ok, type Row, tableOf, warn } from "./rows.ts"
import type { ServiceSettings } from "./settings.ts"
import type { InvalidSettings } from "./variables.ts"

/** One row for each problem of the settings, or with good ones those of every part. */
export const check = (
  settings: Effect.Effect<ServiceSettings, InvalidSettings>,
  venueUrls: PolymarketUrls = polymarketUrls,
): Effect.Effect<ReadonlyArray<Row>> =>
  Effect.matchEffect(settings, {
    onFailure: ({ problems }) =>
      Effect.succeed(problems.map((found) => fail("settings", found, null))),
    onSuccess: (settings) =>
      Effect.map(tryParts(settings, venueUrls), (rows) => [
        ok("settings", "nothing is missing or wrong"),
        ...rows,
      ]),
  })

/** Prints the rows, and returns the exit code. */
export const printCheck = (rows: ReadonlyArray<Row>): Effect.Effect<number> =>
  Effect.as(Console.log(tableOf("Bellwether, check", rows)), hasFailed(rows) ? 1 : 0)

/** Longer than the time limit of any single call, so that a part names its own call. */
const partTimeout = Duration.seconds(15)

/** Tries the parts at the same time, each within a time limit; then the judge, in six requests. */
const tryParts = Effect.fnUntraced(
  function* (settings: ServiceSettings, venueUrls: PolymarketUrls) {
    const { database, payments, network, venue, model } = settings
    const parts: ReadonlyArray<readonly [part: string, tried: Effect.Effect<ReadonlyArray<Row>>]> =
      [
        ["database", database.kind === "embedded" ? embedded : tryDatabase(database.url)],
        ...payments.kind === "simulated" ? [["payments", simulated] as const] : [
          ["chain", tryChain(payments, settings)] as const,
          ...payments.facilitator.urls.map((url, i) =>
            [
              "facilitator",
              tryFacilitator(url, i === 0 ? payments.facilitator.apiKey : null, network),
            ] as const
          ),
        ],
        ...network.isTest ? [["network", testNetwork(network)] as const] : [],
        ...venue === "simulated" ? [] : [["venue", tryVenue(venueUrls)] as const],
      ]
    const rows = yield* Effect.forEach(
      parts,
      ([part, tried]) =>
        Effect.timeoutOrElse(tried, {
          duration: partTimeout,
          orElse: () =>
            Effect.succeed([
              fail(
                part,
                `no answer within ${Duration.format(partTimeout)}`,
                "Check that this machine can reach it, and that a firewall lets the connection out",
              ),
            ]),
        }),
      { concurrency: "unbounded" },
    )
    if (model === null) return rows.flat()
    const writer = model.checkModel === null ? [] : [yield* tryWriter(model)]
    return [...rows.flat(), ...writer, yield* tryJudge(model)]
  },
)

const embedded = Effect.succeed([
  warn("database", "embedded, for one process", "Set DATABASE_URL to a PostgreSQL server"),
])
const simulated = Effect.succeed([
  warn("payments", "simulated: no real money is taken", "Set PAYMENTS=live with its settings"),
])
const testNetwork = ({ title }: Network) =>
  Effect.succeed([warn("network", `${title}: its USDC has no value`, "Set NETWORK=base to sell")])

interface Server {
  readonly version: number
  readonly versionName: string
  readonly durable: boolean
  /** With TLS, or on this machine. */
  readonly safe: boolean
  readonly login: string
  readonly changesRefunds: boolean
}

const versionMin = 150_000

/** The version, durability and connection of the server, and whether the login has too many rights. */
const tryDatabase = (url: Redacted.Redacted): Effect.Effect<ReadonlyArray<Row>> =>
  Effect.flatMap(SqlClient, (sql) =>
    sql<Server>`
    SELECT current_setting('server_version_num')::int AS version,
      split_part(current_setting('server_version'), ' ', 1) AS "versionName",
      current_setting('fsync') = 'on' AND current_setting('synchronous_commit') <> 'off' AS durable,
      COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false)
        OR COALESCE(inet_server_addr() <<= '127.0.0.0/8' OR inet_server_addr() = '::1', true) AS safe,
      current_user AS login,
      rolsuper OR COALESCE(has_any_column_privilege(to_regclass('refund'), 'UPDATE'), false)
        AS "changesRefunds"
    FROM pg_roles WHERE rolname = current_user`).pipe(
      Effect.map((rows) => rows.flatMap(serverRows)),
      Effect.provide(Layer.fresh(layerPostgres({ url, maxConnections: 1 }))),
      // A message of the server may contain the login and the address, so only its code is read.
      Effect.catch(({ reason }) => {
        const code = Predicate.hasProperty(reason.cause, "code") ? String(reason.cause.code) : ""
        return Effect.succeed([
          fail(
            "database",
            `it cannot be used (${/^\w{1,20}$/.test(code) ? code : reason._tag})`,
            "Check host, port, login, password and TLS in DATABASE_URL",
          ),
        ])
      }),
      Effect.scoped,
    )

function serverRows(
  { version, versionName, durable, safe, login, changesRefunds }: Server,
): ReadonlyArray<Row> {
  const found = `PostgreSQL ${versionName}`
  return [
    version < versionMin
      ? fail("database", found, "Upgrade the server to PostgreSQL 15 or newer")
      : !durable
      ? warn(
        "database",
        `${found}; a power failure loses commits`,
        "Set fsync and synchronous_commit to on: a lost row is a lost payment",
      )
      : !safe
      ? warn(
        "database",
        `${found}, without TLS over a network`,
        "Add ?sslmode=require to DATABASE_URL, unless the network is private",
      )
      : ok("database", found),
    changesRefunds
      ? warn(
        "login",
        `${login} may change refunds, as this process never needs to`,
        "Use a login of its own that has only bellwether_service",
      )
      : ok("login", `${login} may not change refunds`),
  ]
}

/** A product that is settled early is refunded from here; below this nothing is sold early. */
const treasuryMin = AtomicAmount.make(1_000_000n)
const blockAgeSecondsMax = 30

/** As many blocks as the scan reads at once. */
const logBlocks = BigInt(scanBlocksMax)

/**
 * The chain, the age of its newest block, its logs, which prove every payment, and what the treasury has
 * for refunds.
 */
const tryChain = (
  { rpcUrls, rehearsal }: LivePayments,
  { finality, network, payTo, treasury }: Pick<
    ServiceSettings,
    "finality" | "network" | "payTo" | "treasury"
  >,
): Effect.Effect<ReadonlyArray<Row>> =>
  Effect.gen(function* () {
    const chain = yield* Chain
    const { number, safeNumber, timestamp } = yield* chain.head
    const nowMs = yield* Clock.currentTimeMillis
    const ageSeconds = Math.round(nowMs / 1_000 - Number(timestamp))
    const found = `chain ${network.usdc.chainId}, block ${number}, ${ageSeconds} s old`
    if (!rehearsal && Math.abs(ageSeconds) > blockAgeSecondsMax) {
      return [
        fail("chain", found, "RPC_URL is behind its chain, or the clock of this machine is wrong"),
      ]
    }
    const asset = address(network.usdc.asset)
    const after = safeNumber > logBlocks ? safeNumber - logBlocks : 0n
    yield* chain.transfers({ asset, to: address(payTo), after })
    const balance = yield* chain.balanceOf(asset, address(treasury))
    return [ok("chain", found), treasuryRow(network, balance)]
  }).pipe(
    Effect.catch(({ reason }) =>
      Effect.succeed([
        fail(
          "chain",
          reason,
          `Set RPC_URL to endpoints of chain ${network.usdc.chainId}, which is ${network.title}, that agree ` +
            "and serve eth_getLogs; a node without the tag `safe` needs FINALITY as a number of blocks",
        ),
      ])
    ),
    Effect.provide(
      chainLayer({ rpcUrls: Redacted.value(rpcUrls), finality, chainId: network.usdc.chainId }),
    ),
  )

function treasuryRow({ title }: Network, balance: bigint): Row {
  const found = `$${usd(AtomicAmount.make(balance))} in USDC`
  return balance >= treasuryMin ? ok("treasury", found) : warn(
    "treasury",
    found,
    `Send USDC on ${title} to TREASURY_ADDRESS, at least $${
      usd(treasuryMin)
    }: refunds are paid from ` +
      "it. It needs no ETH and no allowance, because the facilitator sends the signed transfer",
  )
}

const listedMax = 5
const listedLengthMax = 80

const Supported = Schema.fromJsonString(Schema.Struct({
  kinds: Schema.Array(Schema.Struct({
    x402Version: Schema.Int,
    scheme: Schema.String,
    network: Schema.String,
  })),
}))
const answerLimits = { timeoutMs: 8_000, bodyBytesMax: 1024 * 1024 }

/** Whether a facilitator lists the kind of payment that the service sells for. */
const tryFacilitator = (
  baseUrl: string,
  apiKey: LivePayments["facilitator"]["apiKey"],
  network: Network,
): Effect.Effect<ReadonlyArray<Row>> =>
  Effect.gen(function* () {
    const headers = apiKey === null ? {} : yield* Effect.flatMap(
      bearer({ keyId: apiKey.id, secret: apiKey.secret, baseUrl }),
      (headersOf) => headersOf("/supported", "GET"),
    )
    const request = HttpClientRequest.get(`${baseUrl}/supported`, { headers })
    const { status, body } = yield* readAnswer(yield* HttpClient.HttpClient, request, answerLimits)
    return [yield* supportedRow(network, status, new TextDecoder().decode(body))]
  }).pipe(
    Effect.provide(FetchHttpClient.layer),
    Effect.catch((error) =>
      Effect.succeed([
        error._tag === "BadApiKey"
          ? fail("facilitator", "its API key is not a key", error.message)
          : fail("facilitator", error.reason, "Check FACILITATOR_URL, and that it can be reached"),
      ])
    ),
  )

const supportedRow = Effect.fnUntraced(function* (
  { usdc, title }: Network,
  status: number,
  text: string,
) {
  const sold = `eip155:${usdc.chainId}`
  if (status === 401 || status === 403) {
    const todo = "Correct FACILITATOR_API_KEY_ID and FACILITATOR_API_KEY_SECRET"
    return fail("facilitator", `it refuses its API key, or needs one (${status})`, todo)
  }
  const supported = yield* Effect.option(Schema.decodeUnknownEffect(Supported)(text))
  if (supported._tag === "None") {
    return warn(
      "facilitator",
      `its answer to /supported is not a list of kinds (${status})`,
      `Check that FACILITATOR_URL has the right path, and that it settles exact on ${sold}`,
    )
  }
  const { kinds } = supported.value
  const isSold = kinds.some(({ x402Version, scheme, network }) =>
    x402Version === 2 && scheme === "exact" && [sold, "eip155:*"].includes(network)
  )
  if (isSold) return ok("facilitator", `settles exact on ${sold}`)
  const listed = kinds.slice(0, listedMax).map(({ x402Version, scheme, network }) =>
    excerpt(`${scheme} on ${network} (x402 version ${x402Version})`, listedLengthMax)
  )
  return fail(
    "facilitator",
    `it does not settle exact on ${sold}: it lists ${listed.join(", ") || "nothing"}`,
    `Set FACILITATOR_URL to one that supports x402 version 2 on ${title}`,
  )
})

/** More than one: the venue may refuse how several are asked for. */
const proposalsTried = 4

/** One attempt, shorter than the part's own time limit. */
const venueLimits = { attemptsMax: 1, timeoutMs: 6_000, pagesMax: 1 }

/** One page of the listing, one book, and the proposals of several markets. */
const tryVenue = (urls: PolymarketUrls): Effect.Effect<ReadonlyArray<Row>> =>
  Effect.gen(function* () {
    const client = yield* VenueClient
    const [page] = yield* Stream.runCollect(Stream.take(client.listMarkets, 1))
    const rows = page?.rows ?? []
    const token = rows[0]?.tokenIds[0]
    if (token === undefined) {
      const found = "its listing has no market that can be read"
      return [fail("venue", found, "Look at the venue's status page; then report it")]
    }
    const { rows: books } = yield* client.books([token])
    yield* client.proposals(rows.slice(0, proposalsTried).map(({ id }) => id))
    return [ok("venue", `lists markets (${rows.length} read), ${books.length} book read`)]
  }).pipe(
    Effect.catch(({ operation, reason }) =>
      Effect.succeed([
        fail(
          "venue",
          `${operation}: ${reason}`,
          "Check that this machine can reach the venue, and that its country is served",
        ),
      ])
    ),
    Effect.provide(
      polymarket.layer({ ...urls, limits: venueLimits }).pipe(Layer.provide(FetchHttpClient.layer)),
    ),
  )

const modelLayer = (options: ModelOptions) =>
  Layer.unwrap(Effect.map(
    Effect.promise(() => import("../writing/openai/model.ts")),
    ({ layer }) => layer(options),
  ))
const untrusted = "until then templates write"

/** Whether the writing model answers, where the judge is another one: one short question. */
const tryWriter = (options: ModelOptions): Effect.Effect<Row> =>
  Effect.flatMap(Model, ({ generate }) =>
    generate({
      use: "reading",
      prompt: (boundary) => clausePrompt("Will it rain?", "Resolves to Yes if it rains.", boundary),
      shape: ClauseAnswer,
    })).pipe(
      Effect.match({
        onFailure: ({ reason }) =>
          warn("model", `${options.model}: ${reason}`, `Check OPENAI_MODEL; ${untrusted}`),
        onSuccess: () => ok("model", `${options.model} answers`),
      }),
      Effect.provide(modelLayer(options)),
    )

/** Whether the model's verdicts would be trusted. Without them templates write, and the service works. */
const tryJudge = (options: ModelOptions): Effect.Effect<Row> =>
  Effect.flatMap(Narrator, measuredJudge).pipe(
    Effect.match({
      onFailure: ({ reason }) =>
        warn("judge", `no verdicts: ${reason}`, `Check the settings OPENAI_*; ${untrusted}`),
      onSuccess: (trial) =>
        isTrusted(trial) ? ok("judge", trialWords(trial)) : warn(
          "judge",
          `not trusted: ${trialWords(trial)}`,
          `Set OPENAI_CHECK_MODEL to a better model; ${untrusted}`,
        ),
    }),
    Effect.provide(Narrator.layerUnmeasured.pipe(Layer.provide(modelLayer(options)))),
  )
