/**
 * Random requests, and random calls of /a2a and /mcp, some on existing tasks and with valid payments:
 * no 5xx, no hang, every answer in the documented shape, no charge without an answer, and no memory
 * that is kept.
 *
 * @module
 */
import { ok, strictEqual } from "node:assert/strict"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect, Layer, Option, Random, References, type Scope } from "effect"
import { type Product, products } from "../../src/catalog/domain/product.ts"
import { a2aErrors } from "../../src/http/a2a/message.ts"
import { Payments } from "../../src/payments/Payments.ts"
import { type Body, effectOf, liveTest } from "../support/effect.ts"
import { dataPart, getTask, type Handle, replyOf, send } from "../support/http/a2a.ts"
import { anyRpcCall, requestDrawer } from "../support/http/fuzz.ts"
import { makeService, makeWorld } from "../support/http/httpService.ts"
import { faultOf } from "../support/http/shape.ts"
import { signedFor } from "../support/http/signed.ts"
import { type Market, market, taken } from "../support/payments/sales.ts"
import { nonce } from "../support/payments/terms.ts"
import { sized } from "../support/size.ts"

/** The service, where no request takes longer than this. */
const openService = Effect.gen(function* () {
  const payments = yield* Payments
  const service = yield* makeService(yield* makeWorld(50), Layer.succeed(Payments, payments))
  const get: Handle["get"] = (path, init) =>
    service.get(path, init).pipe(Effect.timeoutOrElse({
      duration: "10 seconds",
      orElse: () => Effect.die(`${path} hangs: ${JSON.stringify(init)}`),
    }))
  return { get, payments }
})

/** A test on random values of a seed. An error is the expected answer, so it is not printed. */
const fuzzTest = (name: string, body: Body<Market | Scope.Scope>, seed: string) =>
  liveTest(
    name,
    () =>
      effectOf(body).pipe(
        Random.withSeed(seed),
        Effect.provideService(References.MinimumLogLevel, "None"),
      ),
    market(),
  )

const requests = sized({ short: 2_000, full: 20_000 })
/** Collects garbage, so that a reading of the heap counts what is kept. */
setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")
/** From a quarter of the requests on: those before fill caches. */
const growthMaxMiB = 20

fuzzTest(
  `none of ${requests} random requests gets a 5xx, a hang or an undocumented answer, and the heap does not grow`,
  function* () {
    const { get } = yield* openService
    const { draw, payments } = yield* requestDrawer
    const wires = payments.map((header) => JSON.parse(atob(header)))
    const seen = new Map<string, number>()
    const heapMiB: Array<number> = []
    for (let n = 0; n < requests; n++) {
      // Free answers are read again by a timer, and timers wait for a turn of the event loop.
      if (n % 50 === 0) yield* Effect.sleep(0)
      if (n % (requests / 8) === 0) {
        collect()
        heapMiB.push(Deno.memoryUsage().heapUsed / 2 ** 20)
      }
      const { path, target, method, headers } = yield* draw
      const isRpc = n % 3 === 0
      const call = yield* anyRpcCall(wires)
      for (const [name, value] of isRpc ? Object.entries(call.headers) : []) {
        headers.set(name, value)
      }
      const response = isRpc
        ? yield* get(call.path, { method: "POST", headers, body: call.body })
        : yield* get(target, { method, headers })
      const what = `request ${n}: ${isRpc ? new TextDecoder().decode(call.body) : target}`
      ok(response.status < 500, `${what} is ${response.status}`)
      // A notification of MCP has no answer.
      if (response.status !== 202) {
        const at = isRpc ? call.path : new URL(`http://any${path}`).pathname
        strictEqual(yield* faultOf(at, isRpc ? "POST" : method, response), null, what)
      }
      const kind = `${isRpc ? call.path : "other"} ${response.status}`
      seen.set(kind, (seen.get(kind) ?? 0) + 1)
    }
    // Each status must occur often enough; a run of 404s only would prove nothing.
    const others = [200, 204, 400, 402, 404, 405, 414, 422, 431].map((status) => `other ${status}`)
    for (const kind of [...others, "/a2a 200", "/mcp 200", "/mcp 400", "/mcp 202"]) {
      ok((seen.get(kind) ?? 0) > requests / 5_000, `only ${seen.get(kind)} were ${kind}`)
    }
    const grown = (heapMiB.at(-1) ?? 0) - (heapMiB[2] ?? 0)
    ok(grown < growthMaxMiB, `the heap grew by ${grown} MiB: ${heapMiB}`)
  },
  "fuzz-1",
)

