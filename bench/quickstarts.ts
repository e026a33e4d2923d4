/**
 * A stopwatch for strangers: from an empty folder, with Node and the address of a running service, to
 * the first paid answer of each quickstart. Once with an empty cache of npm, once with a full one.
 * The model of the agents is a script on this machine and takes no time.
 *
 *     deno task bench:quickstarts
 *
 * @module
 */
import { Console, Effect } from "effect"
import { environmentOf, quickstarts } from "../tests/support/examples/quickstarts.ts"
import { scriptedModel } from "../tests/support/examples/scriptedModel.ts"
import { openShop } from "../tests/support/packages/shop.ts"
import { market } from "../tests/support/payments/sales.ts"
import { removeFolder } from "../tests/support/process.ts"

const root = new URL("../", import.meta.url)
const key = `0x${"1".padStart(64, "0")}`
/** What an answer that was bought contains, also where a model repeats it. */
const bought = /feedIndex/

const programs = ["python.py", "typescript.mjs", "client.mjs"]
const agents = ["langchain.mjs", "vercel-ai.mjs", "openai-agents.mjs", "mastra.mjs"]

const temporary = Effect.acquireRelease(
  Effect.promise(() => Deno.makeTempDir({ prefix: "stopwatch-" })),
  removeFolder,
)

/** Runs a command; returns its output, and how long it took. */
const timed = (
  [program = "", ...args]: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>>,
) =>
  Effect.promise(async () => {
    const began = performance.now()
    const command = new Deno.Command(program, { args, cwd, env, clearEnv: true, stdin: "null" })
    const { success, stdout, stderr } = await command.output()
    const text = new TextDecoder()
    if (!success) throw new Error(`${[program, ...args].join(" ")}: ${text.decode(stderr)}`)
    return { seconds: (performance.now() - began) / 1_000, output: text.decode(stdout) }
  })

/** Our packages as tarballs, under the names that the quickstarts install. */
const packed = Effect.gen(function* () {
  const folder = yield* temporary
  const tarball = Effect.fnUntraced(function* (name: string) {
    const cwd = new URL(`packages/${name}/`, root).pathname
    const args = ["pack", "--silent", "--pack-destination", folder]
    const { success, stdout } = yield* Effect.promise(() =>
      new Deno.Command("npm", { args, cwd, stderr: "inherit" }).output()
    )
    if (!success) return yield* Effect.die(`npm ${args.join(" ")} failed in ${cwd}`)
    const file = new TextDecoder().decode(stdout).trim().split("\n").at(-1)
    return `${folder}/${file}`
  })
  return { "bellwether-client": yield* tarball("client"), "bellwether-mcp": yield* tarball("mcp") }
})

/** What the first lines of a quickstart say to install. */
function installLine(text: string, tarballs: Readonly<Record<string, string>>) {
  const [, names] = /^\/\/ {3}npm i (.+)$/m.exec(text) ?? []
  return names === undefined ? null : ["npm", "i", "--no-audit", "--no-fund", "--silent"].concat(
    names.split(" ").map((name) => tarballs[name] ?? name),
  )
}

const megabytesIn = (folder: string) =>
  Effect.map(
    timed(["du", "-sm", "."], folder, { PATH: Deno.env.get("PATH") ?? "" }),
    ({ output }) => Number.parseInt(output),
  )

const measure = Effect.fnUntraced(function* (
  file: string,
  base: string,
  tarballs: Readonly<Record<string, string>>,
  cache: string,
) {
  const folder = yield* temporary
  const began = performance.now()
  for (const name of [file, ...file.endsWith(".py") ? ["eip3009.py"] : []]) {
    yield* Effect.promise(() => Deno.copyFile(new URL(name, quickstarts), `${folder}/${name}`))
  }
  const { npm_config_offline: _, ...online } = environmentOf(folder)
  const install = installLine(Deno.readTextFileSync(`${folder}/${file}`), tarballs)
  if (install !== null) yield* timed(install, folder, { ...online, npm_config_cache: cache })
  const model = yield* scriptedModel([{ tool: "get_latest", arguments: {} }])
  const program = file.endsWith(".mjs") ? "node" : "python3"
  const { seconds, output } = yield* timed([program, file], folder, {
    ...environmentOf(folder),
    ...{ BASE_URL: base, BUYER_PRIVATE_KEY: key },
    ...{ OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: "sk-none" },
  })
  if (!bought.test(output)) throw new Error(`${file} bought nothing: ${output.slice(0, 500)}`)
  const total = (performance.now() - began) / 1_000
  return { total, run: seconds, megabytes: yield* megabytesIn(folder) }
}, Effect.scoped)

const program = Effect.gen(function* () {
  const base = yield* openShop()
  const tarballs = yield* packed
  yield* Console.log(
    "| quickstart | npm cache empty | npm cache full | of that, the run | installed |",
  )
  yield* Console.log("|---|---|---|---|---|")
  for (const file of [...programs, ...agents]) {
    const cache = yield* temporary
    const cold = yield* measure(file, base, tarballs, cache)
    const warm = yield* measure(file, base, tarballs, cache)
    const cells = [
      `\`${file}\``,
      ...[cold.total, warm.total, warm.run].map((seconds) => `${seconds.toFixed(1)} s`),
      `${warm.megabytes} MB`,
    ]
    yield* Console.log(`| ${cells.join(" | ")} |`)
  }
})

await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(market())))
