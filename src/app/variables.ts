/**
 * Every environment variable: its meaning, the processes that may read it, its valid values and its
 * default.
 *
 * A process has permission for its own variables only, so `readBy` is enforced: only the refund
 * worker can read the treasury's key.
 *
 * @module
 */
import { Duration, Effect, Option, Predicate, Redacted, Result, Schema } from "effect"
import type { CannotListen } from "../core/listening.ts"
import { atomic, AtomicAmount, usd } from "../core/domain/money.ts"
import { feedsMax, parseNewsFeedList } from "../news/sources/feeds.ts"

/** `dev`: embedded and simulated by default. `start`: production defaults. */
export type Mode = "dev" | "start"

export type Process = "service" | "worker" | "migration" | "restore"

/**
 * When a block counts as safe: by the chain's `safe` tag, or this many blocks behind the latest.
 */
export type Finality = "safe" | { readonly blocks: number }

/** At most `limit` requests in any `windowMs`; `off` is for benchmarks only. */
type Budget = { readonly limit: number; readonly windowMs: number } | "off"

/** The valid values of a variable. */
interface Kind<A> {
  /** Completes the message `NAME must be …`. */
  readonly expected: string
  /** The value of a text; null when it is not valid. */
  readonly parse: (text: string) => A | null
}

interface Declaration<A> {
  readonly meaning: string
  readonly readBy: ReadonlyArray<Process>
  readonly kind: Kind<A>
  /** The value when the variable is unset or empty. */
  readonly unset: Readonly<Record<Mode, A>>
}

const kind = <A>(expected: string, parse: (text: string) => A | null): Kind<A> => ({
  expected,
  parse,
})

const pattern = (expected: string, valid: RegExp) =>
  kind(expected, (text) => valid.test(text) ? text : null)

/** A text that is never printed: it is a key, or contains one or a login. */
const secret = (expected: string, isValid: (text: string) => boolean = () => true) =>
  kind(expected, (text) => isValid(text) ? Redacted.make(text) : null)

/** One of the values, which the message lists: `a, b or c`. */
const literals = <const L extends string>(...values: ReadonlyArray<L>) =>
  kind(
    `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`,
    (text) => values.find((value) => value === text) ?? null,
  )

const whole = (expected: string, minimum: number, maximum: number) =>
  kind(expected, (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN
    return value >= minimum && value <= maximum ? value : null
  })

export const portMax = 65_535
const port = whole(`a port number from 1 to ${portMax}`, 1, portMax)
const folder = pattern("a folder", /./)
const jsonFile = pattern("a JSON file", /./)
const modelName = pattern(
  "a model's name: letters, digits and ._:/@- only, at most 100",
  /^[\w.:/@-]{1,100}$/,
)

const databaseUrl = secret(
  "an address such as postgres://user:password@host:5432/database",
  (text) => /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? ""),
)

/** Plain HTTP on this machine only; may contain a key. */
const serviceUrl = secret("an https address (http on this machine only)", isServiceUrl)

/** As many addresses as a list of endpoints or facilitators may have. */
const serviceUrlsMax = 4

/** One or more addresses of different hosts: two at one host would fail or lie together. */
const serviceUrls = kind(
  `1 to ${serviceUrlsMax} https addresses of different hosts, separated by commas (http on this machine only)`,
  (text) => {
    const urls = text.split(",").map((url) => url.trim())
    const hosts = new Set(urls.map((url) => URL.parse(url)?.host))
    return urls.every(isServiceUrl) && urls.length <= serviceUrlsMax && hosts.size === urls.length
      ? Redacted.make<ReadonlyArray<string>>(urls)
      : null
  },
)

/** Plain HTTP is common inside a private network; with headers it must be https (settings.ts). */
const collectorUrl = kind("an http or https address without login or query", (text) => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" &&
      url.search === "" && url.hash === ""
    ? url
    : null
})

/** The form of OpenTelemetry: `name=value,name=value`, with percent-encoded values. */
const collectorHeadersMax = 10
const collectorHeaders = kind(
  `name=value pairs with commas between, values percent-encoded, at most ${collectorHeadersMax}`,
  (text) => {
    const pairs = text.split(",").map((pair) => {
      const [, name, value] = /^\s*([\w-]{1,64})=([!-~]{1,2000})\s*$/.exec(pair) ?? []
      try {
        return name === undefined || value === undefined ? null : [name, decodeURIComponent(value)]
      } catch {
        return null
      }
    })
    return pairs.length > collectorHeadersMax || pairs.includes(null)
      ? null
      : Redacted.make<Record<string, string>>(
        Object.fromEntries(pairs.filter((pair) => pair !== null)),
      )
  },
)

