/**
 * Settings: defaults of both modes, and error messages that name the variable and contain no
 * secret.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Duration, Effect, Redacted } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { serviceBanner } from "../../src/app/console.ts"
import { loadWorker, simulatedTreasury } from "../../src/app/moneySettings.ts"
import { loadMigration, loadRestore, loadService } from "../../src/app/settings.ts"
import { type Mode, notListening, type Variable, variablesOf } from "../../src/app/variables.ts"
import { CannotListen } from "../../src/core/listening.ts"
import { networks } from "../../src/payments/domain/x402/terms.ts"
import { test } from "../support/effect.ts"

type Env = Partial<Record<Variable, string>>

const settings = (mode: Mode, env: Env) => loadService(mode, (name) => env[name])

const started = { VENUE: "polymarket", PUBLIC_BASE_URL: "https://bell.example" } as const
const playing = { ...started, PAYMENTS: "simulated" } as const

const worker = (env: Env) => loadWorker((name) => env[name])

const messageOf = Effect.match({
  onSuccess: () => null,
  onFailure: ({ message }: { readonly message: string }) => message,
})

/** The message of invalid settings; null when they are valid. */
const errorOf = (mode: Mode, env: Env) => messageOf(settings(mode, env))

const store = { DATABASE_URL: "postgres://service:hunter2@db.example:5432/bell" } as const
const sold = {
  ...started,
  ...store,
  PAYMENTS: "live",
  PAY_TO_ADDRESS: `0x${"a1".repeat(20)}`,
  TREASURY_ADDRESS: `0x${"b2".repeat(20)}`,
  SIGNING_PRIVATE_KEY: `0x${"d4".repeat(32)}`,
  FACILITATOR_URL: "https://facilitator.example/x402/",
  RPC_URL: "https://rpc.example/v2/hunter2",
} as const
const treasuryKey = `0x${"c3".repeat(32)}`

test("loadService() in dev needs no variable", () =>
  Effect.gen(function* () {
    const { venue, payments, database, tick } = yield* settings("dev", {})
    equal(venue, "simulated")
    equal(payments, { kind: "simulated" })
    equal(database, { kind: "embedded", dir: ".data/simulated" })
    equal(Duration.toMillis(tick), 10_000)
  }))

test("loadService() in start requires a venue, an origin, and takes no simulated payments unasked", () =>
  Effect.gen(function* () {
    ok((yield* errorOf("start", {}))?.includes("VENUE"))
    ok((yield* errorOf("start", started))?.includes("PAYMENTS"))
    const unnamed = { ...playing, PUBLIC_BASE_URL: "" }
    ok((yield* errorOf("start", unnamed))?.includes("PUBLIC_BASE_URL"))
    equal(yield* errorOf("start", playing), null)
  }))

test("one start names every missing and wrong setting, each once", () =>
  Effect.gen(function* () {
    const message = (yield* errorOf("start", { TICK: "soon", HOST: "a b" })) ?? "accepted"
    const [head = "", ...problems] = message.split("\n")
    ok(head.startsWith("10 settings are missing or wrong"), message)
    const names = [
      ...["VENUE", "RPC_URL", "FACILITATOR_URL", "PAY_TO_ADDRESS", "TREASURY_ADDRESS"],
      ...["DATABASE_URL", "PUBLIC_BASE_URL", "HOST", "TICK", "SIGNING_PRIVATE_KEY"],
    ]
    equal(problems.length, names.length)
    for (const name of names) {
      equal(problems.filter((problem) => problem.includes(` ${name}`)).length, 1, name)
    }
    const ofWorker = (yield* messageOf(worker({}))) ?? "accepted"
    for (const name of ["DATABASE_URL", "RPC_URL", "TREASURY_PRIVATE_KEY"]) {
      ok(ofWorker.includes(name), `${name}: ${ofWorker}`)
    }
    const file = { FAMILY_FILE: "/nowhere/a.json" }
    const ofFiles = (yield* errorOf("dev", { ...file, VENUE: "kalshi" })) ?? "accepted"
    for (const name of ["FAMILY_FILE", "VENUE"]) {
      ok(ofFiles.includes(name), `${name}: ${ofFiles}`)
    }
  }))

