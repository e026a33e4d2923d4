/**
 * The template of a digest: the eight points over generated worlds, and the laws of its facts, words
 * and names.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect, Result } from "effect"
import { Arbitrary } from "effect"
import { type DigestPage, digestSections } from "../../../src/digest/domain/digest.ts"
import {
  type DigestMarket,
  type DigestMaterial,
  type DigestStory,
  isBelowThreshold,
  isLabelled,
} from "../../../src/digest/domain/material.ts"
import { digestPage } from "../../../src/digest/domain/page.ts"
import { digestOf, slotsOf } from "../../../src/digest/domain/text.ts"
import { hour, minute } from "../../../src/core/domain/time.ts"
import { microstructure } from "../../../src/markets/domain/book.ts"
import { MarketId, Slug } from "../../../src/markets/domain/market.ts"
import { market as ordinary } from "../../support/movers/market.ts"
import { quoteOf } from "../../../src/markets/domain/quote.ts"
import { spelled } from "../../../src/writing/domain/values.ts"
import { type Slot, wordCount } from "../../../src/writing/domain/page.ts"
import { sampleScorecard } from "../../support/catalog/samples.ts"
import { report } from "../../support/predetermined/report.ts"
import { anyMaterial, from, quiet, until } from "../../support/digest/digests.ts"
import { eightPoints } from "../../support/digest/eightPoints.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"

const runs = sized({ short: 200, full: 2_000 })
const metadata = {
  ...{ slot: until, createdAt: until, narrator: "template", venue: "Venue", methodUrl: null },
}

const paragraphs = ({ sections }: DigestPage): ReadonlyArray<Slot> =>
  digestSections.flatMap((section) => sections[section]).map(({ slot }) => slot)
const textOf = ({ sentences }: Slot) => sentences.map(({ text }) => text).join(" ")
const pageText = (page: DigestPage) => paragraphs(page).map(textOf).join("\n")

/** Every example of this file makes the eight points too. */
function pageOf(material: DigestMaterial): DigestPage {
  const page = digestPage(material)
  equal(eightPoints(material, page), [])
  return page
}

law("digestPage() makes the eight points in every world", anyMaterial, (material) => {
  pageOf(material)
}, { runs })

law("digestPage() does not depend on the order of the material", anyMaterial, (material) => {
  const turned: DigestMaterial = {
    ...material,
    whaleEntries: material.whaleEntries.toReversed(),
    predetermined: material.predetermined.toReversed(),
    resolutions: material.resolutions.toReversed(),
    markets: material.markets.toReversed(),
    quoted: material.quoted.toReversed(),
  }
  equal(digestPage(turned), digestPage(material))
}, { runs: sized({ short: 60, full: 400 }) })

law("digestPage() has at most 800 words, each sentence of one fact", anyMaterial, (material) => {
  const page = digestPage(material)
  ok(wordCount(digestOf(page, [], metadata).fullAnalysis) <= 800)
  const ids = page.facts.map(({ id }) => id)
  strictEqual(new Set(ids).size, ids.length)
  const slots = slotsOf(page)
  strictEqual(new Set(slots.map(({ id }) => id)).size, slots.length)
  for (const { sentences } of slots) {
    for (const { facts: [id, ...more], text } of sentences) {
      const fact = page.facts.find((it) => it.id === id)
      strictEqual(more.length, 0)
      strictEqual(fact?.statement.replace(/\.$/, ""), text.replace(/\.$/, ""))
    }
  }
}, { runs })

law(
  "digestPage() spells no figure and no name that is no value of its fact",
  anyMaterial,
  (material) => {
    for (const { statement, values } of digestPage(material).facts) {
      const rest = Object.values(values).map(spelled).sort((a, b) => b.length - a.length)
        .reduce(
          (text, value) => text.replaceAll(value, " "),
          statement.replaceAll("near 0 or 1", ""),
        )
      ok(!/\p{N}/u.test(rest), `${rest}: ${statement}`)
      ok(!/[“”]\p{L}/u.test(rest), `${rest}: ${statement}`)
    }
  },
  { runs },
)

