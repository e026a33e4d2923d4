/**
 * Hostile names of markets, wallets, outcomes, headlines and digests, in a real browser: no page has
 * another element or another text around them, nothing runs, and nothing overflows.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { Slug } from "../../src/markets/domain/market.ts"
import { liveTest } from "../support/effect.ts"
import { inspect, missing } from "../support/http/browser.ts"
import { allPages } from "../support/http/pages.ts"
import { filledWorld, type Names, plainNames } from "../support/http/pageWorld.ts"
import { serveWorld } from "../support/http/servedService.ts"
import { isFull } from "../support/size.ts"
import { registerSkipped } from "../support/venues/oracle.ts"

const markup = "</style></title></svg><script>alert(1)</script><img src=x onerror=alert(1)><!--"
const hostile: Readonly<Record<string, string>> = {
  markup: `${markup}" onmouseover="alert(1)" x='&lt;&#x202e;`,
  direction: "\u202eevil\u2066\u200f שלום עולם \u061c مرحبا\u202c \u2067end",
  "300 characters without a space": "W".repeat(300),
  "a terminal's escapes": "\x1b[31mred\x1b[0m\x07\x9b2J\0\r\n\r\nHTTP/1.1 200",
  "stacks of marks": `Z${"\u0301\u0308\u20dd".repeat(60)}o${"\u0334".repeat(200)}`,
  "nothing visible": "\u200b\u200d\ufeff\u2060\u00ad\u3164",
  addresses: "javascript:alert(1)//https://evil.example data:text/html,x",
  "wide letters": "﷽".repeat(30),
}
/** The others add little to these. */
const short = ["markup", "direction", "300 characters without a space"]
const cases = Object.entries(hostile).filter(([name]) => isFull || short.includes(name))

const named = (text: string): Names => ({
  ...{ question: text, pseudonym: text, digestTitle: text, headline: text, outcome: text },
  // No other characters can be in a slug; the first part is in no other text of a page.
  slug: Slug.make(`name-${text.replaceAll(/[^\w]/g, "").slice(0, 240)}`),
})

const inspectWorld = Effect.fnUntraced(function* (names: Names) {
  const base = yield* serveWorld(yield* filledWorld(names))
  const pages = yield* Effect.promise(() => allPages(base, 1))
  const urls = pages.map(({ path }) => base + path)
  const sizes = { widths: [360, 1440], auditWidths: [], stopsMax: 0, shots: null }
  return yield* Effect.promise(() => inspect({ urls, ...sizes }))
})

/** Slugs and the address of the service are in some texts; counts depend on the time of day. */
const comparable = (text: string, url: string, { slug }: Names) =>
  text.replaceAll(new URL(url).origin, "").replaceAll(slug, "(slug)").replaceAll(
    /\d+(?:\.\d+)?/g,
    "0",
  )

const title = "hostile names change nothing else on any page"
if (missing !== null) registerSkipped(title, missing)
else {
  liveTest(title, function* () {
    const plain = yield* Effect.scoped(inspectWorld(plainNames))
    ok(plain.some(({ textAroundNames }) => textAroundNames.includes("(name)")))
    for (const [name, text] of cases) {
      const names = named(text)
      const seen = yield* Effect.scoped(inspectWorld(names))
      equal(seen.length, plain.length, name)
      for (const [at, { url, faults, elements, textAroundNames }] of seen.entries()) {
        const [place, other] = [`${name} at ${url}`, plain[at]]
        equal(Object.entries(faults).filter(([, found]) => found.length > 0), [], place)
        equal(elements, other?.elements, place)
        equal(
          comparable(textAroundNames, url, names),
          comparable(other?.textAroundNames ?? "", other?.url ?? "", plainNames),
          place,
        )
      }
    }
  })
}
