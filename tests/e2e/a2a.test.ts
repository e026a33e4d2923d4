/**
 * Unmodified clients of A2A against whole faces on real sockets, with payments that are really signed
 * and settled on a simulated chain.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, rejects, strictEqual } from "node:assert/strict"
import { Effect, Layer, type Scope } from "effect"
import { Ledger, playBalance } from "../../src/adapters/simulation/ledger.ts"
import { address } from "../../src/domain/payment.ts"
import { products } from "../../src/domain/product.ts"
import { skills } from "../../src/domain/skill.ts"
import { make } from "../../src/http/layer.ts"
import type { Peer } from "../../src/http/server.ts"
import { Payments } from "../../src/services/Payments.ts"
import { type A2aClient, clientKinds, connect, payFor, submitted } from "../support/a2aClients.ts"
import { buyer } from "../support/buyers.ts"
import { liveTest } from "../support/effect.ts"
import { faceOptions, servicesOver, type World } from "../support/face.ts"
import { market, replica } from "../support/sales.ts"
import { stockedWorld } from "../support/shop.ts"
import { terms } from "../support/terms.ts"

/** A replica of the service whose card names the address it is really at. */
const serve = Effect.fnUntraced(function* (world: World, payments: Payments["Service"]) {
  let handle = (_: Request, __: Peer): Response | Promise<Response> => new Response(null)
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen: () => {} },
        (request, info) => handle(request, info),
      )
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  const base = `http://127.0.0.1:${server.addr.port}`
  const services = yield* Layer.build(servicesOver(world, Layer.succeed(Payments, payments)))
  const options = { ...faceOptions, terms: { ...terms, publicBaseUrl: base } }
  handle = (yield* Effect.provide(make(options), services)).handle
  return base
})

const spent = Effect.map(
  Effect.flatMap(Ledger, (ledger) => ledger.balance(address(buyer(0).address))),
  (balance) => playBalance - balance,
)

const call = <A>(ask: () => Promise<A>): Effect.Effect<A> => Effect.promise(ask)

const nobody = "3f2f1c52-7a1c-4b53-9f0e-0d7d2a6f9b11"

for (const kind of clientKinds) {
  const talking = (
    body: (
      client: A2aClient,
      base: string,
    ) => Effect.Effect<void, unknown, Ledger | Payments | Scope.Scope>,
  ) =>
    Effect.gen(function* () {
      const base = yield* serve(yield* stockedWorld, yield* Payments)
      yield* body(yield* call(() => connect(kind, base)), base)
    }).pipe(Effect.provide(market()))

  liveTest(
    `client ${kind} reads the card, and asks for a free skill`,
    () =>
      talking(Effect.fnUntraced(function* ({ card, send }, base) {
        strictEqual(card.name, "Bellwether")
        equal(card.skills.map(({ id }) => id), skills.map(({ name }) => name))
        const task = yield* call(() => send([{ data: { skill: "get_index", params: {} } }]))
        equal(task.state, "completed")
        const overHttp = yield* call(async () => await (await fetch(`${base}/v1/index`)).json())
        equal(task.answer, overHttp)
        const asked = yield* call(() => send([{ text: "hello" }]))
        equal(asked.state, "input-required")
      })),
  )

  liveTest(
    `client ${kind} pays for a skill in band, in either order of settlement`,
    () =>
      talking(Effect.fnUntraced(function* ({ send, get }) {
        let total = 0n
        for (const product of [products.latest, products.resolving]) {
          const offer = yield* call(() => send([{ data: { skill: `get_${product.id}` } }]))
          equal([offer.state, offer.metadata["x402.payment.status"]], [
            ...["input-required", "payment-required"],
          ])
          const metadata = submitted(yield* call(() => payFor(offer)))
          const paid = () => send([{ text: "Paid." }], { taskId: offer.id, metadata })
          const task = yield* call(paid)
          equal([task.id, task.state], [offer.id, "completed"], JSON.stringify(task))
          ok(Array.isArray(task.answer?.["data"]) || task.answer?.["data"] !== undefined)
          equal(task.metadata["x402.payment.status"], "payment-completed")
          const [receipt] = task.metadata["x402.payment.receipts"] as ReadonlyArray<
            Record<string, unknown>
          >
          equal([receipt?.["success"], receipt?.["payer"]], [true, buyer(0).address.toLowerCase()])
          equal((yield* call(() => get(offer.id))).answer, task.answer)
          equal((yield* call(paid)).answer, task.answer)
          total += product.price
          strictEqual(yield* spent, total)
        }
      })),
  )

  liveTest(
    `client ${kind} understands what is refused`,
    () =>
      talking(Effect.fnUntraced(function* ({ send, get, cancel, push }) {
        const refused = (ask: () => Promise<unknown>, because: RegExp) =>
          call(() => rejects(ask, (error) => because.test(String(error))))
        yield* refused(() => get(nobody), /TaskNotFound|-32001|Task not found/)
        yield* refused(() => cancel(nobody), /TaskNotFound|-32001|Task not found/)
        yield* refused(() => push(nobody), /[Pp]ush ?[Nn]otification/)
        const { id } = yield* call(() => send([{ data: { skill: "get_latest" } }]))
        strictEqual((yield* call(() => cancel(id))).state, "canceled")
        yield* refused(() => cancel(id), /[Nn]ot.?[Cc]ancelable|cannot be canceled/)
        strictEqual((yield* call(() => get(id))).state, "canceled")
        yield* refused(() => send([{ data: { skill: "get_rich" } }]), /Invalid param/i)
        strictEqual(yield* spent, 0n)
      })),
  )
}

liveTest(
  "two replicas alternate over one task, and either hands out what the other sold",
  () =>
    Effect.gen(function* () {
      const world = yield* stockedWorld
      const [first, second] = yield* Effect.all([
        Effect.flatMap(replica, (payments) => serve(world, payments)),
        Effect.flatMap(replica, (payments) => serve(world, payments)),
      ])
      const [one, two] = yield* call(() =>
        Promise.all([connect("0.3.14", first), connect("0.3.14", second)])
      )
      const asked = yield* call(() => one.send([{ text: "hello" }]))
      const offer = yield* call(() => two.send([{ text: "get_latest" }], { taskId: asked.id }))
      const metadata = submitted(yield* call(() => payFor(offer)))
      const paying = (client: A2aClient) => () =>
        client.send([{ text: "Paid." }], { taskId: asked.id, metadata })
      const told = yield* call(() => Promise.all([paying(one)(), paying(two)(), paying(one)()]))
      for (const task of told) match(task.state, /^(completed|working)$/)
      const answers = [yield* call(paying(two)), yield* call(() => one.get(asked.id))]
      for (const task of answers) {
        equal([task.state, task.answer], ["completed", answers[0]?.answer])
      }
      strictEqual(yield* spent, products.latest.price as bigint)
    }).pipe(Effect.provide(market())),
)
