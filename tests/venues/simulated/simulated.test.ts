/**
 * The simulated world: a function of seed and time, whose visible data reflect its hidden state.
 *
 * @module
 */
import { Arbitrary, Result, Schema } from "effect"
import { deepStrictEqual, ok } from "node:assert/strict"
import { midOf } from "../../../src/venues/simulated/books.ts"
import type { SimulatedMarket } from "../../../src/venues/simulated/catalogue.ts"
import { misquoteOf } from "../../../src/venues/simulated/path.ts"
import type { WalletGroup } from "../../../src/venues/simulated/options.ts"
import { makeWorld, type World } from "../../../src/venues/simulated/world.ts"
import { microstructure } from "../../../src/markets/domain/book.ts"
import { day, hour, second } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"

const anyInt = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

const slots = 60
/** A seed, a slot, and seconds from the origin (16 days either way). */
const place = Arbitrary.all({
  seed: anyInt(1, 40),
  slot: anyInt(0, slots - 1),
  seconds: anyInt(-1_400_000, 1_400_000),
})
type Place = { readonly seed: number; readonly slot: number; readonly seconds: number }

const options = {
  markets: slots,
}
const worlds = new Map<number, World>()

/** A shared world that has answered many calls before. */
function usedWorld(seed: number): World {
  const known = worlds.get(seed)
  if (known !== undefined) return known
  const world = makeWorld({ seed, ...options })
  worlds.set(seed, world)
  return world
}

function everythingAt(world: World, { slot, seconds }: Place) {
  const at = world.options.origin + seconds * second
  const market = world.catalogue.at(slot, at)
  return {
    market,
    listed: world.listed(market, at),
    quote: world.quote(market, at),
    books: market.tokenIds.map((tokenId) => world.book(tokenId, at)),
    history: world.history(market.tokenIds[1], { from: at - day, to: at }, hour),
    trades: world.trades(market, { from: at - hour, to: at }, 50),
    truth: world.truth.probability(market, at),
    jumps: world.truth.jumps(market, market.opensAt, market.resolvedAt),
    payouts: world.truth.payouts(market),
  }
}

function everyMarket(
  world: World,
  generations: ReadonlyArray<number>,
): ReadonlyArray<SimulatedMarket> {
  const found: Array<SimulatedMarket> = []
  for (let slot = 0; slot < world.catalogue.slots; slot++) {
    for (const generation of generations) {
      found.push(world.catalogue.generation(slot, generation))
    }
  }
  return found
}

law("a world's data do not depend on earlier calls", place, (drawn) => {
  deepStrictEqual(
    everythingAt(makeWorld({ seed: drawn.seed, ...options }), drawn),
    everythingAt(usedWorld(drawn.seed), drawn),
  )
})

Deno.test("worlds of different seeds have no market in common", () => {
  const ids = (seed: number) => usedWorld(seed).list(0, 0, slots).map(({ id }) => id)
  const first = new Set(ids(1))
  ok(ids(2).every((id) => !first.has(id)))
})

law("a market is found by its id and its tokens", place, (drawn) => {
  const { catalogue, options: { origin } } = usedWorld(drawn.seed)
  const market = catalogue.at(drawn.slot, origin + drawn.seconds * second)
  deepStrictEqual(catalogue.byId(market.id), market)
  deepStrictEqual(market.tokenIds.map(catalogue.byToken), [
    { market, outcome: 0 },
    { market, outcome: 1 },
  ])
  const other = usedWorld(drawn.seed + 100).catalogue
  return other.byId(market.id) === undefined && other.byToken(market.tokenIds[0]) === undefined
})

law(
  "every slot has one market at a time, and the next opens when it is paid out",
  place,
  (drawn) => {
    const { catalogue, options: { origin } } = usedWorld(drawn.seed)
    const at = origin + drawn.seconds * second
    const market = catalogue.at(drawn.slot, at)
    const next = catalogue.generation(drawn.slot, market.generation + 1)
    return market.opensAt <= at && at < market.resolvedAt && next.opensAt === market.resolvedAt &&
      market.opensAt <= market.revealsAt && market.revealsAt <= market.closesAt &&
      market.closesAt <= market.proposedAt && market.proposedAt <= market.resolvedAt
  },
)

law("the second token's book mirrors the first's", place, (drawn) => {
  const [first, second] = everythingAt(usedWorld(drawn.seed), drawn).books
  const mirrored = (levels: ReadonlyArray<{ price: number; size: number }> = []) =>
    levels.map(({ price, size }) => [Math.round((1 - price) * 10_000), size])
  const plain = (levels: ReadonlyArray<{ price: number; size: number }> = []) =>
    levels.map(({ price, size }) => [Math.round(price * 10_000), size])
  deepStrictEqual(plain(second?.bids), mirrored(first?.asks))
  deepStrictEqual(plain(second?.asks), mirrored(first?.bids))
})

