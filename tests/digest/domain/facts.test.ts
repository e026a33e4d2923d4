/**
 * The facts of a digest: each passes the check by itself, each figure and name comes from the material,
 * the totals cover everything, and no kind displaces another.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert"
import { Arbitrary } from "effect"
import { mix } from "../../../src/venues/simulated/seed.ts"
import type { DigestFact, DigestTopic } from "../../../src/digest/domain/digest.ts"
import { digestBrief } from "../../../src/digest/domain/facts.ts"
import {
  type DigestMaterial,
  isBelowThreshold,
  type MoverItem,
  type UpcomingMarket,
} from "../../../src/digest/domain/material.ts"
import { complaintOf, factsById, faultsOf } from "../../../src/writing/domain/factCheck.ts"
import {
  moveFigure,
  priceFigure,
  usdFigure,
  whenFigure,
} from "../../../src/writing/domain/figures.ts"
import { hour, minute } from "../../../src/core/domain/time.ts"
import { whaleItem } from "../../../src/whales/domain/whaleItem.ts"
import { labelOf, namesOf, stakeOf, tally, tracesOf } from "../../support/digest/digestOracle.ts"
import { anyMaterial, quiet, until } from "../../support/digest/digests.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { storedEntry, trackedWallet } from "../../support/whales/entries.ts"
import { anyInt } from "../../support/http/hostile.ts"
import { market } from "../../support/movers/market.ts"

const limits: Readonly<Partial<Record<DigestTopic, number>>> = {
  flow: 3,
  entry: 10,
  predetermined: 8,
  resolution: 8,
  upcoming: 6,
}

law(
  "digestBrief() numbers its facts; each statement, full and short, passes the check by itself",
  anyMaterial,
  (material) => {
    const { facts } = digestBrief(material)
    const byId = factsById(facts)
    equal(facts.map(({ id }) => id), facts.map((_, i) => `F${i + 1}`))
    for (const { id, short, statement } of facts) {
      for (const text of new Set([statement, short])) {
        const faults = faultsOf({ text, facts: [id] }, byId)
        equal(faults.map((fault) => `${complaintOf(fault, id)}: ${text}`), [])
      }
    }
  },
  { runs: sized({ short: 200, full: 3_000 }) },
)

law("digestBrief() states everything up to its limits", anyMaterial, (it) => {
  const { facts } = digestBrief(it)
  const stated = (...topics: ReadonlyArray<DigestTopic>) =>
    facts.filter(({ topic }) => topics.includes(topic)).length
  const contested = it.movers.filter(({ data }) => data.converged !== true)
  const markets = new Set(contested.map(({ data }) => data.market.slug)).size
  strictEqual(stated("rise", "fall"), Math.min(markets, 10))
  strictEqual(stated("entry"), Math.min(it.whaleEntries.length, limits.entry ?? 0))
  strictEqual(stated("predetermined"), Math.min(it.predetermined.length, 8))
  strictEqual(stated("resolution"), Math.min(it.resolutions.length, 8))
  strictEqual(stated("related", "headline"), Math.min(it.headlines.length, 12))
  strictEqual(stated("upcoming"), Math.min(it.upcoming.length, 6))
  const shared = tally(it.whaleEntries.map(({ data }) => data.market.slug)).filter((n) => n > 1)
  strictEqual(stated("flow"), Math.min(shared.length, 3))
  return facts.length <= 100 &&
    Object.entries(limits).every(([topic, most]) =>
      facts.filter((fact) => fact.topic === topic).length <= most
    )
}, { runs: sized({ short: 100, full: 500 }) })

law(
  "digestBrief() takes every figure, name and certainty from its material",
  anyMaterial,
  (material) => {
    const isTraced = tracesOf(material)
    const names = namesOf(material)
    for (const fact of digestBrief(material).facts) {
      const { certain, figures, kind, links, names: own, topic } = fact
      equal(figures.filter((figure) => !isTraced(figure)), [], kind)
      equal(own.filter((name) => !names.has(name) && name !== "unnamed"), [], kind)
      equal(links, [])
      strictEqual(certain, topic === "resolution" || topic === "predetermined")
    }
  },
  { runs: sized({ short: 200, full: 3_000 }) },
)

law(
  "a digest whose only news are moves to converged prices is not sold",
  anyMaterial,
  (material) => {
    const movers = material.movers.map((item) => ({
      ...item,
      data: { ...item.data, converged: true },
    }))
    const nothing = { whaleEntries: [], predetermined: [], resolutions: [] }
    ok(isBelowThreshold({ ...material, ...nothing, movers }))
  },
)

law("digestBrief() states the strongest of each kind, strongest first", anyMaterial, (material) => {
  const { facts } = digestBrief(material)
  const stated = (...topics: ReadonlyArray<DigestTopic>) =>
    facts.filter(({ topic }) => topics.includes(topic)).map(({ figures }) => figures)
  const inOrder = (found: ReadonlyArray<ReadonlyArray<string>>, expected: ReadonlyArray<string>) =>
    equal(found.map((figures, i) => figures.find((it) => it === expected[i])), expected)

  const money = ({ data }: MoverItem) => Math.abs(data.delta) * data.market.liquidityUsd
  const contested = material.movers.filter(({ data }) => data.converged !== true)
  const moves = contested.toSorted((a, b) =>
    money(b) - money(a) || b.data.zScore - a.data.zScore || b.feedIndex - a.feedIndex
  )
  const strongest = moves.filter((move, i) =>
    moves.findIndex(({ data }) => data.market.slug === move.data.market.slug) === i
  )
  inOrder(stated("rise", "fall"), strongest.slice(0, 10).map(({ data }) => moveFigure(data.delta)))
  const stakes = material.whaleEntries.map(({ data }) => data.stakeUsd).sort((a, b) => b - a)
  inOrder(stated("entry"), stakes.slice(0, 10).map(usdFigure))
  const findings = material.predetermined.map(({ data }) => data).sort((a, b) =>
    a.confidence.localeCompare(b.confidence) || a.marketPrice - b.marketPrice
  )
  inOrder(stated("predetermined"), findings.slice(0, 8).map((it) => priceFigure(it.marketPrice)))
  const open = ({ liquidityUsd, mid }: UpcomingMarket) => liquidityUsd * mid * (1 - mid)
  const coming = material.upcoming.toSorted((a, b) =>
    open(b) - open(a) || a.resolvesAt - b.resolvesAt
  )
  inOrder(stated("upcoming"), coming.slice(0, 6).map(({ mid }) => priceFigure(mid)))
  const news = material.headlines.toSorted((a, b) =>
    Math.sign(b.markets.length) - Math.sign(a.markets.length) || b.publishedAt - a.publishedAt
  )
  const when = ({ publishedAt }: { readonly publishedAt: number }) => whenFigure(publishedAt, until)
  inOrder(stated("related", "headline"), news.slice(0, 12).map(when))
}, { runs: sized({ short: 100, full: 500 }) })

/** Deterministically, by `seed`. */
function shuffled<A>(list: ReadonlyArray<A>, seed: number): ReadonlyArray<A> {
  return list.map((it, i) => ({ it, at: mix(seed, i) })).sort((a, b) => a.at - b.at)
    .map(({ it }) => it)
}