law(
  "digestPage() quotes no headline twice, but as what came before a move",
  anyMaterial,
  (material) => {
    const page = digestPage(material)
    const isCause = /^Our word match found |the (?:step|move) |while the price moved/
    const quoted = (slots: ReadonlyArray<Slot>, isStated: (text: string) => boolean) =>
      slots.flatMap(({ sentences }) => sentences.filter(({ text }) => isStated(text))).flatMap((
        { facts },
      ) =>
        page.facts.filter(({ id }) => facts.includes(id)).flatMap(({ values: { headline } }) =>
          headline?.type === "name" ? [headline.text] : []
        )
      )
    const { context, ...others } = page.sections
    const own = Object.values(others).flat().map(({ slot }) => slot)
    const all = quoted(own, () => true)
    const inner = quoted(own, (text) => !isCause.test(text))
    const news = quoted(context.map(({ slot }) => slot), () => true)
    strictEqual(new Set(inner).size, inner.length)
    strictEqual(new Set(news).size, news.length)
    ok(!news.some((headline) => all.includes(headline)))
  },
  { runs },
)

Deno.test("the sentences of digests have a median of at most 18 words, names counted as one", async () => {
  const drawn = await Effect.runPromise(Arbitrary.sampleEffect(anyMaterial, { count: 200 }))
  const lengths = drawn.map(digestPage).flatMap(({ facts }) =>
    facts.map(({ names, statement }) =>
      wordCount(names.reduce((text, name) => text.replaceAll(name, "name"), statement))
    )
  ).sort((a, b) => a - b)
  ok((lengths[Math.floor(lengths.length / 2)] ?? 99) <= 18)
  const sold = drawn.filter((it) => !isBelowThreshold(it))
  const words = sold.map((it) => wordCount(pageText(digestPage(it)))).sort((a, b) => a - b)
  ok((words[Math.floor(words.length / 2)] ?? 0) >= 200, `${words.length} digests: ${words}`)
})

Deno.test("digestPage() of a quiet window says in few words what did not happen", () => {
  const page = pageOf(quiet)
  strictEqual(
    page.title.sentences[0].text,
    "None of 3,120 watched markets had a confirmed move of 5 cents",
  )
  const text = [textOf(page.summary), pageText(page)].join(" ")
  ok(text.includes("None of 184 tracked wallets opened a published position in that time."), text)
  ok(wordCount(text) < 70, text)
})

Deno.test("entries without a label and thin moves make no digest worth its price", async () => {
  const drawn = await Effect.runPromise(Arbitrary.sampleEffect(anyMaterial, { count: 60 }))
  const whaleEntries = drawn.flatMap(({ whaleEntries }) => whaleEntries)
    .filter((entry) => !isLabelled(entry)).slice(0, 5)
  const [move] = drawn.flatMap(({ moves }) => moves)
  ok(move !== undefined && whaleEntries.length === 5)
  const isFree = (tradedUsd: number) => {
    const item = { ...move.item, data: { ...move.item.data, tradedUsd } }
    return isBelowThreshold({ ...quiet, whaleEntries, moves: Array(3).fill({ ...move, item }) })
  }
  equal([isFree(99), isFree(100)], [true, false])
})