test("loadService() binds the admin port to loopback, in start too", () =>
  Effect.gen(function* () {
    const { host, adminHost } = yield* settings("start", playing)
    equal([host, adminHost], ["0.0.0.0", "127.0.0.1"])
    equal((yield* settings("start", { ...playing, ADMIN_HOST: "::" })).adminHost, "::")
  }))

test("the admin ports follow PORT, so that two services on a machine do not collide", () =>
  Effect.gen(function* () {
    const portsOf = (env: Env) =>
      Effect.gen(function* () {
        const { port, adminPort } = yield* settings("dev", env)
        const refunds = yield* worker({ ...env, ...store, PAYMENTS: "simulated" })
        return [port, adminPort, refunds.adminPort]
      })
    equal(yield* portsOf({}), [8402, 8403, 8404])
    equal(yield* portsOf({ PORT: "9402" }), [9402, 9403, 9404])
    equal(yield* portsOf({ PORT: "1", ADMIN_PORT: "9", REFUND_ADMIN_PORT: "7" }), [1, 9, 7])
    match((yield* errorOf("dev", { PORT: "65535" })) ?? "", /^PORT must be [^]*set ADMIN_PORT/)
    const last = { ...store, PAYMENTS: "simulated", PORT: "65534" } as const
    match((yield* messageOf(worker(last))) ?? "", /^PORT must be [^]*set REFUND_ADMIN_PORT/)
  }))

test("a port in use is named with the variable that sets it", () =>
  Effect.sync(() => {
    const at = { hostname: "127.0.0.1", port: 9 }
    for (
      const [host, port] of [
        ["HOST", "PORT"],
        ["ADMIN_HOST", "ADMIN_PORT"],
        ["ADMIN_HOST", "REFUND_ADMIN_PORT"],
      ] as const
    ) {
      const because = (reason: string) =>
        notListening(host, port)(new CannotListen({ ...at, reason })).message
      const where = "Cannot listen on 127.0.0.1:9: "
      equal(
        because("AddrInUse"),
        `${where}the port is in use. Stop what uses it, or set ${port} to another`,
      )
      equal(because("PermissionDenied"), `${where}set ${port} to one over 1023`)
      equal(because("AddrNotAvailable"), `${where}${host} must be an address of this machine`)
    }
  }))

const wrong: ReadonlyArray<readonly [Variable, ReadonlyArray<string>]> = [
  ["PORT", ["abc", "-1", "0", "65536", "80.5"]],
  ["ADMIN_PORT", ["x", "8402"]],
  ["ADMIN_HOST", ["a b", "/"]],
  ["TICK", ["banana", "0 seconds", "2 hours"]],
  ["DATABASE_URL", ["nonsense", "mysql://u:hunter2@h/db", "postgres://u:hunter2@h:port/db"]],
  ["VENUE", ["kalshi"]],
  ["PUBLIC_BASE_URL", ["localhost:8402", "ftp://x", "https://x/base/", "https://x/?a=b"]],
  ["PAYMENTS", ["maybe", "live"]],
  ["PAY_TO_ADDRESS", ["0x12", "me", simulatedTreasury, simulatedTreasury.toLowerCase()]],
  ["LEASE", ["0 seconds", "1 hour", "soon"]],
  ["HOLD", ["0 seconds", "2 days"]],
  ["SWEEP", ["10 millis", "1 hour"]],
  ["SCAN", ["0 seconds", "2 hours"]],
  ["FINALITY", ["latest", "0", "-1", "1.5", "1001"]],
  ["FREE_LIMIT", ["5", "0/60s", "5/0s", "1001/60s", "none"]],
  ["SECURITY_CONTACT", ["me", "mailto:@x", "http://x/report", "mailto:a@b\r\nExpires: never"]],
  ["FAMILY_FILE", ["/nowhere/family.json", "/"]],
  ["TRUSTED_PROXY_HOPS", ["-1", "9", "x"]],
  ["LOG_LEVEL", ["loud"]],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", [
    "collector:4318",
    "grpc://x",
    "http://u:hunter2@x",
    "http://x/?a",
  ]],
  ["OTEL_EXPORTER_OTLP_HEADERS", ["hunter2", "a=b\r\nc: d", "a b=c", "a=%zz", "a="]],
]

