/**
 * The packed stdio server in the hosts that people use: installed in an empty folder, started by npx
 * and by Deno, as each line of its README says, and by stock hosts.
 *
 * @module
 */
import { deepStrictEqual as equal, match, strictEqual } from "node:assert/strict"
import { Effect, type Scope } from "effect"
import { tools } from "../../../packages/mcp/src/tools.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { liveTest } from "../../support/effect.ts"
import type { ClientKind } from "../../support/http/mcp.ts"
import { buyer, buyerKey } from "../../support/payments/buyers.ts"
import { type Market, market } from "../../support/payments/sales.ts"
import {
  hasHosts,
  hostProgram,
  nodeFolder,
  packed,
  runProgram,
} from "../../support/packages/packed.ts"
import { temporaryFolder } from "../../support/process.ts"
import { registerSkipped } from "../../support/venues/oracle.ts"
import { openShop, spentBy } from "../../support/packages/shop.ts"
import { connectStdio, type ServerCommand } from "../../support/packages/stdio.ts"

const hostTest = (name: string, body: () => Effect.Effect<void, never, Scope.Scope | Market>) =>
  hasHosts
    ? liveTest(name, () => body().pipe(Effect.provide(market())))
    : registerSkipped(name, "npm ci --prefix tests/hosts")

const payer = buyer(0).address
const toolsTotal = tools.length
const price = products.signals.price as bigint

const root = new URL("../../../", import.meta.url)

/** One tarball for all tests. */
const tarballs = Deno.makeTempDirSync()
const tarball = hasHosts ? await Effect.runPromise(packed("mcp", tarballs)) : ""
globalThis.addEventListener("unload", () => Deno.removeSync(tarballs, { recursive: true }))

/** The settings of a server whose record is in a folder of its own. */
const settings = Effect.fnUntraced(function* (base: string) {
  const folder = yield* temporaryFolder
  return {
    ...{ BASE_URL: base, BUYER_PRIVATE_KEY: buyerKey(0), BUDGET_DIR: folder },
  }
})

/** Lists the tools, calls a free one and buys, with each of these clients. */
const buyWith = Effect.fnUntraced(function* (
  command: ServerCommand,
  kinds: ReadonlyArray<ClientKind> = ["sdk 1"],
) {
  for (const kind of kinds) {
    const client = yield* connectStdio(kind, command)
    strictEqual((yield* Effect.promise(client.tools)).length, toolsTotal)
    const free = yield* Effect.promise(() => client.call("get_index"))
    strictEqual(free.structuredContent?.["success"], true)
    const bought = yield* Effect.promise(() => client.call("get_signals", { count: 2 }))
    equal([bought.isError, bought.structuredContent?.["count"]], [undefined, 2])
  }
})

hostTest(
  "the tarball installs in an empty folder and runs with Node 20, Node 24 and Deno",
  () =>
    Effect.gen(function* () {
      const base = yield* openShop()
      const folder = yield* temporaryFolder
      yield* runProgram(["npm", "install", "--silent", "--no-audit", "--no-fund", tarball], {
        cwd: folder,
      })
      const installed = [...Deno.readDirSync(`${folder}/node_modules`)].map(({ name }) => name)
      equal(installed.filter((name) => !name.startsWith(".")), ["bellwether-mcp"])
      const main = `${folder}/node_modules/bellwether-mcp/dist/main.js`
      const env = yield* settings(base)
      for (
        const [command, ...args] of [
          [`${nodeFolder(20)}/node`, main],
          [`${nodeFolder(24)}/node`, main],
          [Deno.execPath(), "run", "--quiet", "-A", main],
        ]
      ) {
        yield* buyWith({ command: command ?? "", args, env }, ["sdk 1", "2 pinned"])
      }
      strictEqual(yield* spentBy(payer), 6n * price)
    }),
)