Deno.test("digestPage() denies nothing that it did not read", () => {
  const unread = { ...quiet.coverage, missing: ["whales", "proposals"] as const }
  const stale = { tracked: 184, readAt: until - 2 * hour, from }
  const texts = [
    pageOf({ ...quiet, coverage: unread }),
    pageOf({ ...quiet, coverage: { ...quiet.coverage, wallets: stale } }),
    pageOf({ ...quiet, coverage: { ...quiet.coverage, itemsUnread: 3 } }),
    pageOf({ ...quiet, coverage: { ...quiet.coverage, venueReadAt: until - 40 * minute } }),
  ].map(pageText)
  const [missing = "", old = "", cut = "", late = ""] = texts
  ok(
    !/opened a published position|is proposed/.test(missing) &&
      missing.includes("could not be read"),
  )
  ok(!old.includes("opened a position") && old.includes("were last read at 06:00 UTC"))
  ok(!/None of/.test(cut) && cut.includes("3 feed items could not be read"))
  ok(
    !late.includes("had a confirmed move") && late.includes("The venue was last read at 07:20 UTC"),
  )
})

/** The first generated world with a contested proposal. */
async function withProposal(): Promise<DigestMaterial> {
  const drawn = await Effect.runPromise(Arbitrary.sampleEffect(anyMaterial, { count: 60 }))
  const found = drawn.find(({ markets }) => markets.some(({ proposal }) => proposal !== null))
  ok(found !== undefined)
  return found
}

Deno.test("a digest states a doubted proposal, however old, and only then", async () => {
  const { markets } = await withProposal()
  const one = markets.find(({ proposal }) => proposal !== null)
  const quote = quoteOf({ bestBid: 0.3, bestAsk: 0.32, bidShares: 100, askShares: 100 })
  ok(one?.proposal && quote !== null)
  const old = {
    ...one,
    ...{ quote, entries: [], stories: [] },
    proposal: {
      ...one.proposal,
      ...{ proposedAt: from - 200 * hour, settlesAt: null, disputed: false },
    },
  }
  const pageWith = (one: DigestMarket) => pageOf({ ...quiet, markets: [one], quoted: [one] })
  const stated = pageText(pageWith(old))
  ok(/It was made .* ago and never disputed;/.test(stated), stated)
  const market = { ...old.market, question: "Will the lighthouse be lit?" }
  const page = pageWith({ ...old, market, proposal: { ...old.proposal, proposedAt: from } })
  ok(/ is proposed, but priced at /.test(textOf(page.title)))
  ok(/It was made .* ago and never disputed; /.test(pageText(page)))
  ok(/1 of 1 open proposal is priced below 0.90/.test(`${textOf(page.summary)} ${pageText(page)}`))
  const agreed = quoteOf(
    old.proposal.outcome === 0
      ? { bestBid: 0.91, bestAsk: 0.93 }
      : { bestBid: 0.07, bestAsk: 0.09 },
  )
  const silent = pageText(pageWith({ ...old, quote: agreed }))
  ok(!/proposal of| at 0\.\d+, disputed/.test(silent), silent)
})

Deno.test("a move on little money, in a wide book or in an ended market is no card", async () => {
  const drawn = await Effect.runPromise(Arbitrary.sampleEffect(anyMaterial, { count: 60 }))
  const [found] = drawn.flatMap(({ markets, moves }) =>
    moves.flatMap((move) => {
      const { market: { slug } } = move.item.data
      const one = markets.find(({ market }) => market.slug === slug)
      return one === undefined ? [] : [{ move, one }]
    })
  )
  const [ended] = drawn.flatMap(({ resolutions }) => resolutions)
  ok(found !== undefined && ended !== undefined)
  const { move, one } = found
  const isCard = (tradedUsd: number | null, bestAsk: number, resolutions = [ended].slice(1)) => {
    const moved = { priceStart: 0.3, priceNow: 0.45, delta: 0.15 }
    const item = { ...move.item, data: { ...move.item.data, ...moved, tradedUsd } }
    const quote = quoteOf({ bestBid: 0.4, bestAsk, bidShares: 100, askShares: 100 })
    const market = { ...one.market, takerFeeRate: 0.05 }
    const markets = [{ ...one, market, quote, entries: [], proposal: null, stories: [] }]
    const page = pageOf({ ...quiet, moves: [{ ...move, item }], markets, resolutions })
    return page.sections.repriced.some(({ slot }) => slot.topic === "move")
  }
  equal([isCard(1_000, 0.5), isCard(null, 0.5)], [true, true])
  equal([isCard(999, 0.5), isCard(1_000, 0.51)], [false, false])
  const { question, slug } = one.market
  const endedAs = (fields: Partial<typeof ended.market>) =>
    isCard(1_000, 0.5, [{ ...ended, market: { ...ended.market, ...fields } }])
  equal([endedAs({ slug }), endedAs({ question })], [false, true], "a namesake is another market")
})

