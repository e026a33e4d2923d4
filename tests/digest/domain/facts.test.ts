/**
 * The facts of a digest: each states its own values, each name and time comes from the material, the
 * limits hold, gaps are stated, and no kind displaces another.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert"
import { Arbitrary } from "effect"
import { mix } from "../../../src/venues/simulated/seed.ts"
import type { DigestFact, DigestTopic } from "../../../src/digest/domain/digest.ts"
import { convergenceOf } from "../../../src/markets/domain/resolving.ts"
import { digestBrief } from "../../../src/digest/domain/facts.ts"
import {
  type DigestMaterial,
  isBelowThreshold,
  type MoverItem,
  type UpcomingMarket,
} from "../../../src/digest/domain/material.ts"
import { spelled } from "../../../src/writing/domain/values.ts"
import { hour, minute } from "../../../src/core/domain/time.ts"
import { namesOf, tracesOf } from "../../support/digest/digestOracle.ts"
import { anyMaterial, quiet, until } from "../../support/digest/digests.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { anyInt } from "../../support/http/hostile.ts"

const runs = sized({ short: 100, full: 500 })
const movesMax = 5

law(
  "digestBrief() numbers its facts, and each statement spells its values",
  anyMaterial,
  (material) => {
    const { facts } = digestBrief(material)
    equal(facts.map(({ id }) => id), facts.map((_, i) => `F${i + 1}`))
    for (const { figures, names, statement, values } of facts) {
      const own = Object.values(values)
      for (const value of own) {
        if (value.type !== "word") ok(statement.includes(spelled(value)), statement)
        if (value.type === "name") ok(names.includes(value.text), statement)
        else if (value.type !== "word") ok(figures.includes(spelled(value)), statement)
      }
      equal([figures.length, names.length], [new Set(figures).size, new Set(names).size])
      const rest = own.map((value) => spelled(value)).sort((a, b) => b.length - a.length)
        .reduce((text, value) => text.replaceAll(value, " "), statement)
      ok(!/[\p{N}“”]/u.test(rest.replace("close to 0 or 1", "")), statement)
    }
    return facts.length <= 100
  },
  { runs },
)

law("digestBrief() states everything up to its limits", anyMaterial, (it) => {
  const { facts } = digestBrief(it)
  const stated = (topic: DigestTopic) => facts.filter((fact) => fact.topic === topic).length
  const contested = it.movers.filter(({ data }) => data.converged !== true)
  const markets = new Set(contested.map(({ data }) => data.market.slug)).size
  const found = new Set(it.predetermined.map(({ data }) => data.market.slug)).size
  strictEqual(stated("move"), Math.min(markets, movesMax))
  strictEqual(stated("level"), stated("move"))
  strictEqual(stated("entry"), Math.min(it.whaleEntries.length, 10))
  strictEqual(stated("finding") + stated("proposal"), Math.min(found, 8))
  strictEqual(stated("resolution"), Math.min(it.resolutions.length, 8))
  const coming = it.upcoming.filter(({ mid }) => convergenceOf(mid) !== "converged")
  strictEqual(stated("upcoming"), Math.min(coming.length, 12))
  return stated("ladder") <= 6 && stated("flow") <= 3
}, { runs })

/** Facts whose figures are computed from the material; `statements.test.ts` has their values. */
const computed: ReadonlyArray<DigestTopic> = [
  ...["level", "cost", "since", "ladder", "implied", "sum", "story", "unexplained"] as const,
  ...["proposal", "finding", "coverage", "entries", "flow", "endings", "upcoming"] as const,
]