/** Keeps upper and lower case, because buyers compare the text. */
const address = kind(
  "an address: 0x and 40 hexadecimal digits",
  (text) => /^0x[0-9a-fA-F]{40}$/.test(text) ? text as `0x${string}` : null,
)

const privateKey = kind(
  "a private key: 0x and 64 hexadecimal digits",
  (text) => /^0x[0-9a-fA-F]{64}$/.test(text) ? Redacted.make(text as `0x${string}`) : null,
)

const budgetMax = 1_000
const budget = kind(
  `requests/seconds such as 5/60s (at most ${budgetMax} requests), or off`,
  (text): Budget | null => {
    if (text === "off") return text
    const [, limit, seconds] = /^(\d{1,5})\/(\d{1,5})s$/.exec(text)?.map(Number) ?? []
    return limit && seconds && limit <= budgetMax ? { limit, windowMs: seconds * 1_000 } : null
  },
)

const usdCap = kind(
  "an amount in USD such as 100 or 12.50, over 0",
  (text) =>
    /^\d{1,7}(\.\d{1,6})?$/.test(text) && Number(text) > 0 ? atomic(text as `${number}`) : null,
)

const units = [["hour", 3_600_000], ["minute", 60_000], ["second", 1_000], ["milli", 1]] as const

/** Base makes a block every two seconds: this is over half an hour. */
const finalityBlocksMax = 1_000
/** A client can forge its address if this counts a hop that is not a trusted proxy. */
const hopsMax = 8
/** A key that is rotated every year is enough for ten years. */
const retiredKeysMax = 10
/** More than an answer that is read can hold, reasoning included. */
const answerTokensMax = 100_000

/** Digits of a commit that are published. */
export const commitDigits = 12

/** Written on one line of security.txt: no spaces, no control characters. */
const contactPattern = /^(mailto:[!-;=?-~]{1,64}@[A-Za-z0-9.-]{1,253}|https:\/\/[!-~]{1,500})$/

const variable = <A, const B>(
  readBy: ReadonlyArray<Process>,
  meaning: string,
  kind: Kind<A>,
  unset: B,
  unsetInDev: B = unset,
): Declaration<A | B> => ({ meaning, readBy, kind, unset: { start: unset, dev: unsetInDev } })

/** A budget of so many requests a minute, if unset. */
const perMinute = (meaning: string, limit: number) =>
  variable(service, meaning, budget, { limit, windowMs: 60_000 })

/** A duration within bounds. */
const duration = (
  readBy: ReadonlyArray<Process>,
  meaning: string,
  [minimum, maximum]: readonly [Duration.Duration, Duration.Duration],
  unset: Duration.Duration,
  unsetInDev: Duration.Duration = unset,
) => {
  const expected = `a duration such as ${durationText(unset)}, from ${durationText(minimum)} to ${
    durationText(maximum)
  }`
  const within = kind(expected, (text) => {
    const value = Option.getOrNull(Duration.fromInput(text as Duration.Input))
    return value !== null && Duration.between(value, { minimum, maximum }) ? value : null
  })
  return variable(readBy, meaning, within, unset, unsetInDev)
}

const { hours, minutes, seconds, millis } = Duration
const service = ["service"] as const
const worker = ["worker"] as const
/** The processes that handle payments. */
const both = ["service", "worker"] as const
/** The processes that read the transfers to the payee. */
const scanners = ["service", "worker", "restore"] as const

const bindAddress = pattern("an address to bind", /^[a-z0-9.:-]+$/i)