Deno.test("a moved market has its price now, and the time from a headline to the end of the step", async () => {
  const drawn = await Effect.runPromise(Arbitrary.sampleEffect(anyMaterial, { count: 60 }))
  const [found] = drawn.flatMap(({ markets, moves }) =>
    moves.flatMap((move) => {
      const one = markets.find(({ market }) => market.slug === move.item.data.market.slug)
      return one === undefined ? [] : [{ move, one }]
    })
  )
  ok(found !== undefined)
  const [sizes, stepTo] = [{ bidShares: 100, askShares: 100 }, until - 30 * minute]
  const data = {
    ...found.move.item.data,
    ...{
      priceStart: 0.395,
      priceNow: 0.555,
      delta: 0.16,
      tradedUsd: 1_937,
      window: "24h" as const,
    },
  }
  const prices = { priceFrom: 0.4, priceTo: 0.55, delta: 0.15 }
  const step = { from: stepTo - 30 * minute, to: stepTo, ...prices }
  const story = report("Keeper trims the lamp", "wire", {
    reading: null,
    firstAt: stepTo - 40 * minute,
  })
  const market = { ...found.one.market, takerFeeRate: 0.05, status: "open" as const }
  const pageAt = (bestBid: number, bestAsk: number, asks = [1]) => {
    const quote = quoteOf({ bestBid, bestAsk, ...sizes })
    const bare = { entries: [], proposal: null, rules: null, stories: [story] }
    const one = {
      ...{ ...found.one, ...bare, market: { ...market, gameStartsAt: null }, quote },
      offers: [asks.map((price) => ({ price, size: 900 })), []] as const,
    }
    const createdAt = new Date(until - 20 * minute).toISOString()
    const moves = [{ item: { ...found.move.item, createdAt, data }, step }]
    const page = pageOf({ ...quiet, moves, markets: [one], quoted: [one] })
    return [textOf(page.title), textOf(page.summary), pageText(page)].join("\n")
  }
  const [on, still] = [pageAt(0.57, 0.6), pageAt(0.55, 0.57)]
  const moved =
    `rose 16 cents in 24 hours, from 0.395 to 0.555 at 07:40 UTC, most of it by 07:30 UTC`
  ok(on.includes(`${moved}; now 0.585`), on)
  ok(!still.includes("; now"), still)
  ok(on.includes(", 40 minutes before the step was seen."), on)
  ok(on.includes("Traded while it moved: $1,937 at 0.475 or more."), on)
  // In a wide book it is no card, and is only listed.
  const listed = pageAt(0.5, 0.7)
  ok(/: .+ 16 cents up to 0\.555, now 0\.60\./.test(listed), listed)
})

