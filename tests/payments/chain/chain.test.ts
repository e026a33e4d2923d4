/**
 * The laws of a chain on the simulated chain, and over JSON-RPC on a real EVM with our token.
 *
 * @module
 */
import { Arbitrary, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type ChainOptions, layer } from "../../../src/payments/chain/chain.ts"
import type { Chain } from "../../../src/payments/Chain.ts"
import { hasAnvil, skipWithoutAnvil } from "../../support/payments/anvil.ts"
import { controlOf, freshAnvil, simulatedChain } from "../../support/payments/chains.ts"
import { startSeconds } from "../../support/payments/sales.ts"
import { anyHistory, ChainControl, chainLaws, historyLaw } from "./chain.laws.ts"

type ChainPorts = Chain | ChainControl

const onFreshChain = <A, E>(
  chain: Layer.Layer<ChainPorts>,
  body: Effect.Effect<A, E, ChainPorts>,
) =>
  TestClock.setTime(startSeconds * 1_000).pipe(
    Effect.andThen(Effect.provide(body, Layer.fresh(chain))),
    Effect.scoped,
    Effect.provide(TestClock.layer()),
  )

function suite(name: string, chain: Layer.Layer<ChainPorts>, runs: number): void {
  for (const [law, body] of chainLaws) {
    Deno.test(`${name}: ${law}`, () => Effect.runPromise(onFreshChain(chain, body())))
  }
  Deno.test(`${name}: proofs and scans match any history`, async () => {
    const result = await Effect.runPromise(Arbitrary.checkEffect(
      anyHistory,
      (history) => Effect.as(onFreshChain(chain, historyLaw(history)), true),
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
        ChainControl,
        controlOf(anvil, options.finality === "safe" ? 1 : options.finality.blocks),
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
