/**
 * The pages for people: how fast they are answered and made, how much they weigh, and whether ticks
 * take longer while people read. Prints Markdown.
 *
 *     deno task bench:pages
 *
 * Needs wrk (`needs.ts`). Takes less than three minutes; the machine must do nothing else. The pages are those of
 * a service with a long record, over HTTP and without limits; wrk takes one of the cores. The ticks
 * are those of `deno task dev`, one a second, on an embedded store.
 *
 * @module
 */
import "../src/core/fiberContext.ts"
import { setImmediate } from "node:timers/promises"
import { Console, Effect } from "effect"
import { products } from "../src/catalog/domain/product.ts"
import { marketsPrefix, pagePaths } from "../src/http/documents/addresses.ts"
import { makeService, serviceOptions } from "../tests/support/http/httpService.ts"
import { filledWorld, plainNames } from "../tests/support/http/pageWorld.ts"
import { serveWorld } from "../tests/support/http/servedService.ts"
import { removeFolder, type Service, startDev } from "../tests/support/process.ts"
import { needProgram } from "./needs.ts"

needProgram("wrk", "apt-get install wrk")

const connections = 32
const warmUpSeconds = 1
const loadSeconds = Number(Deno.env.get("SECONDS") ?? 3)
/** How often each page is made from new data; the median counts. */
const rebuilds = 5
const tickSeconds = Number(Deno.env.get("TICK_SECONDS") ?? 12)
const ticksPollMs = 100
/** The first tick reads histories. */
const firstTicks = 1
const firstTicksMsMax = 60_000
const p99MsMax = 20

const jsonPath = "/v1/index"
const paidPath = products.latest.path
/** Pages that every service has. */
const ownPaths = Object.values(pagePaths)
const paths = [...ownPaths, paidPath, `${marketsPrefix}${plainNames.slug}-1`]

const accept = "text/html"
const round = (value: number, digits = 1) => Number(value.toFixed(digits))
const median = (numbers: ReadonlyArray<number>) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN

function markdownTable(rows: ReadonlyArray<Readonly<Record<string, string | number>>>): string {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, names.map(() => "---"), ...rows.map((row) => Object.values(row))]
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

interface Load {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Answers other than 2xx and 3xx. */
  readonly refused: number
}

/** Asks for paths in turn, over connections that stay open. */
async function load(base: string, asked: ReadonlyArray<string>, seconds: number): Promise<Load> {
  const { stdout } = await new Deno.Command("wrk", {
    args: [
      ...["-t1", `-c${connections}`, `-d${seconds}`, "--timeout=10s", "--latency"],
      ...["-s", new URL("paths.lua", import.meta.url).pathname],
      ...["-H", `Accept: ${accept}`, "-H", "Accept-Encoding: gzip", base, "--", ...asked],
    ],
  }).output()
  const text = new TextDecoder().decode(stdout)
  const failed = /Socket errors.*/.exec(text)?.[0]
  if (failed !== undefined) throw new Error(`${asked.join(" ")}: ${failed}`)
  const percentile = (rank: string) => {
    const [, size, unit] = new RegExp(`${rank}%\\s+([\\d.]+)(us|ms|s)`).exec(text) ?? []
    return Number(size) * { us: 0.001, ms: 1, s: 1_000 }[unit as "us" | "ms" | "s"]
  }
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]),
    p50Ms: percentile("50"),
    p99Ms: percentile("99"),
    refused: Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0),
  }
}

/** How long something takes, and the longest time in it in which the event loop did nothing else. */
async function watched<A>(action: () => Promise<A>) {
  let isDone = false
  let blockMs = 0
  const watching = async () => {
    let last = performance.now()
    while (!isDone) {
      await setImmediate()
      blockMs = Math.max(blockMs, performance.now() - last)
      last = performance.now()
    }
  }
  const watch = watching()
  await setImmediate()
  const began = performance.now()
  const result = await action()
  const ms = performance.now() - began
  isDone = true
  await watch
  return { result, ms, blockMs }
}

interface Rebuilt {
  readonly ms: number
  readonly gzipMs: number
  readonly blockMs: number
  readonly bytes: string
}

/** Every page made once from new data, then compressed. */
const rebuild = Effect.gen(function* () {
  const limits = { free: "off", documents: "off", pages: "off", invalidPayments: "off" } as const
  const service = yield* makeService(yield* filledWorld(), undefined, { ...serviceOptions, limits })
  const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: "192.0.2.1", port: 1 }
  const ask = (path: string, encoding: string) =>
    watched(async () => {
      const headers = { accept, "accept-encoding": encoding }
      const request = new Request(`http://any.host${path}`, { headers })
      const response = await service.handle(request, { remoteAddr })
      if (response.status !== (path === paidPath ? 402 : 200)) {
        throw new Error(`${path}: ${response.status}`)
      }
      return (await response.arrayBuffer()).byteLength
    })
  // The track record is computed in the background.
  yield* service.get("/v1/track-record")
  const made = new Map<string, Rebuilt>()
  for (const path of paths) {
    const plain = yield* Effect.promise(() => ask(path, "identity"))
    const gzip = yield* Effect.promise(() => ask(path, "gzip"))
    made.set(path, {
      ms: plain.ms,
      gzipMs: gzip.ms,
      blockMs: Math.max(plain.blockMs, gzip.blockMs),
      bytes: [plain, gzip].map(({ result }) => result).join(" / "),
    })
  }
  return made
})

