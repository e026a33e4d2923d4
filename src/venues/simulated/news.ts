/**
 * The news of a simulated world: stories about its markets, and the invented outlets that publish them,
 * on Effect's clock.
 *
 * A story appears before or after a planted jump, or once an outcome exists.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import { day, type EpochMs, isoTime, minute, second } from "../../core/domain/time.ts"
import { type NewsSource, NewsSources } from "../../news/NewsSources.ts"
import type { Headline } from "../../news/domain/headline.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import { makeMemo } from "./memo.ts"
import { between, hex, mix, uniform } from "./seed.ts"
import { slugOf } from "./words.ts"
import words from "./words.json" with { type: "json" }
import type { World } from "./world.ts"

/** Its host is a reserved name (RFC 2606). */
type Outlet = Readonly<(typeof words.outlets)[number]>

export const outlets: ReadonlyArray<Outlet> = words.outlets

const feedMs = day
export const feedRowsMax = 60

/** News sources over the world. */
export function layer(world: World): Layer.Layer<NewsSources> {
  const archive = makeNewsArchive(world)
  return Layer.succeed(
    NewsSources,
    outlets.map((outlet): NewsSource => ({
      name: outlet.name,
      read: () =>
        Effect.map(Effect.andThen(Effect.yieldNow, Clock.currentTimeMillis), (at) => ({
          rows: archive(outlet, at),
          rejected: {},
        })),
    })),
  )
}

/** An outlet's articles of the last day before an instant, newest first, at most `feedRowsMax`. */
export function makeNewsArchive(world: World) {
  const cached = makeMemo<ReadonlyArray<Story>>()
  /** Markets that may have a story in the last day before `at`. */
  const marketsAt = (at: EpochMs): ReadonlyArray<SimulatedMarket> =>
    Array.from({ length: world.catalogue.slots }, (_, slot) => {
      const open = world.catalogue.at(slot, at)
      return [0, 1, 2].map((ago) => world.catalogue.generation(slot, open.generation - ago))
    }).flat()
  return (outlet: Outlet, at: EpochMs): ReadonlyArray<Headline> => {
    const own = marketsAt(at).flatMap((market) =>
      cached(market.number, () => storiesAbout(world, market))
        .flatMap((story, nth) => articleOf(outlet, market, story, nth) ?? [])
    )
    return own.filter(({ publishedAt }) => publishedAt > at - feedMs && publishedAt <= at)
      .sort((a, b) => b.publishedAt - a.publishedAt || (a.url < b.url ? -1 : 1))
      .slice(0, feedRowsMax)
  }
}

/** The story as this outlet publishes it; null if it does not. One is first, others may follow. */
function articleOf(
  outlet: Outlet,
  market: SimulatedMarket,
  { title, at }: Story,
  nth: number,
): Headline | null {
  const key = mix(mix(market.key, 96), nth)
  const place = outlets.indexOf(outlet)
  const isFirst = key % outlets.length === place
  const draw = mix(key, place)
  if (!isFirst && uniform(draw) >= 0.35) return null
  const publishedAt = isFirst ? at : wholeSecond(at + between(mix(draw, 1), 2, 50) * minute)
  const url = urlOf(outlet, title, publishedAt, mix(draw, 2))
  return { title, url, source: outlet.name, publishedAt }
}

function urlOf({ host }: Outlet, title: string, at: EpochMs, key: number): string {
  const date = isoTime(at).slice(0, 10).replaceAll("-", "/")
  return `https://${host}/${date}/${slugOf(title).slice(0, 80)}-${hex(key, 8)}`
}

interface Story {
  readonly at: EpochMs
  readonly title: string
  /** `misreport` reports the wrong outcome. */
  readonly kind: "jump" | "done" | "misreport"
}

/** Shares of jumps and ends that have a story. */
const shares = { jump: 0.6, done: 0.8 } as const

/**
 * Every story about a market in its whole life, in any order: up to 45 minutes before or after a jump,
 * and once the outcome exists. Where a wrong outcome is proposed, the first report of it is wrong too.
 */
export function storiesAbout(world: World, market: SimulatedMarket): ReadonlyArray<Story> {
  const { headlines, opensAt, closesAt, end } = market
  const key = mix(market.key, 95)
  const stories = world.truth.jumps(market, opensAt, closesAt).flatMap((jump, n): Array<Story> => {
    const draw = mix(mix(key, 3), n)
    if (uniform(draw) >= shares.jump) return []
    const at = wholeSecond(Math.max(opensAt, jump.at + between(mix(draw, 2), -45, 45) * minute))
    return [{ at, title: jump.to > jump.from ? headlines.rise : headlines.fall, kind: "jump" }]
  })
  const draw = mix(key, 4)
  if (end !== "decided" || uniform(draw) >= shares.done) return stories
  const firstWins = world.truth.payouts(market)?.[0] === 1
  const isWrong = world.truth.firstProposalIsWrong(market)
  const at = wholeSecond(closesAt + between(mix(draw, 1), 1, 45) * minute)
  const title = firstWins !== isWrong ? headlines.first : headlines.second
  return [...stories, { at, title, kind: isWrong ? "misreport" : "done" }]
}

function wholeSecond(ms: number): EpochMs {
  return Math.floor(ms / second) * second
}
