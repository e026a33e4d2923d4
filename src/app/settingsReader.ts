/**
 * Reads one environment variable at a time, and refuses in words what does not parse or fit.
 *
 * @module
 */
import { Config, ConfigProvider, Duration, Effect, Redacted, Schema } from "effect"
import type { Variable } from "./variables.ts"

/** `dev`: everything embedded and simulated unless told otherwise. `start`: production defaults. */
export type Mode = "dev" | "start"

/** Where a process gets its variables from. */
export type Get = (name: Variable) => string | undefined

export class InvalidSettings
  extends Schema.TaggedError<InvalidSettings>()("InvalidSettings", { message: Schema.String }) {}

export const refuse = (message: string) => Effect.fail(new InvalidSettings({ message }))

/**
 * Reads one variable, or gives the fallback. A value that does not parse or does not fit is refused
 * in words; the value itself is not repeated, since it may be a secret.
 */
export type Read = <A, const B>(
  name: Variable,
  config: (name: string) => Config.Config<A>,
  expected: string,
  fallback: B,
  fits?: (value: A) => boolean,
) => Effect.Effect<A | B, InvalidSettings>

export function reader(get: Get): Read {
  return (name, config, expected, fallback, fits = () => true) => {
    const value = get(name)
    if (value === undefined || value === "") return Effect.succeed(fallback)
    return config(name).parse(ConfigProvider.fromEnv({ env: { [name]: value } })).pipe(
      Effect.filterOrFail(fits),
      Effect.mapError(() => new InvalidSettings({ message: `${name} must be ${expected}` })),
    )
  }
}

/** A duration from `minimum` to `maximum`. */
export const readDuration = (
  read: Read,
  name: Variable,
  fallback: Duration.Duration,
  bounds: { readonly minimum: Duration.Duration; readonly maximum: Duration.Duration },
) =>
  read(
    name,
    Config.Duration,
    `a duration such as ${spelled(fallback)}, from ${spelled(bounds.minimum)} to ${
      spelled(bounds.maximum)
    }`,
    fallback,
    (duration) => Duration.between(duration, bounds),
  )

const units = [["hour", 3_600_000], ["minute", 60_000], ["second", 1_000], ["milli", 1]] as const

/** A duration as a variable takes it: `90 seconds`, where `Duration.format` says `1m 30s`. */
function spelled(duration: Duration.Duration): string {
  const ms = Duration.toMillis(duration)
  const [name, unit] = units.find(([, unit]) => ms % unit === 0) ?? ["milli", 1]
  return `${ms / unit} ${name}${ms === unit ? "" : "s"}`
}

/** The address of a PostgreSQL server, which holds a login: null when the variable is not set. */
export const readDatabaseUrl = (read: Read, name: Variable) =>
  read(
    name,
    Config.Redacted,
    "an address such as postgres://user:password@host:5432/database",
    null,
    (url) => /^postgres(ql)?:$/.test(URL.parse(Redacted.value(url))?.protocol ?? ""),
  )

/** An address over TLS, or in the clear on this machine; it may hold a key. */
export const readServiceUrl = (read: Read, name: Variable) =>
  read(
    name,
    Config.Redacted,
    "an https address (http on this machine only)",
    null,
    (url) => isPrivate(URL.parse(Redacted.value(url))),
  )

function isPrivate(url: URL | null): boolean {
  return url !== null && url.username === "" && url.hash === "" &&
    (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)))
}

/** Whether a host is this very machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname)
}

const AddressSpelling = Schema.TemplateLiteral(["0x", Schema.String]).check(
  Schema.isPattern(/^0x[0-9a-fA-F]{40}$/),
)

/** An address as it is spelled, since buyers compare spellings. */
export const readAddress = (read: Read, name: Variable) =>
  read(
    name,
    (name) => Config.schema(AddressSpelling, name),
    "an address: 0x and 40 hexadecimal digits",
    null,
  )

export const readLogLevel = (read: Read) =>
  read(
    "LOG_LEVEL",
    (name) => Config.Literals(["Debug", "Info", "Warn", "Error"], name),
    "Debug, Info, Warn or Error",
    "Info",
  )
