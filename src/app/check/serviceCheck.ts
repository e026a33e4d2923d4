/**
 * Tries what the service needs: its listeners, its store, payments, the venue, the model and news.
 * And what the owner's login needs for `deno task migrate`.
 *
 * @module
 */
import { Effect, Layer, Option, Redacted, Schema, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { VenueClient } from "../../markets/VenueClient.ts"
import { gdeltUrl } from "../../news/sources/feeds.ts"
import { migrationFiles } from "../../postgres/migrate.ts"
import type { Network } from "../../payments/domain/x402/terms.ts"
import * as polymarket from "../../venues/polymarket/venue.ts"
import { isTrusted, trialWords } from "../../writing/domain/trial.ts"
import { Judge, measuredJudge } from "../../writing/Judge.ts"
import type { ModelOptions } from "../../writing/openai/model.ts"
import { storedPayments } from "../moneySettings.ts"
import type { ServiceSettings } from "../settings.ts"
import { isLoopback } from "../variables.ts"
import { tryChain } from "./chain.ts"
import { tryDatabase } from "./database.ts"
import { tryFacilitator } from "./facilitator.ts"
import { get } from "./http.ts"
import { fail, ok, type Row, type Tried, tryAll, warn } from "./rows.ts"

type Venue = ServiceSettings["venue"]
type News = ServiceSettings["news"]

/** The venue's addresses: those of Polymarket, unless a test has others. */
type VenueUrls = Parameters<typeof polymarket.layer>[0]

export const checkService = Effect.fnUntraced(function* (
  settings: ServiceSettings,
  venueUrls: VenueUrls = polymarket.polymarketUrls,
) {
  const { database, payments, payTo, treasury, finality, network, venue, model, news } = settings
  const migrations = yield* migrationFiles
  const rows = yield* tryAll([
    [
      "database",
      database.kind === "embedded" ? Effect.succeed(embedded) : tryDatabase({
        url: database.url,
        variable: "DATABASE_URL",
        login: "service",
        migrations,
        venue,
        payments: storedPayments(settings),
      }),
    ],
    ...payments.kind === "simulated" ? [] : [
      ["chain", tryChain({ ...payments, finality, network }, payTo, treasury)] as const,
      ["facilitator", tryFacilitator(payments.facilitator, network)] as const,
    ],
    ["venue", tryVenue(venue, venueUrls)],
    ...model === null ? [] : [["model", tryModel(model)] as const],
    ["news", tryNews(news)],
  ])
  return [
    ...payments.kind === "simulated" ? [simulatedRow] : [],
    ...network.isTest ? [testRow(network)] : [],
    addressRow(settings.publicBaseUrl),
    listenerRow(settings.host, settings.port),
    listenerRow(settings.adminHost, settings.adminPort),
    ...rows,
    ...model === null ? [] : [yield* tryJudge(model)],
  ]
})

/** What `deno task migrate` needs. */
export const checkMigration = Effect.fnUntraced(
  function* ({ databaseUrl: url }: { readonly databaseUrl: Redacted.Redacted }) {
    const login = { variable: "MIGRATION_DATABASE_URL", login: "owner" } as const
    const migrations = yield* migrationFiles
    return yield* tryAll([[
      "database",
      tryDatabase({ url, ...login, migrations, venue: null, payments: null }),
    ]])
  },
)

const simulatedRow = warn(
  "payments",
  "simulated: no real money is taken",
  "Set PAYMENTS=live with its settings to sell",
)

const testRow = ({ title }: Network) =>
  warn("network", `${title}: its USDC has no value`, "Set NETWORK=base to sell")

const embedded: Tried = {
  rows: [warn("database", "embedded, for one process", "Set DATABASE_URL to a PostgreSQL server")],
}

function addressRow(publicBaseUrl: string): Row {
  const { protocol, hostname } = new URL(publicBaseUrl)
  return protocol === "https:" || isLoopback(hostname)
    ? ok("address", `buyers reach ${publicBaseUrl}`)
    : warn(
      "address",
      `${publicBaseUrl} has no TLS`,
      "Put a proxy with TLS in front, and use https",
    )
}

function listenerRow(host: string, port: number): Row {
  const at = `${host.includes(":") ? `[${host}]` : host}:${port}`
  try {
    Deno.listen({ hostname: host, port }).close()
    return ok("listener", `${at} is free`)
  } catch (error) {
    return error instanceof Deno.errors.AddrInUse
      ? warn("listener", `${at} is in use`, "Nothing, if it is this service; else change the port")
      : fail(
        "listener",
        `cannot listen on ${at}`,
        "Change its host and port: ports below 1024 need root",
      )
  }
}

/** One page of the listing, one book, and the proposals of several markets. */
const tryVenue = (venue: Venue, urls: VenueUrls): Effect.Effect<Tried> =>
  venue === "simulated" ? Effect.succeed({ rows: [ok("venue", "simulated")] }) : tryPolymarket(urls)

/** More than one: the venue may refuse how several are asked for. */
const proposalsTried = 4

/** One attempt, shorter than the part's own time limit. */
const venueLimits = { attemptsMax: 1, timeoutMs: 6_000, pagesMax: 1 }

const tryPolymarket = (urls: VenueUrls): Effect.Effect<Tried> =>
  Effect.gen(function* () {
    const client = yield* VenueClient
    const [page] = yield* Stream.runCollect(Stream.take(client.listMarkets, 1))
    const rows = page?.rows ?? []
    const token = rows[0]?.tokenIds[0]
    if (token === undefined) {
      const found = "its listing has no market that can be read"
      return { rows: [fail("venue", found, "Look at the venue's status page; then report it")] }
    }
    const { rows: books } = yield* client.books([token])
    yield* client.proposals(rows.slice(0, proposalsTried).map(({ id }) => id))
    return { rows: [ok("venue", `lists markets (${rows.length} read), ${books.length} book read`)] }
  }).pipe(
    Effect.catch(({ operation, reason }) =>
      Effect.succeed({
        rows: [fail(
          "venue",
          `${operation}: ${reason}`,
          "Check that this machine can reach the venue, and that its country is served",
        )],
      })
    ),
    Effect.provide(
      polymarket.layer({ ...urls, limits: venueLimits }).pipe(Layer.provide(FetchHttpClient.layer)),
    ),
  )

const Models = Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String })) })
const decodeModels = Schema.decodeUnknownOption(Models)

