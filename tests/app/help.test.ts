/**
 * `--help`, `--version` and `.env.example`: every setting is in them, the required ones are those that
 * a start without settings names.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Effect } from "effect"
import { startupHints } from "../../src/app/console.ts"
import { exampleEnvironment, helpOf, tasks } from "../../src/app/help.ts"
import { loadWorker } from "../../src/app/moneySettings.ts"
import { loadMigration, loadService } from "../../src/app/settings.ts"
import {
  defaultText,
  type InvalidSettings,
  type Variable,
  variables,
} from "../../src/app/variables.ts"
import { liveTest, test } from "../support/effect.ts"

const names = Object.keys(variables) as ReadonlyArray<Variable>
const root = new URL("../..", import.meta.url)

test("the help of a task has its settings, each on one line with its default", () =>
  Effect.sync(() => {
    for (const [name, { processes }] of Object.entries(tasks)) {
      const lines = helpOf(name)?.split("\n") ?? []
      const own = names.filter((name) =>
        variables[name].readBy.some((by) => processes.includes(by))
      )
      const listed = lines.flatMap((line) => /^[* ] ([A-Z_]+) {2,}\S/.exec(line)?.[1] ?? [])
      equal(listed.toSorted(), own.toSorted(), name)
      ok(lines.some((line) => line.startsWith("Example: ")), name)
    }
    match(helpOf("start") ?? "", /^\* VENUE /m)
    match(helpOf("start") ?? "", /^ {2}TICK .*\[10 minutes\]$/m)
    match(helpOf("dev") ?? "", /^ {2}TICK .*\[10 seconds\]$/m)
    ok(!helpOf("start")?.includes("TREASURY_PRIVATE_KEY"))
    equal([helpOf("refunds:list"), helpOf("toString")], [null, null])
  }))

const problemsOf = (reading: Effect.Effect<unknown, InvalidSettings>) =>
  Effect.match(reading, {
    onSuccess: (): ReadonlyArray<string> => [],
    onFailure: ({ problems }) => problems,
  })

test("the required settings are those that a start without any names", () =>
  Effect.gen(function* () {
    const none = () => undefined
    const problems = {
      start: yield* problemsOf(loadService("start", none)),
      refunds: yield* problemsOf(loadWorker(none)),
      migrate: yield* problemsOf(loadMigration(none)),
      dev: yield* problemsOf(loadService("dev", none)),
    }
    for (const [task, sentences] of Object.entries(problems)) {
      const required = tasks[task]?.required ?? []
      equal(sentences.length, required.length, sentences.join("\n"))
      for (const name of required) {
        ok(sentences.some((sentence) => sentence.includes(name)), `${task}: ${name}`)
      }
    }
  }))

test("a default is a valid value of its setting", () =>
  Effect.sync(() => {
    for (const name of names) {
      const value = defaultText(name, "start")
      ok(value === null || variables[name].kind.parse(value) !== null, name)
    }
  }))

test(".env.example has every setting, and is that of deno task generate", () =>
  Effect.gen(function* () {
    const text = yield* Effect.promise(() => Deno.readTextFile(new URL(".env.example", root)))
    equal(text, exampleEnvironment())
    for (const name of names) equal(text.match(new RegExp(`^#?${name}=`, "gm"))?.length, 1, name)
  }))

test("a start says on which sockets it listens, and that refunds need a worker", () =>
  Effect.gen(function* () {
    const env: Partial<Record<Variable, string>> = {
      ...{ VENUE: "polymarket", PUBLIC_BASE_URL: "https://bell.example" },
      ...{ PAYMENTS: "simulated", HOST: "::" },
    }
    const hints = startupHints(yield* loadService("start", (name) => env[name]), [])
    match(hints, /listening http:\/\/\[::\]:8402, for buyers https:\/\/bell\.example /)
    match(hints, /admin http:\/\/127\.0\.0\.1:8403/)
    match(hints, /deno task refunds/)
    const dev = startupHints(yield* loadService("dev", () => undefined), [])
    match(dev, /listening http:\/\/127\.0\.0\.1:8402 {3}admin/)
    ok(!dev.includes("deno task refunds"))
  }))

/** Runs the launcher without any setting of the product. */
const launched = (...args: ReadonlyArray<string>) => launchedWith({}, ...args)
const launchedWith = (env: Record<string, string>, ...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const output = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "-A", "src/launch.ts", ...args],
      cwd: root,
      env: { VENUE: "", DATABASE_URL: "", COMMIT: "0123456789abcdef", NO_COLOR: "1", ...env },
      stdin: "null",
    }).output()
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
    return { code: output.code, stdout: text(output.stdout), stderr: text(output.stderr) }
  })

liveTest(
  "the launcher answers --version and --help, and a check ends with its code",
  () =>
    Effect.gen(function* () {
      const version = yield* launched("start", "--version")
      equal([version.code, version.stdout], [0, "Bellwether 1.0.0, commit 0123456789ab\n"])
      const help = yield* launched("migrate", "--help")
      equal(help.code, 0)
      match(
        help.stdout,
        /^Bellwether 1\.0\.0.*\n\nDESCRIPTION\n {2}deno task migrate\n[^]*DATABASE_URL/,
      )
      const check = yield* launched("check")
      equal(check.code, 1)
      match(check.stdout, /fail {2}settings {2}Cannot start without VENUE[^]*0 ok, 0 warn, 8 fail/)
      for (const wrong of [["check", "--json"], ["migrate", "x"], ["start", "--x"]]) {
        equal((yield* launched(...wrong)).code, 2)
      }
      const restore = yield* launched("restore", "--help")
      equal(restore.code, 0)
      match(restore.stdout, /USAGE\n {2}deno task restore/)
      const start = yield* launched("start")
      equal(start.code, 1)
      match(start.stderr, /^8 settings are missing or wrong:\n {2}/)
      ok(!/^\s+at /m.test(start.stderr), start.stderr)
      for (const removed of ["REFUND_DATABASE_URL", "MIGRATION_DATABASE_URL", "LIMITS"]) {
        const env = { [removed]: "postgres://a@127.0.0.1/a" }
        const { code, stderr } = yield* launchedWith(env, "migrate")
        equal(code, 1)
        match(stderr, new RegExp(`^${removed} is not read any more: [^\\n]*\\n$`))
      }
    }),
)