law(
  "digestBrief() does not depend on the order of its material",
  Arbitrary.all([anyMaterial, anyInt(0, 1e6)]),
  ([material, seed]) => {
    const other: DigestMaterial = {
      ...material,
      movers: shuffled(material.movers, seed),
      whaleEntries: shuffled(material.whaleEntries, seed),
      predetermined: shuffled(material.predetermined, seed),
      resolutions: shuffled(material.resolutions, seed),
      headlines: shuffled(material.headlines, seed),
      upcoming: shuffled(material.upcoming, seed),
    }
    equal(digestBrief(other), digestBrief(material))
  },
  { runs: sized({ short: 100, full: 500 }) },
)

/** All facts except those of a section, without ids; news without its relation to markets. */
function others(facts: ReadonlyArray<DigestFact>, section: string): ReadonlyArray<string> {
  return facts.filter((fact) => fact.section !== section).map(({ kind, statement }) =>
    kind === "news"
      ? statement.replace(/ UTC, (?:in the same hours|and its words).*/, " UTC.")
      : statement
  )
}

law(
  "digestBrief() states the same about other kinds, however many items one kind has",
  Arbitrary.all([anyMaterial, anyMaterial]),
  ([material, more]) => {
    const before = digestBrief(material).facts
    const moved = digestBrief({ ...material, movers: more.movers }).facts
    equal(others(moved, "repriced"), others(before, "repriced"))
    const bought = digestBrief({ ...material, whaleEntries: more.whaleEntries }).facts
    equal(others(bought, "whales"), others(before, "whales"))
  },
  { runs: sized({ short: 100, full: 500 }) },
)