Deno.test("markets of one title are distinguished wherever a digest names them", async () => {
  const one = (await withProposal()).markets.find(({ proposal }) => proposal !== null)
  ok(one?.proposal)
  const quote = quoteOf({ bestBid: 0.5, bestAsk: 0.52, bidShares: 100, askShares: 100 })
  const question = "Will the harbour freeze on November 30?"
  const twin = (slug: string, endsAt: number | null) => ({
    ...{ ...one, quote, entries: [], rules: null, stories: [] },
    market: {
      ...{ ...one.market, ...ordinary({ id: MarketId.make(slug), slug: Slug.make(slug) }) },
      ...{ question, endsAt, gameStartsAt: null, eventKey: slug },
    },
  })
  const noon = Date.UTC(2026, 10, 30, 12)
  const namesIn = (ends: ReadonlyArray<number | null>) => {
    const markets = ends.map((at, n) => twin(`harbour-${n}`, at))
    const text = digestOf(pageOf({ ...quiet, markets, quoted: markets }), [], metadata)
    const whole = [text.title, text.summary, text.fullAnalysis].join("\n")
    const names = [
      ...whole.matchAll(/“Will the harbour freeze on November 30\?”(?:\*\*)?(.{0,35})/g),
    ]
    ok(names.length > ends.length, whole)
    return new Set(names.map(([, next = ""]) => /^ \((.*?)\)/.exec(next)?.[1] ?? "bare"))
  }
  equal(namesIn([noon]), new Set(["bare"]))
  const ends = ["listed end 2026-11-30 12:00 UTC", "listed end 2026-11-30 16:00 UTC"]
  equal(namesIn([noon, noon + 4 * hour]), new Set(ends))
  equal(namesIn([noon, noon, null]), new Set(["0", "1", "2"]))
})

Deno.test("a digest lists what comes in the next day, in time, and marks cards that are new", async () => {
  const one = (await withProposal()).markets.find(({ proposal }) => proposal !== null)
  ok(one?.proposal)
  const quote = quoteOf({ bestBid: 0.5, bestAsk: 0.52, bidShares: 100, askShares: 100 })
  const doubted = { ...one.proposal, proposedAt: until - hour, disputed: false }
  const at = (slug: string, fields: Partial<DigestMarket["market"]>, doubts: boolean) => ({
    ...{ ...one, quote, entries: [], rules: null, stories: [] },
    proposal: doubts ? doubted : null,
    market: {
      ...ordinary({ id: MarketId.make(slug), slug: Slug.make(slug), eventKey: slug }),
      ...{ question: `Will ${slug} freeze?`, outcomes: ["Yes", "No"] as const, ...fields },
    },
  })
  const asked = [
    at("Harbour", { endsAt: until + 5 * hour }, false),
    at("Inlet", { endsAt: until + 25 * hour }, false),
    at("Fjord", { gameStartsAt: until + 3 * hour, endsAt: until + 90 * hour }, false),
    at("Lagoon", { endsAt: until - 2 * hour }, true),
  ]
  const [entry] = (await Effect.runPromise(Arbitrary.sampleEffect(anyMaterial, { count: 60 })))
    .flatMap(({ markets }) => markets).flatMap(({ entries }) => entries)
    .filter(({ marketMaker }) => !marketMaker)
  ok(entry !== undefined)
  const bare = at("Cove", { endsAt: until + 5 * hour }, false)
  const markets = [bare, ...asked.map((it) => it.proposal ? it : { ...it, entries: [entry] })]
  const textAfter = (previous: DigestMaterial["previous"]) =>
    digestOf(pageOf({ ...quiet, markets, quoted: markets, previous }), [], metadata).fullAnalysis
  const [, ahead = ""] = textAfter(null).split("In the next 24 hours:\n")
  equal(
    ahead.split("\n\n")[0]?.split("\n").map((line) =>
      /- (.*?) of “Will (\w+)/.exec(line)?.slice(1)
    ),
    [
      ["11:00 UTC: kick-off", "Fjord"],
      ["13:00 UTC: end", "Harbour"],
    ],
  )
  const said = (statement: string) => [{ about: "Lagoon", statement }]
  const opening = /Will Lagoon freeze\?”\*\*.*?: (.*?\.)(?: |$)/m.exec(textAfter(null))?.[1] ?? ""
  ok(/ is proposed, but priced at 0\.\d+\.$/.test(opening), opening)
  const marks = [
    null,
    [],
    said(opening),
    said(opening.replace(/0\.\d+/, "0.123")),
    said(opening.replace("proposed", "proposed and disputed")),
    said("13:00 UTC: end of “Will Lagoon freeze?”, Yes at 0.51."),
  ].map((previous) =>
    /\*\*“Will Lagoon freeze\?”\*\*(?: \(\d.*?\))?(.*?): (?:Yes|No) is proposed, but/.exec(
      textAfter(previous),
    )?.[1]
  )
  const disputed = opening.replace("proposed", "proposed and disputed").slice(0, -1)
  equal(marks, [
    ...["", " (new)", " (as before)", " (before: at 0.123)", ` (before: ${disputed})`],
    " (named before)",
  ])
  const called = said("No at 0.48 or less before the fee, up to $900: $900 is expected to gain $9.")
    .map((fact) => ({ ...fact, about: "Harbour" }))
  ok(
    textAfter(called).includes(
      "Named before:\n- No in “Will Harbour freeze?” (2026-11-21) at 0.48 or less: bid 0.48 now.",
    ),
    textAfter(called),
  )
  // Followed until it ends, and a proposal too.
  const followed = (statement: string) => {
    const ended = { market: asked[0]?.market ?? bare.market, resolution } as const
    const end = { ...quiet, resolutions: [ended], previous: [{ about: "Harbour", statement }] }
    return /Named before:\n- (.*)/.exec(digestOf(pageOf(end), [], metadata).fullAnalysis)?.[1]
  }
  const resolution = {
    ...{ marketId: MarketId.make("Harbour"), resolvedAt: until, state: "paid" as const },
    payouts: [0, 1] as const,
  }
  const name = "in “Will Harbour freeze?” (2026-11-21)"
  equal(
    [
      `No ${name} at 0.48 or less: bid 0.48 now.`,
      "No is proposed and disputed, but priced at 0.68.",
      `Yes ${name}, proposed at 0.68: bid 0.55 now.`,
      `Yes ${name}, proposed at 0.68: paid 0.00.`,
    ].map(followed),
    [
      `No ${name} at 0.48 or less: paid 1.00.`,
      `No ${name}, proposed at 0.68: paid 1.00.`,
      `Yes ${name}, proposed at 0.68: paid 0.00.`,
      undefined,
    ],
  )
})