for (const [name, values] of wrong) {
  test(`an invalid ${name} gives a message that names it`, () =>
    Effect.gen(function* () {
      for (const value of values) {
        const message = (yield* errorOf("dev", { [name]: value })) ?? "accepted"
        ok(message.includes(name), `${name}=${value}: ${message}`)
        ok(!message.includes("hunter2"), "a secret is never repeated")
        ok(!message.includes("SchemaError"), message)
      }
    }))
}

test("the budgets of a client are settings, each with its default", function* () {
  const given = {
    FREE_LIMIT: "1000/1s",
    DOCUMENT_LIMIT: "7/60s",
    PAGE_LIMIT: "8/60s",
    INVALID_PAYMENT_LIMIT: "off",
  }
  const perMinute = (limit: number) => ({ limit, windowMs: 60_000 })
  equal([(yield* settings("start", playing)).limits, (yield* settings("dev", given)).limits], [
    {
      free: perMinute(5),
      documents: perMinute(120),
      pages: perMinute(120),
      invalidPayments: perMinute(30),
    },
    {
      free: { limit: 1_000, windowMs: 1_000 },
      documents: perMinute(7),
      pages: perMinute(8),
      invalidPayments: "off",
    },
  ])
})

test("loadService() sends traces to the collector's path, and its headers not in plain text", () =>
  Effect.gen(function* () {
    const near = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }
    const far = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.example/tenant/" }
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: "x-key=hunter2, authorization=Bearer%20a" }
    const collector = (env: Partial<Record<Variable, string>>) =>
      Effect.map(settings("dev", env), ({ collector }) => collector)
    equal(yield* collector({}), null)
    equal((yield* collector(near))?.url, "http://127.0.0.1:4318/v1/traces")
    const secured = yield* collector({ ...far, ...headers })
    equal(secured?.url, "https://otel.example/tenant/v1/traces")
    equal(secured === null ? null : Redacted.value(secured.headers), {
      "x-key": "hunter2",
      authorization: "Bearer a",
    })
    ok(!JSON.stringify(secured).includes("hunter2"))
    const private_ = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" }
    equal(yield* errorOf("dev", private_), null)
    ok((yield* errorOf("dev", { ...private_, ...headers }))?.includes("plain text"))
    ok((yield* errorOf("dev", headers))?.includes("set both"))
  }))

test("the message for an invalid duration shows valid durations", () =>
  Effect.gen(function* () {
    for (const name of ["TICK", "LEASE", "HOLD", "SWEEP", "SCAN"] as const) {
      const message = (yield* errorOf("dev", { [name]: "10s" })) ?? "accepted"
      const shown = /such as (.+), from (.+) to (.+)$/.exec(message)?.slice(1) ?? []
      equal(shown.length, 3, message)
      for (const value of shown) equal(yield* errorOf("dev", { [name]: value }), null, value)
    }
  }))

test("live payments need an address, a treasury, a facilitator and an RPC endpoint", () =>
  Effect.gen(function* () {
    const { payments, payTo, treasury, finality } = yield* settings("start", sold)
    equal([payTo, treasury, finality], [sold.PAY_TO_ADDRESS, sold.TREASURY_ADDRESS, "safe"])
    ok(payments.kind === "live" && !payments.rehearsal)
    equal(payments.facilitator, { urls: ["https://facilitator.example/x402"], apiKey: null })
    ok(
      !JSON.stringify(payments).includes("hunter2"),
      "an address that contains a key is not printed",
    )
    for (
      const name of [
        ...["PAY_TO_ADDRESS", "TREASURY_ADDRESS", "FACILITATOR_URL", "RPC_URL"] as const,
        ...["PUBLIC_BASE_URL", "DATABASE_URL", "SIGNING_PRIVATE_KEY"] as const,
      ]
    ) {
      const message = (yield* errorOf("start", { ...sold, [name]: "" })) ?? "accepted"
      ok(message.includes(name), `${name}: ${message}`)
    }
    ok((yield* errorOf("dev", { ...sold, DATABASE_URL: "" }))?.includes("DATABASE_URL"))
    ok((yield* errorOf("dev", { ...sold, PUBLIC_BASE_URL: "" }))?.includes("PUBLIC_BASE_URL"))
  }))

