/**
 * A page is made again only when what it shows has changed.
 *
 * @module
 */
import { strictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { pageRoute, source } from "../../../src/http/pages/page.ts"
import { answer } from "../../../src/http/server/answer.ts"
import type { RateLimiter } from "../../../src/http/server/limits.ts"

const limiter: RateLimiter = {
  policyField: null,
  refusal: () => null,
  take: () => Effect.succeed({ kind: "unlimited" }),
}

Deno.test("a page is made again when what it shows changed, and not for the rest", async () => {
  let body = { number: 1, readAt: 1 }
  let made = 0
  const { current } = pageRoute({
    limiter,
    sources: {
      body: source(
        { current: () => answer({ body: JSON.stringify(body), cache: "page" }) },
        ({ number }: typeof body) => ({ number }),
      ),
    },
    render: ({ body }) => {
      made += 1
      return answer({ body: String(body?.number), cache: "page" })
    },
  })
  const first = await current?.("/")
  equal(await current?.("/"), first)
  body = { number: 1, readAt: 2 }
  equal(await current?.("/"), first)
  equal(made, 1)
  body = { number: 2, readAt: 2 }
  await current?.("/")
  equal(made, 2)
})
