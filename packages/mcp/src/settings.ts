/**
 * The settings of the server: environment variables, with one sentence about the first that is wrong.
 * No sentence repeats a key.
 *
 * @module
 */
import { homedir } from "node:os"
import { join } from "node:path"

export interface Settings {
  readonly baseUrl: string
  /** Null: free tools only, or a throw-away key where payments are simulated. */
  readonly privateKey: `0x${string}` | null
  /** The most that one call may cost. */
  readonly maxPriceUsd: string
  /** The most that is signed in a UTC day. */
  readonly budgetUsd: string
  /** The only receiver that is paid; null: the first one seen. */
  readonly payTo: `0x${string}` | null
  /** The folder of the record of payments. */
  readonly budgetDir: string
}

/** The variables, with what `--help` says about each. */
export const variables = {
  BASE_URL: "address of the service (http://127.0.0.1:8402)",
  BUYER_PRIVATE_KEY:
    "key of the wallet that pays, 0x and 64 hex digits; without it only free tools " +
    "work, and paid tools where payments are simulated",
  MAX_PRICE_USD: "the most for one call (1.00)",
  BUDGET_USD: "the most for a UTC day (1.00)",
  PAY_TO: "the only address that is paid (the first one that the service names)",
  BUDGET_DIR:
    "the folder of the record of payments, which keeps the budget over restarts (in the " +
    "user's state folder, one per service)",
} as const

/** Where the server runs. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: string
}

const defaultBaseUrl = "http://127.0.0.1:8402"
const usdPattern = /^\d{1,6}(?:\.\d{1,6})?$/

/** A setting that is wrong, in one sentence. */
export class WrongSetting extends Error {}

/** Reads the settings. An empty variable counts as absent. */
export function readSettings(machine: Machine): Settings {
  const value = (name: keyof typeof variables) => machine.env[name]?.trim() || null
  const baseUrl = readBaseUrl(value("BASE_URL") ?? defaultBaseUrl)
  const settings: Settings = {
    baseUrl,
    privateKey: readHex("BUYER_PRIVATE_KEY", value("BUYER_PRIVATE_KEY"), 64),
    maxPriceUsd: readUsd("MAX_PRICE_USD", value("MAX_PRICE_USD")),
    budgetUsd: readUsd("BUDGET_USD", value("BUDGET_USD")),
    payTo: readHex("PAY_TO", value("PAY_TO"), 40),
    budgetDir: value("BUDGET_DIR") ?? defaultBudgetDir(machine, new URL(baseUrl)),
  }
  requireReceiver(settings)
  return settings
}

function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (!isOrigin) {
    throw new WrongSetting("BASE_URL must be the address of a service, like https://api.example")
  }
  return url.origin
}

/** Over plain http, anyone on the way could name another receiver. */
function requireReceiver({ baseUrl, privateKey, payTo }: Settings): void {
  const { protocol, hostname } = new URL(baseUrl)
  const isLocal = hostname === "localhost" || hostname === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  if (protocol === "http:" && !isLocal && privateKey !== null && payTo === null) {
    throw new WrongSetting("With a BASE_URL that is not https, set PAY_TO to the address to pay")
  }
}

/** Hex digits, with or without 0x. The sentence does not repeat them. */
function readHex(name: keyof typeof variables, text: string | null, digits: number) {
  if (text === null) return null
  const hex = text.replace(/^0x/, "")
  if (hex.length !== digits || !/^[0-9a-fA-F]+$/.test(hex)) {
    throw new WrongSetting(`${name} must be 0x and ${digits} hex digits`)
  }
  return `0x${hex}` as const
}

function readUsd(name: keyof typeof variables, text: string | null): string {
  const usd = (text ?? "1.00").replace(/^\$/, "")
  if (!usdPattern.test(usd)) {
    throw new WrongSetting(
      `${name} must be an amount in dollars with at most 6 decimals, like 1.00`,
    )
  }
  return usd
}

/** One folder per service, so that a trial service and the real one share neither budget nor receiver. */
function defaultBudgetDir({ env, platform }: Machine, service: URL): string {
  return join(stateFolder(env, platform), "bellwether", `${service.host.replace(/\W+/g, "-")}`)
}

/** Where programs of this user keep their state, by the convention of the platform. */
function stateFolder(env: Machine["env"], platform: string): string {
  if (platform === "win32") {
    return env["LOCALAPPDATA"] ?? join(env["USERPROFILE"] ?? homedir(), "AppData", "Local")
  }
  const home = env["HOME"] || homedir()
  if (platform === "darwin") return join(home, "Library", "Application Support")
  return env["XDG_STATE_HOME"] || join(home, ".local", "state")
}
