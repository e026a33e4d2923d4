/**
 * The threat model's table of permissions is the one that the code gives.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import config from "../../deno.json" with { type: "json" }
import { test } from "../support/effect.ts"
import { packagesOfEntry } from "../support/locks.ts"
import { threatModel, withPermissions } from "../support/permissionsTable.ts"

test("docs/threat-model.md has the permissions of today; else run `deno task generate`", () =>
  Effect.gen(function* () {
    const text = yield* Effect.promise(() => Deno.readTextFile(threatModel))
    // Not equal(): the difference of two documents is longer than a terminal.
    ok(text === (yield* withPermissions(text)))
    const readersOf = (name: string) =>
      text.split("\n").filter((line) => line.startsWith("| `") && line.includes(` \`${name}\``))
        .map((line) => line.split("`")[1])
    equal(readersOf("TREASURY_PRIVATE_KEY"), ["refunds", "src/launch.ts"])
    equal(readersOf("SIGNING_PRIVATE_KEY"), ["start", "check", "src/launch.ts"])
    equal(readersOf("OPENAI_API_KEY"), ["start", "check", "src/launch.ts"])
    equal(readersOf("OTEL_EXPORTER_OTLP_HEADERS"), ["start", "check", "src/launch.ts"])
  }))

test("every task of the table starts the launcher with the same flags", () =>
  Effect.sync(() => {
    const flags = Object.values(config.tasks).flatMap((task) =>
      /deno run (.*) src\/launch\.ts/.exec(typeof task === "string" ? task : task.command)?.[1] ??
        []
    )
    ok(flags.length >= 9, flags.join("\n"))
    equal(new Set(flags).size, 1, flags.join("\n"))
  }))

test("the launcher imports nothing, and its plan effect, and types of openai", () =>
  Effect.gen(function* () {
    const launcher = yield* Effect.promise(() => Deno.readTextFile("src/launch.ts"))
    ok(!/^import |\bimport\(/m.test(launcher))
    const packages = yield* Effect.promise(() => packagesOfEntry("src/plan.ts", "deno.lock"))
    equal([...packages.values()].map(({ name }) => name).sort(), ["effect", "openai", "ws"])
  }))