const wrongMoney: ReadonlyArray<readonly [Variable, ReadonlyArray<string>]> = [
  ["TREASURY_ADDRESS", ["0x12", sold.PAY_TO_ADDRESS, sold.PAY_TO_ADDRESS.replaceAll("a", "A")]],
  ["FACILITATOR_URL", ["http://facilitator.example", "facilitator", "https://x/?network=hunter2"]],
  ["FACILITATOR_URL", ["https://a.example,https://b.example/?key=hunter2", "https://a.example,"]],
  ["RPC_URL", ["http://10.0.0.1:8545", "https://me:hunter2@rpc.example", "ws://rpc.example"]],
  // Two keys at one host are one endpoint; the fifth is over the limit.
  ["RPC_URL", ["https://rpc.example/hunter2,https://rpc.example/other", "https://a.example,no"]],
  ["RPC_URL", [["a", "b", "c", "d", "e"].map((name) => `https://${name}.example`).join()]],
  ["FACILITATOR_API_KEY_ID", ["a-key-without-its-secret"]],
  ["FACILITATOR_API_KEY_SECRET", ["hunter2"]],
  ["VENUE", ["simulated"]],
]

for (const [name, values] of wrongMoney) {
  test(`live payments with an invalid ${name} (${values.length}) give a message that names it`, () =>
    Effect.gen(function* () {
      for (const value of values) {
        const message = (yield* errorOf("start", { ...sold, [name]: value })) ?? "accepted"
        ok(message.includes(name), `${name}=${value}: ${message}`)
        ok(!message.includes("hunter2"), "a secret is never repeated")
      }
    }))
}

test("a node on this machine may use plain http, and allows a rehearsal on any venue", () =>
  Effect.gen(function* () {
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      const url = `http://${host}:8545`
      const env = { ...sold, VENUE: "simulated", RPC_URL: url, FACILITATOR_URL: url }
      const { payments } = yield* settings("start", env)
      ok(payments.kind === "live" && payments.rehearsal, host)
    }
  }))

test("a test network is a rehearsal on any venue, and is named as what it is", () =>
  Effect.gen(function* () {
    const env = { ...sold, NETWORK: "base-sepolia", VENUE: "simulated", SIGNING_PRIVATE_KEY: "" }
    const rehearsed = yield* settings("start", env)
    equal(rehearsed.network, networks[84532])
    match(serviceBanner(rehearsed), /live: a REHEARSAL on Base Sepolia, a test network, through/)
    match(serviceBanner(yield* settings("start", sold)), /live: real USDC on Base, through/)
    const simulated = { NETWORK: "base-sepolia", PAYMENTS: "simulated" }
    match((yield* errorOf("dev", simulated)) ?? "", /NETWORK=base-sepolia needs PAYMENTS=live/)
    match((yield* errorOf("start", { ...sold, NETWORK: "sepolia" })) ?? "", /base or base-sepolia/)
  }))

test("several endpoints and facilitators are read in their order, and one local node is no rehearsal", () =>
  Effect.gen(function* () {
    const { payments } = yield* settings("start", {
      ...sold,
      RPC_URL: "https://rpc.example/v2/hunter2, http://127.0.0.1:8545",
      FACILITATOR_URL: "https://facilitator.example/x402/,https://other.example",
    })
    ok(payments.kind === "live" && !payments.rehearsal)
    equal(payments.facilitator.urls, [
      ...["https://facilitator.example/x402", "https://other.example"],
    ])
    equal(Redacted.value(payments.rpcUrls), [
      ...["https://rpc.example/v2/hunter2", "http://127.0.0.1:8545"],
    ])
    ok(!JSON.stringify(payments).includes("hunter2"))
  }))

