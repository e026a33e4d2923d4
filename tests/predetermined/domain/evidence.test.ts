/**
 * The evidence for a detector does not depend on the input order, and its key changes only with its
 * content.
 *
 * @module
 */
import { deepStrictEqual as equal, notStrictEqual, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  areTwoSources,
  evidenceKey,
  evidenceMax,
  evidenceOf,
  isUnchallenged,
  newsAgeMsMax,
  supports,
} from "../../../src/predetermined/domain/evidence.ts"
import { minute } from "../../../src/core/domain/time.ts"
import {
  anyHeadlines,
  anyProposal,
  headline,
  headlinesOf,
  proposal,
  proposalOf,
  yesOrNo,
} from "../../support/predetermined/detections.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { market, now } from "../../support/movers/market.ts"

const any = Arbitrary.schema(Schema.Struct({ proposal: anyProposal, headlines: anyHeadlines }))

law(
  "evidenceOf() does not depend on the order of headlines, or on duplicates",
  any,
  (drawn) => {
    const news = headlinesOf(drawn.headlines)
    const proposal = proposalOf(drawn.proposal, yesOrNo)
    const evidence = evidenceOf(yesOrNo, proposal, news, now)
    equal(evidenceOf(yesOrNo, proposal, [...news.toReversed(), ...news], now), evidence)
    ok(evidence.length <= evidenceMax)
    strictEqual(new Set(evidence.map(({ url, kind }) => `${kind} ${url}`)).size, evidence.length)
    ok(
      evidence.every(({ publishedAt, kind }) =>
        publishedAt <= now && (kind === "venue" || publishedAt >= now - newsAgeMsMax)
      ),
    )
  },
  { runs: sized({ short: 200, full: 5_000 }) },
)

Deno.test("evidenceOf() puts the venue first, and completed events before newer headlines", () => {
  const forecast = headline({
    title: "Lighthouse lit soon",
    url: "https://a.example/",
    publishedAt: now,
  })
  const evidence = evidenceOf(yesOrNo, proposal({ outcome: 1 }), [forecast, headline()], now)
  equal(evidence.map(({ id, kind, title }) => [id, kind, title]), [
    ["E1", "venue", "Outcome proposed at the venue: No"],
    ["E2", "news", headline().title],
    ["E3", "news", forecast.title],
  ])
})

Deno.test("evidenceOf() sanitizes untrusted text", () => {
  const of = market({ outcomes: ["“Yes”\n", "No"] })
  const odd = headline({ title: "Lighthouse “lit”\u202e\u0000", source: "one\u0007.example" })
  const evidence = evidenceOf(of, proposal(), [odd], now)
  equal(evidence.map(({ title, source }) => [title, source]), [
    ["Outcome proposed at the venue: 'Yes'", "the venue"],
    ["Lighthouse 'lit'", "one .example"],
  ])
})

Deno.test("evidenceKey() changes with the evidence, the detector, and half of the challenge window", () => {
  const key = (agoMs: number, urls: ReadonlyArray<string>, detector = "rules") => {
    const proposed = proposal({ proposedAt: now - agoMs, settlesAt: now - agoMs + 120 * minute })
    const news = urls.map((url) => headline({ url }))
    const [first, ...others] = evidenceOf(yesOrNo, proposed, news, now)
    if (first === undefined) throw new Error("no evidence")
    return evidenceKey({ evidence: [first, ...others], proposal: proposed, now }, detector)
  }
  const [a, b] = ["https://a.example/1", "https://b.example/2"]
  strictEqual(key(5 * minute, [a, b]), key(9 * minute, [b, a]))
  strictEqual(key(70 * minute, [a]), key(80 * minute, [a]))
  notStrictEqual(key(59 * minute, [a]), key(60 * minute, [a]))
  notStrictEqual(key(5 * minute, [a]), key(5 * minute, [a, b]))
  notStrictEqual(key(5 * minute, [a]), key(5 * minute, [a], "model"))
})

Deno.test("evidenceOf() returns at most eight pieces, with the venue's", () => {
  const many = Array.from({ length: 20 }, (_, n) => headline({ url: `https://one.example/${n}` }))
  const kinds = (proposed: Parameters<typeof evidenceOf>[1]) =>
    evidenceOf(yesOrNo, proposed, many, now).map(({ kind }) => kind)
  equal(kinds(null), Array.from({ length: 8 }, () => "news"))
  equal(kinds(proposal()), ["venue", ...Array.from({ length: 7 }, () => "news")])
})

Deno.test("a proposal supports its own outcome only, and none when it is disputed", () => {
  const supported = (proposed: ReturnType<typeof proposal>) => {
    const [piece] = evidenceOf(yesOrNo, proposed, [], now)
    if (piece === undefined) throw new Error("no evidence")
    return [0, 1].map((n) =>
      supports({ market: yesOrNo, proposal: proposed, now }, piece, n === 0 ? 0 : 1)
    )
  }
  equal(supported(proposal({ outcome: 0 })), [true, false])
  equal(supported(proposal({ outcome: 1 })), [false, true])
  equal(supported(proposal({ disputed: true })), [false, false])
  equal(isUnchallenged(proposal({ disputed: true }), now), false)
})

Deno.test("areTwoSources() needs two publishers and two texts", () => {
  const piece = (url: string, source: string, title: string) => ({
    ...{ id: "E1", kind: "news" as const, url, source, title, publishedAt: now },
  })
  const one = piece("https://news.one.example/a", "One", "Lighthouse opened")
  equal(
    [
      piece("https://two.example/b", "Two", "Mayor opened lighthouse"),
      piece("https://sport.one.example/b", "Two", "Mayor opened lighthouse"),
      piece("https://two.example/b", "One", "Mayor opened lighthouse"),
      piece("https://two.example/b", "Two", "LIGHTHOUSE, opened!"),
      one,
    ].map((other) => areTwoSources(one, other)),
    [true, false, false, false, false],
  )
})
