/**
 * The stdio server as a program: what it prints where, how it ends, and what a wrong setting does.
 *
 * @module
 */
import { deepStrictEqual as equal, doesNotMatch, match, ok, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import manifest from "../../../packages/mcp/package.json" with { type: "json" }
import { variables } from "../../../packages/mcp/src/settings.ts"
import { liveTest } from "../../support/effect.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { temporaryFolder } from "../../support/process.ts"
import { buyer, buyerKey } from "../../support/payments/buyers.ts"
import { market } from "../../support/payments/sales.ts"
import { openShop, spentBy } from "../../support/packages/shop.ts"
import { fromSources, type ServerCommand } from "../../support/packages/stdio.ts"

const root = new URL("../../..", import.meta.url)
const folder = "/nonexistent"

/** Starts the server with its streams. */
const start = ({ command, args, env }: ServerCommand, more: ReadonlyArray<string> = []) =>
  new Deno.Command(command, {
    args: [...args, ...more],
    ...{ env: { ...env }, clearEnv: true, cwd: root },
    ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
  }).spawn()

/** Runs the server with this standard input; returns its exit code and what it printed. */
const run = (command: ServerCommand, input = "", more: ReadonlyArray<string> = []) =>
  Effect.promise(async () => {
    const child = start(command, more)
    await new Blob([input]).stream().pipeTo(child.stdin)
    const { code, stdout, stderr } = await child.output()
    const text = new TextDecoder()
    return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) }
  })

liveTest(
  "the server ends with code 0 when its standard input ends, before any message too",
  function* () {
    const ended = yield* run(fromSources(folder, {}))
    equal([ended.code, ended.stdout], [0, ""])
  },
)

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  liveTest(`the server ends with code 0 at ${signal}`, () =>
    Effect.promise(async () => {
      const child = start(fromSources(folder, {}))
      const writer = child.stdin.getWriter()
      await writer.write(new TextEncoder().encode(`${message("ping", {})}\n`))
      const reader = child.stdout.getReader()
      match(new TextDecoder().decode((await reader.read()).value), /"result"/)
      reader.releaseLock()
      child.kill(signal)
      const { code } = await child.output()
      strictEqual(code, 0)
      await writer.close().catch(() => {})
    }))
}

const message = (method: string, params: object) =>
  JSON.stringify({ jsonrpc: "2.0", id: method, method, params })

liveTest(
  "standard output has messages of the protocol only, and no stream has the key",
  function* () {
    const base = yield* openShop()
    const key = buyerKey(0x5eed)
    const command = fromSources(
      yield* Effect.acquireRelease(
        Effect.promise(() => Deno.makeTempDir()),
        (path) => Effect.promise(() => Deno.remove(path, { recursive: true })),
      ),
      { BASE_URL: base, BUYER_PRIVATE_KEY: key },
    )
    const messages = [
      message("tools/list", {}),
      message("tools/call", { name: "get_budget", arguments: {} }),
      message("tools/call", { name: "get_latest", arguments: {} }),
      message("tools/call", { name: "get_rich", arguments: {} }),
      message("no/method", {}),
      "not JSON",
      "[]",
    ]
    const { lines, code, stderr } = yield* Effect.promise(async () => {
      const child = start(command)
      const writer = child.stdin.getWriter()
      await writer.write(new TextEncoder().encode(`${messages.join("\n")}\n`))
      const lines: Array<string> = []
      let rest = ""
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
        const parts = (rest + text).split("\n")
        rest = parts.pop() ?? ""
        lines.push(...parts)
        if (lines.length === 5) await writer.close().catch(() => {})
      }
      const stderr = await new Response(child.stderr).text()
      return { lines, code: (await child.status).code, stderr }
    })
    strictEqual(code, 0)
    equal(lines.map((line) => JSON.parse(line).jsonrpc), Array(5).fill("2.0"))
    match(lines.join("\n"), /There is no tool with this name.*Nothing was paid/)
    for (const text of [stderr, ...lines]) doesNotMatch(text, new RegExp(key.slice(-40)))
  },
  market(),
)

liveTest("wrong settings are one sentence on standard error, and code 1", function* () {
  const key = "5eed".repeat(17)
  for (
    const [env, args] of [
      [{ BASE_URL: "elsewhere" }, []],
      [{ BUYER_PRIVATE_KEY: key }, []],
      [{ BUYER_PRIVATE_KEY: "0".repeat(64) }, []],
      [{}, ["--port"]],
      [{}, ["get_latets"]],
    ] as const
  ) {
    const { code, stdout, stderr } = yield* run(fromSources(folder, env), "", args)
    equal([code, stdout], [1, ""])
    match(stderr, /^bellwether-mcp: [^\n]+\n$/)
    ok(!stderr.includes("5eed") && !stderr.includes("0000"))
  }
})

liveTest(
  "with the name of a tool the program calls it once, and pays as the server does",
  function* () {
    const base = yield* openShop()
    const path = yield* temporaryFolder
    const call = (...args: ReadonlyArray<string>) =>
      run(fromSources(path, { BASE_URL: base, BUYER_PRIVATE_KEY: buyerKey(0) }), "", args)
    const bought = yield* call("get_signals", "count=1", "type=mover")
    equal([bought.code, JSON.parse(bought.stdout).count], [0, 1])
    match(bought.stderr, /Paid \$0\.03 for get_signals/)
    const free = yield* call("get_index")
    equal([free.code, JSON.parse(free.stdout).success], [0, true])
    const budget = yield* call("get_budget")
    equal(JSON.parse(budget.stdout).unclear, [])
    for (const wrong of ["sinse=5", "since", "since=x"]) {
      const { code, stdout, stderr } = yield* call("get_signals", wrong)
      equal([code, stdout], [1, ""])
      match(stderr, /Nothing was charged: .*since/)
    }
    strictEqual(yield* spentBy(buyer(0).address), products.signals.price as bigint)
  },
  market(),
)

liveTest("--help names every setting, --version the version of the package", function* () {
  const help = yield* run(fromSources(folder, {}), "", ["--help"])
  for (const name of Object.keys(variables)) ok(help.stdout.includes(`  ${name} `), name)
  const version = yield* run(fromSources(folder, {}), "", ["--version"])
  equal([help.code, version.code, version.stdout], [0, 0, `${manifest.version}\n`])
})