test("an API key has an id and a secret, and the secret is not printed", () =>
  Effect.gen(function* () {
    const key = { FACILITATOR_API_KEY_ID: "key", FACILITATOR_API_KEY_SECRET: "hunter2" }
    const { payments } = yield* settings("start", { ...sold, ...key })
    const apiKey = payments.kind === "live" ? payments.facilitator.apiKey : null
    equal(apiKey?.id, "key")
    equal(Redacted.value(apiKey?.secret ?? Redacted.make("")), "hunter2")
    ok(!JSON.stringify(payments).includes("hunter2"))
  }))

test("simulated payments are refunded by a treasury with a public key pair", () =>
  Effect.gen(function* () {
    const { treasury, treasuryKey } = yield* worker({ ...store, ...playing })
    equal(privateKeyToAccount(Redacted.value(treasuryKey)).address, treasury)
    equal((yield* settings("dev", {})).treasury, treasury)
  }))

test("loadWorker() reads the worker's login, the treasury's key and the caps", () =>
  Effect.gen(function* () {
    const own = "postgres://refund:hunter2@db.example:5432/bell"
    const env = { ...sold, TREASURY_PRIVATE_KEY: treasuryKey, DATABASE_URL: own }
    const { databaseUrl, ...loaded } = yield* worker(env)
    const { maxPerHour, maxPerDay, maxUnmatchedPerDay, unmatchedRefundMin, ...rest } = loaded
    equal(unmatchedRefundMin, 10_000n)
    const dust = { ...env, UNMATCHED_REFUND_MIN_USD: "0.25" }
    equal((yield* worker(dust)).unmatchedRefundMin, 250_000n)
    equal((yield* settings("start", { ...sold, ...dust })).unmatchedRefundMin, 250_000n)
    equal(Redacted.value(databaseUrl), own)
    equal([maxPerHour, maxPerDay, maxUnmatchedPerDay], [100_000_000n, 500_000_000n, 10_000_000n])
    equal(Redacted.value(rest.treasuryKey), treasuryKey)
    ok(!JSON.stringify(rest).includes(treasuryKey))
    const invalid: ReadonlyArray<readonly [Variable, string]> = [
      ["TREASURY_PRIVATE_KEY", ""],
      ["TREASURY_PRIVATE_KEY", "0xhunter2"],
      ["REFUND_MAX_PER_HOUR_USD", "0"],
      ["REFUND_MAX_PER_HOUR_USD", "501"],
      ["REFUND_MAX_PER_DAY_USD", "1e3"],
      ["UNMATCHED_REFUND_MAX_PER_DAY_USD", "0"],
      ["UNMATCHED_REFUND_MIN_USD", "-1"],
      ["LEASE", "1 day"],
    ]
    for (const [name, value] of invalid) {
      const message = (yield* messageOf(worker({ ...env, [name]: value }))) ?? "accepted"
      ok(message.includes(name) && !message.includes("hunter2"), message)
    }
    ok((yield* messageOf(worker({ ...env, DATABASE_URL: "" })))?.includes("DATABASE_URL"))
  }))

/** The path of a file with this content; the file is removed when the scope closes. */
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

test("the family and the contact have defaults", () =>
  Effect.gen(function* () {
    const own = {
      slug: "bellwether",
      name: "Bellwether",
      api: "https://bell.example",
      mcp: null,
    }
    const { family, contact, files } = yield* settings("dev", started)
    equal(family, { family: "bellwether", products: [own] })
    equal([contact, files], ["mailto:security@bell.example", []])
    for (const host of ["127.0.0.1", "[::1]", "localhost"]) {
      const { contact } = yield* settings("dev", { PUBLIC_BASE_URL: `http://${host}:8402` })
      equal(contact, "mailto:security@localhost")
    }
  }))

