/**
 * The probability that a report states: read from the service's own record and the report's material,
 * and stored, so that it is scored a day later.
 *
 * @module
 */
import { Duration, Effect } from "effect"
import type { FeedStore } from "../feed/FeedStore.ts"
import { isDecidedPrice } from "../markets/domain/book.ts"
import { expectedResolution } from "../markets/domain/expectedResolution.ts"
import { slugKey } from "../markets/domain/market.ts"
import { isUnchallenged } from "../news/domain/evidence.ts"
import { day } from "../core/domain/time.ts"
import type { ScoreStore } from "../track-record/ScoreStore.ts"
import type { Scorecard } from "../track-record/domain/scorecard.ts"
import type { TrackRecord } from "../track-record/TrackRecord.ts"
import { isOutdated, labelledPositions } from "./domain/cards.ts"
import { type EstimateInputs, estimateOf } from "./domain/estimate.ts"
import { isLive, priceOf, priceOfOutcome, type ReportMaterial } from "./domain/material.ts"
import { siblingView } from "./domain/siblings.ts"
import { optional } from "./reading.ts"

export interface EstimatePorts {
  readonly feed: Pick<FeedStore["Service"], "moversSince">
  readonly scores: Pick<ScoreStore["Service"], "addForecasts">
  readonly trackRecord: Pick<TrackRecord["Service"], "scorecard">
}

export const estimateOn = Effect.fnUntraced(function* (
  { feed, trackRecord }: EstimatePorts,
  material: ReportMaterial,
) {
  const record = yield* trackRecord.scorecard
  const { market: { slug }, now } = material
  const movers = yield* feed.moversSince(now - day)
  const mover = movers.find(({ data }) => slugKey(data.market.slug) === slugKey(slug))
  const { priceAction, market, proposal } = material
  const { mid } = priceOf(material)
  const ends = [market.endsAt, market.gameStartsAt].flatMap((at) => at === null ? [] : [at - now])
  return estimateOf({
    mid,
    hourly: priceAction,
    probability24h: expectedResolution({ market, mid, proposal }, now)?.probability24h ?? null,
    endsInMs: ends.length === 0 ? null : Math.min(...ends),
    move: mover === undefined ? null : {
      direction: mover.data.delta > 0 ? 1 : -1,
      ageMs: now - Date.parse(mover.createdAt),
      record: record.movers.drift.after24h[mover.data.phase],
    },
    proposal: contestedProposal(material, record),
    wallets: labelledPositions(material).filter((it) => !isOutdated(material, it)),
    bounds: siblingView(material).bounds,
    provenWorse: record.estimates.comparison === "worse",
  })
})

/** Time limit of reading the record, and of storing the estimate. */
const recordTime = Duration.seconds(2)

/** The estimate of a live market; null after trading has ended, and when it cannot be read in time. */
export const readEstimate = (ports: EstimatePorts, material: ReportMaterial) =>
  isLive(material)
    ? optional(material.market.slug, "its estimate", estimateOn(ports, material), recordTime)
    : Effect.succeed(null)

/** Stores the estimate of a written report; false when it cannot in time, so it must not be stated. */
export const storeEstimate = Effect.fnUntraced(function* (
  { scores }: EstimatePorts,
  { estimate, market, now }: ReportMaterial,
) {
  if (estimate === null) return true
  const { mid, probability, low, high } = estimate
  const store = scores.addForecasts([{
    kind: "price",
    marketId: market.id,
    eventKey: market.eventKey,
    madeAt: now,
    probability,
    baseline: mid,
    // Such an interval is not judged.
    low: low ?? 0,
    high: high ?? 1,
  }])
  const stored = yield* optional(market.slug, "its estimate, not stored", store, recordTime)
  return stored !== null
})

/**
 * The record is of proposals past half of their window, at prices around its mean; further away from
 * that mean it says nothing. USD a share.
 */
const recordDistanceMax = 0.2

function contestedProposal(
  material: ReportMaterial,
  { predetermined: { byKind: { proposal: { record, meanPrice } } } }: Scorecard,
): EstimateInputs["proposal"] {
  const { proposal } = material
  if (proposal === null || record === null || meanPrice === null) return null
  const { outcome } = proposal
  if (!isUnchallenged(proposal, material.now)) return null
  if (Math.abs(priceOfOutcome(material, outcome) - meanPrice) > recordDistanceMax) return null
  if (isDecidedPrice(priceOf(material).mid)) return null
  return { outcome, record: { ...record, meanPrice } }
}
