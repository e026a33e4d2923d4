/**
 * The laws of a venue, held by every adapter: the simulated one, the real one's over a real socket
 * (sound and faulty), and recorded pages.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { defaultLimits } from "../../src/venues/polymarket/requests.ts"
import { layer as replay } from "../../src/venues/replay/venue.ts"
import { layer as polymarket } from "../../src/venues/polymarket/venue.ts"
import { type FaultPlan, noFaults, seeded } from "../support/venues/wire/faults.ts"
import { layer as simulated } from "../../src/venues/simulated/venue.ts"
import { serveWire } from "../support/venues/wire/wire.ts"
import { makeWorld } from "../../src/venues/simulated/world.ts"
import { unpaced } from "../support/venues/polymarket.ts"
import { pastLaws } from "./past.laws.ts"
import { venueLaws } from "./venue.laws.ts"

/** A world that begins with the test, in which many markets have an outcome proposed. */
const world = Effect.map(
  Clock.currentTimeMillis,
  (now) =>
    makeWorld({ seed: 7, markets: 150, origin: now, laggardShare: 1, wrongProposalShare: 0.4 }),
)

/** Small pages, no waiting: what is tested is not patience. */
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

const faulty = seeded(11, {
  error: 0.1,
  rate_limited: 0.1,
  slow: 0.02,
  truncated: 0.1,
  duplicate_page: 0.1,
  reordered: 0.1,
  bad_rows: 0.1,
})

const inProcess = Layer.unwrap(Effect.map(world, (made) => simulated(made)))
const recorded = replay({ dir: new URL("../../fixtures/replay", import.meta.url).pathname })

venueLaws("simulated", inProcess)
venueLaws("polymarket over a socket", overWire(noFaults))
venueLaws("polymarket over a faulty socket", overWire(faulty))
venueLaws("replay", recorded)

venueLaws("polymarket over a socket", overWire(noFaults), pastLaws)
venueLaws("polymarket over a faulty socket", overWire(faulty), pastLaws)
venueLaws("simulated", inProcess, pastLaws)
venueLaws("replay", recorded, pastLaws)
