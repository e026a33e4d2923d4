/**
 * Every number on every page is one that the API answers: of a running service, of /status, and of
 * any scorecard.
 *
 * @module
 */
import { Arbitrary, Effect, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import type { freeRows } from "../../../src/catalog/domain/freeRow.ts"
import { StatusReport } from "../../../src/status/domain/status.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { PageContent } from "../../../src/http/pages/sections.tsx"
import { trackRecordPage } from "../../../src/http/pages/trackRecord.ts"
import { statusReport } from "../../../src/status/domain/report.ts"
import { entrySummary } from "../../../src/track-record/domain/entryScore.ts"
import { noForecasts } from "../../../src/track-record/domain/forecasts.ts"
import { Scorecard, scorecard } from "../../../src/track-record/domain/scorecard.ts"
import { sampleScorecard } from "../../support/catalog/samples.ts"
import { law, liveTest, test } from "../../support/effect.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"
import { numberFaults } from "../../support/http/pageNumbers.ts"
import { emptyWorld, filledWorld } from "../../support/http/pageWorld.ts"
import { allPages, type FoundPage } from "../../support/http/pages.ts"
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
  liveTest(`every number on the pages of a service ${name} is the API's`, function* () {
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
  })
}

const bytesMax = 150_000
const decode = Schema.decodeUnknownSync(StatusReport)

/** The page and its body. */
const read = Effect.fnUntraced(function* (world: Effect.Success<ReturnType<typeof makeWorld>>) {
  const { get } = yield* makeService(world)
  const text = (path: string) =>
    Effect.flatMap(get(path), (response) => Effect.promise(() => response.text()))
  const body = JSON.parse(yield* text("/status.json"))
  return { body: decode(body), html: yield* text("/status") }
})

test("every number on /status is the one of /status.json", function* () {
  yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00.000Z"))
  const { body, html } = yield* read(yield* makeWorld(1))
  equal(numberFaults(html, [body]), [])
  ok(html.length < bytesMax, `${html.length}`)
  match(html, /simulated: no money moves/)
  match(html, /Everything works/)
  match(html, />1 hour</)
  ok(!/\d seconds/.test(html))
  equal(body.summary.days.length, 27)
  // Three missed ticks of ten minutes, while every other part ran: the worst part decides.
  const { recordedHours = 0, goodHours = 0 } = body.summary.days.at(-1) ?? {}
  equal([recordedHours, goodHours], [12, 11.5])
  match(html, /aria-label="26 of 27 recorded days were good"/)
  equal(body.incidents.latest.map(({ part, missing }) => [part, missing]), [["tick", 3]])
})

test("before the first run nothing is said to be well", function* () {
  const world = yield* makeWorld(1)
  yield* Ref.set(
    world.status,
    statusReport({
      now: 90 * 86_400_000,
      tickIntervalMs: 600_000,
      paymentMode: "live",
      runs: new Map(),
      history: [],
      asOf: new Map(),
      payments: {
        delivered: { payments: 0, amount: 0n },
        refunded: { payments: 0, amount: 0n },
        owed: { payments: 0, amount: 0n, oldestAt: null },
      },
    }),
  )
  const { body, html } = yield* read(world)
  equal(numberFaults(html, [body]), [])
  ok(body.parts.every(({ days }) => days.every(({ runs }) => runs === null)))
  match(html, /Starting: nothing was read yet/)
  match(html, /No run is recorded yet/)
  ok(!/The oldest refund/.test(html))
  match(html, /No incident is recorded/)
  ok(!html.includes("<figure"))
  ok(body.freshness.every(({ isFresh }) => !isFresh))
})

type Body = typeof freeRows["track_record"]["body"]["Type"]

const page = (record: Scorecard): string => {
  const body: Body = { success: true, ...record }
  return String(PageContent({ page: trackRecordPage(body) }))
}

const empty = scorecard({
  ...{
    tracked: [],
    sums: [],
    whales: [],
    moves: [],
    entries: entrySummary([]),
  },
  verdicts: { mover_1h: {}, mover_6h: {}, mover_24h: {}, predetermined: {} },
  forecasts: { resolution: noForecasts, price: noForecasts },
  readAt: { wallets: null, scores: null },
})

Deno.test("trackRecordPage() shows only numbers of its body, rich or empty", () => {
  const sample = sampleScorecard(0)
  equal(numberFaults(page(sample), [sample]), [])
  equal(numberFaults(page(empty), [empty]), [])
})

law(
  "trackRecordPage() shows only numbers of its body, whatever they are",
  Arbitrary.schema(Scorecard),
  (record) => equal(numberFaults(page(record), [record]), []),
)

Deno.test("trackRecordPage() opens with three plots, and folds the other answers", () => {
  const html = page(sampleScorecard(0))
  const [open = "", folded = ""] = html.split('id="more"')
  equal(open.match(/<svg /g)?.length, 3)
  equal(folded.replaceAll(/<details>.*?<\/details>/gs, "").match(/<(table|svg)/g), null)
  match(folded, /<details>.*probabilities.*<\/details>/s)
})

Deno.test("trackRecordPage() without data says of every question that it is not known", () => {
  const html = page(empty)
  const verdicts = [...html.matchAll(/<strong>([^<]*)/g)].map(([, verdict = ""]) => verdict)
  equal(verdicts.length, 3)
  for (const verdict of verdicts) match(verdict, /^Not known yet: /)
  ok(!html.includes("<svg"))
})

Deno.test("trackRecordPage() plots the share that won less the price that was paid", () => {
  const record = sampleScorecard(0)
  const [band] = record.oddsBands
  if (band === undefined || band.winRate === null) throw new Error("The sample has no band")
  const html = page({ ...record, oddsBands: [{ ...band, meanEntryPrice: 0.053, winRate: 0.082 }] })
  match(html, /<svg [^>]*>(?:(?!<\/svg>).)*\+2\.9 %/s)
})
