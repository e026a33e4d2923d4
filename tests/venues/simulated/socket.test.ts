/**
 * The simulated world's past over a socket, read by the real venue's adapter: activity,
 * resolutions and facts equal those of the in-process adapter, despite faults.
 *
 * @module
 */
import { Clock, Effect, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import { deepStrictEqual, ok } from "node:assert/strict"
import { layer as polymarket } from "../../../src/venues/polymarket/venue.ts"
import { type FaultPlan, noFaults, seededFaults } from "../../support/venues/wire/faults.ts"
import { layer as simulated } from "../../../src/venues/simulated/venue.ts"
import { serveWire, type WireOptions } from "../../support/venues/wire/wire.ts"
import {
  type ActivityEvent,
  numberOccurrences,
  wholeSeconds,
} from "../../../src/markets/domain/activity.ts"
import { day, hour, second } from "../../../src/core/domain/time.ts"
import { VenueClient, type WalletSource } from "../../../src/markets/VenueClient.ts"
import { liveTest, startingAt } from "../../support/effect.ts"
import { activityEventKey } from "../../support/whales/activityEvents.ts"
import { unpaced } from "../../support/venues/polymarket.ts"
import {
  defaultGroups,
  makeTradingWorld,
  strategyOf,
  type TradingWorld,
} from "../../support/venues/strategies.ts"
import {
  activityOfRows,
  computedEntries,
  trueEntries,
} from "../../support/whales/simulatedActivity.ts"

const options = {
  seed: 33,
  markets: 120,
  walletDays: 25,
  laggardShare: 1,
  wrongProposalShare: 0.4,
  wrongContestedShare: 0.4,
  wallets: defaultGroups.map((group) => ({ ...group, count: 1 })),
}

/** At this time the world has everything the tests need, proposals of each kind included. */
const startsAt = Date.parse("2026-11-22T06:00:00Z")

interface Venues {
  readonly world: TradingWorld
  readonly now: number
  readonly overWire: VenueClient["Service"]
  readonly inProcess: VenueClient["Service"]
}

/** Runs `use` on a world five hours after its origin, with both adapters. */
function both(
  wireOptions: WireOptions & { readonly activityRows?: number },
  use: (venues: Venues) => Effect.Effect<void, unknown, Scope.Scope>,
): Effect.Effect<void, never, Scope.Scope> {
  const used = Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    const origin = Math.floor((started - 5 * hour) / second) * second
    const world = makeTradingWorld({ ...options, origin })
    const url = yield* serveWire(world, { slowMs: 300, ...wireOptions })
    const limits = {
      ...{ perTenSeconds: unpaced, retryDelayMs: 2, retryAfterMsMax: 5, timeoutMs: 5_000 },
      ...{ attemptsMax: 8, activityRows: wireOptions.activityRows ?? 200 },
    }
    const service = Effect.flatMap(VenueClient, Effect.succeed)
    const overWire = yield* service.pipe(
      Effect.provide(polymarket({ gammaUrl: url, clobUrl: url, dataUrl: `${url}/v2`, limits })),
      Effect.provide(FetchHttpClient.layer),
    )
    const inProcess = yield* service.pipe(Effect.provide(simulated(world)))
    yield* use({ world, now: Math.floor(started / second) * second, overWire, inProcess })
  })
  return Effect.orDie(startingAt(startsAt, used))
}

function sourceOf({ wallets }: VenueClient["Service"]): WalletSource {
  if (wallets === null) throw new Error("no wallets")
  return wallets
}

/** All activity events of a wallet in `[from, to]`, read by whole seconds. */
const readActivity = Effect.fnUntraced(function* (
  source: WalletSource,
  wallet: string,
  from: number,
  to: number,
) {
  const activity: Array<ActivityEvent> = []
  let until = to
  for (let page = 0; page < 3_000; page++) {
    const range = { from, to: until }
    const taken = wholeSeconds(range, yield* source.activity(wallet, range))
    activity.push(...taken.activity)
    if (taken.end !== "more") return { activity, truncated: taken.end === "cut" }
    until = taken.from - 1
  }
  throw new Error("reading does not end")
})

const keysOf = (activity: ReadonlyArray<ActivityEvent>) =>
  numberOccurrences(activity).map(activityEventKey).sort()

/** All faults that lose no row after retries. */
const faulty: FaultPlan = seededFaults(7, {
  ...{ error: 0.1, rate_limited: 0.05, truncated: 0.1, reordered: 0.2 },
  ...{ bad_rows: 0.2, duplicate_page: 0.2 },
})

for (
  const [name, faults, rows] of [
    ["in pages that split transactions", noFaults, 7],
    ["despite every fault", faulty, 120],
  ] as const
) {
  liveTest(
    `activity() over a socket returns every event of every wallet, ${name}`,
    () =>
      both(
        { faults, activityRows: rows },
        ({ world, now, overWire, inProcess }) =>
          Effect.gen(function* () {
            const from = now - (rows < 10 ? 6 : 30) * day
            for (const wallet of world.wallets) {
              const range = { from, to: now - second }
              const truth = keysOf(activityOfRows(world.activity(wallet, range)))
              for (const venue of [overWire, inProcess]) {
                const { address } = wallet
                const { activity } = yield* readActivity(
                  sourceOf(venue),
                  address,
                  from,
                  now - second,
                )
                deepStrictEqual(keysOf(activity), truth, strategyOf(wallet))
                if (rows < 10) {
                  continue
                }
                const sorted = (found: ReturnType<typeof computedEntries>) => [...found].sort()
                const { origin } = world.options
                const entries = [
                  computedEntries(world, activity, origin),
                  trueEntries(world, wallet, origin),
                ].map(
                  sorted,
                )
                deepStrictEqual(entries[0], entries[1])
              }
            }
          }),
      ),
  )
}

liveTest(
  "activity() reports a cut range when older rows are not available",
  () =>
    both({ retentionDays: 5 }, ({ world, now, overWire }) =>
      Effect.gen(function* () {
        const address = world.wallets[0]?.address ?? ""
        const source = sourceOf(overWire)
        const old = yield* readActivity(source, address, now - 20 * day, now - second)
        const young = yield* readActivity(source, address, now - 3 * day, now - second)
        deepStrictEqual([old.truncated, young.truncated], [true, false])
        ok(old.activity.every(({ at }) => at > now - 6 * day))
        ok(old.activity.length > young.activity.length)
      })),
)
