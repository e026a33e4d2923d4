/**
 * Settings that are wrong stop the start with a sentence that names the variable and keeps secrets.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect, Redacted } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { loadWorker, simulatedTreasury } from "../../src/app/moneySettings.ts"
import { loadBackfill, loadMigration, loadService } from "../../src/app/settings.ts"
import { type Mode, type Variable, variablesOf } from "../../src/app/variables.ts"
import { test } from "../support/effect.ts"

type Env = Partial<Record<Variable, string>>

const settings = (mode: Mode, env: Env) => loadService(mode, (name) => env[name])

const started = { VENUE: "polymarket", PUBLIC_BASE_URL: "https://bell.example" } as const
const playing = { ...started, PAYMENTS: "simulated", ALLOW_SIMULATED_PAYMENTS: "1" } as const

const worker = (mode: Mode, env: Env) => loadWorker(mode, (name) => env[name])

const words = Effect.match({
  onSuccess: () => null,
  onFailure: ({ message }: { readonly message: string }) => message,
})

/** What a start is refused with; null when it is not. */
const refusal = (mode: Mode, env: Env) => words(settings(mode, env))

const store = { DATABASE_URL: "postgres://service:hunter2@db.example:5432/bell" } as const
const sold = {
  ...started,
  ...store,
  PAYMENTS: "live",
  PAY_TO_ADDRESS: `0x${"a1".repeat(20)}`,
  TREASURY_ADDRESS: `0x${"b2".repeat(20)}`,
  FACILITATOR_URL: "https://facilitator.example/x402/",
  RPC_URL: "https://rpc.example/v2/hunter2",
} as const
const treasuryKey = `0x${"c3".repeat(32)}`

test("dev needs no variable", () =>
  Effect.gen(function* () {
    const { venue, payments, database, tick, whaleStakeUsdMin } = yield* settings("dev", {})
    equal(venue, { kind: "simulated", seed: 1 })
    equal(payments, { kind: "simulated" })
    equal(database, { kind: "embedded", dir: ".data/simulated-1", served: null })
    equal(Duration.toMillis(tick), 10_000)
    equal(whaleStakeUsdMin, 1_000)
  }))

test("dev keeps each world in a folder of its own", () =>
  Effect.gen(function* () {
    const { database } = yield* settings("dev", { SIMULATION_SEED: "7" })
    equal(database, { kind: "embedded", dir: ".data/simulated-7", served: null })
  }))

test("start takes no venue, no address and no play money for granted", () =>
  Effect.gen(function* () {
    ok((yield* refusal("start", {}))?.includes("VENUE"))
    ok((yield* refusal("start", started))?.includes("PAYMENTS"))
    ok((yield* refusal("start", { ...started, PAYMENTS: "simulated" }))?.includes("ALLOW_"))
    const unnamed = { ...playing, PUBLIC_BASE_URL: "" }
    ok((yield* refusal("start", unnamed))?.includes("PUBLIC_BASE_URL"))
    equal(yield* refusal("start", playing), null)
  }))

const wrong: ReadonlyArray<readonly [Variable, ReadonlyArray<string>]> = [
  ["PORT", ["abc", "-1", "0", "65536", "80.5"]],
  ["ADMIN_PORT", ["x", "8402"]],
  ["TICK", ["banana", "0 seconds", "2 hours"]],
  ["DATABASE_URL", ["nonsense", "mysql://u:hunter2@h/db", "postgres://u:hunter2@h:port/db"]],
  ["VENUE", ["kalshi", "replay"]],
  ["SIMULATION_SEED", ["x", "1.5"]],
  ["PUBLIC_BASE_URL", ["localhost:8402", "ftp://x", "https://x/base/", "https://x/?a=b"]],
  ["STORE_URL", [
    "postgres://postgres:short@127.0.0.1:5/x",
    `postgres://u:${"p".repeat(32)}@h:5/x`,
  ]],
  ["PAYMENTS", ["maybe", "live"]],
  ["PAY_TO_ADDRESS", ["0x12", "me", simulatedTreasury, simulatedTreasury.toLowerCase()]],
  ["LEASE", ["0 seconds", "1 hour", "soon"]],
  ["HOLD", ["0 seconds", "2 days"]],
  ["SWEEP", ["10 millis", "1 hour"]],
  ["SCAN", ["0 seconds", "2 hours"]],
  ["FINALITY", ["latest", "0", "-1", "1.5", "1001"]],
  ["FREE_LIMIT", ["5", "0/60s", "5/0s", "1001/60s", "none"]],
  ["WHALE_MIN_STAKE_USD", ["0", "-5", "1000.5", "1000001", "$1000"]],
  ["SECURITY_CONTACT", ["me", "mailto:@x", "http://x/report", "mailto:a@b\r\nExpires: never"]],
  ["FAMILY_FILE", ["/nowhere/family.json", "/"]],
  ["LEGACY_ROUTES_FILE", ["/nowhere/routes.json", "/"]],
  ["TRUSTED_PROXY_HOPS", ["-1", "9", "x"]],
  ["LOG_LEVEL", ["loud"]],
]

