/**
 * Every number on every page is one that the API answers, read from a running service.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { liveTest } from "../../support/effect.ts"
import { numberFaults } from "../../support/http/pageNumbers.ts"
import { allPages, type FoundPage } from "../../support/http/pages.ts"
import { emptyWorld, filledWorld } from "../../support/http/pageWorld.ts"
import { serveWorld } from "../../support/http/servedService.ts"

/** A page reads its data again when they change, as a reader who opens both may see. */
const readingsMax = 5
const alikeMax = 3
/** The pages of a record show more than these. */
const shownMin = 40

/** The price that each paid path asks for in its 402, such as `$0.01`. */
async function askedPrices(base: string): Promise<ReadonlyMap<string, string>> {
  const asked = Object.values(products).map(async ({ path }) => {
    const { accepts } = await (await fetch(base + path)).json()
    return [path, String(accepts[0].price)] as const
  })
  return new Map(await Promise.all(asked))
}

const rowElement = /<tr\b.*?<\/tr>/gs

/** The rows of a table that name one paid path, and not its price. */
const wrongPrices = (html: string, prices: ReadonlyMap<string, string>): ReadonlyArray<string> =>
  [...html.matchAll(rowElement)].flatMap(([row]) => {
    const paths = [...prices].filter(([path]) => new RegExp(`[ >]${path}<`).test(row))
    const [path, price = ""] = paths[0] ?? []
    const shown = row.match(/\$\d+(?:\.\d+)?/g) ?? []
    return paths.length !== 1 || shown.length === 0 || shown.some((text) => text === price)
      ? []
      : [`${path} costs ${price}, not ${shown}`]
  })

/** A page without the rows that name a price. */
const withoutPrices = (html: string): string =>
  html.replace(rowElement, (row) => /\$\d.*\/v1\/|\/v1\/.*\$\d/s.test(row) ? "" : row)

const alternates = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/<link rel="alternate" type="application\/json" href="([^"]*)"/g)]
    .map(([, url = ""]) => new URL(url).pathname)

const readText = async (url: string): Promise<string> => {
  const response = await fetch(url)
  const text = await response.text()
  return response.status === 200 ? text : JSON.stringify(`${response.status} at ${url}`)
}

/** A page, and the bodies that it names as its data while it was read. */
async function readTogether(base: string, { path, html }: FoundPage) {
  for (let reading = 1; reading <= readingsMax; reading++) {
    const read = () => Promise.all(alternates(html).map((path) => readText(base + path)))
    const before = await read()
    const page = await (await fetch(base + path, { headers: { accept: "text/html" } })).text()
    const after = await read()
    if (after.every((text, at) => text === before[at])) {
      return { page, bodies: after.map((text) => JSON.parse(text)) }
    }
  }
  throw new Error(`The data of ${path} do not rest`)
}

const worlds = { "with a record": filledWorld(), "just started": emptyWorld }
for (const [name, world] of Object.entries(worlds)) {
  liveTest(
    `every number on the pages of a service ${name} is the API's`,
    () =>
      Effect.gen(function* () {
        const base = yield* serveWorld(yield* world)
        const pages = yield* Effect.promise(() => allPages(base, alikeMax))
        const prices = yield* Effect.promise(() => askedPrices(base))
        const faults: Array<unknown> = []
        let shown = 0
        for (const found of pages) {
          faults.push(...wrongPrices(found.html, prices).map((fault) => [found.path, fault]))
          if (alternates(found.html).length === 0) continue
          const { page, bodies } = yield* Effect.promise(() => readTogether(base, found))
          faults.push(
            ...numberFaults(withoutPrices(page), bodies).map((fault) => [found.path, fault]),
          )
          shown += page.match(/<data /g)?.length ?? 0
        }
        equal(faults, [])
        if (name === "with a record") ok(shown >= shownMin, `${shown} numbers of bodies`)
      }),
  )
}
