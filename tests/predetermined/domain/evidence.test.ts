/**
 * The evidence for a detector does not depend on the input order, and its key changes only with its
 * content.
 *
 * @module
 */
import { deepStrictEqual as equal, notStrictEqual, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  areIndependent,
  evidenceKey,
  evidenceMax,
  evidenceOf,
  isUnchallenged,
  judgeEvidence,
  newsAgeMsMax,
} from "../../../src/predetermined/domain/evidence.ts"
import type { Proposal } from "../../../src/markets/domain/proposal.ts"
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

const of = { market: yesOrNo, siblings: [], now }

const any = Arbitrary.schema(Schema.Struct({ proposal: anyProposal, headlines: anyHeadlines }))

law(
  "evidenceOf() does not depend on the order of headlines, or on duplicates",
  any,
  (drawn) => {
    const news = headlinesOf(drawn.headlines)
    const proposal = proposalOf(drawn.proposal, yesOrNo)
    const evidence = evidenceOf({ ...of, proposal, headlines: news })
    equal(evidenceOf({ ...of, proposal, headlines: [...news.toReversed(), ...news] }), evidence)
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
  const evidence = evidenceOf({
    ...{ ...of, proposal: proposal({ outcome: 1 }), headlines: [forecast, headline()] },
  })
  equal(evidence.map(({ id, kind, title }) => [id, kind, title]), [
    ["E1", "venue", "Outcome proposed at the venue: No"],
    ["E2", "news", headline().title],
    ["E3", "news", forecast.title],
  ])
})

Deno.test("evidenceOf() sanitizes untrusted text", () => {
  const strange = market({ outcomes: ["“Yes”\n", "No"] })
  const odd = headline({ title: "Lighthouse “lit”\u202e\u0000", source: "one\u0007.example" })
  const evidence = evidenceOf({ ...of, market: strange, proposal: proposal(), headlines: [odd] })
  equal(evidence.map(({ title, source }) => [title, source]), [
    ["Outcome proposed at the venue: 'Yes'", "the venue"],
    ["Lighthouse 'lit'", "one .example"],
  ])
})

Deno.test("evidenceKey() changes with the evidence, the detector, and half of the challenge window", () => {
  const key = (agoMs: number, urls: ReadonlyArray<string>, detector = "rules") => {
    const proposed = proposal({ proposedAt: now - agoMs, settlesAt: now - agoMs + 120 * minute })
    const news = urls.map((url) => headline({ url }))
    const [first, ...others] = evidenceOf({ ...of, proposal: proposed, headlines: news })
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
  const kinds = (proposed: Proposal | null) =>
    evidenceOf({ ...of, proposal: proposed, headlines: many }).map(({ kind }) => kind)
  equal(kinds(null), Array.from({ length: 8 }, () => "news"))
  equal(kinds(proposal()), ["venue", ...Array.from({ length: 7 }, () => "news")])
})

Deno.test("a proposal supports its own outcome only, and none when it is disputed", () => {
  const supported = (proposed: ReturnType<typeof proposal>) => {
    const [piece] = evidenceOf({ ...of, proposal: proposed, headlines: [] })
    if (piece === undefined) throw new Error("no evidence")
    return [0, 1].map((n) =>
      judgeEvidence({ ...of, rules: "", proposal: proposed, evidence: [piece] })
        .supports(piece, n === 0 ? 0 : 1)
    )
  }
  equal(supported(proposal({ outcome: 0 })), [true, false])
  equal(supported(proposal({ outcome: 1 })), [false, true])
  equal(supported(proposal({ disputed: true })), [false, false])
  equal(isUnchallenged(proposal({ disputed: true }), now), false)
})

Deno.test("areIndependent() needs two publishers and two texts", () => {
  const piece = (url: string, source: string, title: string) => ({
    ...{ id: "E1", kind: "news" as const, url, source, title, publishedAt: now },
  })
  const one = piece("https://news.one.example/a", "One", "Mayor of Ostria opened lighthouse")
  equal(
    [
      piece("https://two.example/b", "Two", "Lighthouse opened in Ostria after repairs"),
      piece("https://sport.one.example/b", "Two", "Lighthouse opened in Ostria after repairs"),
      piece("https://two.example/b", "One", "Lighthouse opened in Ostria after repairs"),
      piece("https://two.example/b", "Two", "MAYOR of Ostria opened lighthouse!"),
      piece("https://two.example/b", "Two", "UPDATE 2: Mayor of Ostria opened lighthouse"),
      piece("https://two.example/b", "Two", "Mayor of Ostria opened lighthouse - Two"),
      piece("https://two.example/b", "Two", "Mayor of Ostria opened lighthouse on Friday"),
      one,
    ].map((other) => areIndependent(one, other)),
    [true, false, false, false, false, false, false, false],
  )
  const [a, b] = [
    piece("https://one.example/", "One", "Mayor opened lighthouse, Third Wire reports"),
    piece("https://two.example/", "Two", "Lamp of the lighthouse lit, Third Wire reports"),
  ]
  equal(areIndependent(a, b), false)
})

const anyPieces = Arbitrary.schema(Schema.Struct({ a: Schema.String, b: Schema.String }))

law(
  "areIndependent() is symmetric, and no text is independent of itself",
  anyPieces,
  ({ a, b }) => {
    const piece = (site: string, title: string) => ({
      ...{ id: "E1", kind: "news" as const, source: site, title, publishedAt: now },
      url: `https://${site}.example/`,
    })
    strictEqual(
      areIndependent(piece("one", a), piece("two", b)),
      areIndependent(piece("two", b), piece("one", a)),
    )
    ok(!areIndependent(piece("one", a), piece("two", a)))
  },
)
