/**
 * A page made from bodies of the API, and made again only when one of them has changed. So every
 * number on a page is one that the API answers.
 *
 * @module
 */
import { prepared } from "../../core/domain/prepared.ts"
import type { Answer } from "../server/answer.ts"
import type { FreeRoute, RouteResult } from "../server/route.ts"
import type { RateLimiter } from "../server/limits.ts"

/** What answers a free path. */
type Source = (url: string) => RouteResult | Promise<RouteResult>

/** The bodies of a page's sources; null where the service cannot answer now, or answers an error. */
export type Bodies<Sources> = {
  readonly [Name in keyof Sources]: Sources[Name] extends BodySource<infer Body> ? Body | null
    : never
}

/** A source with the type of what its page shows. */
interface BodySource<Shown> {
  readonly current: Source
  readonly shown: (body: unknown) => Shown
}

/** Sources by name. */
export type PageSources = Readonly<Record<string, BodySource<unknown>>>

/**
 * The JSON body that a free path answers, or the part of it that the page shows: the page is not made
 * again when only the rest has changed.
 */
export const source = <Body, Shown = Body>(
  route: { readonly current: Source | null },
  shown: (body: Body) => Shown = (body) => body as unknown as Shown,
): BodySource<Shown> => ({
  current: route.current ?? (() => null),
  shown: (body) => shown(body as Body),
})

/** The route of a page over these sources. */
export function pageRoute<Sources extends PageSources>(
  options: {
    readonly limiter: RateLimiter
    readonly sources: Sources
    readonly render: (bodies: Bodies<Sources>) => Answer
  },
): FreeRoute {
  const entries = Object.entries(options.sources)
  // Most new answers have changed in what other pages show, such as the runs of /status.json.
  const render = prepared((shown: string) => options.render(JSON.parse(shown)))
  const page = prepared((...from: ReadonlyArray<Answer | null>) => {
    const bodies = entries.map(([name, { shown }], at) => {
      const body = bodyOf(from[at] ?? null)
      return [name, body === null ? null : shown(body)]
    })
    return render(JSON.stringify(Object.fromEntries(bodies)))
  })
  const pageOf = (results: ReadonlyArray<RouteResult>): Answer =>
    page(...results.map((result) => result !== null && "bytes" in result ? result : null))
  const current: Source = (url) => {
    const results = entries.map(([, { current }]) => current(url))
    const isReady = (result: RouteResult | Promise<RouteResult>): result is RouteResult =>
      !(result instanceof Promise)
    return results.every(isReady) ? pageOf(results) : Promise.all(results).then(pageOf)
  }
  return { limiter: options.limiter, current }
}

const decoder = new TextDecoder()
const bodyOf = (answer: Answer | null): unknown =>
  answer === null || answer.status !== 200 ? null : JSON.parse(decoder.decode(answer.bytes))
