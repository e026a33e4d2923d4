/**
 * Unmodified clients of A2A against whole faces on real sockets, with payments that are really signed
 * and settled on a simulated chain.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, rejects, strictEqual } from "node:assert/strict"
import { Context, Effect, Layer, type Scope } from "effect"
import { layerPostgres } from "../../src/postgres/client.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"
import { layer as taskStore } from "../../src/http/a2a/postgres/taskStore.ts"
import { Ledger, playBalance } from "../../src/payments/simulated/ledger.ts"
import { address } from "../../src/payments/domain/payment.ts"
import { products } from "../../src/catalog/domain/product.ts"
import { skills } from "../../src/catalog/domain/skill.ts"
import { makeHttpService } from "../../src/http/layer.ts"
import type { Peer } from "../../src/http/server/server.ts"
import { Payments } from "../../src/payments/Payments.ts"
import { TaskStore } from "../../src/http/a2a/TaskStore.ts"
import {
  type A2aClient,
  clientKinds,
  connect,
  payFor,
  submitted,
} from "../support/http/a2aClients.ts"
import { buyer } from "../support/payments/buyers.ts"
import { liveTest } from "../support/effect.ts"
import { serviceOptions, servicesOver, type World } from "../support/http/httpService.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { startDev } from "../support/process.ts"
import { market } from "../support/payments/sales.ts"
import { pooledReplicaPorts, stockedWorld } from "../support/http/socketReplicas.ts"
import { freshSchema } from "../support/stores.ts"
import { terms } from "../support/payments/terms.ts"

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL")

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
  const options = { ...serviceOptions, terms: { ...terms, publicBaseUrl: base } }
  handle = (yield* Effect.provide(makeHttpService(options), services)).handle
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

/** Two replicas that share a database and no more: stores, pools and memory are their own. */
const overPostgres = Effect.fnUntraced(function* (database: string) {
  const url = yield* freshSchema(database)
  const owner = yield* Layer.build(Layer.fresh(layerPostgres({ url, maxConnections: 2 })))
  yield* Effect.provide(Effect.flatMap(migrationFiles, migrate), owner)
  const world = yield* stockedWorld
  const opened = Effect.gen(function* () {
    const ports = yield* Layer.build(pooledReplicaPorts(url))
    const pool = Layer.fresh(layerPostgres({ url, maxConnections: 4 }))
    const tasks = yield* Layer.build(Layer.provide(Layer.fresh(taskStore()), pool))
    const layer = Layer.fresh(Payments.layer({ terms }))
    const sold = yield* Layer.build(Layer.provide(layer, Layer.succeedContext(ports)))
    const own = { ...world, tasks: Context.get(tasks, TaskStore) }
    const base = yield* serve(own, Context.get(sold, Payments))
    return { base, ledger: Context.get(ports, Ledger) }
  })
  const [first, second] = [yield* opened, yield* opened]
  return { bases: [first.base, second.base] as const, ledger: first.ledger }
})

/** One task at two replicas: named at one, offered by the other, paid at both at once. */
const alternating = Effect.fnUntraced(function* (database: string) {
  const { bases: [first, second], ledger } = yield* overPostgres(database)
  const [one, two] = yield* call(() =>
    Promise.all([connect("0.3.14", first), connect("1.3.0 with legacyCompat", second)])
  )
  let total = 0n
  for (const product of [products.latest, products.resolving]) {
    const { id: taskId } = yield* call(() => one.send([{ text: "hello" }]))
    const offer = yield* call(() => two.send([{ text: `get_${product.id}` }], { taskId }))
    equal((yield* call(() => one.get(taskId))).text, offer.text.replace(second, first))
    const metadata = submitted(yield* call(() => payFor(offer)))
    const paying = (client: A2aClient) => client.send([{ text: "Paid." }], { taskId, metadata })
    const told = yield* call(() => Promise.all([one, two, one, two, one].map(paying)))
    for (const task of told) match(task.state, /^(completed|working)$/)
    const [bought, ...again] = [
      yield* call(() => paying(two)),
      yield* call(() => one.get(taskId)),
      yield* call(() => two.get(taskId)),
    ]
    ok(bought !== undefined && bought.answer !== null)
    for (const task of again) equal([task.state, task.answer], ["completed", bought.answer])
    total += product.price
    strictEqual(yield* ledger.received(address(terms.payTo)), total)
  }
  const { id } = yield* call(() => one.send([{ text: "hello" }]))
  strictEqual((yield* call(() => two.cancel(id))).state, "canceled")
  strictEqual((yield* call(() => one.get(id))).state, "canceled")
})

const replicas = "two replicas alternate over one task, and either hands out what the other sold"
if (testDatabaseUrl === undefined) registerSkipped(replicas, "set TEST_DATABASE_URL")
else liveTest(replicas, () => alternating(testDatabaseUrl))

liveTest(
  "the service as it runs, sandboxed and embedded, is paid over A2A",
  () =>
    Effect.gen(function* () {
      const dir = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          await Deno.mkdir(".data", { recursive: true })
          return await Deno.makeTempDir({ dir: ".data", prefix: "a2a-" })
        }),
        (dir) => Effect.promise(() => Deno.remove(dir, { recursive: true })),
      )
      const { base, until } = yield* startDev(dir)
      yield* until("/v1/index", (body) => Number(body["index"]) > 0)
      for (const kind of clientKinds) {
        const { send, get } = yield* call(() => connect(kind, base))
        const offer = yield* call(() => send([{ text: "get_latest" }]))
        const metadata = submitted(yield* call(() => payFor(offer, 7)))
        const paid = yield* call(() => send([{ text: "Paid." }], { taskId: offer.id, metadata }))
        equal([paid.state, paid.answer?.["charged"]], ["completed", true], JSON.stringify(paid))
        equal((yield* call(() => get(offer.id))).answer, paid.answer)
      }
    }),
)