function sumOf(facts: ReadonlyArray<DigestFact>, pattern: RegExp): ReadonlyArray<string> {
  const found = facts.flatMap((fact) =>
    fact.topic === "count" ? pattern.exec(fact.statement) ?? [] : []
  )
  return found.slice(1)
}

law("the totals of a digest equal those counted by the test", anyMaterial, (material) => {
  const { facts } = digestBrief(material)
  const { movers, resolutions, whaleEntries } = material
  const n = (count: number) => String(count)
  const ups = movers.filter(({ data }) => data.priceNow >= data.priceStart).length
  const markets = new Set(movers.map(({ data }) => data.market.slug)).size
  if (ups > 0 && ups < movers.length) {
    equal(
      sumOf(
        facts,
        /^(\d+) moves in (\d+) markets? were reported: (\d+) moves? up and (\d+) moves? down/,
      ),
      [n(movers.length), n(markets), n(ups), n(movers.length - ups)],
    )
  } else if (movers.length > 1) {
    const way = ups === 0 ? "down" : "up"
    equal(sumOf(facts, new RegExp(`^(\\d+) moves in .* reported, all of them ${way}`)), [
      n(movers.length),
    ])
  } else equal(sumOf(facts, /^(No market moved|Just 1 move was reported)/).length, 1)

  for (const label of ["follow", "fade", "neutral", "unlabelled"]) {
    const of = whaleEntries.filter((entry) => labelOf(entry) === label)
    const who = label === "unlabelled" ? "without a label" : `labelled ${label}[^”]`
    // A single label is stated without repeating the totals.
    const pattern = of.length === whaleEntries.length
      ? `put ([\\d,]+) USD into (\\d+) entr(?:y|ies), (?:from a wallet|all from wallets) ${who}`
      : `([\\d,]+) USD in (\\d+) entr(?:y|ies) from wallets ${who}`
    const stated = sumOf(facts, new RegExp(pattern))
    const expected = [Math.round(stakeOf(of)).toLocaleString("en-US"), n(of.length)]
    equal(stated, of.length === 0 ? [] : expected)
  }
  const hasEdge = whaleEntries.some((entry) => ["follow", "fade"].includes(labelOf(entry)))
  strictEqual(
    facts.some(({ statement }) => statement.includes("No entry came from a wallet labelled")),
    whaleEntries.length > 0 && !hasEdge,
  )

  const { headlines } = material
  if (headlines.length > 0) {
    equal(sumOf(facts, /^(\d+) headlines? from (\d+) publishers?.* read; (\d+) headlines? match/), [
      n(headlines.length),
      n(new Set(headlines.map(({ source }) => source)).size),
      n(headlines.filter(({ markets }) => markets.length > 0).length),
    ])
  }

  const paid = resolutions.filter(({ resolution }) => resolution.state === "paid").length
  equal(sumOf(facts, /(\d+) markets? paid out/), paid === 0 ? [] : [n(paid)])
  const cancelled = resolutions.length - paid
  equal(sumOf(facts, /(\d+) markets? closed without/), cancelled === 0 ? [] : [n(cancelled)])
}, { runs: sized({ short: 100, full: 500 }) })

