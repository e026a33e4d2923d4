/**
 * Unmodified A2A clients against the whole service on real sockets, with payments that are signed and
 * settled on a simulated chain.
 *
 * @module
 */
import { deepStrictEqual as equal, match, rejects, strictEqual } from "node:assert/strict"
import { ClientFactory } from "a2a-v1/client"
import { Effect, type Scope } from "effect"
import type { Ledger } from "../../src/payments/simulated/ledger.ts"
import { skills } from "../../src/catalog/domain/skill.ts"
import { Payments } from "../../src/payments/Payments.ts"
import { type A2aClient, clientKinds, connect, runLines } from "../support/http/a2aClients.ts"
import { buyer } from "../support/payments/buyers.ts"
import { liveTest } from "../support/effect.ts"
import { spentBy } from "../support/packages/shop.ts"
import { market } from "../support/payments/sales.ts"
import { openShop } from "../support/http/servedService.ts"

const spent = spentBy(buyer(0).address)

const call = <A>(request: () => Promise<A>): Effect.Effect<A> => Effect.promise(request)

const unknownTaskId = "3f2f1c52-7a1c-4b53-9f0e-0d7d2a6f9b11"

liveTest(
  "the lines for the current SDK in docs/agents.md and /llms-full.txt print an answer; its defaults fail",
  function* () {
    const base = yield* openShop()
    const read = (path: string) => call(async () => await (await fetch(`${base}${path}`)).text())
    const index = JSON.parse(yield* read("/v1/index"))
    for (
      const text of [yield* read("/llms-full.txt"), Deno.readTextFileSync("docs/agents.md")]
    ) {
      equal((yield* call(() => runLines(text, base))).printed, [index])
    }
    const error = yield* call(() => new ClientFactory().createFromUrl(base).then(() => "", String))
    match(error, /No compatible transport found/)
  },
  market(),
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
