/**
 * The evidence put to a detector does not depend on how it came, and has one name as long as it says
 * the same.
 *
 * @module
 */
import { deepStrictEqual as equal, notStrictEqual, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  areTwoSources,
  bears,
  evidenceKey,
  evidenceMax,
  evidenceOf,
  isUnchallenged,
  newsAgeMax,
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
  "evidenceOf() is the same in whatever order headlines come, and however often",
  any,
  (drawn) => {
    const told = headlinesOf(drawn.headlines)
    const proposal = proposalOf(drawn.proposal, yesOrNo)
    const evidence = evidenceOf(yesOrNo, proposal, told, now)
    equal(evidenceOf(yesOrNo, proposal, [...told.toReversed(), ...told], now), evidence)
    ok(evidence.length <= evidenceMax)
    strictEqual(new Set(evidence.map(({ url, kind }) => `${kind} ${url}`)).size, evidence.length)
    ok(
      evidence.every(({ publishedAt, kind }) =>
        publishedAt <= now && (kind === "venue" || publishedAt >= now - newsAgeMax)
      ),
    )
  },
  { runs: sized({ short: 200, full: 5_000 }) },
)

Deno.test("evidenceOf() puts the venue first and done things before newer talk", () => {
  const talk = headline({
    title: "Lighthouse lit soon",
    url: "https://a.example/",
    publishedAt: now,
  })
  const told = evidenceOf(yesOrNo, proposal({ outcome: 1 }), [talk, headline()], now)
  equal(told.map(({ id, kind, title }) => [id, kind, title]), [
    ["E1", "venue", "Outcome proposed at the venue: No"],
    ["E2", "news", headline().title],
    ["E3", "news", talk.title],
  ])
})

Deno.test("evidenceOf() makes strangers' words harmless", () => {
  const of = market({ outcomes: ["“Yes”\n", "No"] })
  const odd = headline({ title: "Lighthouse “lit”\u202e\u0000", source: "one\u0007.example" })
  const told = evidenceOf(of, proposal(), [odd], now)
  equal(told.map(({ title, source }) => [title, source]), [
    ["Outcome proposed at the venue: 'Yes'", "the venue"],
    ["Lighthouse 'lit'", "one .example"],
  ])
})

Deno.test("evidenceKey() changes with the evidence, the detector, and when a proposal has stood", () => {
  const key = (agoMs: number, urls: ReadonlyArray<string>, detector = "rules") => {
    const given = proposal({ proposedAt: now - agoMs, settlesAt: now - agoMs + 120 * minute })
    const told = urls.map((url) => headline({ url }))
    const [first, ...others] = evidenceOf(yesOrNo, given, told, now)
    if (first === undefined) throw new Error("no evidence")
    return evidenceKey({ evidence: [first, ...others], proposal: given, now }, detector)
  }
  const [a, b] = ["https://a.example/1", "https://b.example/2"]
  strictEqual(key(5 * minute, [a, b]), key(9 * minute, [b, a]))
  strictEqual(key(70 * minute, [a]), key(80 * minute, [a]))
  notStrictEqual(key(59 * minute, [a]), key(60 * minute, [a]))
  notStrictEqual(key(5 * minute, [a]), key(5 * minute, [a, b]))
  notStrictEqual(key(5 * minute, [a]), key(5 * minute, [a], "model"))
})

Deno.test("evidenceOf() is eight pieces at most, the venue's among them", () => {
  const many = Array.from({ length: 20 }, (_, n) => headline({ url: `https://one.example/${n}` }))
  const kinds = (given: Parameters<typeof evidenceOf>[1]) =>
    evidenceOf(yesOrNo, given, many, now).map(({ kind }) => kind)
  equal(kinds(null), Array.from({ length: 8 }, () => "news"))
  equal(kinds(proposal()), ["venue", ...Array.from({ length: 7 }, () => "news")])
})

Deno.test("the venue's word bears its own outcome alone, and neither in a dispute", () => {
  const borne = (given: ReturnType<typeof proposal>) => {
    const [piece] = evidenceOf(yesOrNo, given, [], now)
    if (piece === undefined) throw new Error("no evidence")
    return [0, 1].map((n) =>
      bears({ market: yesOrNo, proposal: given, now }, piece, n === 0 ? 0 : 1)
    )
  }
  equal(borne(proposal({ outcome: 0 })), [true, false])
  equal(borne(proposal({ outcome: 1 })), [false, true])
  equal(borne(proposal({ disputed: true })), [false, false])
  equal(isUnchallenged(proposal({ disputed: true }), now), false)
})

Deno.test("areTwoSources() takes neither one publisher's pages for two, nor a text printed twice", () => {
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
