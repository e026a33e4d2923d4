/**
 * Unmodified A2A clients against the whole service on real sockets, with payments that are signed and
 * settled on a simulated chain.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, rejects, strictEqual } from "node:assert/strict"
import { ClientFactory } from "a2a-v1/client"
import { Effect, Schedule, type Scope } from "effect"
import { Ledger, playBalance } from "../../src/payments/simulated/ledger.ts"
import { address } from "../../src/payments/domain/payment.ts"
import { skills } from "../../src/catalog/domain/skill.ts"
import { Payments } from "../../src/payments/Payments.ts"
import {
  type A2aClient,
  clientKinds,
  connect,
  connectingLines,
  payFor,
  submitted,
} from "../support/http/a2aClients.ts"
import { buyer } from "../support/payments/buyers.ts"
import { liveTest } from "../support/effect.ts"
import { removeFolder, startDev } from "../support/process.ts"
import { market } from "../support/payments/sales.ts"
import { openShop } from "../support/http/servedService.ts"

const spent = Effect.map(
  Effect.flatMap(Ledger, (ledger) => ledger.balance(address(buyer(0).address))),
  (balance) => playBalance - balance,
)

const call = <A>(request: () => Promise<A>): Effect.Effect<A> => Effect.promise(request)

/**
 * The same request again while the service says that it cannot answer now, as a client is asked to. On
 * a busy machine a tick keeps the one connection of an embedded store for longer than the two seconds
 * that a shared limit may take; then nothing is read, and no payment is used.
 */
const patiently = <A>(request: () => Promise<A>): Effect.Effect<A> =>
  Effect.tryPromise({ try: request, catch: String }).pipe(
    Effect.retry({
      while: (error) => error.includes("The service cannot answer now"),
      schedule: Schedule.spaced("1 second"),
      times: 60,
    }),
    Effect.orDie,
  )

const unknownTaskId = "3f2f1c52-7a1c-4b53-9f0e-0d7d2a6f9b11"

liveTest(
  "docs/agents.md connects the current SDK as /llms-full.txt does; its defaults fail",
  () =>
    Effect.gen(function* () {
      const base = yield* openShop()
      const served = yield* call(async () => await (await fetch(`${base}/llms-full.txt`)).text())
      const lines = (text: string) => connectingLines(text).replace(/createFromUrl\(".*"\)/, "")
      ok(lines(served) !== "")
      equal(lines(Deno.readTextFileSync("docs/agents.md")), lines(served))
      const error = yield* call(() =>
        new ClientFactory().createFromUrl(base).then(() => "", String)
      )
      match(error, /No compatible transport found/)
    }).pipe(Effect.provide(market())),
)

for (const kind of clientKinds) {
  const withClient = (
    body: (
      client: A2aClient,
      base: string,
    ) => Effect.Effect<void, unknown, Ledger | Payments | Scope.Scope>,
  ) =>
    Effect.gen(function* () {
      const base = yield* openShop()
      yield* body(yield* call(() => connect(kind, base)), base)
    }).pipe(Effect.provide(market()))

  liveTest(
    `client ${kind} reads the card, and uses a free skill`,
    () =>
      withClient(Effect.fnUntraced(function* ({ card, send }, base) {
        strictEqual(card.name, "Bellwether")
        equal(card.skills.map(({ id }) => id), skills.map(({ name }) => name))
        const task = yield* call(() => send([{ data: { skill: "get_index", params: {} } }]))
        equal(task.state, "completed")
        const overHttp = yield* call(async () => await (await fetch(`${base}/v1/index`)).json())
        equal(task.answer, overHttp)
        const unclear = yield* call(() => send([{ text: "hello" }]))
        equal(unclear.state, "input-required")
      })),
  )

  liveTest(
    `client ${kind} understands the errors`,
    () =>
      withClient(Effect.fnUntraced(function* ({ send, get, cancel, push }) {
        const refused = (request: () => Promise<unknown>, reason: RegExp) =>
          call(() => rejects(request, (error) => reason.test(String(error))))
        yield* refused(() => get(unknownTaskId), /TaskNotFound|-32001|Task not found/)
        yield* refused(() => cancel(unknownTaskId), /TaskNotFound|-32001|Task not found/)
        yield* refused(() => push(unknownTaskId), /[Pp]ush ?[Nn]otification/)
        const { id } = yield* call(() => send([{ data: { skill: "get_latest" } }]))
        strictEqual((yield* call(() => cancel(id))).state, "canceled")
        yield* refused(() => cancel(id), /[Nn]ot.?[Cc]ancelable|cannot be canceled/)
        yield* refused(() => send([{ data: { skill: "get_rich" } }]), /Invalid param/i)
        strictEqual(yield* spent, 0n)
      })),
  )
}

liveTest(
  "the sandboxed service on an embedded store is paid over A2A",
  () =>
    Effect.gen(function* () {
      const dir = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          await Deno.mkdir(".data", { recursive: true })
          return await Deno.makeTempDir({ dir: ".data", prefix: "a2a-" })
        }),
        removeFolder,
      )
      const { base, until } = yield* startDev(dir)
      yield* until("/v1/index", (body) => Number(body["index"]) > 0)
      for (const kind of clientKinds) {
        const { send, get } = yield* patiently(() => connect(kind, base))
        const offer = yield* patiently(() => send([{ text: "get_latest" }]))
        const metadata = submitted(yield* call(() => payFor(offer, 7)))
        const paid = yield* patiently(() =>
          send([{ text: "Paid." }], { taskId: offer.id, metadata })
        )
        equal([paid.state, paid.answer?.["charged"]], ["completed", true], JSON.stringify(paid))
        equal((yield* patiently(() => get(offer.id))).answer, paid.answer)
      }
    }),
)
