/**
 * Settings that are wrong stop the start with a sentence that names the variable and keeps secrets.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect } from "effect"
import { load, type Mode, type Variable, variables } from "../src/settings.ts"
import { test } from "./support/effect.ts"

type Env = Partial<Record<Variable, string>>

const settings = (mode: Mode, env: Env) => load(mode, (name) => env[name])

const started = { VENUE: "polymarket", PUBLIC_BASE_URL: "https://bell.example" } as const
const playing = { ...started, PAYMENTS: "simulated", ALLOW_SIMULATED_PAYMENTS: "1" } as const

/** What a start is refused with; null when it is not. */
const refusal = (mode: Mode, env: Env) =>
  Effect.match(settings(mode, env), {
    onSuccess: () => null,
    onFailure: ({ message }) => message,
  })

test("dev needs no variable", () =>
  Effect.gen(function* () {
    const { venue, payments, database, tick } = yield* settings("dev", {})
    equal(venue, { kind: "simulated", seed: 1 })
    equal(payments, { kind: "simulated" })
    equal(database, { kind: "embedded", dir: ".data/simulated-1" })
    equal(Duration.toMillis(tick), 10_000)
  }))

test("dev keeps each world in a folder of its own", () =>
  Effect.gen(function* () {
    const { database } = yield* settings("dev", { SIMULATION_SEED: "7" })
    equal(database, { kind: "embedded", dir: ".data/simulated-7" })
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
  ["PAYMENTS", ["maybe", "live"]],
  ["PAY_TO_ADDRESS", ["0x12", "me"]],
  ["FREE_LIMIT", ["5", "0/60s", "5/0s", "1001/60s", "none"]],
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

test("the tasks may read exactly the variables that are settings", () =>
  Effect.sync(() => {
    const { tasks } = JSON.parse(Deno.readTextFileSync(new URL("../deno.json", import.meta.url)))
    for (const task of ["dev", "start"]) {
      const allowed = /--allow-env=(\S+)/.exec(tasks[task].command)?.[1]?.split(",")
      equal(allowed?.toSorted(), Object.keys(variables).toSorted())
    }
  }))
