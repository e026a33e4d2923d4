/**
 * Every environment variable the service reads, once, with its default and its meaning.
 *
 * Only `main.ts` (and the other entry points) read this file. A value that does not parse, and a
 * combination that would take real money without being told so, stops the start with a sentence.
 *
 * @module
 */
import { Config, ConfigProvider, Duration, Effect, Redacted, Schema } from "effect"

/** `dev`: everything embedded and simulated unless told otherwise. `start`: production defaults. */
export type Mode = "dev" | "start"

/** The name of every variable and what it means; the README's table is checked against this one. */
export const variables = {
  PORT: "public listener",
  HOST: "address both listeners bind",
  ADMIN_PORT: "admin listener: /livez, /readyz, /metrics",
  PUBLIC_BASE_URL: "the origin that absolute addresses are built from",
  DATABASE_URL: "PostgreSQL; without it the embedded one runs under DATA_DIR",
  DATA_DIR: "where the embedded PostgreSQL keeps its files: a folder in .data",
  VENUE: "simulated, replay or polymarket",
  REPLAY_DIR: "the folder of recorded pages that VENUE=replay reads",
  SIMULATION_SEED: "which simulated world",
  TICK: "how often the venue is read, aligned to the clock",
  PAYMENTS: "simulated or live",
  ALLOW_SIMULATED_PAYMENTS: "1 lets `start` run with simulated payments",
  PAY_TO_ADDRESS: "the address that is paid",
  FACILITATOR_URL: "the x402 facilitator",
  RPC_URL: "a JSON-RPC endpoint of the chain",
  FREE_LIMIT: "free requests a client address, as requests/seconds, or off",
  DOCUMENT_LIMIT: "documents and unpaid probes a client address",
  INVALID_PAYMENT_LIMIT: "invalid payments and given-away answers a client address",
  TRUSTED_PROXY_HOPS: "how many proxies in front append to X-Forwarded-For",
  LOG_LEVEL: "Debug, Info, Warn or Error",
} as const
export type Variable = keyof typeof variables

/** At most `limit` requests in any `windowMs`; `off` is for benchmarks only. */
export type Budget = { readonly limit: number; readonly windowMs: number } | "off"

const maxBudget = 1_000

export class InvalidSettings
  extends Schema.TaggedError<InvalidSettings>()("InvalidSettings", { message: Schema.String }) {}

type VenueSettings =
  | { readonly kind: "simulated"; readonly seed: number }
  | { readonly kind: "replay"; readonly dir: string }
  | { readonly kind: "polymarket" }

/** `live` joins once payments on the chain are built. */
interface PaymentSettings {
  readonly kind: "simulated"
}

export interface Settings {
  readonly mode: Mode
  readonly host: string
  readonly port: number
  readonly adminPort: number
  readonly publicBaseUrl: string
  readonly database:
    | { readonly kind: "postgres"; readonly url: Redacted.Redacted }
    | { readonly kind: "embedded"; readonly dir: string }
  readonly venue: VenueSettings
  readonly tick: Duration.Duration
  readonly payments: PaymentSettings
  readonly payTo: `0x${string}`
  readonly freeLimit: Budget
  readonly documentLimit: Budget
  readonly invalidPaymentLimit: Budget
  readonly trustedProxyHops: number
  readonly logLevel: "Debug" | "Info" | "Warn" | "Error"
}

/** Stands for the seller in simulated payments; nobody holds its key. */
const simulatedPayTo: `0x${string}` = "0x00000000000000000000000000000000be11e700"

const tickMin = Duration.seconds(1)
const tickMax = Duration.hours(1)

/** Each hop may be an attacker's word, so nobody needs many. */
const hopsMax = 8

/** Reads and checks every variable through `get`, one name at a time. */
export const load = Effect.fn("settings.load")(
  function* (mode: Mode, get: (name: Variable) => string | undefined) {
    const read = reader(get)
    const port = yield* read("PORT", Config.Port, portWords, 8402, (port) => port > 0)
    const adminPort = yield* read("ADMIN_PORT", Config.Port, portWords, 8403, (port) => port > 0)
    if (port === adminPort) {
      return yield* refuse("PORT and ADMIN_PORT must differ: the admin listener is not public")
    }
    const tick = yield* read(
      "TICK",
      Config.Duration,
      "a duration such as 10 minutes, from 1 second to 1 hour",
      mode === "dev" ? Duration.seconds(10) : Duration.minutes(10),
      (tick) => Duration.between(tick, { minimum: tickMin, maximum: tickMax }),
    )
    const venue = yield* venueSettings(mode, read)
    const settings: Settings = {
      mode,
      host: yield* read(
        "HOST",
        Config.NonEmptyString,
        "an address to bind",
        mode === "dev" ? "127.0.0.1" : "0.0.0.0",
      ),
      port,
      adminPort,
      publicBaseUrl: yield* publicBaseUrl(mode, port, read),
      database: yield* database(venue, read),
      venue,
      tick,
      ...(yield* paymentSettings(mode, read)),
      freeLimit: yield* budget(read, "FREE_LIMIT", { limit: 5, windowMs: 60_000 }),
      documentLimit: yield* budget(read, "DOCUMENT_LIMIT", { limit: 120, windowMs: 60_000 }),
      invalidPaymentLimit: yield* budget(read, "INVALID_PAYMENT_LIMIT", {
        limit: 30,
        windowMs: 60_000,
      }),
      trustedProxyHops: yield* read(
        "TRUSTED_PROXY_HOPS",
        Config.Int,
        `an integer from 0 to ${hopsMax}`,
        0,
        (hops) => hops >= 0 && hops <= hopsMax,
      ),
      logLevel: yield* read(
        "LOG_LEVEL",
        (name) => Config.Literals(["Debug", "Info", "Warn", "Error"], name),
        "Debug, Info, Warn or Error",
        "Info",
      ),
    }
    return settings
  },
)

