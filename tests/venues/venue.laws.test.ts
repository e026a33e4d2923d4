/**
 * Checks the laws of a venue on every adapter: the simulated one, and Polymarket's over a socket, with
 * and without faults.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { defaultLimits } from "../../src/venues/polymarket/requests.ts"
import { layer as polymarket } from "../../src/venues/polymarket/venue.ts"
import { type FaultPlan, noFaults, seededFaults } from "../support/venues/wire/faults.ts"
import { layer as simulated } from "../../src/venues/simulated/venue.ts"
import { serveWire } from "../support/venues/wire/wire.ts"
import { defaultGroups, makeTradingWorld } from "../support/venues/strategies.ts"
import { unpaced } from "../support/venues/polymarket.ts"
import { pastLaws } from "./past.laws.ts"
import { venueLaws } from "./venue.laws.ts"

/** A world whose origin is the start of the test, in which many markets have a proposal. */
const world = Effect.map(
  Clock.currentTimeMillis,
  (now) =>
    makeTradingWorld({
      wallets: defaultGroups,
      seed: 7,
      markets: 150,
      origin: now,
      laggardShare: 1,
      wrongProposalShare: 0.4,
      wrongContestedShare: 0.4,
    }),
)

/** Small pages and short delays, so that the laws run fast. */
const limits = {
  perTenSeconds: unpaced,
  pageRows: 25,
  activityRows: 20,
  boardRows: 5,
  factsBatch: 5,
  resolutionBatch: 5,
  retryDelayMs: 2,
  retryAfterMsMax: 5,
  timeoutMs: 300,
  attemptsMax: 2 * defaultLimits.attemptsMax,
}

const overWire = (faults: FaultPlan) =>
  Layer.unwrap(Effect.gen(function* () {
    const url = yield* serveWire(yield* world, { faults, slowMs: 400 })
    return polymarket({ gammaUrl: url, clobUrl: url, dataUrl: `${url}/v2`, limits })
  })).pipe(Layer.provide(FetchHttpClient.layer))

const faulty = seededFaults(11, {
  error: 0.1,
  rate_limited: 0.1,
  slow: 0.02,
  truncated: 0.1,
  duplicate_page: 0.1,
  reordered: 0.1,
  bad_rows: 0.1,
})

const inProcess = Layer.unwrap(Effect.map(world, (world) => simulated(world)))

venueLaws("simulated", inProcess)
venueLaws("polymarket over a socket", overWire(noFaults))
venueLaws("polymarket over a faulty socket", overWire(faulty))

venueLaws("polymarket over a socket", overWire(noFaults), pastLaws)
venueLaws("polymarket over a faulty socket", overWire(faulty), pastLaws)
venueLaws("simulated", inProcess, pastLaws)