Deno.test("what did not change leads no digest, and a second move of an event has one line", async () => {
  const drawn = await Effect.runPromise(Arbitrary.sampleEffect(anyMaterial, { count: 60 }))
  const found = drawn.flatMap(({ moves, markets }) =>
    moves.flatMap((move) => {
      const one = markets.find(({ market }) => market.slug === move.item.data.market.slug)
      return one === undefined ? [] : [{ move, one }]
    })
  )[0]
  ok(found !== undefined)
  const quote = quoteOf({ bestBid: 0.5, bestAsk: 0.52, bidShares: 100, askShares: 100 })
  const moved = (slug: string, eventKey: string) => ({
    one: {
      ...{ ...found.one, quote, entries: [], proposal: null, rules: null, stories: [] },
      market: {
        ...ordinary({ id: MarketId.make(slug), slug: Slug.make(slug), eventKey }),
        ...{ question: `Will ${slug} freeze?`, outcomes: ["Yes", "No"] as const },
      },
    },
    move: {
      step: null,
      item: {
        ...found.move.item,
        createdAt: new Date(until - 20 * minute).toISOString(),
        data: {
          ...found.move.item.data,
          ...{ priceStart: 0.3, priceNow: 0.5, delta: 0.2, tradedUsd: 5_000, window: "1h" },
          market: { ...found.move.item.data.market, slug: Slug.make(slug) },
        },
      },
    } as DigestMaterial["moves"][number],
  })
  const textOfAll = (
    all: ReadonlyArray<ReturnType<typeof moved>>,
    rest: Partial<DigestMaterial> = {},
  ) => {
    const markets = all.map(({ one }) => one)
    const moves = all.map(({ move }) => move)
    return digestOf(
      pageOf({ ...quiet, markets, quoted: markets, moves, ...rest }),
      [],
      metadata,
    )
  }
  const linesOf = (text: string, slug: string) =>
    text.split("\n\n").find((part) => part.startsWith(`**“Will ${slug} `))?.split("\n").length ?? 0
  const apart = textOfAll([moved("Fjord", "a"), moved("Inlet", "b")]).fullAnalysis
  ok(linesOf(apart, "Fjord") > 3 && linesOf(apart, "Inlet") > 3, apart)
  const together = textOfAll([moved("Fjord", "a"), moved("Inlet", "a")]).fullAnalysis
  equal([linesOf(together, "Fjord") > 3, linesOf(together, "Inlet")], [true, 1], together)
  const { one } = moved("Lagoon", "c")
  const doubted = { marketId: one.market.id, outcome: 0, proposedAt: until - 3 * hour } as const
  const state = { ...one, proposal: { ...doubted, disputed: false, settlesAt: until - hour } }
  const titleAfter = (previous: DigestMaterial["previous"]) =>
    textOfAll([moved("Fjord", "a")], {
      ...{ markets: [moved("Fjord", "a").one, state], previous },
      quoted: [moved("Fjord", "a").one, state],
    }).title
  const before = { about: "Lagoon", statement: "Yes is proposed, but priced at 0.52." }
  ok(titleAfter(null).startsWith("Yes in “Will Lagoon"), titleAfter(null))
  ok(titleAfter([before]).startsWith("Yes in “Will Fjord"), titleAfter([before]))
  const record = sampleScorecard(until)
  const levels = { bids: [{ price: 0.5, size: 9_000 }], asks: [{ price: 0.52, size: 9_000 }] }
  const book = Result.getOrThrow(microstructure({ ...levels, observedAt: until }))
  const fjord = moved("Fjord", "a")
  const priced = { ...fjord, one: { ...fjord.one, book, offers: [[], []] as const } }
  const summaryOf = (...given: Parameters<typeof textOfAll>) => textOfAll(...given).summary
  const idle = /^Nothing to buy: in 1 market with news no ask leaves a cent/
  ok(idle.test(summaryOf([priced], { record })), summaryOf([priced], { record }))
  ok(!summaryOf([priced], { record: null }).includes("Nothing to "), "without our number")
  ok(
    !summaryOf([{ ...fjord, one: { ...fjord.one, book: null } }], { record }).includes(
      "Nothing to ",
    ),
  )
  ok(summaryOf([], { record }).startsWith("Nothing to do: nothing came up that can be acted on."))
})