/** Every setting, in the order of a person who starts a service. */
const declared = {
  VENUE: variable(
    service,
    "simulated or polymarket",
    literals("simulated", "polymarket"),
    null,
    "simulated",
  ),
  TICK: duration(
    service,
    "how often the venue is read, aligned to the clock",
    [seconds(1), hours(1)],
    minutes(10),
    seconds(10),
  ),
  PUBLIC_BASE_URL: variable(
    service,
    "the origin that absolute addresses are built from",
    // Buyers compare it with the URL they requested, so a wrong origin would lose every sale.
    kind("an origin such as https://api.example.com, without a path", (text) => {
      const url = URL.parse(text)
      return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
        ? url.origin
        : null
    }),
    null,
  ),
  HOST: variable(service, "address of the public listener", bindAddress, "0.0.0.0", "127.0.0.1"),
  PORT: variable(both, "public listener", port, 8402),
  TRUSTED_PROXY_HOPS: variable(
    service,
    "how many proxies in front append to X-Forwarded-For",
    whole(`an integer from 0 to ${hopsMax}`, 0, hopsMax),
    0,
  ),
  ADMIN_HOST: variable(both, "address of the admin listeners", bindAddress, "127.0.0.1"),
  ADMIN_PORT: variable(
    service,
    "admin listener: /livez, /readyz, /metrics; if unset, PORT + 1",
    port,
    null,
  ),
  REFUND_ADMIN_PORT: variable(
    worker,
    "the refund worker's admin listener: /livez, /readyz, /metrics; if unset, PORT + 2",
    port,
    null,
  ),
  DATABASE_URL: variable(
    ["service", "worker", "migration", "restore"],
    "PostgreSQL, with the process's own login (the owner's to migrate, restore and review refunds); if unset, " +
      "the service runs the embedded one in DATA_DIR",
    databaseUrl,
    null,
  ),
  DATA_DIR: variable(service, "the folder of the embedded PostgreSQL", folder, null),
  PAYMENTS: variable(
    scanners,
    "simulated or live",
    literals("simulated", "live"),
    "live",
    "simulated",
  ),
  NETWORK: variable(
    scanners,
    "the chain of live payments; base-sepolia is a test network, to rehearse without real money",
    literals("base", "base-sepolia"),
    "base",
  ),
  PAY_TO_ADDRESS: variable(scanners, "the address that is paid", address, null),
  TREASURY_ADDRESS: variable(both, "the address that refunds are paid from", address, null),
  TREASURY_PRIVATE_KEY: variable(
    worker,
    "the key of TREASURY_ADDRESS; for the refund worker only",
    privateKey,
    null,
  ),
  FACILITATOR_URL: variable(
    both,
    "the x402 facilitator; with several, separated by commas, the next is asked when one does not answer",
    serviceUrls,
    null,
  ),
  FACILITATOR_API_KEY_ID: variable(
    both,
    "the name of the facilitator's API key, if it needs one",
    pattern("a key's name", /./),
    null,
  ),
  FACILITATOR_API_KEY_SECRET: variable(
    both,
    "its secret: an Ed25519 key in base64",
    secret("a key"),
    null,
  ),
  RPC_URL: variable(
    scanners,
    "a JSON-RPC endpoint of the chain; several, separated by commas, must agree",
    serviceUrls,
    null,
  ),
  FINALITY: variable(
    scanners,
    "when a block counts as safe: `safe`, or blocks behind the latest",
    kind(`safe, or a number of blocks from 1 to ${finalityBlocksMax}`, finalityOf),
    "safe",
  ),
  SIGNING_PRIVATE_KEY: variable(
    service,
    "the Ed25519 key that signs offers and receipts; where money has no value, unset, one is made " +
      "next to DATA_DIR",
    privateKey,
    null,
  ),
  SIGNING_RETIRED_KEYS: variable(
    service,
    "public keys that signed before: the x of each in /.well-known/jwks.json",
    kind(
      `at most ${retiredKeysMax} public keys in base64url, with commas between them`,
      publicKeysOf,
    ),
    null,
  ),
  REFUND_MAX_PER_HOUR_USD: variable(
    worker,
    "the most that is refunded in an hour; the rest waits",
    usdCap,
    atomic("100"),
  ),
  REFUND_MAX_PER_DAY_USD: variable(
    worker,
    "the most that is refunded in a day; the rest waits",
    usdCap,
    atomic("500"),
  ),
  UNMATCHED_REFUND_MAX_PER_DAY_USD: variable(
    worker,
    "the most that is refunded in a day for unmatched transfers; the rest waits",
    usdCap,
    atomic("10"),
  ),
  UNMATCHED_REFUND_MIN_USD: variable(
    both,
    "smaller unmatched transfers are listed and not refunded",
    usdCap,
    atomic("0.01"),
  ),
  LEASE: duration(
    both,
    "how long a silent worker keeps its lease on a payment or refund",
    [seconds(1), minutes(10)],
    seconds(90),
  ),
  HOLD: duration(
    service,
    "how long a buyer may still fetch an undelivered answer before it is refunded",
    [seconds(1), hours(24)],
    minutes(10),
  ),
  SWEEP: duration(
    both,
    "how often pending payments and refunds are checked",
    [millis(100), minutes(5)],
    seconds(15),
  ),
  SCAN: duration(
    service,
    "how often the chain is read for transfers to PAY_TO_ADDRESS",
    [seconds(1), hours(1)],
    seconds(60),
  ),
  FREE_LIMIT: perMinute("free requests per client address, as requests/seconds, or off", 5),
  DOCUMENT_LIMIT: perMinute(
    "documents per client address; unpaid calls of paid paths may be 25 times as many",
    120,
  ),
  PAGE_LIMIT: perMinute("pages for people and their data per client address", 120),
  INVALID_PAYMENT_LIMIT: perMinute("invalid payments and uncharged answers per client address", 30),
  OPENAI_API_KEY: variable(
    service,
    "the API key of the model that writes and detects; for the service only",
    secret(
      "a key of visible characters, at most 500",
      (key) => /^[\x21-\x7e]{1,500}$/.test(key),
    ),
    null,
  ),
  OPENAI_BASE_URL: variable(
    service,
    "a server with OpenAI's API, instead of OpenAI",
    serviceUrl,
    null,
  ),
  OPENAI_MODEL: variable(service, "the model's name on that server", modelName, null),
  OPENAI_CHECK_MODEL: variable(
    service,
    "the model on that server that judges claims; OPENAI_MODEL without it",
    modelName,
    null,
  ),
  OPENAI_REASONING_EFFORT: variable(
    service,
    "how much OPENAI_MODEL reasons; sent only when set",
    literals("none", "minimal", "low", "medium", "high", "xhigh"),
    null,
  ),
  OPENAI_MAX_TOKENS: variable(
    service,
    "the most tokens of an answer, reasoning included",
    whole(`a whole number from 1000 to ${answerTokensMax}`, 1_000, answerTokensMax),
    null,
  ),
  NEWS_FEEDS: variable(
    service,
    "where the news comes from: https feeds and gdelt, or off",
    kind(
      `off, or a comma-separated list of https feeds and gdelt, at most ${feedsMax}`,
      (text) => text === "off" ? "off" : parseNewsFeedList(text),
    ),
    null,
  ),
  FAMILY_FILE: variable(
    service,
    "a JSON file: the catalogue of sibling products",
    jsonFile,
    null,
  ),
  SECURITY_CONTACT: variable(
    service,
    "where to report security problems",
    pattern("an address such as mailto:security@example.com, or an https one", contactPattern),
    null,
  ),
  PACKAGE_SCOPE: variable(
    service,
    "the scope on npm from which documents take the packages; unset, the service serves them",
    pattern("a scope of npm such as @owner", /^@[a-z0-9][a-z0-9._-]{0,99}$/),
    null,
  ),
  LOG_LEVEL: variable(
    both,
    "Debug, Info, Warn or Error",
    literals("Debug", "Info", "Warn", "Error"),
    "Info",
  ),
  COMMIT: variable(
    both,
    "the commit of this release, for /health and logs; deploy/run sets it",
    kind(
      "a commit: 7 to 40 hexadecimal digits",
      (text) => /^[0-9a-f]{7,40}$/.test(text) ? text.slice(0, commitDigits) : null,
    ),
    null,
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    service,
    "an OpenTelemetry collector (OTLP over HTTP) that traces are sent to; if unset, none are made",
    collectorUrl,
    null,
  ),
  OTEL_EXPORTER_OTLP_HEADERS: variable(
    service,
    "headers for the collector, such as its key",
    collectorHeaders,
    null,
  ),
}

