/**
 * What each process may do, as the table of docs/threat-model.md. It is made from the sandboxes that the
 * launcher computes, on example settings of a production service, and from the launcher's own flags.
 *
 * @module
 */
import { Effect, Redacted } from "effect"
import config from "../../deno.json" with { type: "json" }
import { loadWorker } from "../../src/app/moneySettings.ts"
import {
  checkSandbox,
  ownerSandbox,
  restoreSandbox,
  type Sandbox,
  serviceSandbox,
  workerSandbox,
} from "../../src/app/sandbox.ts"
import { loadMigration, loadRestore, loadService } from "../../src/app/settings.ts"
import { reader, type Variable } from "../../src/app/variables.ts"

export const threatModel = new URL("../../docs/threat-model.md", import.meta.url)

const store = (login: string) => `postgres://${login}:password@database.example/bellwether`

/** Every host and every secret that a production service can have. */
const example: Partial<Record<Variable, string>> = {
  VENUE: "polymarket",
  PUBLIC_BASE_URL: "https://bellwether.example",
  DATABASE_URL: store("service"),
  PAYMENTS: "live",
  PAY_TO_ADDRESS: `0x${"a1".repeat(20)}`,
  TREASURY_ADDRESS: `0x${"b2".repeat(20)}`,
  TREASURY_PRIVATE_KEY: `0x${"c3".repeat(32)}`,
  SIGNING_PRIVATE_KEY: `0x${"d4".repeat(32)}`,
  FACILITATOR_URL: "https://facilitator.example",
  FACILITATOR_API_KEY_ID: "key",
  FACILITATOR_API_KEY_SECRET: "secret",
  RPC_URL: "https://rpc.example",
  OPENAI_BASE_URL: "https://model.example/v1",
  OPENAI_API_KEY: "key",
  OPENAI_MODEL: "model",
  OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example",
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=key",
}

const variables = Object.keys(example) as ReadonlyArray<Variable>
const get = (name: string) => example[name as Variable]
const paths = { storePackages: [] }

/** What the settings redact: keys, logins, and addresses that may have a key in them. */
const secrets = Effect.filter(
  variables,
  (name) => Effect.map(reader("start", get)(name), Redacted.isRedacted),
)

type Permissions = Omit<Sandbox, "entry" | "args">

/** The launcher's flags have no lists: each allows everything of its kind. */
const isLauncherAllowed = (kind: string) =>
  config.tasks.start.command.split(" ").includes(`--allow-${kind}`)
const launcher: Permissions = {
  variables: isLauncherAllowed("env") ? variables : [],
  net: isLauncherAllowed("net") ? ["any address"] : [],
  read: isLauncherAllowed("read") ? ["any file"] : [],
  write: isLauncherAllowed("write") ? ["any file"] : [],
}

const sandboxes: Effect.Effect<Readonly<Record<string, Permissions>>, unknown> = Effect.gen(
  function* () {
    const { databaseUrl } = yield* loadMigration(get)
    const owner = ownerSandbox(databaseUrl, ["migrate"])
    const review = ownerSandbox(databaseUrl, ["refunds:list"])
    const journal = "the delivery journal"
    const settings = { ...yield* loadService("start", get), deliveryJournal: journal }
    const service = serviceSandbox(settings, paths)
    const worker = workerSandbox(yield* loadWorker(get))
    return {
      "start": service,
      "refunds": worker,
      "migrate": owner,
      "restore": restoreSandbox(yield* loadRestore(true, get), [journal], ["--journal", journal]),
      "refunds:list": review,
      "refunds:requeue": review,
      "refunds:settle": review,
      "check": checkSandbox(service, []),
      "src/launch.ts": launcher,
    }
  },
)

const codes = (values: ReadonlyArray<string>) =>
  values.length === 0
    ? "nothing"
    : values.map((value) => value.includes(" ") ? value : `\`${value}\``).join(", ")

const row =
  (secrets: ReadonlyArray<Variable>) =>
  ([task, { variables, net, read, write }]: [string, Permissions]) =>
    [
      `\`${task}\``,
      codes([...new Set(net)]),
      codes(read),
      codes(write),
      codes(variables.filter((name) => secrets.includes(name))),
    ].join(" | ")

/** The lines of the table, in Markdown. */
const permissionsTable = Effect.map(Effect.all([sandboxes, secrets]), ([all, secrets]) =>
  [
    "task | connects to, listens on | reads | writes | secrets among its variables",
    "---|---|---|---|---",
    ...Object.entries(all).map(row(secrets)),
  ].map((line) => `| ${line} |`.replace(/\| -/g, "|-").replace(/- \|/g, "-|")).join("\n"))

const [start, end] = ["<!-- permissions -->", "<!-- /permissions -->"]

/** The text with the current table between its two marks. */
export const withPermissions = (text: string) =>
  Effect.map(permissionsTable, (table) => {
    const [before = "", after = ""] = [text.split(start)[0], text.split(end)[1]]
    return `${before}${start}\n${table}\n${end}${after}`
  })
