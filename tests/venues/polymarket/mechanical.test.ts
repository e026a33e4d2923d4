/**
 * The signs of mechanical markets: each is detected in any place of a row, and no ordinary recorded
 * market has one, sports included.
 *
 * @module
 */
import { ok, strictEqual } from "node:assert/strict"
import { Result } from "effect"
import { decodeMarket } from "../../../src/venues/polymarket/gamma.ts"
import { type MechanicalSign, mechanicalSign } from "../../../src/markets/domain/market.ts"
import {
  hasRecordings,
  recorded,
  recordingsDir,
  registerSkipped,
} from "../../support/venues/oracle.ts"
import { gammaRow } from "../../support/venues/polymarket.ts"

type Fields = Readonly<Record<string, unknown>>

const ordinaryEvent: Fields = {
  id: "90001",
  slug: "which-lighthouses-in-december",
  title: "Which lighthouses in December?",
  series: [{ slug: "lighthouses", recurrence: "monthly" }],
  tags: [{ slug: "culture", label: "Culture" }],
}

function signOf(fields: Fields): MechanicalSign | null {
  const decoded = decodeMarket(gammaRow(1, { events: [ordinaryEvent], ...fields }))
  if (Result.isFailure(decoded)) throw new Error(decoded.failure)
  return decoded.success.mechanical
}

/** An event with these fields, in each place where a row can have it. */
function placesOf(fields: Fields): ReadonlyArray<Fields> {
  const event = { ...ordinaryEvent, ...fields }
  return [
    { events: [event] },
    { events: JSON.stringify([event]) },
    { events: [ordinaryEvent, event] },
    fields,
  ]
}

Deno.test("decodeMarket() flags a short recurrence in any series of the row or any event", () => {
  strictEqual(signOf({}), null)
  const daily = { slug: "lighthouses", recurrence: "daily" }
  for (
    const fields of [
      { series: [{ slug: "btc", recurrence: "5m" }] },
      { series: [daily, { recurrence: "HOURLY" }] },
      { series: [daily, { slug: "btc-up-or-down-15m" }] },
      { seriesSlug: "btc-up-or-down-4h" },
    ].flatMap(placesOf)
  ) strictEqual(signOf(fields), "recurrence", JSON.stringify(fields))
  for (const recurrence of ["daily", "weekly", "", "50m", "5min", null, 5]) {
    strictEqual(signOf({ events: [{ ...ordinaryEvent, series: [{ recurrence }] }] }), null)
  }
})

Deno.test("decodeMarket() flags the three tags in any order and format, but no two of them", () => {
  const spellings = [
    (slug: string, label: string) => ({ slug, label }),
    (slug: string) => ({ slug }),
    (_: string, label: string) => ({ label }),
    (_: string, label: string) => label,
    (slug: string) => slug.toUpperCase(),
  ]
  const one = ["recurring", "Recurring"] as const
  const other = ["hide-from-new", "Hide From New"] as const
  const third = ["up-or-down", "Up or Down"] as const
  for (const spell of spellings) {
    const tags = [third, other, one].map(([slug, label]) => spell(slug, label))
    for (const fields of [...placesOf({ tags }), { tags: JSON.stringify(tags) }]) {
      strictEqual(signOf(fields), "tags", JSON.stringify(fields))
    }
    const [first, ...others] = tags
    strictEqual(signOf({ tags: [first], events: [{ ...ordinaryEvent, tags: others }] }), "tags")
    strictEqual(signOf({ tags: others }), null)
  }
})

Deno.test("decodeMarket() flags a price stream as resolution source, in the row or its event", () => {
  for (const start of ["https://", "HTTP://", "", "https://www."]) {
    const resolutionSource = `${start}data.chain.link/streams/btc-usd`
    for (const fields of placesOf({ resolutionSource })) {
      strictEqual(signOf(fields), "price_stream", JSON.stringify(fields))
    }
  }
  for (const host of ["data.chain.linked.example", "data.chain.link.example", "chain.link"]) {
    strictEqual(signOf({ resolutionSource: `https://${host}/streams/btc-usd` }), null, host)
  }
})

/** Makes a row live: only live markets are decoded with their sign. */
const live = (row: Fields): Fields => ({
  ...row,
  ...{
    active: true,
    closed: false,
    archived: false,
    acceptingOrders: true,
    volume24hr: 1,
  },
})

function rowsOf(path: string): ReadonlyArray<Fields> {
  const body = recorded(path)
  return (Array.isArray(body) ? body : [body]).flatMap((value: Fields) =>
    Array.isArray(value["markets"])
      ? value["markets"].map((market: Fields) => ({
        events: [{ ...value, markets: [] }],
        ...market,
      }))
      : [value]
  )
}

if (!hasRecordings) {
  registerSkipped("no ordinary recorded market is mechanical", "../shared/data is missing")
} else {
  Deno.test("in the recorded listing only the 5-minute market is mechanical, by each of its signs", () => {
    const captures = [...Deno.readDirSync(`${recordingsDir}polymarket-captures`)]
      .map(({ name }) => name).filter((name) =>
        name.startsWith("gamma_") && name !== "gamma_tags.json"
      )
    const rows = [
      ...captures.flatMap((name) => rowsOf(`polymarket-captures/${name}`)),
      ...rowsOf("radar/markets.json"),
    ]
    const decoded = rows.flatMap((row) => {
      const market = decodeMarket(live(row))
      return Result.isSuccess(market) ? [market.success] : []
    })
    const sports = decoded.filter(({ category }) => /sport/i.test(category ?? ""))
    ok(rows.length === 89 && decoded.length >= 87, `${decoded.length} of ${rows.length}`)
    ok(sports.length >= 35, `${sports.length} of sports`)
    const mechanical = decoded.filter(({ mechanical }) => mechanical !== null)
    strictEqual(mechanical.map(({ slug }) => slug).join(), "btc-updown-5m-1773307200")
    const [row] = rowsOf("polymarket-captures/gamma_market.json")
    const found = row ?? {}
    const [event] = found["events"] as ReadonlyArray<Fields>
    const without = {
      events: [{ ...event, series: [], seriesSlug: "", resolutionSource: "", tags: [] }],
    }
    const named = { slug: "plain", question: "Plain?" }
    const plain = { ...live(found), ...without, ...named, resolutionSource: "" }
    const sign = (fields: Fields) => {
      const market = decodeMarket({ ...plain, ...fields })
      return Result.isSuccess(market) ? market.success.mechanical : market.failure
    }
    strictEqual(sign({}), null)
    strictEqual(sign({ events: [{ ...event, tags: [], resolutionSource: "" }] }), "recurrence")
    strictEqual(sign({ slug: found["slug"] }), "slug")
    strictEqual(sign({ question: found["question"] }), "question")
    strictEqual(sign({ resolutionSource: found["resolutionSource"] }), "price_stream")
  })

  Deno.test("mechanicalSign() flags none of a thousand slugs of ordinary markets", () => {
    const text = Deno.readTextFileSync(
      `${recordingsDir}forecastbench/market_calibration_joined.csv`,
    )
    const slugs = new Set(
      [...text.matchAll(/https:\/\/polymarket\.com\/[a-z/]*?([a-z0-9-]+)(?=[,"\s])/g)].map((
        [, slug],
      ) => slug),
    )
    ok(slugs.size > 1_000, `${slugs.size}`)
    for (const slug of slugs) {
      const evidence = {
        question: "",
        seriesSlugs: [],
        recurrences: [],
        tags: [],
        resolutionSources: [],
      }
      strictEqual(mechanicalSign({ ...evidence, slug: slug ?? "" }), null, slug)
    }
  })
}