law(
  "digestBrief() takes every figure, name and certainty from its material",
  anyMaterial,
  (material) => {
    const isTraced = tracesOf(material)
    const names = namesOf(material)
    for (const fact of digestBrief(material).facts) {
      const { certain, figures, kind, links, names: own, topic } = fact
      if (!computed.includes(topic)) equal(figures.filter((figure) => !isTraced(figure)), [], topic)
      equal(own.filter((name) => !names.has(name) && name !== "unnamed"), [], kind)
      equal(links, [])
      strictEqual(certain, topic === "resolution" || topic === "finding")
    }
  },
  { runs },
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
  const stated = (topic: DigestTopic, slot: string) =>
    facts.filter((fact) => fact.topic === topic).map(({ values }) => {
      const value = values[slot]
      return value === undefined || !("value" in value) ? null : value.value
    })
  const money = ({ data }: MoverItem) => Math.abs(data.delta) * data.market.liquidityUsd
  const moves = material.movers.filter(({ data }) => data.converged !== true).toSorted((a, b) =>
    money(b) - money(a) || b.data.zScore - a.data.zScore || b.feedIndex - a.feedIndex
  )
  const strongest = moves.filter((move, i) =>
    moves.findIndex(({ data }) => data.market.slug === move.data.market.slug) === i
  )
  equal(
    stated("move", "change"),
    strongest.slice(0, movesMax).map(({ data }) => Math.abs(data.delta)),
  )
  const open = ({ liquidityUsd, mid }: UpcomingMarket) => liquidityUsd * mid * (1 - mid)
  const coming = material.upcoming.filter(({ mid }) => convergenceOf(mid) !== "converged").toSorted(
    (a, b) => open(b) - open(a) || a.resolvesAt - b.resolvesAt,
  )
  equal(stated("upcoming", "price"), coming.slice(0, 12).map(({ mid }) => mid))
  // Entries of proven wallets come before the largest of the others.
  const labels = facts.filter(({ topic }) => topic === "entry").map(({ values }) =>
    values["label"]?.type === "word" ? values["label"].text : ""
  )
  const ranks = labels.map((label) => label === "none" ? 2 : label === "neutral" ? 1 : 0)
  equal(ranks, ranks.toSorted((a, b) => a - b))
}, { runs })

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
      stories: shuffled(material.stories, seed),
      quoted: shuffled(material.quoted, seed),
      upcoming: shuffled(material.upcoming, seed),
    }
    equal(digestBrief(other), digestBrief(material))
  },
  { runs },
)

/** All facts except those of a section, and those that depend on which markets are described. */
function others(facts: ReadonlyArray<DigestFact>, section: string): ReadonlyArray<string> {
  return facts.filter((fact) =>
    fact.section !== section && fact.kind !== "news" && fact.kind !== "relation"
  ).map(({ statement }) => statement)
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
  { runs },
)

Deno.test("digestBrief() of a quiet window says that nothing happened, and what was covered", () => {
  equal(digestBrief(quiet).facts.map(({ statement }) => statement), [
    "This digest covers 04:00 UTC to 08:00 UTC: 3,120 markets, 184 tracked wallets, 5 news sources.",
    "No market moved far enough to be reported.",
    "No other headline about a market of this digest was found.",
    "No tracked wallet opened a position.",
    "No market was found whose outcome is reported or proposed at a contested price.",
    "No contested market with enough liquidity is expected to resolve soon.",
  ])
})

Deno.test("digestBrief() says what was not read, and does not claim that it was quiet", () => {
  const assertStates = (coverage: Partial<DigestMaterial["coverage"]>, sentence: string) => {
    const { facts } = digestBrief({ ...quiet, coverage: { ...quiet.coverage, ...coverage } })
    const statements = facts.map(({ statement }) => statement)
    ok(statements.includes(sentence), statements.join("\n"))
    return statements.join(" ")
  }
  assertStates(
    { marketsWatched: 0 },
    "No market was watched.",
  )
  assertStates(
    { venueReadAt: null },
    "The venue was not read at all, so a quiet digest does not mean that the markets were quiet.",
  )
  assertStates(
    { venueReadAt: until - 90 * minute },
    "The venue was last read at 06:30 UTC; later changes are missing.",
  )
  assertStates(
    { venueReadAt: until - 5 * hour },
    "The venue was last read at 03:00 UTC; later changes are missing.",
  )
  assertStates(
    { itemsUnread: 12 },
    "12 feed items beyond its limit are left out.",
  )
  const off = "News is off, so this digest cannot say why prices moved."
  ok(!assertStates({ news: null }, off).includes("No headline was"))
  ok(!assertStates({ news: { sources: 0, answered: 0 } }, off).includes("No headline was"))
  const silent = "None of 5 news sources answered."
  ok(!assertStates({ news: { sources: 5, answered: 0 } }, silent).includes("No headline was"))
  assertStates(
    { news: { sources: 5, answered: 3 } },
    "2 news sources did not answer.",
  )
  const unread = assertStates(
    { missing: ["whales", "news", "upcoming", "quotes"], walletsTracked: 0 },
    "The tracked wallets and the ends of their markets could not be read.",
  )
  ok(!/No tracked wallet|No headline was|expected to resolve soon/.test(unread), unread)
  ok(unread.includes("The markets that resolve soon could not be read."))
  ok(unread.includes("The prices of related markets could not be read"))
  assertStates(
    { missing: ["news"] },
    "The news could not be read, so this digest cannot say why prices moved.",
  )
})