for (const [name, values] of wrong) {
  test(`a wrong ${name} is refused in words that name it`, () =>
    Effect.gen(function* () {
      for (const value of values) {
        const message = (yield* refusal("dev", { [name]: value })) ?? "not refused"
        ok(message.includes(name), `${name}=${value}: ${message}`)
        ok(!message.includes("hunter2"), "a secret is never repeated")
        ok(!message.includes("SchemaError"), message)
      }
    }))
}

test("a duration that is refused is told in a spelling that is taken", () =>
  Effect.gen(function* () {
    for (const name of ["TICK", "LEASE", "HOLD", "SWEEP", "SCAN"] as const) {
      const message = (yield* refusal("dev", { [name]: "10s" })) ?? "not refused"
      const told = /such as (.+), from (.+) to (.+)$/.exec(message)?.slice(1) ?? []
      equal(told.length, 3, message)
      for (const value of told) equal(yield* refusal("dev", { [name]: value }), null, value)
    }
  }))

test("live payments name whom they pay, who brings them and where they are seen", () =>
  Effect.gen(function* () {
    const { payments, payTo, treasury, finality } = yield* settings("start", sold)
    equal([payTo, treasury, finality], [sold.PAY_TO_ADDRESS, sold.TREASURY_ADDRESS, "safe"])
    ok(payments.kind === "live" && !payments.rehearsal)
    equal(payments.facilitator, { url: "https://facilitator.example/x402", apiKey: null })
    ok(!JSON.stringify(payments).includes("hunter2"), "an address that holds a key is not shown")
    for (
      const name of [
        ...["PAY_TO_ADDRESS", "TREASURY_ADDRESS", "FACILITATOR_URL", "RPC_URL"] as const,
        ...["PUBLIC_BASE_URL", "DATABASE_URL"] as const,
      ]
    ) {
      const message = (yield* refusal("start", { ...sold, [name]: "" })) ?? "not refused"
      ok(message.includes(name), `${name}: ${message}`)
    }
    equal(yield* refusal("dev", { ...sold, DATABASE_URL: "" }), null)
    ok((yield* refusal("dev", { ...sold, PUBLIC_BASE_URL: "" }))?.includes("PUBLIC_BASE_URL"))
  }))

const wrongMoney: ReadonlyArray<readonly [Variable, ReadonlyArray<string>]> = [
  ["TREASURY_ADDRESS", ["0x12", sold.PAY_TO_ADDRESS, sold.PAY_TO_ADDRESS.replaceAll("a", "A")]],
  ["FACILITATOR_URL", ["http://facilitator.example", "facilitator", "https://x/?network=hunter2"]],
  ["RPC_URL", ["http://10.0.0.1:8545", "https://me:hunter2@rpc.example", "ws://rpc.example"]],
  ["FACILITATOR_API_KEY_ID", ["a-key-without-its-secret"]],
  ["FACILITATOR_API_KEY_SECRET", ["hunter2"]],
  ["VENUE", ["simulated"]],
]

for (const [name, values] of wrongMoney) {
  test(`live payments with a wrong ${name} are refused in words that name it`, () =>
    Effect.gen(function* () {
      for (const value of values) {
        const message = (yield* refusal("start", { ...sold, [name]: value })) ?? "not refused"
        ok(message.includes(name), `${name}=${value}: ${message}`)
        ok(!message.includes("hunter2"), "a secret is never repeated")
      }
    }))
}