hostTest(
  "the bundle is valid, and a host of bundles installs it, starts it and buys",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const archive = new URL("packages/built/bellwether-mcp-1.0.0.mcpb", root).pathname
      yield* runProgram([hostProgram("mcpb"), "unpack", archive, folder])
      yield* runProgram([hostProgram("mcpb"), "validate", `${folder}/manifest.json`])
      const manifest = JSON.parse(
        yield* Effect.promise(() => Deno.readTextFile(`${folder}/manifest.json`)),
      )
      const { BUDGET_DIR, ...userConfig } = yield* settings(yield* openShop())
      // As a host starts a bundle, by the library of the format.
      const { getMcpConfigForManifest } = yield* Effect.promise(() =>
        import(
          new URL("tests/hosts/node_modules/@anthropic-ai/mcpb/dist/shared/config.js", root).href
        )
      )
      const configOf = (userConfig: Readonly<Record<string, string>>) =>
        Effect.promise(() =>
          getMcpConfigForManifest({
            ...{ manifest, userConfig, extensionPath: folder },
            ...{ systemDirs: {}, pathSeparator: "/" },
          })
        )
      strictEqual(yield* configOf({}), undefined)
      const { args, env } = (yield* configOf(userConfig)) as ServerCommand
      equal([env["PAY_TO"], env["MAX_PRICE_USD"], env["BUDGET_USD"]], ["", "0.10", "0.50"])
      const command = `${nodeFolder(20)}/node`
      yield* buyWith({ command, args, env: { ...env, BUDGET_DIR } })
      strictEqual(yield* spentBy(payer), price)
    }),
)

hostTest(
  "the tarball of bellwether-client has types, and buys with Node 20",
  () =>
    Effect.gen(function* () {
      const base = yield* openShop()
      const cwd = yield* temporaryFolder
      const client = yield* packed("client", yield* temporaryFolder)
      yield* runProgram(["npm", "install", "--silent", "--no-audit", "--no-fund", client], { cwd })
      const program = `import { makeClient } from "bellwether-client"
      const { body, payment } = await makeClient({
        ...{ baseUrl: "${base}", privateKey: "${buyerKey(0)}" },
        ...{ maxPriceUsd: "0.05", budgetUsd: "0.10" },
      }).signals({ count: 2 })
      const first: string | undefined = body.data[0]?.title
      console.log(JSON.stringify({ count: body.count, first, paid: payment?.amountUsd }))\n`
      const [file, wrong] = [`${cwd}/buy.mts`, `${cwd}/wrong.mts`]
      yield* Effect.promise(() => Deno.writeTextFile(file, program))
      yield* Effect.promise(() =>
        Deno.writeTextFile(wrong, program.replace("count: 2", "number: 2"))
      )
      const tsc = (path: string) =>
        runProgram([
          ...[Deno.execPath(), "run", "-A", "--quiet", "--no-config", "npm:typescript@5.9.3/tsc"],
          ...[
            "--strict",
            "--module",
            "nodenext",
            "--target",
            "es2022",
            "--lib",
            "es2023,dom",
            path,
          ],
        ], { cwd })
      yield* tsc(file)
      match(String(yield* Effect.exit(tsc(wrong))), /'number' does not exist/)
      const printed = yield* runProgram(["node", file.replace(".mts", ".mjs")], { cwd })
      equal([JSON.parse(printed).count, JSON.parse(printed).paid], [2, "0.03"])
      strictEqual(yield* spentBy(payer), price)
    }),
)

/** The words of a command line, with single quotes. */
function wordsOf(line: string): ReadonlyArray<string> {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "")
}

/** The server that a line of the README adds to a host. */
function serverOf(line: string): ServerCommand {
  if (!line.startsWith("{") && !line.startsWith("code ")) {
    const words = wordsOf(line)
    const [command = "", ...args] = words.slice(words.indexOf("--") + 1)
    const pairs = words.flatMap((word, at) =>
      word === "-e" || word === "--env" ? [words[at + 1]?.split("=") ?? []] : []
    )
    return { command, args, env: Object.fromEntries(pairs) }
  }
  const json = JSON.parse(line.startsWith("{") ? line : wordsOf(line)[2] ?? "")
  return json.mcpServers?.bellwether ?? json
}

