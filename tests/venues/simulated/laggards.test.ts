/**
 * Simulated markets whose quotes lag behind their outcome, and wrong proposals: in the shares that the
 * options set, and none by default.
 *
 * @module
 */
import { ok, strictEqual } from "node:assert/strict"
import { midOf } from "../../../src/venues/simulated/books.ts"
import type { SimulatedMarket } from "../../../src/venues/simulated/catalogue.ts"
import { makeWorld, type World } from "../../../src/venues/simulated/world.ts"
import { day, minute } from "../../../src/core/domain/time.ts"

function liveAt(world: World, at: number): ReadonlyArray<SimulatedMarket> {
  return Array.from({ length: world.catalogue.slots }, (_, slot) => world.catalogue.at(slot, at))
}

function midAt(world: World, market: SimulatedMarket, at: number): number {
  const quote = world.quote(market, at)
  if (quote === null) throw new Error("no quote")
  return midOf(quote)
}

/** Whether the market's outcome exists and its quotes do not reflect it. */
function isLagging(world: World, market: SimulatedMarket, at: number): boolean {
  const known = world.truth.probability(market, market.revealsAt)
  return at >= market.closesAt && at < market.quotesLagUntil && known >= 0.06 && known <= 0.94
}

/** Markets whose quotes lag, each once; a rival below the gate lags with the others of its event. */
function laggards(world: World): ReadonlyArray<SimulatedMarket> {
  return liveAt(world, world.options.origin + 20 * day)
    .flatMap(({ slot, generation }) =>
      [0, 1, 2, 3].map((ago) => world.catalogue.generation(slot, generation - ago))
    )
    .filter((market) => market.aboveGate && isLagging(world, market, market.closesAt))
}

const many = makeWorld({
  seed: 5,
  markets: 200,
  laggardShare: 0.8,
  wrongProposalShare: 0.2,
  wrongContestedShare: 0.2,
})

Deno.test("a laggard is decided and proposed, and keeps its price until shortly before its payout", () => {
  const found = laggards(many)
  ok(found.length > 60, `${found.length}`)
  for (const market of found) {
    const { revealsAt, closesAt, proposedAt, quotesLagUntil, resolvedAt, kind, end } = market
    ok(kind === "ordinary" && end === "decided")
    ok(revealsAt < closesAt && closesAt < proposedAt && quotesLagUntil < resolvedAt)
    const before = many.truth.probability(market, revealsAt)
    const payout = many.truth.payouts(market)?.[0] ?? 0.5
    for (let n = 0; n < 12; n++) {
      const mid = midAt(many, market, revealsAt + (quotesLagUntil - revealsAt) * n / 12)
      ok(Math.abs(mid - before) < 0.04, `${mid} for ${before}`)
    }
    strictEqual(many.truth.probability(market, closesAt), payout)
    strictEqual(many.listed(market, proposedAt).status, "proposed")
    // The jump at the end is not news: nothing is published about it during settlement.
    for (const at of [quotesLagUntil + 10_000, resolvedAt - minute]) {
      const mid = midAt(many, market, at)
      ok(payout === 1 ? mid >= 0.97 : mid <= 0.03, `${mid} for ${payout}`)
    }
  }
})

Deno.test("a wrong proposal is replaced", () => {
  const markets = liveAt(many, many.options.origin + 20 * day).flatMap(({ slot, generation }) =>
    [0, 1, 2, 3].map((ago) => many.catalogue.generation(slot, generation - ago))
  ).filter(({ end }) => end === "decided")
  let wrong = 0
  for (const market of markets) {
    const payout = many.truth.payouts(market)?.[0] ?? 0.5
    const { resolvedAt } = market
    const times = Array.from(
      { length: 200 },
      (_, n) => market.proposedAt + n * (resolvedAt - market.proposedAt) / 200,
    )
    strictEqual(many.proposal(market, market.proposedAt - 1), null)
    strictEqual(many.proposal(market, resolvedAt), null)
    const records = times.map((at) => many.proposal(market, at))
    for (const [n, record] of records.entries()) {
      const at = times[n] ?? 0
      const before = records[n - 1]
      ok(record !== null && record.proposedAt <= at, "a record from the future")
      ok(before === undefined || record.proposedAt >= (before?.proposedAt ?? 0))
      ok((record.settlesAt ?? 0) > record.proposedAt)
    }
    const [first] = records
    const right = payout === 1 ? 0 : 1
    strictEqual(first?.disputed, false)
    strictEqual(first?.outcome !== right, many.truth.firstProposalIsWrong(market))
    if (first?.outcome === right) {
      ok(records.every((record) => record?.outcome === right && !record.disputed))
      continue
    }
    wrong++
    const last = records.at(-1)
    ok(last?.outcome === right && last.disputed)
  }
  ok(Math.abs(wrong / markets.length - 0.2) < 0.06, `${wrong} of ${markets.length}`)
})
