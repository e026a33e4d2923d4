/**
 * The signs of mechanical markets: each is detected in any place of a row, and no ordinary recorded
 * market has one, sports included.
 *
 * @module
 */
import { ok, strictEqual } from "node:assert/strict"
import { Result } from "effect"
import { decodeMarket } from "../../../src/venues/polymarket/gamma.ts"
import { mix, pick, uniform } from "../../../src/venues/simulated/seed.ts"
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

const assets = ["btc", "eth", "sol", "xrp", "doge", "bnb", "hype", "ada", "link", "gold", "s-p-500"]
const recurrences = ["5m", "15m", "hourly", "4h"] as const
const cases = { recurrence: 0, slug: 0, question: 0, tags: 0, price_stream: 0 }

function flagged(expected: MechanicalSign, fields: Fields): void {
  strictEqual(signOf(fields), expected, JSON.stringify(fields))
  cases[expected]++
}

/** An event with these fields, in each place where a row can have it. */
function* events(fields: Fields): Generator<Fields> {
  const event = { ...ordinaryEvent, ...fields }
  yield { events: [event] }
  yield { events: JSON.stringify([event]) }
  yield { events: [ordinaryEvent, event] }
}

Deno.test("decodeMarket() flags every short recurrence, in any series of any event", () => {
  strictEqual(signOf({}), null)
  for (const asset of assets) {
    for (const recurrence of recurrences) {
      const slug = `${asset}-up-or-down-${recurrence}`
      const daily = { slug: "lighthouses", recurrence: "daily" }
      for (const text of [recurrence, recurrence.toUpperCase()]) {
        for (
          const series of [[{ slug: asset, recurrence: text }], [daily, { recurrence: text }]]
        ) {
          for (const fields of events({ series })) flagged("recurrence", fields)
          flagged("recurrence", { series })
        }
      }
      for (const fields of events({ seriesSlug: slug })) flagged("recurrence", fields)
      for (const fields of events({ series: [daily, { slug }] })) flagged("recurrence", fields)
      flagged("recurrence", { seriesSlug: slug })
    }
  }
})

Deno.test("decodeMarket() flags every interval slug and every up-or-down slug", () => {
  for (const asset of assets) {
    for (const unit of ["m", "h"]) {
      for (const length of [1, 4, 5, 15, 30, 60, 240, 1_440]) {
        for (const epoch of [1, 1_773_307_200, 1_893_456_000, 177_330_720_000]) {
          flagged("slug", { slug: `${asset}-updown-${length}${unit}-${epoch}` })
        }
      }
    }
    for (const tail of ["march-12-5am-et", "on-march-12", "1773307200", "december-31-11pm-et-2"]) {
      flagged("slug", { slug: `${asset}-up-or-down-${tail}` })
    }
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
  const rest = ["crypto", "Crypto"] as const
  for (const spell of spellings) {
    for (
      const order of [
        [one, other, third],
        [third, other, one],
        [rest, one, third, other],
        [one, rest, other, rest, third],
      ]
    ) {
      const tags = order.map(([slug, label]) => spell(slug, label))
      for (const fields of events({ tags })) flagged("tags", fields)
      flagged("tags", { tags })
      flagged("tags", { tags: JSON.stringify(tags) })
    }
    flagged("tags", {
      tags: [spell(...one)],
      events: [{ ...ordinaryEvent, tags: [spell(...other), spell(...third)] }],
    })
    for (const tags of [[one], [one, other], [third, other, rest], [one, rest, third]]) {
      strictEqual(signOf({ tags: tags.map(([slug, label]) => spell(slug, label)) }), null)
    }
  }
})

Deno.test("decodeMarket() flags a price stream as resolution source, in the row or its event", () => {
  for (const asset of assets) {
    for (const start of ["https://", "http://", "HTTPS://", "", "https://www."]) {
      for (const path of [`/streams/${asset}-usd`, `/feeds/${asset}`, "/", "", `?pair=${asset}`]) {
        const resolutionSource = `${start}data.chain.link${path}`
        flagged("price_stream", { resolutionSource })
        for (const fields of events({ resolutionSource })) {
          flagged("price_stream", fields)
          flagged("price_stream", { ...fields, resolutionSource: "https://lighthouse.example" })
        }
      }
    }
  }
})

Deno.test("decodeMarket() does not flag what only resembles a pattern", () => {
  for (
    const slug of [
      ...["will-bitcoin-go-up-or-sideways", "who-wins-the-updown-5m-cup", "updown-5m-1773307200"],
      ...["btc-updown-5d-1773307200", "btc-updown-5m", "btc-updown-m-1773307200", "up-or-down-now"],
      ...["mlb-sd-atl-2026-07-23", "cs2-a-b-2026-07-23-map-2", "ticks-up-or-downs"],
    ]
  ) strictEqual(signOf({ slug }), null, slug)
  for (const recurrence of ["daily", "weekly", "monthly", "annual", "", "50m", "5min", null, 5]) {
    strictEqual(signOf({ events: [{ ...ordinaryEvent, series: [{ recurrence }] }] }), null)
  }
  for (
    const host of [
      "data.chain.linked.example",
      "data.chain.link.example",
      "chain.link",
      "x/data.chain.link",
    ]
  ) {
    strictEqual(signOf({ resolutionSource: `https://${host}/streams/btc-usd` }), null, host)
  }
})

Deno.test("decodeMarket() flags a sign whatever the other fields are", () => {
  const signs: ReadonlyArray<readonly [MechanicalSign, Fields]> = [
    ["recurrence", { events: [{ ...ordinaryEvent, series: [{ recurrence: "15m" }] }] }],
    ["slug", { slug: "eth-updown-15m-1773307200" }],
    ["tags", { tags: ["Recurring", "Up or Down", "Hide From New"] }],
    ["price_stream", { resolutionSource: "https://data.chain.link/streams/eth-usd" }],
  ]
  const noise = [null, "", 7, [], {}, "x", ["y"], [{ slug: 4 }], true] as const
  const touched = ["category", "feeType", "umaResolutionStatus", "negRisk", "description", "series"]
  let checked = 0
  for (let seed = 0; seed < 2_000; seed++) {
    const [sign, fields] = signs[seed % signs.length] ?? ["slug", {}]
    const rest = touched.filter((_, n) => uniform(mix(seed, n)) < 0.5)
      .map((name, n) => [name, pick(mix(seed, 100 + n), noise)])
    strictEqual(signOf({ ...Object.fromEntries(rest), ...fields }), sign)
    checked++
  }
  strictEqual(checked, 2_000)
})

Deno.test("the tests above flagged enough rows of each pattern", () => {
  ok(cases.recurrence >= 900 && cases.slug >= 700, JSON.stringify(cases))
  ok(cases.tags >= 100 && cases.price_stream >= 1_900, JSON.stringify(cases))
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