/** The package's address in the README, which these tests replace by the file. */
const address = "http://127.0.0.1:8402/packages/bellwether-mcp-1.0.0.tgz"
const readme = Deno.readTextFileSync(new URL("../../../packages/mcp/README.md", import.meta.url))
const [, table = ""] = /\n\| host [^\n]*\n[^\n]*\n((?:\|[^\n]*\n)+)/.exec(readme) ?? []
const lines = [...table.matchAll(/^\| ([^|]*?)(?:, in [^|]*)? \| `([^`]*)` \|$/gm)]
  .map(([, host = "", line = ""]) => [host, line] as const)

Deno.test("the README has a line for each host", () => {
  equal(lines.map(([host]) => host), [
    "Claude Code",
    "Codex",
    "VS Code",
    "Cursor",
    "Claude Desktop",
  ])
})

for (const [host, line] of lines) {
  hostTest(
    `the README's line for ${host} starts a server that pays`,
    () =>
      Effect.gen(function* () {
        const base = yield* openShop()
        const { command, args, env } = serverOf(line)
        equal([command, ...args], ["npx", "-y", address])
        equal(Object.keys(env), ["BASE_URL", "BUYER_PRIVATE_KEY"])
        yield* buyWith({
          command,
          args: args.map((word) => word.replace(address, `file:${tarball}`)),
          env: { ...env, ...yield* settings(base) },
        })
        strictEqual(yield* spentBy(payer), price)
      }),
  )
}

/** The settings as options of a host's program. */
const optionsOf = (name: string, env: Readonly<Record<string, string>>) =>
  Object.entries(env).flatMap(([key, value]) => [name, `${key}=${value}`])

hostTest("the inspector lists the tools, calls a free one and buys", () =>
  Effect.gen(function* () {
    const env = yield* settings(yield* openShop())
    const inspect = (...args: ReadonlyArray<string>) =>
      Effect.map(
        runProgram([
          ...[hostProgram("mcp-inspector"), "--cli", ...optionsOf("-e", env), ...args],
          ...["--", "npx", "-y", `file:${tarball}`],
        ], { node: 24 }),
        (text) => JSON.parse(text),
      )
    strictEqual((yield* inspect("--method", "tools/list")).tools.length, toolsTotal)
    const call = ["--method", "tools/call", "--tool-name"]
    strictEqual((yield* inspect(...call, "get_index")).structuredContent.success, true)
    const bought = yield* inspect(...call, "get_signals", "--tool-arg", "count=2")
    match(
      bought.content[0].text,
      /^Paid \$0\.03 for get_signals; \$0\.97 of this client's \$1\.00 left/,
    )
    strictEqual(bought.structuredContent.count, 2)
    strictEqual(yield* spentBy(payer), price)
  }))

hostTest("mcporter lists the tools, calls a free one and buys", () =>
  Effect.gen(function* () {
    const env = yield* settings(yield* openShop())
    const server = [
      ...["--stdio", `npx -y file:${tarball}`, "--name", "bellwether"],
      ...optionsOf("--env", env),
    ]
    const mcporter = (...args: ReadonlyArray<string>) =>
      Effect.map(
        runProgram([hostProgram("mcporter"), ...args], { node: 24 }),
        (text) => JSON.parse(text),
      )
    const listed = yield* mcporter("list", ...server, "--json")
    strictEqual(listed.tools.length, toolsTotal)
    strictEqual((yield* mcporter("call", ...server, "get_index")).success, true)
    strictEqual((yield* mcporter("call", ...server, "get_signals", "count=2")).count, 2)
    strictEqual(yield* spentBy(payer), price)
  }))

hostTest(
  "Claude Code adds the server by the README's line, and connects to it",
  () =>
    Effect.gen(function* () {
      const base = yield* openShop()
      const [, line = ""] = lines.find(([host]) => host === "Claude Code") ?? []
      const home = yield* temporaryFolder
      const words = wordsOf(line).map((word) =>
        word.replace(address, `file:${tarball}`).replace("http://127.0.0.1:8402", base)
          .replace("0x…", buyerKey(0))
      )
      const claude = (args: ReadonlyArray<string>) =>
        runProgram([hostProgram("claude"), ...args], {
          cwd: home,
          node: 24,
          env: { HOME: home, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
        })
      yield* claude(words.slice(1))
      match(yield* claude(["mcp", "list"]), /bellwether: .*Connected/)
    }),
)
