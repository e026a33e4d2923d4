/**
 * The laws of a chain: simulated, and over JSON-RPC to a real EVM with our token on it.
 *
 * @module
 */
import { Arbitrary, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type ChainOptions, layer } from "../../../src/payments/chain/chain.ts"
import type { Chain } from "../../../src/payments/Chain.ts"
import { hasAnvil, skipWithoutAnvil } from "../../support/payments/anvil.ts"
import { freshAnvil, simulatedChain, worldOn } from "../../support/payments/chains.ts"
import { startSeconds } from "../../support/payments/sales.ts"
import { anyHistory, chainLaws, historyLaw, World } from "./chain.laws.ts"

type OnChain = Chain | World

/** Runs a body on a fresh chain, at the time it begins with. */
const onFresh = <A, E>(chain: Layer.Layer<OnChain>, body: Effect.Effect<A, E, OnChain>) =>
  TestClock.setTime(startSeconds * 1_000).pipe(
    Effect.andThen(Effect.provide(body, Layer.fresh(chain))),
    Effect.scoped,
    Effect.provide(TestClock.layer()),
  )

function suite(name: string, chain: Layer.Layer<OnChain>, runs: number): void {
  for (const [law, body] of chainLaws) {
    Deno.test(`${name}: ${law}`, () => Effect.runPromise(onFresh(chain, body())))
  }
  Deno.test(`${name}: shows just what happened, whatever happens`, async () => {
    const result = await Effect.runPromise(Arbitrary.checkEffect(
      anyHistory,
      (history) => Effect.as(onFresh(chain, historyLaw(history)), true),
      { runs },
    ))
    const failure = Arbitrary.formatCheckFailure(result)
    if (failure !== undefined) throw new Error(failure)
  })
}

const overAnvil = (options: Omit<ChainOptions, "rpcUrl">) =>
  Layer.unwrap(Effect.map(freshAnvil, (anvil) =>
    Layer.merge(
      layer({ ...options, rpcUrl: anvil.url }),
      Layer.succeed(
        World,
        worldOn(anvil, options.finality === "safe" ? 1 : options.finality.blocks),
      ),
    )))

suite("the simulated chain", simulatedChain, 100)
if (hasAnvil) {
  suite("the chain over JSON-RPC", overAnvil({ finality: "safe" }), 10)
  suite(
    "the chain over JSON-RPC, 4 blocks deep and 3 at a time",
    overAnvil({ finality: { blocks: 4 }, scanBlocksMax: 3 }),
    10,
  )
} else {
  skipWithoutAnvil("the laws of a chain over JSON-RPC")
}