const measurePages = Effect.gen(function* () {
  const base = yield* serveWorld(yield* filledWorld())
  const made: Array<ReadonlyMap<string, Rebuilt>> = []
  // The first time also loads the modules that draw.
  yield* Effect.scoped(rebuild)
  for (let n = 0; n < rebuilds; n++) made.push(yield* Effect.scoped(rebuild))
  const loaded = (path: string) =>
    Effect.promise(async () => {
      await (await fetch(base + path, { headers: { accept } })).body?.cancel()
      await load(base, [path], warmUpSeconds)
      const measured = await load(base, [path], loadSeconds)
      // A 402 is the right answer of a paid path.
      if (measured.refused > 0 && path !== paidPath) throw new Error(`${path} was refused`)
      return measured
    })
  const index = yield* loaded(jsonPath)
  const row = ({ perSecond, p50Ms, p99Ms }: Load) => ({
    "a second": Math.round(perSecond),
    "to index": round(perSecond / index.perSecond, 2),
    "p50 ms": round(p50Ms),
    "p99 ms": round(p99Ms),
  })
  const none = { "bytes plain / gzip": "", "made ms": "", "gzip ms": "", "block ms": "" }
  const rows = [{ path: jsonPath, ...row(index), ...none }]
  for (const path of paths) {
    const own = made.flatMap((pages) => pages.get(path) ?? [])
    const middle = (field: "ms" | "gzipMs" | "blockMs") =>
      `${round(median(own.map((page) => page[field])))}`
    rows.push({
      path,
      ...row(yield* loaded(path)),
      "bytes plain / gzip": own[0]?.bytes ?? "",
      "made ms": middle("ms"),
      "gzip ms": middle("gzipMs"),
      "block ms": middle("blockMs"),
    })
  }
  const worst = Math.max(...rows.map((row) => row["p99 ms"]))
  yield* Console.log(
    `${markdownTable(rows)}\n\n` +
      `${connections} connections, ${loadSeconds} s each, no limits. made: from new data until the ` +
      `answer; gzip: compressed after that; block: the longest time in both without another event; ` +
      `medians of ${rebuilds}. Highest p99 ${worst} ms (aim ${p99MsMax}).\n`,
  )
})

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The durations of the ticks that end within some time, or of the first few. */
async function ticksIn(
  { admin }: Service,
  msMax: number,
  countMax = Infinity,
): Promise<ReadonlyArray<number>> {
  const found: Array<number> = []
  const endsAt = performance.now() + msMax
  let lastAge: number | null = null
  while (performance.now() < endsAt && found.length < countMax) {
    const metrics = await (await fetch(`${admin}/metrics`)).text()
    const gauge = (name: string) =>
      Number(new RegExp(`^bellwether_${name} (\\S+)$`, "m").exec(metrics)?.[1])
    const age = gauge("last_good_tick_age_seconds")
    // A younger tick is a new one; the one before the first reading is not counted.
    if (lastAge !== null && age < lastAge) found.push(gauge('tick_seconds{tick="tick"}') * 1_000)
    // Before the first tick has ended there is no age.
    lastAge = Number.isFinite(age) ? age : Infinity
    await wait(ticksPollMs)
  }
  return found
}

/** Ticks while paths are asked for. */
async function ticksUnder(service: Service, what: string, asked: ReadonlyArray<string>) {
  const loading = asked.length > 0 ? load(service.base, asked, tickSeconds) : null
  const ticks = await ticksIn(service, tickSeconds * 1_000)
  const requests = await loading
  return {
    requests: what,
    "a second": Math.round(requests?.perSecond ?? 0),
    "p99 ms": round(requests?.p99Ms ?? 0),
    "not 2xx": requests?.refused ?? 0,
    ticks: ticks.length,
    "median ms": ticks.length > 0 ? Math.round(median(ticks)) : "none ended",
    "longest ms": ticks.length > 0 ? Math.round(Math.max(...ticks)) : "none ended",
  }
}

const measureTicks = Effect.gen(function* () {
  const dir = yield* Effect.acquireRelease(Effect.promise(() => Deno.makeTempDir()), removeFolder)
  const limits = { DOCUMENT_LIMIT: "off", PAGE_LIMIT: "off" }
  const service = yield* startDev(dir, { TICK: "1 second", ...limits })
  yield* Effect.addFinalizer(() => Effect.asVoid(service.stop))
  yield* service.until(jsonPath, () => true)
  const rows = yield* Effect.promise(async () => {
    const first = await ticksIn(service, firstTicksMsMax, firstTicks)
    if (first.length === 0) throw new Error(`No tick ended within ${firstTicksMsMax / 1_000} s`)
    await load(service.base, ownPaths, warmUpSeconds)
    return [
      await ticksUnder(service, "none", []),
      await ticksUnder(service, "all pages", ownPaths),
      await ticksUnder(service, jsonPath, [jsonPath]),
      await ticksUnder(service, "none again", []),
    ]
  })
  yield* Console.log(
    `${markdownTable(rows)}\n\n` +
      `Ticks of \`deno task dev\`, one a second, ${tickSeconds} s each, with ${connections} connections.`,
  )
})

await Effect.runPromise(Effect.scoped(measurePages))
await Effect.runPromise(Effect.scoped(measureTicks))
Deno.exit(0)