/** The list of models: it costs nothing, and needs the key. */
const tryModel = (options: ModelOptions): Effect.Effect<Tried> =>
  get("the model's server", `${options.baseUrl.href.replace(/\/+$/, "")}/models`, {
    authorization: Redacted.make(`Bearer ${Redacted.value(options.apiKey)}`),
  }).pipe(
    Effect.map(({ status, body }) => ({ rows: [modelRow(options, status, body)] })),
    Effect.catch(({ reason }) =>
      Effect.succeed({ rows: [warn("model", reason, `Check OPENAI_BASE_URL; ${withoutModel}`)] })
    ),
  )

/** Six requests, each within the time limit of the client. */
const tryJudge = (options: ModelOptions): Effect.Effect<Row> =>
  Effect.flatMap(Judge, measuredJudge).pipe(
    Effect.match({
      onFailure: ({ reason }) => warn("judge", `no verdicts: ${reason}`, untrusted),
      onSuccess: (trial) =>
        isTrusted(trial)
          ? ok("judge", trialWords(trial))
          : warn("judge", `not trusted: ${trialWords(trial)}`, untrusted),
    }),
    Effect.provide(Judge.layerUnmeasured.pipe(Layer.provide(Layer.unwrap(Effect.map(
      Effect.promise(() => import("../../writing/openai/model.ts")),
      ({ layer }) => layer(options),
    ))))),
  )
const untrusted = "Set OPENAI_CHECK_MODEL to a better model; until then templates write"

/** A model that fails does not stop the service. */
const withoutModel = "until then rules and templates write"

function modelRow({ model, checkModel }: ModelOptions, status: number, body: unknown): Row {
  if (status === 401 || status === 403) {
    return warn(
      "model",
      `it refuses the key (${status})`,
      `Correct OPENAI_API_KEY; ${withoutModel}`,
    )
  }
  const models = status === 200 ? decodeModels(body) : Option.none()
  if (Option.isNone(models)) {
    return warn(
      "model",
      `it answers, and does not list its models (${status})`,
      "Check OPENAI_BASE_URL",
    )
  }
  const listed = models.value.data.map(({ id }) => id)
  const missing = [model, checkModel].filter((name) => name !== null && !listed.includes(name))
  return missing.length === 0
    ? ok("model", `${model} is served`)
    : warn("model", `${missing.join(" and ")} is not listed`, `Check OPENAI_MODEL; ${withoutModel}`)
}

const tryNews = (news: News): Effect.Effect<Tried> => {
  if (news.kind !== "real") return Effect.succeed({ rows: [ok("news", news.kind)] })
  const sources = [
    ...news.gdelt
      ? [{ name: "GDELT", url: `${gdeltUrl}?query=election&mode=artlist&format=json&maxrecords=1` }]
      : [],
    ...news.feeds,
  ]
  return Effect.map(
    Effect.forEach(
      sources,
      ({ name, url }) =>
        get(name, url).pipe(
          Effect.map(({ status }) => status < 300 ? null : { name, reason: `status ${status}` }),
          Effect.catch(({ reason }) => Effect.succeed({ name, reason })),
        ),
      { concurrency: "unbounded" },
    ),
    (failures) => ({ rows: [newsRow(failures)] }),
  )
}

/** What is wrong with each source; null when it answers. */
function newsRow(
  failures: ReadonlyArray<{ readonly name: string; readonly reason: string } | null>,
): Row {
  const failed = failures.filter((failure) => failure !== null)
  const found = `${failures.length - failed.length} of ${failures.length} sources answer`
  if (failed.length === 0) return ok("news", found)
  const reasons = [...new Set(failed.map(({ reason }) => reason))].map((reason) =>
    `${failed.filter((one) => one.reason === reason).map(({ name }) => name).join(", ")}: ${reason}`
  )
  return warn(
    "news",
    `${found}; ${reasons.join("; ")}`,
    "Correct NEWS_FEEDS, or leave it: the service works without each of them",
  )
}