test("packages are named by the owner's scope only when it is set", () =>
  Effect.gen(function* () {
    const published = { ...started, PACKAGE_SCOPE: "@owner" }
    const { family, packageScope } = yield* settings("dev", published)
    equal([family.products[0]?.mcp, packageScope], ["@owner/bellwether-mcp", "@owner"])
    equal((yield* settings("dev", started)).packageScope, null)
    const bare = settings("dev", { ...published, PACKAGE_SCOPE: "owner" })
    match((yield* Effect.flip(bare)).message, /PACKAGE_SCOPE must be a scope of npm such as @owner/)
  }))

test("the family is read from the named file", () =>
  Effect.gen(function* () {
    // As a sibling serves it.
    const family = { success: true, family: "Watchers", products: [sibling] }
    const familyFile = yield* fileOf(family)
    const read = yield* settings("dev", {
      FAMILY_FILE: familyFile,
      SECURITY_CONTACT: "https://bell.example/report",
    })
    equal(read.family, { family: "Watchers", products: [sibling] })
    equal(read.contact, "https://bell.example/report")
    equal(read.files, [familyFile])
  }))

const wrongFiles: ReadonlyArray<readonly [Variable, unknown, string]> = [
  ["FAMILY_FILE", "{", "JSON"],
  ["FAMILY_FILE", { products: [sibling] }, "at family"],
  ["FAMILY_FILE", { family: "x", products: [] }, "at least one product"],
  ["FAMILY_FILE", { family: "x", products: Array(101).fill(sibling) }, "at most 100 products"],
  ["FAMILY_FILE", { family: "x", products: [{ ...sibling, slug: "A b" }] }, "products.0.slug"],
  ["FAMILY_FILE", { family: "x", products: [{ ...sibling, api: "ftp://x" }] }, "products.0.api"],
  ["FAMILY_FILE", { family: "x", products: [sibling, { slug: "x" }] }, "products.1.name"],
  ["FAMILY_FILE", { family: "x\ny", products: [sibling] }, "on one line"],
]

test("an invalid settings file gives a message that names the invalid field", () =>
  Effect.gen(function* () {
    for (const [name, value, where] of wrongFiles) {
      const message = (yield* errorOf("dev", { [name]: yield* fileOf(value) })) ?? "accepted"
      ok(message.startsWith(name) && message.includes(where), `${where}: ${message}`)
      ok(!message.includes("\n"), message)
    }
  }))

/** The variables that `load` reads. */
const variablesRead = (
  load: (get: (name: Variable) => string | undefined) => Effect.Effect<unknown>,
) =>
  Effect.suspend(() => {
    const names = new Set<Variable>()
    return Effect.as(load((name) => void names.add(name)), names)
  })

test("each process reads exactly the variables of its list", () =>
  Effect.gen(function* () {
    const union = Effect.fnUntraced(function* (
      load: (get: (name: Variable) => string | undefined) => Effect.Effect<unknown, unknown>,
      envs: ReadonlyArray<Env>,
    ) {
      const sets = yield* Effect.forEach(
        envs,
        (env) => variablesRead((note) => Effect.ignore(load((name) => (note(name), env[name])))),
      )
      return sets.flatMap((set) => [...set])
    })
    const check = (names: ReadonlyArray<Variable>, list: ReadonlyArray<Variable>) =>
      equal([...new Set(names)].toSorted(), list.toSorted())
    const key = { TREASURY_PRIVATE_KEY: treasuryKey }
    check(
      yield* union((get) => loadService("dev", get), [{}, sold]),
      variablesOf("service"),
    )
    check(
      yield* union((get) => loadWorker(get), [{ ...store, ...playing }, { ...sold, ...key }]),
      variablesOf("worker"),
    )
    check(
      yield* union((get) => loadRestore(true, get), [store, { ...store, ...sold }]),
      variablesOf("restore"),
    )
    check(yield* union(loadMigration, [{}]), variablesOf("migration"))
    ok(!variablesOf("service").includes("TREASURY_PRIVATE_KEY"))
  }))
