/**
 * Every environment variable the service reads, once, with its default and its meaning.
 *
 * Only `main.ts` (and the other entry points) read this file. A value that does not parse, and a
 * combination that would take real money without being told so, stops the start with a sentence.
 *
 * @module
 */
import { Config, ConfigProvider, Duration, Effect, Option, Redacted, Schema } from "effect"

/** `dev`: everything embedded and simulated unless told otherwise. `start`: production defaults. */
export type Mode = "dev" | "start"

/** The name of every variable and what it means; the README's table is checked against this one. */
export const variables = {
  PORT: "public listener",
  HOST: "address both listeners bind",
  ADMIN_PORT: "admin listener: /livez, /readyz, /metrics",
  PUBLIC_BASE_URL: "the origin that absolute addresses are built from",
  DATABASE_URL: "PostgreSQL; without it the embedded one runs under DATA_DIR",
  DATA_DIR: "where the embedded PostgreSQL keeps its files",
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
  INVALID_PAYMENT_LIMIT: "invalid payments a client address",
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

/** Reads and checks every variable through `get`, one name at a time. */
export const load = Effect.fn("settings.load")(
  function* (mode: Mode, get: (name: Variable) => string | undefined) {
    const env: Record<string, string> = {}
    for (const name of Object.keys(variables)) {
      const value = get(name as Variable)
      if (value !== undefined && value !== "") env[name] = value
    }
    const provider = ConfigProvider.fromEnv({ env })
    const read = <A>(config: Config.Config<A>) =>
      config.parse(provider).pipe(
        Effect.mapError((error) => new InvalidSettings({ message: error.message })),
      )

    const host = yield* read(
      Config.String("HOST").pipe(Config.withDefault(mode === "dev" ? "127.0.0.1" : "0.0.0.0")),
    )
    const port = yield* read(Config.Port("PORT").pipe(Config.withDefault(8402)))
    const tick = yield* read(
      Config.Duration("TICK").pipe(
        Config.withDefault(mode === "dev" ? Duration.seconds(10) : Duration.minutes(10)),
      ),
    )
    if (Duration.isLessThan(tick, tickMin) || Duration.isGreaterThan(tick, tickMax)) {
      return yield* new InvalidSettings({ message: "TICK must be from 1 second to 1 hour" })
    }
    const databaseUrl = yield* read(Config.option(Config.Redacted("DATABASE_URL")))
    const payments = yield* paymentSettings(mode, read)
    const settings: Settings = {
      mode,
      host,
      port,
      adminPort: yield* read(Config.Port("ADMIN_PORT").pipe(Config.withDefault(8403))),
      publicBaseUrl: yield* publicBaseUrl(mode, port, read),
      database: Option.match(databaseUrl, {
        onSome: (url) => ({ kind: "postgres", url }),
        onNone: () => ({ kind: "embedded", dir: env["DATA_DIR"] ?? ".data" }),
      }),
      venue: yield* venueSettings(mode, read),
      tick,
      payments: payments.payments,
      payTo: payments.payTo,
      freeLimit: yield* budget(read, "FREE_LIMIT", { limit: 5, windowMs: 60_000 }),
      documentLimit: yield* budget(read, "DOCUMENT_LIMIT", { limit: 120, windowMs: 60_000 }),
      invalidPaymentLimit: yield* budget(read, "INVALID_PAYMENT_LIMIT", {
        limit: 30,
        windowMs: 60_000,
      }),
      trustedProxyHops: yield* read(
        Config.Int("TRUSTED_PROXY_HOPS").pipe(Config.withDefault(0)),
      ),
      logLevel: yield* read(
        Config.Literals(["Debug", "Info", "Warn", "Error"], "LOG_LEVEL").pipe(
          Config.withDefault("Info"),
        ),
      ),
    }
    return settings
  },
)

type Read = <A>(config: Config.Config<A>) => Effect.Effect<A, InvalidSettings>

const venueSettings = Effect.fnUntraced(function* (mode: Mode, read: Read) {
  const kind = yield* read(
    Config.option(Config.Literals(["simulated", "replay", "polymarket"], "VENUE")),
  )
  if (Option.isNone(kind) && mode === "start") {
    return yield* new InvalidSettings({
      message: "Cannot start without VENUE: set it to polymarket (or simulated, or replay)",
    })
  }
  switch (Option.getOrElse(kind, () => "simulated" as const)) {
    case "simulated": {
      const seed = yield* read(Config.Int("SIMULATION_SEED").pipe(Config.withDefault(1)))
      return { kind: "simulated", seed } satisfies VenueSettings
    }
    case "replay": {
      const dir = yield* read(Config.option(Config.NonEmptyString("REPLAY_DIR")))
      return Option.isSome(dir)
        ? { kind: "replay", dir: dir.value } satisfies VenueSettings
        : yield* new InvalidSettings({ message: "VENUE=replay needs REPLAY_DIR" })
    }
    case "polymarket":
      return { kind: "polymarket" } satisfies VenueSettings
  }
})

const Address = Schema.TemplateLiteral(["0x", Schema.String]).check(
  Schema.isPattern(/^0x[0-9a-fA-F]{40}$/),
)

const paymentSettings = Effect.fnUntraced(function* (mode: Mode, read: Read) {
  const kind = yield* read(
    Config.Literals(["simulated", "live"], "PAYMENTS").pipe(
      Config.withDefault(mode === "dev" ? "simulated" : "live"),
    ),
  )
  const payTo = yield* read(Config.option(Config.schema(Address, "PAY_TO_ADDRESS")))
  if (kind === "simulated") {
    const allowed = yield* read(Config.option(Config.String("ALLOW_SIMULATED_PAYMENTS")))
    if (mode === "start" && Option.getOrUndefined(allowed) !== "1") {
      return yield* new InvalidSettings({
        message: "Cannot start with PAYMENTS=simulated: set ALLOW_SIMULATED_PAYMENTS=1 to mean it",
      })
    }
    return {
      payments: { kind: "simulated" } satisfies PaymentSettings,
      payTo: Option.getOrElse(payTo, () => simulatedPayTo),
    }
  }
  const facilitatorUrl = yield* read(Config.option(Config.URL("FACILITATOR_URL")))
  const rpcUrl = yield* read(Config.option(Config.Redacted("RPC_URL")))
  if (Option.isNone(payTo) || Option.isNone(facilitatorUrl) || Option.isNone(rpcUrl)) {
    return yield* new InvalidSettings({
      message: "PAYMENTS=live needs PAY_TO_ADDRESS, FACILITATOR_URL, RPC_URL and PUBLIC_BASE_URL",
    })
  }
  return yield* new InvalidSettings({
    message: "Cannot start with PAYMENTS=live: payments on the chain are not built yet",
  })
})

const publicBaseUrl = Effect.fnUntraced(function* (mode: Mode, port: number, read: Read) {
  const url = yield* read(Config.option(Config.URL("PUBLIC_BASE_URL")))
  if (Option.isSome(url)) return url.value.origin
  if (mode === "dev") return `http://127.0.0.1:${port}`
  return yield* new InvalidSettings({
    message: "Cannot start without PUBLIC_BASE_URL: the origin buyers reach the service at",
  })
})

const budget = Effect.fnUntraced(function* (read: Read, name: Variable, fallback: Budget) {
  const text = yield* read(Config.option(Config.String(name)))
  if (Option.isNone(text)) return fallback
  if (text.value === "off") return "off"
  const [, limit, seconds] = /^(\d{1,5})\/(\d{1,5})s$/.exec(text.value) ?? []
  const parsed = { limit: Number(limit), windowMs: Number(seconds) * 1000 }
  if (parsed.limit >= 1 && parsed.limit <= maxBudget && parsed.windowMs >= 1000) return parsed
  return yield* new InvalidSettings({
    message: `${name} must be requests/seconds such as 5/60s (at most ${maxBudget}), or off`,
  })
})