const portWords = "a port number from 1 to 65535"

const refuse = (message: string) => Effect.fail(new InvalidSettings({ message }))

/**
 * Reads one variable, or gives the fallback. A value that does not parse or does not fit is refused
 * in words; the value itself is not repeated, since it may be a secret.
 */
type Read = <A, const B>(
  name: Variable,
  config: (name: string) => Config.Config<A>,
  expected: string,
  fallback: B,
  fits?: (value: A) => boolean,
) => Effect.Effect<A | B, InvalidSettings>

function reader(get: (name: Variable) => string | undefined): Read {
  return (name, config, expected, fallback, fits = () => true) => {
    const value = get(name)
    if (value === undefined || value === "") return Effect.succeed(fallback)
    return config(name).parse(ConfigProvider.fromEnv({ env: { [name]: value } })).pipe(
      Effect.filterOrFail(fits),
      Effect.mapError(() => new InvalidSettings({ message: `${name} must be ${expected}` })),
    )
  }
}

const database = Effect.fnUntraced(function* (venue: VenueSettings, read: Read) {
  const url = yield* read(
    "DATABASE_URL",
    Config.Redacted,
    "an address such as postgres://user:password@host:5432/database",
    null,
    (url) => /^postgres(ql)?:$/.test(URL.parse(Redacted.value(url))?.protocol ?? ""),
  )
  if (url !== null) return { kind: "postgres", url } as const
  // A world of its own for each venue, so that no feed mixes two.
  const own = venue.kind === "simulated" ? `simulated-${venue.seed}` : venue.kind
  const dir = yield* read("DATA_DIR", Config.NonEmptyString, "a folder", `.data/${own}`)
  return { kind: "embedded", dir } as const
})

const venueSettings = Effect.fnUntraced(function* (mode: Mode, read: Read) {
  const kind = yield* read(
    "VENUE",
    (name) => Config.Literals(["simulated", "replay", "polymarket"], name),
    "simulated, replay or polymarket",
    mode === "dev" ? "simulated" : null,
  )
  if (kind === null) {
    return yield* refuse("Cannot start without VENUE: set it to polymarket, replay or simulated")
  }
  switch (kind) {
    case "simulated": {
      const seed = yield* read("SIMULATION_SEED", Config.Int, "an integer", 1)
      return { kind, seed } satisfies VenueSettings
    }
    case "replay": {
      const dir = yield* read("REPLAY_DIR", Config.NonEmptyString, "a folder", null)
      return dir === null
        ? yield* refuse("VENUE=replay needs REPLAY_DIR, a folder of recorded pages")
        : { kind, dir } satisfies VenueSettings
    }
    case "polymarket":
      return { kind } satisfies VenueSettings
  }
})

const Address = Schema.TemplateLiteral(["0x", Schema.String]).check(
  Schema.isPattern(/^0x[0-9a-fA-F]{40}$/),
)

const paymentSettings = Effect.fnUntraced(function* (mode: Mode, read: Read) {
  const kind = yield* read(
    "PAYMENTS",
    (name) => Config.Literals(["simulated", "live"], name),
    "simulated or live",
    mode === "dev" ? "simulated" : "live",
  )
  if (kind === "live") {
    return yield* refuse(
      "Cannot start with PAYMENTS=live: payments on the chain are not built yet. " +
        "PAYMENTS=simulated with ALLOW_SIMULATED_PAYMENTS=1 sells for play money",
    )
  }
  const allowed = yield* read("ALLOW_SIMULATED_PAYMENTS", Config.String, "1", null)
  if (mode === "start" && allowed !== "1") {
    return yield* refuse(
      "Cannot start with PAYMENTS=simulated: set ALLOW_SIMULATED_PAYMENTS=1 to mean it",
    )
  }
  const payTo = yield* read(
    "PAY_TO_ADDRESS",
    (name) => Config.schema(Address, name),
    "an address: 0x and 40 hexadecimal digits",
    simulatedPayTo,
  )
  const payments: PaymentSettings = { kind }
  return { payments, payTo }
})

/** An origin: buyers check it against what they asked for, so a path or a typo would lose every sale. */
const publicBaseUrl = Effect.fnUntraced(function* (mode: Mode, port: number, read: Read) {
  const url = yield* read(
    "PUBLIC_BASE_URL",
    Config.URL,
    "an origin such as https://api.example.com, without a path",
    null,
    (url) => /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`,
  )
  if (url !== null) return url.origin
  return mode === "dev"
    ? `http://127.0.0.1:${port}`
    : yield* refuse("Cannot start without PUBLIC_BASE_URL: the origin buyers reach the service at")
})

const budget = (read: Read, name: Variable, fallback: Budget) =>
  Effect.map(
    read(
      name,
      Config.String,
      `requests/seconds such as 5/60s (at most ${maxBudget} requests), or off`,
      null,
      (text) => text === "off" || budgetOf(text) !== null,
    ),
    (text): Budget => text === null ? fallback : budgetOf(text) ?? "off",
  )

function budgetOf(text: string): Exclude<Budget, "off"> | null {
  const [, limit, seconds] = /^(\d{1,5})\/(\d{1,5})s$/.exec(text) ?? []
  const parsed = { limit: Number(limit), windowMs: Number(seconds) * 1000 }
  return parsed.limit >= 1 && parsed.limit <= maxBudget && parsed.windowMs >= 1000 ? parsed : null
}