export type Variable = keyof typeof declared

type Values = {
  [N in Variable]: (typeof declared)[N] extends Declaration<infer A> ? A : never
}

/** The title of each group, at its first setting. */
const groupTitles: Partial<Record<Variable, string>> = {
  VENUE: "Venue",
  PUBLIC_BASE_URL: "Addresses",
  DATABASE_URL: "Store",
  PAYMENTS: "Payments",
  SIGNING_PRIVATE_KEY: "Signatures",
  REFUND_MAX_PER_HOUR_USD: "Caps of refunds",
  LEASE: "Times and load",
  FREE_LIMIT: "Limits of clients",
  OPENAI_API_KEY: "Model and news",
  FAMILY_FILE: "Documents",
  LOG_LEVEL: "Logs and traces",
}

/** The names of each group, under its title. */
export function settingGroups(): ReadonlyArray<readonly [string, ReadonlyArray<Variable>]> {
  const groups: Array<[title: string, names: Array<Variable>]> = []
  for (const name of Object.keys(declared) as ReadonlyArray<Variable>) {
    const title = groupTitles[name]
    if (title !== undefined) groups.push([title, []])
    groups.at(-1)?.[1].push(name)
  }
  return groups
}

/** The declarations by name. `.env.example` is written from them. */
export const variables: { readonly [N in Variable]: Declaration<Values[N]> } = declared

