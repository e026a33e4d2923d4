/**
 * What each process may do, as the table of docs/threat-model.md. It is made from the sandboxes that the
 * launcher computes, on example settings of a production service.
 *
 * @module
 */
import { Effect } from "effect"
import { loadWorker } from "../../src/app/moneySettings.ts"
import {
  backfillSandbox,
  migrationSandbox,
  restoreSandbox,
  reviewSandbox,
  type Sandbox,
  serviceSandbox,
  workerSandbox,
} from "../../src/app/sandbox.ts"
import { loadBackfill, loadMigration, loadRestore, loadService } from "../../src/app/settings.ts"
import type { Variable } from "../../src/app/variables.ts"

export const threatModel = new URL("../../docs/threat-model.md", import.meta.url)

const store = (login: string) => `postgres://${login}:password@database.example/bellwether`

const example: Partial<Record<Variable, string>> = {
  VENUE: "polymarket",
  PUBLIC_BASE_URL: "https://bellwether.example",
  DATABASE_URL: store("service"),
  REFUND_DATABASE_URL: store("refund"),
  MIGRATION_DATABASE_URL: store("owner"),
  PAYMENTS: "live",
  PAY_TO_ADDRESS: `0x${"a1".repeat(20)}`,
  TREASURY_ADDRESS: `0x${"b2".repeat(20)}`,
  TREASURY_PRIVATE_KEY: `0x${"c3".repeat(32)}`,
  SIGNING_PRIVATE_KEY: `0x${"d4".repeat(32)}`,
  FACILITATOR_URL: "https://facilitator.example",
  RPC_URL: "https://rpc.example",

  OPENAI_BASE_URL: "https://model.example/v1",
  OPENAI_API_KEY: "key",
  OPENAI_MODEL: "model",
}

/** Each of them moves money, signs, opens the store or is billed. */
const secrets: ReadonlyArray<Variable> = [
  "DATABASE_URL",
  "REFUND_DATABASE_URL",
  "MIGRATION_DATABASE_URL",
  "TREASURY_PRIVATE_KEY",
  "SIGNING_PRIVATE_KEY",
  "FACILITATOR_API_KEY_SECRET",
  "OPENAI_API_KEY",
]

const get = (name: string) => example[name as Variable]
const paths = { storePackages: [] }

const sandboxes: Effect.Effect<Readonly<Record<string, Sandbox>>, unknown> = Effect.gen(
  function* () {
    const { databaseUrl } = yield* loadMigration(get)
    const service = yield* loadService("start", get)
    const journal = "the delivery journal"
    return {
      "start": serviceSandbox({ ...service, deliveryJournal: journal }, paths),
      "refunds": workerSandbox(yield* loadWorker("start", get)),
      "migrate": migrationSandbox(databaseUrl),
      "backfill": backfillSandbox(yield* loadBackfill(get), paths),
      "restore": restoreSandbox(yield* loadRestore(true, get), [journal], ["--journal", journal]),
      "refunds:list": reviewSandbox(databaseUrl, ["list"]),
    }
  },
)

const codes = (values: ReadonlyArray<string>) =>
  values.length === 0
    ? "nothing"
    : values.map((value) => value.includes(" ") ? value : `\`${value}\``).join(", ")

const row = ([task, { variables, net, read, write }]: [string, Sandbox]) =>
  [
    `\`${task}\``,
    codes([...new Set(net)]),
    codes(read),
    codes(write),
    codes(variables.filter((name) => secrets.includes(name))),
  ].join(" | ")

/** The lines of the table, in Markdown. */
const permissionsTable = Effect.map(sandboxes, (all) =>
  [
    "task | connects to, listens on | reads | writes | secrets among its variables",
    "---|---|---|---|---",
    ...Object.entries(all).map(row),
  ].map((line) => `| ${line} |`.replace(/\| -/g, "|-").replace(/- \|/g, "-|")).join("\n"))

const [start, end] = ["<!-- permissions -->", "<!-- /permissions -->"]

/** The text with the current table between its two marks. */
export const withPermissions = (text: string) =>
  Effect.map(permissionsTable, (table) => {
    const [before = "", after = ""] = [text.split(start)[0], text.split(end)[1]]
    return `${before}${start}\n${table}\n${end}${after}`
  })