law(
  "a valid book is centred on the true probability, and deep enough only above the gate",
  place,
  (drawn) => {
    const world = usedWorld(drawn.seed)
    const { market, listed, quote, books: [book] } = everythingAt(world, drawn)
    if (book === undefined || quote === null) return false
    const found = microstructure(book)
    if (Result.isFailure(found)) return false
    const truth = world.truth.probability(market, book.observedAt)
    const { mid, spread, depthUsdWithin5c } = found.success
    const gate = listed.volumeUsd >= 10_000 && depthUsdWithin5c.total >= 2_500
    return gate === market.aboveGate &&
      Math.abs(mid - truth) <= 2 * Math.max(spread, market.spread) + misquoteOf(market)
  },
)

Deno.test("planted jumps appear in the mids with their direction and size", () => {
  const world = makeWorld({ seed: 5, markets: 80, jumpsPerMarketDay: 1 })
  let seen = 0
  for (const market of everyMarket(world, [-1, 0])) {
    for (const jump of world.truth.jumps(market, market.opensAt, market.resolvedAt)) {
      const after = world.quote(market, jump.at + 5 * second)
      const before = world.quote(market, jump.at - 5 * second)
      if (before === null || after === null) continue
      seen += 1
      const moved = midOf(after) - midOf(before)
      const noise = Math.max(0.02, 3 * market.spread) + misquoteOf(market)
      ok(Math.abs(moved - (jump.to - jump.from)) < noise, `${moved} for ${jump.to - jump.from}`)
    }
  }
  ok(seen > 500, `only ${seen} jumps`)
})

Deno.test("markets resolve with their true probability, at any stage of their life", () => {
  const world = makeWorld({ seed: 7, markets: 300 })
  for (const stage of [0.05, 0.5, 0.9]) {
    const bins = Array.from({ length: 10 }, () => ({ count: 0, expected: 0, won: 0, variance: 0 }))
    for (const market of everyMarket(world, [-8, -7, -6, -5, -4, -3, -2, -1])) {
      if (market.end !== "decided") continue
      const p = world.truth.probability(
        market,
        market.opensAt + stage * (market.closesAt - market.opensAt),
      )
      const bin = bins[Math.min(9, Math.floor(p * 10))]
      if (bin === undefined) continue
      bin.count += 1
      bin.expected += p
      bin.variance += p * (1 - p)
      bin.won += world.truth.payouts(market)?.[0] ?? 0
    }
    for (const { count, expected, won, variance } of bins) {
      if (count === 0) continue
      ok(
        Math.abs(won - expected) <= 4 * Math.sqrt(variance) + 1,
        `${won} of ${count}, not ${expected}`,
      )
    }
  }
})

/** The mean gain of a group's purchases in decided markets, USD a share, and how many they are. */
function gainOf(world: World, group: WalletGroup) {
  const { origin } = world.options
  const gains = world.wallets.filter((one) => one.group === group).flatMap((wallet) =>
    world.activity(wallet, { from: origin, to: origin + 60 * day })
      .filter(({ market, kind }, n, rows) =>
        kind === "buy" && market.end === "decided" && rows[n - 1]?.market !== market
      )
      .map(({ market, outcome, price }) => (world.truth.payouts(market)?.[outcome] ?? 0) - price)
  )
  return { mean: gains.reduce((sum, gain) => sum + gain, 0) / gains.length, count: gains.length }
}

Deno.test("wallets win with their edge above the prices paid", () => {
  const groups = [0.08, 0, -0.06].map((edge) => ({
    ...{ count: 5, edge, entriesPerDay: 8, prices: [0.2, 0.8] as const, medianStakeUsd: 500 },
  }))
  const world = makeWorld({ seed: 9, markets: 300, wallets: groups })
  for (const group of groups) {
    const { mean, count } = gainOf(world, group)
    // Entries in one market share its outcome, so the true error is somewhat larger.
    ok(Math.abs(mean - group.edge) < 5 * 0.5 / Math.sqrt(count), `${mean} is not ${group.edge}`)
    ok(count > 1_000, `only ${count} entries`)
  }
})

Deno.test("wallets without skill break even, also at wide spreads", () => {
  const group = {
    ...{ count: 5, edge: 0, entriesPerDay: 80, prices: [0.1, 0.9] as const, medianStakeUsd: 500 },
  }
  const { mean, count } = gainOf(
    makeWorld({ seed: 14, markets: 2_000, gateShare: 0, wallets: [group] }),
    group,
  )
  // Without compensation for the half spread (2 cents here), this would be -0.02.
  ok(Math.abs(mean) < 0.01, `${mean} over ${count} entries`)
})

law(
  "trades() is newest first, within its range, and independent of how ranges are split",
  place,
  (drawn) => {
    const world = usedWorld(drawn.seed)
    const at = world.options.origin + drawn.seconds * second
    const market = world.catalogue.at(drawn.slot, at)
    const all = world.trades(market, { from: at - 4 * hour, to: at }, Infinity)
    const newer = world.trades(market, { from: at - hour, to: at }, Infinity)
    const older = world.trades(market, { from: at - 4 * hour, to: at - hour - 1 }, Infinity)
    deepStrictEqual(all, [...newer, ...older])
    deepStrictEqual(world.trades(market, { from: at - 4 * hour, to: at }, 7), all.slice(0, 7))
    return all.every((fill, index) => index === 0 || fill.at <= (all[index - 1]?.at ?? Infinity)) &&
      all.every((fill) => fill.at <= at && fill.at >= at - 4 * hour)
  },
)