Deno.test("a window of more than one digest is counted as far as it was seen", async () => {
  const drawn = await Effect.runPromise(Arbitrary.sampleEffect(anyMaterial, { count: 60 }))
  const [entry] = drawn.flatMap(({ whaleEntries }) => whaleEntries)
  ok(entry !== undefined)
  const textOver = (hours: number, readHours: number, entries: ReadonlyArray<typeof entry>) => {
    const wallets = { ...quiet.coverage.wallets, from: until - readHours * hour }
    const coverage = { ...quiet.coverage, wallets }
    const over = { ...quiet, coverage, from: until - hours * hour, whaleEntries: entries }
    const page = pageOf(over)
    return [textOf(page.title), textOf(page.summary), pageText(page)].join(" ")
  }
  const [none, some] = [textOver(9, 9, []), textOver(9, 9, [entry])]
  ok(!none.includes("None of"), none)
  ok(
    some.includes("At least 1 of 184 tracked wallets opened published positions in that time, for"),
    some,
  )
  const whole = textOver(4, 4, [entry])
  ok(
    /(?<!At least )1 of 184 tracked wallets opened published positions in that time, for/.test(
      whole,
    ),
    whole,
  )
  // The first digest of a service that has watched for an hour.
  const first = textOver(24, 1, [entry])
  const since =
    /(?<!At least )1 of 184 tracked wallets opened published positions since 07:00 UTC, for/
  ok(since.test(first), first)
  const silent = textOver(24, 1, [])
  ok(silent.includes("None of 184 tracked wallets opened a published position since 07:00"), silent)
  ok(!silent.includes("watched markets"), silent)
})

