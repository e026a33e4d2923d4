/**
 * A page made from bodies of the API, and made again only when one of them is another answer. So every
 * number on a page is one that the API answers.
 *
 * @module
 */
import { prepared } from "../../core/domain/prepared.ts"
import type { Answer } from "../server/answer.ts"
import type { RateLimiter } from "../server/limits.ts"
import type { FreeRoute, RouteResult } from "../server/route.ts"

/**
 * The route of a page over the JSON that these routes answer. A body is null where the service cannot
 * answer now, or answers an error.
 */
export function pageRoute(
  limiter: RateLimiter,
  sources: ReadonlyArray<FreeRoute>,
  render: (bodies: ReadonlyArray<unknown>) => Answer,
): FreeRoute {
  const page = prepared((...answers: ReadonlyArray<RouteResult>) => render(answers.map(bodyOf)))
  return {
    limiter,
    current: (url) => {
      const results = sources.map(({ current }) => current(url))
      return results.every(isReady)
        ? page(...results)
        : Promise.all(results).then((answers) => page(...answers))
    },
  }
}

const isReady = (result: RouteResult | Promise<RouteResult>): result is RouteResult =>
  !(result instanceof Promise)

const decoder = new TextDecoder()

/** The JSON of a 200; null of every other result. */
export const bodyOf = (result: RouteResult): unknown =>
  result === null || !("bytes" in result) || result.status !== 200
    ? null
    : JSON.parse(decoder.decode(result.bytes))
