/**
 * Every page in a real browser, on a service with a long record and on one that has just started.
 *
 * The pages are found as a browser finds them, so a new page is tested without a change here. With
 * PAGE_SHOTS=FOLDER there is a screenshot of each page in both schemes at every width.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { marketsPrefix, pagePaths } from "../../src/http/documents/addresses.ts"
import { inspect, missing } from "../support/http/browser.ts"
import { allPages } from "../support/http/pages.ts"
import { emptyWorld, filledWorld } from "../support/http/pageWorld.ts"
import { serveWorld } from "../support/http/servedService.ts"
import { sized } from "../support/size.ts"
import { registerSkipped } from "../support/venues/oracle.ts"

const widths = [390, 1280]
const bytesSentMax = 150_000
const shots = Deno.env.get("PAGE_SHOTS") || null
const size = sized({
  short: { alikeMax: 2, auditWidths: [390], stopsMax: 80 },
  full: { alikeMax: 3, auditWidths: widths, stopsMax: 1_000 },
})

const worlds = { filled: filledWorld(), empty: emptyWorld }

for (const [name, world] of Object.entries(worlds)) {
  const title = `every page of a service ${name === "filled" ? "with a record" : "just started"}`
  if (missing !== null) registerSkipped(title, missing)
  else {
    Deno.test(title, (t) =>
      Effect.runPromise(Effect.scoped(Effect.gen(function* () {
        const base = yield* serveWorld(yield* world)
        yield* Effect.promise(() => lookAt(t, base, name))
      }))))
  }
}

async function lookAt(t: Deno.TestContext, base: string, world: string): Promise<void> {
  const pages = await allPages(base, size.alikeMax)
  const folder = shots === null ? null : `${shots}/${world}`
  if (folder !== null) await Deno.mkdir(folder, { recursive: true })
  const { alikeMax: _, ...sizes } = size
  const seen = await inspect({
    urls: pages.map(({ path }) => base + path),
    widths,
    shots: folder && await Deno.realPath(folder),
    ...sizes,
  })
  equal(seen.length, pages.length)
  const visited = seen.map(({ url }) => url.slice(base.length))
  const known = Object.values(pagePaths)
  equal(known.filter((path) => !visited.includes(path)), [], "pages that were not visited")
  equal(visited.some((path) => path.startsWith(marketsPrefix)), world === "filled")
  for (const { url, faults, bytesSent } of seen) {
    await t.step(url.slice(base.length), () => {
      equal(Object.entries(faults).filter(([, found]) => found.length > 0), [])
      ok(bytesSent > 0 && bytesSent <= bytesSentMax, `${bytesSent} bytes were sent`)
    })
  }
}