Deno.test("a reported outcome leads with its price, while no report is corrected", async () => {
  const drawn = await Effect.runPromise(Arbitrary.sampleEffect(anyMaterial, { count: 60 }))
  const one = drawn.flatMap(({ markets }) => markets).find(({ proposal }) => proposal === null)
  const quote = quoteOf({ bestBid: 0.3, bestAsk: 0.32, bidShares: 100, askShares: 100 })
  ok(one !== undefined && quote !== null)
  const outcomes = ["Yes", "No"] as const
  const titles = ["Lighthouse stays dark for good", "Keeper leaves the lamp unlit"]
  const reading = { outcome: "No", bears: "for", decides: true, quote: "dark" } as const
  const textWith = (fields: Partial<DigestStory>, gameStartsAt: number | null = null) => {
    const stories = titles.map((title, n) => {
      const publishedAt = until - (n + 1) * hour
      const story = report(title, `site${n}`, { reading, firstAt: publishedAt, ...fields })
      return { ...story, outlets: story.outlets.map((it) => ({ ...it, publishedAt })) }
    })
    const market = { ...one.market, outcomes, takerFeeRate: 0, gameStartsAt, endsAt: null }
    const page = pageOf({ ...quiet, markets: [{ ...one, market, quote, entries: [], stories }] })
    return [textOf(page.title), textOf(page.summary)].join(" ")
  }
  const stated = textWith({})
  ok(/^No in .* is reported by 2 outlets, and priced at 0\.69 /.test(stated), stated)
  ok(!textWith({ corrected: true }).includes("reported"))
  ok(!textWith({}, until - 30 * minute).includes("reported"), "a headline before kick-off")
})

law("digestPage() lists the numbers that it states, to be scored", anyMaterial, (material) => {
  const { facts, stated } = digestPage(material)
  // A text states that of the side that is bought.
  const near = (price: number) => Math.round(Math.min(price, 1 - price) * 1_000)
  const numbers = facts.flatMap(({ values: { probability } }) =>
    probability?.type === "price" ? [near(probability.value)] : []
  )
  const listed = stated.map(({ probability }) => near(probability))
  equal(numbers.toSorted(), listed.toSorted())
}, { runs: sized({ short: 100, full: 400 }) })

Deno.test("exclusive outcomes that are bid above 1 together lead, with what to hold of each", () => {
  const quote = quoteOf({ bestBid: 0.4, bestAsk: 0.42, bidShares: 1_000, askShares: 1_000 })
  const quoted = ["Fjord", "Inlet", "Cove"].map((slug) => ({
    ...{ quote, proposal: null },
    market: {
      ...ordinary({ id: MarketId.make(slug), slug: Slug.make(slug), eventKey: "winner" }),
      ...{ question: `Will ${slug} win?`, outcomes: ["Yes", "No"] as const },
      ...{ eventSlug: "winner", exclusive: true, takerFeeRate: 0, endsAt: until + 90 * hour },
    },
  }))
  const { fullAnalysis, title } = digestOf(pageOf({ ...quiet, quoted }), [], metadata)
  ok(/^Of the 3 exclusive outcomes .* the 3 dearest cost \$1,800 .* gain \$200 /.test(title), title)
  const legs =
    "1,000 shares of each: No of “Cove” at 0.60, No of “Fjord” at 0.60 and No of “Inlet” at 0.60."
  ok(fullAnalysis.includes(legs), fullAnalysis)
  const apart = quoted.map((one) => ({ ...one, market: { ...one.market, exclusive: false } }))
  ok(!pageText(pageOf({ ...quiet, quoted: apart })).includes("exclusive"))
})