/** The variables that a process gets and may read. */
export function variablesOf(process: Process): ReadonlyArray<Variable> {
  const names = Object.keys(variables) as ReadonlyArray<Variable>
  return names.filter((name) => variables[name].readBy.includes(process))
}

/** The value of an unset variable, as it would be written; null when there is none. */
export function defaultText(name: Variable, mode: Mode): string | null {
  const value: unknown = variables[name].unset[mode]
  if (value === null) return null
  if (Duration.isDuration(value)) return durationText(value)
  if (Predicate.hasProperty(value, "limit") && Predicate.hasProperty(value, "windowMs")) {
    return `${value.limit}/${Number(value.windowMs) / 1_000}s`
  }
  return typeof value === "bigint" ? usd(AtomicAmount.make(value)) : String(value)
}

/** Reads one variable of a process. The environment is never enumerated. */
export type GetVariable = (name: Variable) => string | undefined

/** Every setting that is missing or wrong, one sentence for each. No sentence has a secret value. */
export class InvalidSettings extends Schema.TaggedError<InvalidSettings>()("InvalidSettings", {
  problems: Schema.NonEmptyArray(Schema.String),
}) {
  override get message() {
    const { length } = this.problems
    return length === 1
      ? this.problems[0]
      : [`${length} settings are missing or wrong:`, ...this.problems].join("\n  ")
  }
}

export const invalidSettings = (problem: string) =>
  Effect.fail(new InvalidSettings({ problems: [problem] }))

/** An address that cannot be listened at, as a problem of the two variables that set it. */
export const notListening =
  (host: Variable, port: Variable) => ({ hostname, port: at, reason }: CannotListen) => {
    const why = reason === "AddrInUse"
      ? `the port is in use. Stop what uses it, or set ${port} to another`
      : reason === "PermissionDenied"
      ? `set ${port} to one over 1023`
      : `${host} must be an address of this machine`
    return new InvalidSettings({ problems: [`Cannot listen on ${hostname}:${at}: ${why}`] })
  }

type Readings<A> = { readonly [N in keyof A]: Effect.Effect<A[N], InvalidSettings> }

/**
 * Runs all readings, and fails with the problems of all, so that one start names every wrong
 * setting. A problem that several readings find is named once.
 */
export const together = <A extends object>(
  readings: Readings<A>,
): Effect.Effect<A, InvalidSettings> =>
  Effect.gen(function* () {
    const values: Partial<A> = {}
    const found = new Set<string>()
    for (const name in readings) {
      const result = yield* Effect.result(readings[name])
      if (Result.isSuccess(result)) values[name] = result.success
      else result.failure.problems.forEach((problem) => found.add(problem))
    }
    const [first, ...others] = found
    // Without a problem every reading has its value.
    return first === undefined
      ? values as A
      : yield* new InvalidSettings({ problems: [first, ...others] })
  })

/**
 * Reads one variable at a time. An error message never repeats the value, which may be a secret.
 */
export const reader =
  (mode: Mode, get: GetVariable) =>
  <N extends Variable>(name: N): Effect.Effect<Values[N], InvalidSettings> => {
    const { kind, unset }: Declaration<Values[N]> = variables[name]
    const text = get(name)
    if (text === undefined || text === "") return Effect.succeed(unset[mode])
    const value = kind.parse(text)
    return value !== null
      ? Effect.succeed(value)
      : invalidSettings(`${name} must be ${kind.expected}`)
  }
export type ReadSetting = ReturnType<typeof reader>

/** Whether a host is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname)
}

function isServiceUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && url.username === "" && url.hash === "" &&
    (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)))
}

function finalityOf(text: string): Finality | null {
  if (text === "safe") return text
  const blocks = /^\d{1,4}$/.test(text) ? Number(text) : 0
  return blocks >= 1 && blocks <= finalityBlocksMax ? { blocks } : null
}

function publicKeysOf(text: string): ReadonlyArray<string> | null {
  const keys = text.split(",").map((key) => key.trim())
  return keys.length <= retiredKeysMax && keys.every((key) => /^[\w-]{43}$/.test(key)) ? keys : null
}

/** A duration in the syntax of a variable: `90 seconds`, not `1m 30s` as in `Duration.format`. */
function durationText(duration: Duration.Duration): string {
  const ms = Duration.toMillis(duration)
  const [name, unit] = units.find(([, unit]) => ms % unit === 0) ?? ["milli", 1]
  return `${ms / unit} ${name}${ms === unit ? "" : "s"}`
}
