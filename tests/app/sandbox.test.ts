/**
 * The permissions computed from settings: no more than the process needs, and the treasury's key
 * for the refund worker only.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Redacted } from "effect"
import {
  commandLine,
  flagsOf,
  ownerSandbox,
  restoreSandbox,
  type Sandbox,
  serviceSandbox,
  workerSandbox,
} from "../../src/app/sandbox.ts"
import { loadWorker } from "../../src/app/moneySettings.ts"
import { loadRestore, loadService } from "../../src/app/settings.ts"
import type { Mode, Variable } from "../../src/app/variables.ts"
import { test } from "../support/effect.ts"

type Env = Partial<Record<Variable, string>>

const paths = { storePackages: ["/cache/pglite/1", "/cache/prepopulatedfs/1"] }
/** What the embedded store's worker reads. */
const storeCode = ["src/postgres/embeddedWorker.ts", ...paths.storePackages]
const service = (mode: Mode, env: Env) =>
  Effect.map(loadService(mode, (name) => env[name]), (settings) => serviceSandbox(settings, paths))
const worker = (env: Env) => Effect.map(loadWorker((name) => env[name]), workerSandbox)

const store = "postgres://service:hunter2@db.example/bell"
const live: Env = {
  VENUE: "polymarket",
  PUBLIC_BASE_URL: "https://bell.example",
  DATABASE_URL: store,
  PAYMENTS: "live",
  PAY_TO_ADDRESS: `0x${"a1".repeat(20)}`,
  TREASURY_ADDRESS: `0x${"b2".repeat(20)}`,
  TREASURY_PRIVATE_KEY: `0x${"c3".repeat(32)}`,
  SIGNING_PRIVATE_KEY: `0x${"d4".repeat(32)}`,
  FACILITATOR_URL: "https://facilitator.example/x402",
  RPC_URL: "https://rpc.example:8545/hunter2",
}
test("serviceSandbox() in dev allows its listeners and the store's folder", () =>
  Effect.gen(function* () {
    const { net, read, write } = yield* service("dev", {})
    equal(net, ["127.0.0.1:8402", "127.0.0.1:8403"])
    const own = [".data/handed-over-8402", ".data/simulated-signing", ".data/simulated"]
    equal(new Set(read), new Set(["migrations", "packages/built", ...own, ...storeCode]))
    equal(write, own)
  }))

test("serviceSandbox() allows the host of the collector, where one is set", () =>
  Effect.gen(function* () {
    const without = yield* service("dev", {})
    const traced = yield* service("dev", {
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.example/tenant",
    })
    equal(traced.net, [...without.net, "otel.example:443"])
  }))

test("serviceSandbox() allows reading the files of the settings, not writing them", () =>
  Effect.gen(function* () {
    const family = yield* Effect.acquireRelease(
      Effect.promise(() => Deno.makeTempFile()),
      (path) => Effect.promise(() => Deno.remove(path)),
    )
    Deno.writeTextFileSync(
      family,
      JSON.stringify({
        family: "x",
        products: [{ slug: "x", name: "x", api: "https://x.example", mcp: null }],
      }),
    )
    const before = yield* service("start", live)
    const { read, write, net } = yield* service("start", { ...live, FAMILY_FILE: family })
    equal(read.filter((path) => !before.read.includes(path)), [family])
    equal([write, net], [before.write, before.net])
    equal((yield* worker({ ...live, FAMILY_FILE: family })).read, [])
  }))

test("workerSandbox() allows every endpoint and facilitator of a list", () =>
  Effect.gen(function* () {
    const { net } = yield* worker({
      ...live,
      RPC_URL: `${live.RPC_URL},https://second.example`,
      FACILITATOR_URL: `${live.FACILITATOR_URL},https://other.example:8443`,
    })
    equal(net.slice(2), [
      ...[
        "facilitator.example:443",
        "other.example:8443",
        "rpc.example:8545",
        "second.example:443",
      ],
    ])
  }))

test("the host and port of a store may be query parameters", () =>
  Effect.sync(() => {
    const url = "postgres://me@elsewhere/bell?host=db.example&port=6000"
    equal(ownerSandbox(Redacted.make(url), ["migrate"]).net, ["db.example:6000"])
    equal(ownerSandbox(Redacted.make("postgres:///bell"), ["migrate"]).net, ["localhost:5432"])
    const local = "postgres://refund:hunter2@[::1]:6543/bell"
    equal(ownerSandbox(Redacted.make(local), ["migrate"]).net, ["[::1]:6543"])
  }))

const sandboxes = Effect.all([
  service("dev", {}),
  service("start", live),
  worker(live),
  Effect.succeed(ownerSandbox(Redacted.make(store), ["migrate"])),
  Effect.succeed(ownerSandbox(Redacted.make(store), ["refunds:list"])),
])

test("every permission has a list, and no process may start a process or load a library", () =>
  Effect.gen(function* () {
    for (const sandbox of yield* sandboxes) {
      const words = commandLine(sandbox)
      const flags = words.slice(1, words.indexOf(sandbox.entry))
      for (const flag of flags) {
        ok(flag.startsWith("--") && flag !== "--allow-all", flag)
        ok(!flag.startsWith("--allow-") || /^--allow-(env|net|read|write)=./.test(flag), flag)
      }
      for (const flag of ["--no-prompt", "--no-remote", "--cached-only", "--frozen"]) {
        ok(flags.includes(flag), `${sandbox.entry} lacks ${flag}`)
      }
      ok(sandbox.net.every((address) => /:\d+$/.test(address)), sandbox.net.join())
      ok(!words.join(" ").includes("hunter2"), "every user can read a command line")
    }
  }))

test("only the worker may read the treasury's key", () =>
  Effect.gen(function* () {
    const named = (yield* sandboxes).filter((sandbox) =>
      commandLine(sandbox).join(" ").includes("TREASURY_PRIVATE_KEY")
    )
    equal(new Set(named.map(({ entry }) => entry)), new Set(["src/refund-worker.ts"]))
  }))

test("restoreSandbox() allows its store and the journals, and the chain when it sets the scan", () =>
  Effect.gen(function* () {
    const args = ["--journal", "a", "--journal", "b"]
    const sandboxOf = (setsScan: boolean) =>
      Effect.map(
        loadRestore(setsScan, (name) => live[name]),
        (settings) => restoreSandbox(settings, ["a", "b"], args),
      )
    const { net, read, write, variables } = yield* sandboxOf(false)
    equal([net, read, write], [["db.example:5432"], ["a", "b"], []])
    for (const name of variables) ok(!/TREASURY|FACILITATOR|REFUND|PORT/.test(name), name)
    equal((yield* sandboxOf(true)).net, ["db.example:5432", "rpc.example:8545"])
  }))

test("a comma in a folder's name is escaped", () =>
  Effect.sync(() => {
    const nothing: Omit<Sandbox, "entry" | "args"> = { variables: [], net: [], read: [], write: [] }
    const flags = flagsOf({ ...nothing, read: ["/a,/etc", "/b"] })
    equal(flags.filter((flag) => flag.startsWith("--allow")), ["--allow-read=/a,,/etc,/b"])
  }))
