/**
 * The settings of the stdio server: defaults, what is refused, and that no sentence has the key.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, throws } from "node:assert/strict"
import { readSettings, variables, WrongSetting } from "../../../packages/mcp/src/settings.ts"

const key = "ab".repeat(32)
const linux = { platform: "linux", env: { HOME: "/home/a" } }
const read = (env: Record<string, string>, machine = linux) =>
  readSettings({ ...machine, env: { ...machine.env, ...env } })

Deno.test("without settings the server reads this machine's service and pays nothing", () => {
  const defaults = {
    baseUrl: "http://127.0.0.1:8402",
    privateKey: null,
    maxPriceUsd: "1.00",
    budgetUsd: "1.00",
    payTo: null,
    budgetDir: "/home/a/.local/state/bellwether/127-0-0-1-8402",
  }
  equal(read({}), defaults)
  const empty = Object.fromEntries(Object.keys(variables).map((name) => [name, " "]))
  equal(read(empty), defaults)
})

Deno.test("a setting is read in the forms that people write", () => {
  const { baseUrl, privateKey, budgetUsd, budgetDir } = read({
    ...{ BASE_URL: "https://api.example/", BUYER_PRIVATE_KEY: key, BUDGET_USD: "$2.5" },
    BUDGET_DIR: "/tmp/b",
  })
  equal([baseUrl, privateKey, budgetUsd, budgetDir], [
    ...["https://api.example", `0x${key}`, "2.5", "/tmp/b"],
  ])
})

Deno.test("the record is where each platform keeps state, one folder per service", () => {
  const fileOn = (platform: string, env: Record<string, string>) =>
    readSettings({ platform, env: { BASE_URL: "https://api.example", ...env } }).budgetDir
  equal([
    fileOn("linux", { HOME: "/home/a", XDG_STATE_HOME: "/state" }),
    fileOn("darwin", { HOME: "/Users/a" }),
    fileOn("win32", { LOCALAPPDATA: "/local" }),
  ], [
    "/state/bellwether/api-example",
    "/Users/a/Library/Application Support/bellwether/api-example",
    "/local/bellwether/api-example",
  ])
})

const wrong: ReadonlyArray<Record<string, string>> = [
  ...["ftp://a.example", "api.example", "https://u:p@a.example", "https://a.example/v1", "http:"]
    .map((BASE_URL) => ({ BASE_URL })),
  ...[key.slice(1), `${key}0`, `0x${key.slice(2)}zz`, `${key} ${key}`]
    .map((BUYER_PRIVATE_KEY) => ({ BUYER_PRIVATE_KEY })),
  ...["-1", "1e3", "0.0000001", "all", "1,00"].flatMap((usd) => [
    { MAX_PRICE_USD: usd },
    { BUDGET_USD: usd },
  ]),
  { PAY_TO: key },
  { BASE_URL: "http://10.0.0.1:8402", BUYER_PRIVATE_KEY: key },
]

for (const env of wrong) {
  const [name = "", value] = Object.entries(env)[0] ?? []
  Deno.test(`${name}=${value?.replaceAll(key, "KEY")} is refused in one sentence without the key`, () => {
    throws(() => read(env), (error) => {
      ok(error instanceof WrongSetting && error.message.includes(name), String(error))
      ok(!error.message.includes("ababab") && !error.message.includes("\n"))
      return true
    })
  })
}

Deno.test("plain http to another machine needs the receiver", () => {
  const PAY_TO = `0x${"11".repeat(20)}`
  const env = { BASE_URL: "http://10.0.0.1:8402", BUYER_PRIVATE_KEY: key, PAY_TO }
  equal(read(env).payTo, PAY_TO)
})
