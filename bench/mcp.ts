/**
 * A stopwatch: from nothing but Node and the address of a running service, to the first paid answer of
 * the packed stdio server. `npx` installs the tarball into an empty cache (cold), then from its cache.
 *
 *     deno task dev                                  # in another terminal
 *     deno task bench:mcp [http://127.0.0.1:8402]
 *
 * The service has to simulate payments: a throw-away key pays. It needs npm, and packs first.
 *
 * @module
 */
import { Console, Effect } from "effect"

const [baseUrl = "http://127.0.0.1:8402"] = Deno.args
/** The service answers five free requests a minute, and each run makes one. */
const warmRuns = 3
const root = new URL("..", import.meta.url)

const folder = await Deno.makeTempDir()
const pack = await new Deno.Command("npm", {
  args: ["pack", "--silent", "--pack-destination", folder],
  cwd: new URL("packages/mcp", root),
  stderr: "inherit",
}).output()
if (!pack.success) Deno.exit(1)
const tarball = `${folder}/${new TextDecoder().decode(pack.stdout).trim().split("\n").at(-1)}`

interface Times {
  /** Until the server answers its first message. */
  readonly startedMs: number
  /** Until the paid answer. */
  readonly paidMs: number
  readonly sentence: string
}

/** Starts the server, buys the newest item, and ends it. */
async function buyOnce(run: number): Promise<Times> {
  const start = performance.now()
  const child = new Deno.Command("npx", {
    args: ["-y", `file:${tarball}`],
    cwd: folder,
    env: {
      ...{ npm_config_cache: `${folder}/cache`, npm_config_update_notifier: "false" },
      ...{ BASE_URL: baseUrl, BUDGET_DIR: `${folder}/record-${run}` },
    },
    ...{ stdin: "piped", stdout: "piped", stderr: "null" },
  }).spawn()
  const writer = child.stdin.getWriter()
  const lines = child.stdout.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  let rest = ""
  const request = async (method: string, params: object) => {
    const message = JSON.stringify({ jsonrpc: "2.0", id: method, method, params })
    await writer.write(new TextEncoder().encode(`${message}\n`))
    while (!rest.includes("\n")) {
      const { value, done } = await lines.next()
      if (done) throw new Error("The server ended")
      rest += value
    }
    const [line = "", ...more] = rest.split("\n")
    rest = more.join("\n")
    return JSON.parse(line).result
  }
  const clientInfo = { name: "stopwatch", version: "1.0.0" }
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })
  const startedMs = performance.now() - start
  const answer = await request("tools/call", { name: "get_latest", arguments: {} })
  const paidMs = performance.now() - start
  await writer.close()
  await child.status
  if (answer.isError === true) throw new Error(answer.content[0].text)
  return { startedMs, paidMs, sentence: answer.content[0].text }
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
try {
  const cold = await buyOnce(0)
  const warm: Array<Times> = []
  for (let run = 1; run <= warmRuns; run += 1) warm.push(await buyOnce(run))
  warm.sort((a, b) => a.paidMs - b.paidMs)
  const median = warm[Math.floor(warmRuns / 2)] ?? cold
  const line = (name: string, { paidMs, startedMs }: Times) =>
    `${name}   ${seconds(paidMs)}, of which npm and start ${seconds(startedMs)}`
  await Effect.runPromise(Console.log(
    [cold.sentence, line("cold", cold), `${line("warm", median)} (median of ${warmRuns})`].join(
      "\n",
    ),
  ))
} finally {
  await Deno.remove(folder, { recursive: true })
}