const calls = sized({ short: 3_000, full: 10_000 })
const tasksMax = 40
const codes = new Set<unknown>([...Object.values(a2aErrors).map(({ code }) => code), -32000])
const states = ["working", "input-required", "completed", "failed", "canceled"]
/** The task id in the random calls; no task has it. */
const placeholder = /3f2f1c52-7a1c-4b53-9f0e-0d7d2a6f9b11/g
const sold: ReadonlyArray<Product> = [products.latest, products.signals, products.digest]

fuzzTest(
  `${calls} random calls of /a2a on existing tasks get documented tasks and errors, and pay for answers only`,
  function* () {
    const { get, payments } = yield* openService
    const paid = yield* Effect.forEach(
      Array.from({ length: 60 }, (_, n) => n),
      (n) => signedFor(sold[n % sold.length] ?? products.latest, { nonce: nonce(n) }),
    )
    const seen = new Map<unknown, number>()
    const known: Array<{ readonly id: string; readonly product: Product }> = []
    let client = 0
    const from = () => ({ "x-forwarded-for": `198.18.${(client >> 8) & 255}.${client++ & 255}` })

    const begin = Effect.gen(function* () {
      const product = sold[known.length % sold.length] ?? products.latest
      const { task } = yield* send({ get }, [dataPart(`get_${product.id}`)], {}, from())
      known.push({ id: task.id, product })
      if (known.length > tasksMax) known.shift()
    })

    for (let n = 0; n < calls; n++) {
      if (n % 10 === 0) yield* begin
      const named = known[yield* Random.nextIntBetween(0, known.length)]
      const paying = paid.filter(({ product }) => product === named?.product)
      const drawn = yield* anyRpcCall(paying.map(({ wire }) => wire))
      const text = new TextDecoder().decode(drawn.body)
      const onKnownTask = (yield* Random.next) < 0.7
      const body = onKnownTask && named !== undefined && !text.includes("\ufffd")
        ? text.replace(placeholder, named.id)
        : drawn.body
      const headers = { ...drawn.headers, ...from() }
      const response = yield* get("/a2a", { method: "POST", headers, body })
      const { status, code, body: rpcBody, task } = yield* replyOf(response)
      const what = `call ${n}: ${text.slice(0, 300)}`
      ok([200, 413, 415].includes(status), `${what} is ${status}`)
      strictEqual("result" in rpcBody, !("error" in rpcBody), what)
      if (code === null) ok(states.includes(task.state), `${what} is ${task.state}`)
      else ok(codes.has(code), `${what} is ${code}`)
      const kind = code ?? task.state
      seen.set(kind, (seen.get(kind) ?? 0) + 1)
    }

    // Each kind must occur often enough; a run of -32600 only would prove nothing.
    const often = states.filter((state) => state !== "working" && state !== "failed")
    for (const kind of [...often, -32700, -32600, -32601, -32602, -32001, -32003, -32004]) {
      ok((seen.get(kind) ?? 0) > calls / 1_500, `only ${seen.get(kind)} were ${kind}`)
    }
    const answered = yield* Effect.filter(paid, ({ authorization }) =>
      Effect.map(
        payments.status(payments.idOf(authorization), null),
        (found) => Option.getOrNull(found)?.payment.state === "answered",
      ))
    const worth = answered.reduce((sum, { product }) => sum + product.price, 0n)
    const { spent, received } = yield* taken
    strictEqual(spent, received)
    strictEqual(spent, worth, "every payment taken was answered")
    ok(answered.length > 5, `${answered.length} payments were answered`)
    yield* Effect.forEach(known, ({ id }) => getTask({ get }, id), { discard: true })
  },
  "a2a-fuzz-1",
)