Deno.test("digestBrief() of a quiet window says that nothing happened, and that everything was read", () => {
  equal(
    digestBrief(quiet).facts.filter(({ topic }) => topic !== "method").map(({ short }) => short),
    [
      "This digest covers 4 hours, from 2026-11-21 04:00 UTC to 08:00 UTC.",
      "The prices of 3,120 markets were watched.",
      "The entries of 184 wallets are tracked; the entries of other wallets are not.",
      "Rules searched for proposed outcomes at a contested price; they read only what the venue publishes, not the news.",
      "Headlines were requested from 5 news sources, and every source answered.",
      "No market moved far enough to be reported.",
      "No new position of a tracked wallet was reported.",
      "No predetermined outcome was found.",
      "No market with entries of tracked wallets is known to have ended.",
      "No headline was found.",
      "No market with enough liquidity is expected to resolve soon.",
    ],
  )
})

Deno.test("digestBrief() says what was not read, and does not claim that it was quiet", () => {
  const assertStates = (coverage: Partial<DigestMaterial["coverage"]>, sentence: string) => {
    const { facts } = digestBrief({ ...quiet, coverage: { ...quiet.coverage, ...coverage } })
    ok(facts.some(({ statement }) => statement === sentence), sentence)
    return facts.map(({ statement }) => statement).join(" ")
  }
  assertStates(
    { marketsWatched: 0 },
    "No market was watched, so this digest says nothing about price moves.",
  )
  assertStates(
    { venueReadAt: null },
    "The venue was not read at all, so a quiet digest does not mean that the markets were quiet.",
  )
  assertStates(
    { venueReadAt: until - 90 * minute },
    "The venue was last read in full at 06:30 UTC, 90 minutes before this digest ends; later changes " +
      "are missing.",
  )
  assertStates(
    { venueReadAt: until - 5 * hour },
    "The venue was last read in full at 03:00 UTC, before this digest begins; later changes are missing.",
  )
  assertStates(
    { itemsUnread: 12 },
    "The feed has 12 items that were not read, and every count here leaves them out.",
  )
  const off = "News is off: no headline was read, so this digest cannot say why a price moved."
  ok(!assertStates({ news: null }, off).includes("No headline was found"))
  ok(!assertStates({ news: { sources: 0, answered: 0 } }, off).includes("No headline was found"))
  const silent = "Headlines were requested from 5 news sources, without any answer."
  ok(!assertStates({ news: { sources: 5, answered: 0 } }, silent).includes("No headline was found"))
  assertStates(
    { news: { sources: 5, answered: 3 } },
    "Headlines were requested from 5 news sources; 2 sources did not answer, so headlines may be missing.",
  )
  const unread = assertStates(
    { missing: ["whales", "news", "upcoming"] },
    "The list of tracked wallets could not be read.",
  )
  ok(!/is known to have ended|No headline was found|expected to resolve soon/.test(unread))
  assertStates(
    { missing: ["news"] },
    "The news could not be read, so this digest cannot say why a price moved.",
  )
})

Deno.test("digestBrief() adds stakes to the same dollar in any order", () => {
  const { title, createdAt, data } = whaleItem(
    { wallet: trackedWallet(), market: market(), entry: storedEntry(), microstructure: null },
    until,
  )
  ok("stakeUsd" in data)
  const entry = (stakeUsd: number, feedIndex: number) => ({
    ...{ type: "whale_entry" as const, title, createdAt, feedIndex },
    data: { ...data, stakeUsd },
  })
  const sums = [[0.7, 0.1, 0.7], [0.7, 0.7, 0.1]].map((stakes) => {
    const { facts } = digestBrief({ ...quiet, whaleEntries: stakes.map(entry) })
    return sumOf(facts, /put ([\d,]+) USD into 3 entries/)
  })
  equal(sums, [["2"], ["2"]])
})
