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
import {
  anyHistory,
  anyLateUse,
  ChainControl,
  chainLaws,
  historyLaw,
  lateUseLaw,
} from "./chain.laws.ts"
import { effectLaw } from "../../support/effect.ts"

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
  const property = <A>(
    law: string,
    values: Arbitrary.Arbitrary<A>,
    runs: number,
    body: (value: A) => Effect.Effect<void, unknown, ChainPorts>,
  ) => effectLaw(`${name}: ${law}`, values, (value) => onFreshChain(chain, body(value)), { runs })
  property("proofs and scans match any history", anyHistory, runs, historyLaw)
  const late = Math.ceil(runs / 5)
  property("a use that was not seen is proved at any time after it", anyLateUse, late, lateUseLaw)
}

const overAnvil = (options: Omit<ChainOptions, "rpcUrls" | "chainId">) =>
  Layer.unwrap(Effect.map(freshAnvil, (anvil) =>
    Layer.merge(
      layer({ ...options, chainId: 8453, rpcUrls: [anvil.url] }),
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
