/**
 * The simulated world: a function of seed and time, whose visible data reflect its hidden state.
 *
 * @module
 */
import { Arbitrary, Result, Schema } from "effect"
import { deepStrictEqual, ok } from "node:assert/strict"
import { midOf } from "../../../src/venues/simulated/books.ts"
import type { SimulatedMarket } from "../../../src/venues/simulated/catalogue.ts"
import { worldDefaults } from "../../../src/venues/simulated/options.ts"
import { misquoteOf } from "../../../src/venues/simulated/probability.ts"
import { makeWorld, type World } from "../../../src/venues/simulated/world.ts"
import { microstructure } from "../../../src/markets/domain/book.ts"
import { day, hour, minute, second } from "../../../src/core/domain/time.ts"
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
  mechanicalShare: 0.1,
  wallets: worldDefaults.wallets.map((group) => ({ ...group, count: 1 })),
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
      const market = world.catalogue.generation(slot, generation)
      if (market.kind !== "mechanical") found.push(market)
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
    if (Result.isFailure(found)) return true
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

Deno.test("wallets win with their edge above the prices paid", () => {
  const groups = [0.08, 0, -0.06].map((edge) => ({
    count: 5,
    strategy: "bettor" as const,
    edge,
    entriesPerDay: 6,
    prices: [0.2, 0.8] as const,
    repeatShare: 0,
    eventShare: 0,
    medianStakeUsd: 500,
  }))
  const world = makeWorld({ seed: 9, markets: 300, wallets: groups })
  const { origin } = world.options
  for (const group of groups) {
    let [count, sum, variance] = [0, 0, 0]
    for (const wallet of world.wallets.filter((one) => one.group === group)) {
      for (
        const { market, outcome, price } of world.truth.episodes(wallet, origin, origin + 60 * day)
      ) {
        if (market.end !== "decided") continue
        count += 1
        sum += (world.truth.payouts(market)?.[outcome] ?? 0) - price
        variance += price * (1 - price)
      }
    }
    const error = Math.sqrt(variance) / count
    // Entries in one market share its outcome, so the true error is somewhat larger.
    ok(Math.abs(sum / count - group.edge) < 5 * error, `${sum / count} is not ${group.edge}`)
    ok(count > 1_000, `only ${count} entries`)
  }
})

Deno.test("wallets without skill break even, also at wide spreads", () => {
  const group = {
    count: 5,
    strategy: "bettor" as const,
    edge: 0,
    entriesPerDay: 80,
    prices: [0.1, 0.9] as const,
    repeatShare: 0,
    eventShare: 0,
    medianStakeUsd: 500,
  }
  const world = makeWorld({ seed: 14, markets: 2_000, gateShare: 0, wallets: [group] })
  const { origin } = world.options
  let [count, sum] = [0, 0]
  for (const wallet of world.wallets) {
    for (
      const { market, outcome, price } of world.truth.episodes(wallet, origin, origin + 60 * day)
    ) {
      if (market.end !== "decided") continue
      count += 1
      sum += (world.truth.payouts(market)?.[outcome] ?? 0) - price
    }
  }
  // Without compensation for the half spread (2 cents here), this would be -0.02.
  ok(Math.abs(sum / count) < 0.01, `${sum / count} over ${count} entries`)
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

Deno.test("noise traders trade on both sides of the book, more often after a jump", () => {
  const world = makeWorld({ seed: 11, markets: 100, wallets: [] })
  let [after, before, buys] = [0, 0, 0]
  for (const market of everyMarket(world, [0])) {
    for (const { at } of world.truth.jumps(market, market.opensAt + 3 * hour, market.resolvedAt)) {
      before += world.trades(market, { from: at - 3 * hour, to: at - 2 * hour }, 1_000).length
      const rows = world.trades(market, { from: at + minute, to: at + hour }, 1_000)
      after += rows.length
      buys += rows.filter(({ side }) => side === "buy").length
    }
  }
  ok(after > 2 * before, `${after} after, ${before} before`)
  ok(buys > 0.4 * after && buys < 0.6 * after, `${buys} purchases of ${after}`)
})

Deno.test("history goes back at least eight days before the origin for most markets", () => {
  const world = makeWorld({ seed: 12, markets: 200 })
  const { origin } = world.options
  const old = Array.from({ length: 200 }, (_, slot) => world.catalogue.at(slot, origin))
    .filter((market) => market.kind === "ordinary" && origin - market.opensAt > 8 * day)
  ok(old.length > 60, `${old.length} of 200`)
  for (const market of old) {
    const points = world.history(market.tokenIds[0], { from: origin - 8 * day, to: origin }, hour)
    ok(points.length >= 8 * 24 - 1, `${points.length} points`)
  }
})