test("a node of this machine may be in the clear, and rehearses on any venue", () =>
  Effect.gen(function* () {
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      const url = `http://${host}:8545`
      const env = { ...sold, VENUE: "simulated", RPC_URL: url, FACILITATOR_URL: url }
      const { payments } = yield* settings("start", env)
      ok(payments.kind === "live" && payments.rehearsal, host)
    }
  }))

test("an API key is whole, and its secret is not shown", () =>
  Effect.gen(function* () {
    const key = { FACILITATOR_API_KEY_ID: "key", FACILITATOR_API_KEY_SECRET: "hunter2" }
    const { payments } = yield* settings("start", { ...sold, ...key })
    const apiKey = payments.kind === "live" ? payments.facilitator.apiKey : null
    equal(apiKey?.id, "key")
    equal(Redacted.value(apiKey?.secret ?? Redacted.make("")), "hunter2")
    ok(!JSON.stringify(payments).includes("hunter2"))
  }))

test("play money is refunded by a treasury whose key everybody knows", () =>
  Effect.gen(function* () {
    const { treasury, treasuryKey } = yield* worker("dev", store)
    equal(privateKeyToAccount(Redacted.value(treasuryKey)).address, treasury)
    equal((yield* settings("dev", {})).treasury, treasury)
  }))

test("the worker has a store of its own login, its key and its caps", () =>
  Effect.gen(function* () {
    const own = "postgres://refund:hunter2@db.example:5432/bell"
    const env = { ...sold, TREASURY_PRIVATE_KEY: treasuryKey, REFUND_DATABASE_URL: own }
    const { databaseUrl, maxPerHour, maxPerDay, ...rest } = yield* worker("start", env)
    equal([Redacted.value(databaseUrl), maxPerHour, maxPerDay], [own, 100_000_000n, 500_000_000n])
    equal(Redacted.value(rest.treasuryKey), treasuryKey)
    ok(!JSON.stringify(rest).includes(treasuryKey))
    const refused: ReadonlyArray<readonly [Variable, string]> = [
      ["TREASURY_PRIVATE_KEY", ""],
      ["TREASURY_PRIVATE_KEY", "0xhunter2"],
      ["REFUND_MAX_PER_HOUR_USD", "0"],
      ["REFUND_MAX_PER_HOUR_USD", "501"],
      ["REFUND_MAX_PER_DAY_USD", "1e3"],
      ["LEASE", "1 day"],
    ]
    for (const [name, value] of refused) {
      const message = (yield* words(worker("start", { ...env, [name]: value }))) ?? "not refused"
      ok(message.includes(name) && !message.includes("hunter2"), message)
    }
    const storeless = { ...env, REFUND_DATABASE_URL: "", DATABASE_URL: "" }
    ok((yield* words(worker("dev", storeless)))?.includes("REFUND_DATABASE_URL"))
  }))

/** The address of a file that holds this, for as long as the scope lives. */
const fileOf = (value: unknown) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const path = await Deno.makeTempFile({ suffix: ".json" })
      await Deno.writeTextFile(path, typeof value === "string" ? value : JSON.stringify(value))
      return path
    }),
    (path) => Effect.promise(() => Deno.remove(path)),
  )

const sibling = {
  slug: "tidewatch",
  name: "Tidewatch",
  api: "https://tide.example",
  mcp: "@a/tide",
}
const routes = { "/api/movers": "/v1/pulse" }

test("the family, the legacy routes and the contact are the service's own unless told", () =>
  Effect.gen(function* () {
    const own = { slug: "bellwether", name: "Bellwether", api: "https://bell.example", mcp: null }
    const { family, legacyRoutes, contact, files } = yield* settings("dev", started)
    equal(family, { family: "bellwether", products: [own] })
    equal(legacyRoutes.get("/api/signals"), "/v1/signals")
    equal([contact, files], ["mailto:security@bell.example", []])
    for (const host of ["127.0.0.1", "[::1]", "localhost"]) {
      const { contact } = yield* settings("dev", { PUBLIC_BASE_URL: `http://${host}:8402` })
      equal(contact, "mailto:security@localhost")
    }
  }))

