/**
 * Every number on every page is one that the API answers, read from a running service.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { freeRows } from "../../../src/catalog/domain/freeRow.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { liveTest } from "../../support/effect.ts"
import { numberFaults, uncitedText } from "../../support/http/pageNumbers.ts"
import { allPages, type FoundPage } from "../../support/http/pages.ts"
import { emptyWorld, filledWorld } from "../../support/http/pageWorld.ts"
import { serveWorld } from "../../support/http/servedService.ts"

/** A page reads its data again when they change, as a reader who opens both may see. */
const readingsMax = 5
const alikeMax = 3
/** Where a page shows numbers, and does not speak of them. */
const numericElements = ["tbody", "dl"]
/** The pages of a record show more than these. */
const citedMin = 40
/** The name of every interval. */
const level = /95\s%/g

/** The price that each paid path asks for in its 402, such as `$0.01`. */
async function askedPrices(base: string): Promise<ReadonlyMap<string, string>> {
  const asked = Object.values(products).map(async ({ path }) => {
    const { accepts } = await (await fetch(base + path)).json()
    return [path, String(accepts[0].price)] as const
  })
  return new Map(await Promise.all(asked))
}

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

/** A page without addresses, and without the rows that name a price. */
const withoutPrices = (html: string): string =>
  html.replace(rowElement, (row) => /\$\d.*\/v1\/|\/v1\/.*\$\d/s.test(row) ? "" : row)
    .replace(/<code\b.*?<\/code>/gs, "")
const rowElement = /<tr\b.*?<\/tr>/gs

/** Bodies that never change: a page that links to them shows none of their numbers. */
const fixedBodies = [freeRows.sample.path, "/openapi.json"]

const alternates = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/<link rel="alternate" type="application\/json" href="([^"]*)"/g)]
    .map(([, url = ""]) => new URL(url).pathname)
    .filter((path) => !fixedBodies.includes(path))

/** The paths that the numbers of a page name. */
const citedPaths = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/ data-(?:from|less)="([^"]*)"/g)].flatMap(([, places = ""]) =>
    places.split(" ").map((place) => place.split("#")[0] ?? "")
  )

const readText = async (url: string): Promise<string> => {
  const response = await fetch(url)
  const text = await response.text()
  return response.status === 200 ? text : `${response.status} at ${url}`
}

/** A page, and the bodies of its numbers while it was read. */
async function readTogether(base: string, { path, html }: FoundPage) {
  let page = html
  for (let reading = 1; reading <= readingsMax; reading++) {
    const paths = [...new Set(citedPaths(page))]
    const read = () => Promise.all(paths.map((path) => readText(base + path)))
    const before = await read()
    page = await (await fetch(base + path, { headers: { accept: "text/html" } })).text()
    const after = await read()
    if (after.every((text, at) => text === before[at])) {
      const bodies = paths.map((path, at) => [path, JSON.parse(after[at] ?? "")])
      return { page, bodies: Object.fromEntries(bodies) }
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
        let cited = 0
        for (const found of pages) {
          faults.push(...wrongPrices(found.html, prices).map((fault) => [found.path, fault]))
          if (alternates(found.html).length === 0) continue
          const { page, bodies } = yield* Effect.promise(() => readTogether(base, found))
          const uncited = numericElements.flatMap((element) =>
            uncitedText(withoutPrices(page), element).replace(level, "").match(
              /\S*\d\S*/g,
            ) ?? []
          )
          const own = [
            ...numberFaults(page, bodies),
            ...uncited.map((text) => `${text} has no source`),
          ]
          if (own.length > 0) faults.push([found.path, own])
          cited += citedPaths(page).length
        }
        equal(faults, [])
        if (name === "with a record") ok(cited >= citedMin, `${cited} numbers name their source`)
      }),
  )
}
