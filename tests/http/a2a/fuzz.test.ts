/**
 * Random calls of /a2a, some on existing tasks and with valid payments: no 5xx, no hang, always
 * JSON-RPC, and no charge without an answer.
 *
 * @module
 */
import { ok, strictEqual } from "node:assert/strict"
import { Clock, Effect, Layer, Random } from "effect"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { a2aErrors } from "../../../src/http/a2a/message.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { dataPart, getTask, replyOf, send } from "../../support/http/a2a.ts"
import { buyer, sign } from "../../support/payments/buyers.ts"
import { liveTest } from "../../support/effect.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"
import { anyRpcCall } from "../../support/http/rpcFuzz.ts"
import { market, taken } from "../../support/payments/sales.ts"
import { authorizationFor, nonce, wirePayment } from "../../support/payments/terms.ts"

const requests = 5_000
const seed = "a2a-fuzz-1"
const tasksMax = 40
const codes = new Set<unknown>([...Object.values(a2aErrors).map(({ code }) => code), -32000])
const states = ["working", "input-required", "completed", "failed", "canceled"]
/** The task id in the random calls; no task has it. */
const placeholder = /3f2f1c52-7a1c-4b53-9f0e-0d7d2a6f9b11/g
const sold: ReadonlyArray<Product> = [products.latest, products.signals, products.digest]

liveTest(
  `none of ${requests} random calls gets a 5xx, a hang or a body that is not JSON-RPC (seed ${seed})`,
  () =>
    Effect.gen(function* () {
      const payments = yield* Payments
      const service = yield* makeService(yield* makeWorld(50), Layer.succeed(Payments, payments))
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
      const wires = yield* Effect.forEach(
        Array.from({ length: 60 }, (_, n) => n),
        Effect.fnUntraced(function* (n) {
          const product = sold[n % sold.length] ?? products.latest
          const authorization = authorizationFor(buyer(0), product, now, { nonce: nonce(n) })
          const signature = yield* sign(buyer(0), authorization)
          return { wire: wirePayment(product, authorization, signature), product }
        }),
      )
      const seen = new Map<unknown, number>()
      const known: Array<{ readonly id: string; readonly product: Product }> = []
      let client = 0
      const from = () => ({ "x-forwarded-for": `198.18.${(client >> 8) & 255}.${client++ & 255}` })

      const begin = Effect.gen(function* () {
        const product = sold[known.length % sold.length] ?? products.latest
        const { task } = yield* send(service, [dataPart(`get_${product.id}`)], {}, from())
        known.push({ id: task.id, product })
        if (known.length > tasksMax) known.shift()
      })

      for (let n = 0; n < requests; n++) {
        if (n % 10 === 0) yield* begin
        const named = known[yield* Random.nextIntBetween(0, known.length)]
        const paying = wires.filter(({ product }) => product === named?.product)
        const drawn = yield* anyRpcCall(paying.map(({ wire }) => wire))
        const text = new TextDecoder().decode(drawn.body)
        const onKnownTask = (yield* Random.next) < 0.7
        const body = onKnownTask && named !== undefined && !text.includes("\ufffd")
          ? text.replace(placeholder, named.id)
          : drawn.body
        const what = `call ${n}: ${text.slice(0, 300)}`
        const response = yield* service.get("/a2a", {
          method: "POST",
          headers: { ...drawn.headers, ...from() },
          body,
        }).pipe(Effect.timeoutOrElse({
          duration: "10 seconds",
          orElse: () => Effect.die(`${what} hangs`),
        }))
        const { status, code, body: rpcBody, task } = yield* replyOf(response)
        ok([200, 413, 415].includes(status), `${what} is ${status}`)
        strictEqual(rpcBody["jsonrpc"], "2.0", what)
        strictEqual("result" in rpcBody, !("error" in rpcBody), what)
        if (code === null) ok(states.includes(task.state), `${what} is ${task.state}`)
        else ok(codes.has(code), `${what} is ${code}`)
        const kind = code ?? task.state
        seen.set(kind, (seen.get(kind) ?? 0) + 1)
      }

      // Each kind must occur often enough; a run of -32600 only would prove nothing.
      const often = states.filter((state) => state !== "working" && state !== "failed")
      for (const kind of [...often, -32700, -32600, -32601, -32602, -32001, -32003, -32004]) {
        ok((seen.get(kind) ?? 0) > 5, `only ${seen.get(kind)} were ${kind}`)
      }
      const answered = new Set<string>()
      let worth = 0n
      for (const { wire, product } of wires) {
        const { authorization } = wire.payload
        const stored = yield* payments.status(
          payments.idOf({
            ...authorizationFor(buyer(0), product, now),
            nonce: nonce(Number(BigInt(authorization.nonce)) - 1),
          }),
          null,
        )
        if (stored._tag === "Some" && stored.value.payment.state === "answered") {
          answered.add(authorization.nonce)
          worth += product.price
        }
      }
      const { spent, received } = yield* taken
      strictEqual(spent, received)
      strictEqual(spent, worth, "every payment taken was answered")
      ok(answered.size > 5, `${answered.size} payments were answered`)
      yield* Effect.forEach(known, ({ id }) => getTask(service, id), { discard: true })
    }).pipe(Effect.provide(market()), Random.withSeed(seed)),
)
