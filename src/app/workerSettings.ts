/**
 * The settings of the refund worker, the only process that holds a key that moves money; and those
 * of the migration, the only one that may hold the login of the store's owner.
 *
 * @module
 */
import { Config, type Duration, Effect, Redacted } from "effect"
import { atomic, type AtomicAmount } from "../core/domain/money.ts"
import { type Money, money, readLease, readSweep } from "./paymentSettings.ts"
import {
  type Get,
  type Mode,
  type Read,
  readDatabaseUrl,
  reader,
  readLogLevel,
  refuse,
} from "./settingsReader.ts"
import type { Variable } from "./variables.ts"

export interface WorkerSettings extends Money {
  readonly mode: Mode
  readonly databaseUrl: Redacted.Redacted
  /** The worker must refuse to work unless this is the key of `treasury`. */
  readonly treasuryKey: Redacted.Redacted<`0x${string}`>
  readonly lease: Duration.Duration
  readonly sweep: Duration.Duration
  readonly maxPerHour: AtomicAmount
  readonly maxPerDay: AtomicAmount
  readonly logLevel: "Debug" | "Info" | "Warn" | "Error"
}

/** A throw-away key that everybody knows: it signs refunds of play money, and holds nothing. */
export const simulatedTreasuryKey: `0x${string}` = `0x${"be11e7".padEnd(64, "0")}`

export const loadWorker = Effect.fn("settings.loadWorker")(function* (mode: Mode, get: Get) {
  const read = reader(get)
  const databaseUrl = yield* firstUrl(read, ["REFUND_DATABASE_URL", "DATABASE_URL"])
  const about = yield* money(mode, read)
  const maxPerHour = yield* cap(read, "REFUND_MAX_PER_HOUR_USD", "100")
  const maxPerDay = yield* cap(read, "REFUND_MAX_PER_DAY_USD", "500")
  if (maxPerHour > maxPerDay) {
    return yield* refuse("REFUND_MAX_PER_HOUR_USD must not be over REFUND_MAX_PER_DAY_USD")
  }
  const settings: WorkerSettings = {
    mode,
    databaseUrl,
    ...about,
    treasuryKey: about.payments.kind === "live"
      ? yield* treasuryKey(read)
      : Redacted.make(simulatedTreasuryKey),
    lease: yield* readLease(read),
    sweep: yield* readSweep(read),
    maxPerHour,
    maxPerDay,
    logLevel: yield* readLogLevel(read),
  }
  return settings
})

/** The login that migrations run with. */
export const loadMigration = Effect.fn("settings.loadMigration")(function* (get: Get) {
  return {
    databaseUrl: yield* firstUrl(reader(get), ["MIGRATION_DATABASE_URL", "DATABASE_URL"]),
  }
})

/** The embedded store belongs to the service's process, so a process of its own needs an address. */
const firstUrl = Effect.fnUntraced(function* (
  read: Read,
  [own, shared]: readonly [Variable, Variable],
) {
  const url = (yield* readDatabaseUrl(read, own)) ?? (yield* readDatabaseUrl(read, shared))
  return url ?? (yield* refuse(
    `Cannot start without ${own} or ${shared}: the embedded store belongs to the service's process`,
  ))
})

const keyPattern = /^0x[0-9a-fA-F]{64}$/

const treasuryKey = Effect.fnUntraced(function* (read: Read) {
  const key = yield* read(
    "TREASURY_PRIVATE_KEY",
    Config.Redacted,
    "a private key: 0x and 64 hexadecimal digits",
    null,
    (key) => keyPattern.test(Redacted.value(key)),
  )
  if (key === null) {
    return yield* refuse("PAYMENTS=live needs TREASURY_PRIVATE_KEY in the refund worker")
  }
  return Redacted.make(Redacted.value(key) as `0x${string}`)
})

const capPattern = /^\d{1,7}(\.\d{1,6})?$/

const cap = (read: Read, name: Variable, fallback: `${number}`) =>
  Effect.map(
    read(
      name,
      Config.String,
      "an amount in USD such as 100 or 12.50, over 0",
      fallback,
      (text) => capPattern.test(text) && Number(text) > 0,
    ),
    (text) => atomic(text as `${number}`),
  )
