/**
 * The whole service for the demonstration programs, and their tasks as processes with the
 * permissions of `deno.json`.
 *
 * @module
 */
import { strictEqual } from "node:assert/strict"
import { Clock, Effect, Layer, Ref } from "effect"
import { Payments } from "../../../src/payments/Payments.ts"
import { layer as triggersLayer, triggers } from "../../../src/payments/simulated/triggers.ts"
import { sampleItem } from "../feed/items.ts"
import { serve, stockedWorld, wideLimits } from "../http/servedService.ts"
import { type Ran, run } from "../process.ts"

/** Thirteen items; the last is a strong move of a market that has a report. */
const worldWithMove = Effect.gen(function* () {
  const world = yield* stockedWorld(12)
  const now = yield* Clock.currentTimeMillis
  const [sold] = yield* Ref.get(world.productPorts.markets)
  const strong = sampleItem(13, now)
  if (strong.type !== "mover") return world
  const data = {
    ...strong.data,
    zScore: 8,
    market: { ...strong.data.market, slug: String(sold?.slug) },
  }
  yield* Ref.update(world.items, (items) => [...items, { ...strong, data }])
  return world
})

/** Starts the whole service, configured with its real address, until the scope closes. */
export const openService = Effect.fnUntraced(function* (
  /** Replaces an answer, as a proxy at the same address can. */
  change: (request: Request, answer: Response) => Response = (_, answer) => answer,
) {
  const world = yield* worldWithMove
  const payments = Layer.succeed(Payments, yield* Payments)
  const { base, service } = yield* serve(
    world,
    Layer.provide(triggersLayer, payments),
    { testTriggers: triggers, limits: wideLimits },
    async (request, answer) => change(request, await answer(request)),
  )
  const grow = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* Ref.update(world.items, (items) => [...items, sampleItem(14, now)])
    yield* service.refresh
  })
  return { base, grow }
})

const { tasks } = JSON.parse(
  Deno.readTextFileSync(new URL("../../../deno.json", import.meta.url)),
)

/** Runs a task of `deno.json`, with its permissions, to its end. */
export function runTask(
  task: "agent" | "buy",
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
): Effect.Effect<Ran> {
  const [deno, ...words]: ReadonlyArray<string> = tasks[task].command.split(" ")
  strictEqual(deno, "deno")
  return run([Deno.execPath(), ...words, ...args], { env })
}