test("the family and the legacy routes are read from the files that are named", () =>
  Effect.gen(function* () {
    // As a sibling serves it.
    const family = { success: true, family: "Watchers", products: [sibling] }
    const [familyFile, routesFile] = [yield* fileOf(family), yield* fileOf(routes)]
    const read = yield* settings("dev", {
      FAMILY_FILE: familyFile,
      LEGACY_ROUTES_FILE: routesFile,
      SECURITY_CONTACT: "https://bell.example/report",
    })
    equal(read.family, { family: "Watchers", products: [sibling] })
    equal([...read.legacyRoutes], Object.entries(routes))
    equal(read.contact, "https://bell.example/report")
    equal(read.files, [familyFile, routesFile])
  }))

const wrongFiles: ReadonlyArray<readonly [Variable, unknown, string]> = [
  ["FAMILY_FILE", "{", "JSON"],
  ["FAMILY_FILE", " ".repeat(64 * 1_024 + 1), "65536 bytes"],
  ["FAMILY_FILE", { products: [sibling] }, "at family"],
  ["FAMILY_FILE", { family: "x", products: [] }, "at least one product"],
  ["FAMILY_FILE", { family: "x", products: Array(101).fill(sibling) }, "at most 100 products"],
  ["FAMILY_FILE", { family: "x", products: [{ ...sibling, slug: "A b" }] }, "products.0.slug"],
  ["FAMILY_FILE", { family: "x", products: [{ ...sibling, api: "ftp://x" }] }, "products.0.api"],
  ["FAMILY_FILE", { family: "x", products: [sibling, { slug: "x" }] }, "products.1.name"],
  ["FAMILY_FILE", { family: "x\ny", products: [sibling] }, "on one line"],
  ["LEGACY_ROUTES_FILE", [], "object"],
  ["LEGACY_ROUTES_FILE", { "/api/a": "https://evil.example" }, "at /api/a"],
  ["LEGACY_ROUTES_FILE", { ...routes, "/v1/a": "/v1/pulse" }, "at /v1/a"],
  ["LEGACY_ROUTES_FILE", '{"__proto__":"/v1/pulse"}', "at __proto__"],
]

test("a file that does not parse stops the start with a sentence that says where it is wrong", () =>
  Effect.gen(function* () {
    for (const [name, value, where] of wrongFiles) {
      const message = (yield* refusal("dev", { [name]: yield* fileOf(value) })) ?? "not refused"
      ok(message.startsWith(name) && message.includes(where), `${where}: ${message}`)
      ok(!message.includes("\n"), message)
    }
  }))

/** What a load asks for, with everything set that leads it on. */
const asked = (load: (get: (name: Variable) => string | undefined) => Effect.Effect<unknown>) =>
  Effect.suspend(() => {
    const names = new Set<Variable>()
    return Effect.as(load((name) => void names.add(name)), names)
  })

test("each process asks for variables of its own list only, and for every one of them", () =>
  Effect.gen(function* () {
    const union = Effect.fnUntraced(function* (
      load: (get: (name: Variable) => string | undefined) => Effect.Effect<unknown, unknown>,
      envs: ReadonlyArray<Env>,
    ) {
      const sets = yield* Effect.forEach(
        envs,
        (env) => asked((note) => Effect.ignore(load((name) => (note(name), env[name])))),
      )
      return sets.flatMap((set) => [...set])
    })
    const check = (names: ReadonlyArray<Variable>, list: ReadonlyArray<Variable>) =>
      equal([...new Set(names)].toSorted(), list.toSorted())
    const replayed = { VENUE: "replay", REPLAY_DIR: "x" }
    const key = { TREASURY_PRIVATE_KEY: treasuryKey }
    check(
      yield* union((get) => loadService("dev", get), [{}, sold, replayed]),
      variablesOf("service"),
    )
    check(
      yield* union((get) => loadWorker("dev", get), [store, { ...sold, ...key }]),
      variablesOf("worker"),
    )
    check(yield* union(loadMigration, [{}]), variablesOf("migration"))
    check(yield* union(loadBackfill, [{}, replayed]), variablesOf("backfill"))
    ok(!variablesOf("service").includes("TREASURY_PRIVATE_KEY"))
  }))
