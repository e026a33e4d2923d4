/**
 * Thousands of hostile requests to a running service, on all paths and with JSON-RPC bodies: none causes
 * a 5xx or a hang, and memory does not grow.
 *
 * @module
 */
import { ok } from "node:assert/strict"
import { Duration, Effect, Random } from "effect"
import { liveTest } from "../support/effect.ts"
import { requestDrawer } from "../support/http/fuzz.ts"
import { removeFolder, type Service, startDev } from "../support/process.ts"
import { anyRpcCall } from "../support/http/rpcFuzz.ts"

const requests = 20_000
const seed = "fuzz-process-1"
const connections = 8
/** Requests that fill caches, pools and compiled code before the memory is measured. */
const warmUp = 5_000
/** Requests between two readings of the memory. */
const roundSize = 1_000
/** A garbage collector lets memory rise and fall by 100 MiB, so the lowest of these readings counts. */
const readings = 5
const growthMaxMiB = 100
/**
 * Answers 503 that may occur, because the store of a busy machine can miss its deadline. Such a request
 * is sent again after Retry-After and must then get an answer: a request never causes a 5xx.
 */
const unavailableMax = 10
/** A slower request counts as a hang. */
const requestTimeoutMs = 20_000

/** A request; `what` describes it in a failure. */
interface Sent {
  readonly what: string
  readonly url: string
  readonly init: RequestInit
}

const residentMiB = ({ admin }: Service) =>
  Effect.promise(async () => {
    const text = await (await fetch(`${admin}/metrics`)).text()
    const bytes = /^bellwether_process_resident_bytes\S* (\S+)/m.exec(text)?.[1]
    ok(bytes !== undefined, text)
    return Number(bytes) / 2 ** 20
  })

liveTest(
  `a process takes ${requests} hostile requests without a 5xx, a hang, or growth`,
  () =>
    Effect.gen(function* () {
      const dir = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          await Deno.mkdir(".data", { recursive: true })
          return Deno.makeTempDir({ dir: ".data", prefix: "fuzz-" })
        }),
        removeFolder,
      )
      // Only one tick, so that the simulated world does not grow during the test.
      const service = yield* startDev(dir, {
        TRUSTED_PROXY_HOPS: "1",
        TICK: "1 hour",
        LOG_LEVEL: "Error",
      })
      yield* service.until("/v1/index", (body) => body["success"] === true)
      const { draw: drawRequest, payments } = yield* requestDrawer
      const wires = payments.map((header) => JSON.parse(atob(header)))
      const statuses = new Map<string, number>()
      const slowest = { ms: 0, what: "" }
      const unavailable = { count: 0 }

      const draw = Effect.gen(function* () {
        const { target, method, headers } = yield* drawRequest
        const asRpc = (yield* Random.next) < 0.5
        if (!asRpc) {
          return {
            what: `${method} ${target}`,
            url: service.base + target,
            init: { method, headers },
          }
        }
        const call = yield* anyRpcCall(wires)
        for (const [name, value] of Object.entries(call.headers)) headers.set(name, value)
        const { body } = call
        return {
          what: `POST ${call.path} ${new TextDecoder().decode(body.slice(0, 500))}`,
          url: service.base + call.path,
          init: { method: "POST", headers, body },
        }
      })

      const attempt = ({ what, url, init }: Sent) =>
        Effect.promise(async () => {
          const startMs = performance.now()
          const signal = AbortSignal.timeout(requestTimeoutMs)
          const response = await fetch(url, { ...init, redirect: "manual", signal })
            .catch((error) => Promise.reject(new Error(`${what}: ${error}`)))
          await response.arrayBuffer()
          const ms = performance.now() - startMs
          if (ms > slowest.ms) Object.assign(slowest, { ms, what })
          return response
        })

      const send = Effect.fnUntraced(function* (sent: Sent) {
        const first = yield* attempt(sent)
        const isUnavailable = first.status === 503
        if (isUnavailable) {
          unavailable.count += 1
          const seconds = Number(first.headers.get("retry-after") ?? 1)
          yield* Effect.sleep(Duration.seconds(seconds))
        }
        const { status } = isUnavailable ? yield* attempt(sent) : first
        ok(status < 500, `${sent.what} is ${status}`)
        const key = `${sent.init.method === "POST" ? "POST" : "other"} ${status}`
        statuses.set(key, (statuses.get(key) ?? 0) + 1)
      })

      const round = Effect.fnUntraced(function* (count: number) {
        const sent: Array<Sent> = []
        for (let n = 0; n < count; n++) sent.push(yield* draw)
        yield* Effect.forEach(sent, send, { concurrency: connections, discard: true })
      })

      yield* round(warmUp)
      const resident: Array<number> = []
      for (let left = requests - warmUp; left > 0; left -= roundSize) {
        yield* round(roundSize)
        resident.push(yield* residentMiB(service))
      }
      const before = Math.min(...resident.slice(0, readings))
      const after = Math.min(...resident.slice(-readings))
      yield* Effect.log(
        `resident ${before.toFixed(0)} -> ${after.toFixed(0)} MiB; slowest ${
          slowest.ms.toFixed(0)
        } ms ` +
          `(${slowest.what.slice(0, 60)}); ${JSON.stringify([...statuses])}`,
      )
      ok(after - before < growthMaxMiB, `grew from ${before} to ${after} MiB`)
      ok(unavailable.count <= unavailableMax, `${unavailable.count} answers were 503`)
      for (const key of ["other 200", "other 402", "other 400", "POST 200"]) {
        ok((statuses.get(key) ?? 0) > requests / 200, `only ${statuses.get(key)} were ${key}`)
      }
      yield* service.until("/health", () => true)
    }).pipe(Random.withSeed(seed)),
)
