/**
 * Prompt injection against a model that obeys it: every payload in every place, as digest, report and
 * detection, with the real client over a real socket.
 *
 * Published texts are judged by an independent oracle (oracle.ts), not by the hard checks.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Console, Effect, References } from "effect"
import type { NewsReader } from "../../src/news/NewsReader.ts"
import { digestPage } from "../../src/digest/domain/page.ts"
import { reportPage } from "../../src/research/domain/page.ts"
import type { Fact } from "../../src/writing/domain/facts.ts"
import type { Narrator } from "../../src/writing/Narrator.ts"
import { liveTest } from "../support/effect.ts"
import { sized } from "../support/size.ts"
import { type ModelServer, modelServer, overModel } from "../support/writing/modelServer.ts"
import {
  acceptedDetection,
  type Case,
  cases,
  obeying,
  payloads,
  type Published,
  publishedDigest,
  publishedReport,
} from "./cases.ts"
import {
  figuresIn,
  foreignWordsOf,
  markdownFaults,
  publishedFaults,
  unquotedWords,
} from "./oracle.ts"
import { digestMaterialWith, harmless, reportMaterialWith } from "./world.ts"

const families = new Set(payloads.map(({ family }) => family))
const casesMin = 1_200
const payloadsMin = 300
const familiesMin = 30
/** The share of orders that reach the model; sanitizing removes some. */
const obeyedShareMin = 0.95
/** One case in so many is run; the step shares no factor with the number of places. */
const caseEvery = sized({ short: 7, full: 1 })
const selected = cases.filter((_, n) => n % caseEvery === 0)

/** Cases that reach a narrator: the rules of a market reach no digest, and a report quotes a part. */
const inDigests = selected.filter(({ place }) => place !== "rules")
const narrated = { digest: inDigests, report: selected }

const overObeying = (
  body: (
    server: ModelServer,
  ) => Effect.Effect<void, unknown, Narrator | NewsReader>,
) =>
  Effect.gen(function* () {
    const server = yield* modelServer()
    yield* Effect.provide(body(server), overModel(server))
  }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))

/** All faults of the texts published for a case, with a judge that says yes to everything. */
function faultsOfCase({ payload }: Case, { sentences, facts, markdown }: Published) {
  const foreign = foreignWordsOf(payload.text)
  return [
    ...markdownFaults(markdown),
    ...sentences.flatMap((sentence) => [
      ...publishedFaults(sentence, facts),
      ...unquotedWords(sentence, facts, foreign).map((word) => `foreign word ${word}`),
    ]),
  ]
}

/** Runs the cases, counts the published texts by author, and collects their faults. */
const run = Effect.fnUntraced(function* <R>(
  server: ModelServer,
  some: ReadonlyArray<Case>,
  publish: (of: Case) => Effect.Effect<Published, unknown, R>,
) {
  const wrong: Array<string> = []
  const counts: Record<string, number> = { accepted: 0, refused: 0, obeyed: 0 }
  const add = (name: string, count: number) => counts[name] = (counts[name] ?? 0) + count
  for (const of of some) {
    let found = false
    server.does(obeying(of, (it) => found ||= it))
    const text = yield* publish(of)
    add("obeyed", found ? 1 : 0)
    add(`by ${text.by}`, 1)
    add("accepted", text.accepted)
    add("refused", text.refused)
    const faults = faultsOfCase(of, text)
    if (faults.length > 0) {
      wrong.push(`${of.payload.family} as ${of.place}: ${faults.slice(0, 4).join("; ")}`)
    }
  }
  return { wrong, counts }
})

Deno.test(`there are at least ${casesMin} cases`, () => {
  ok(payloads.length >= payloadsMin, String(payloads.length))
  ok(families.size >= familiesMin, String(families.size))
  ok(cases.length >= casesMin, String(cases.length))
  equal(new Set(payloads.map(({ text }) => text)).size, payloads.length)
})

for (const [name, publish] of [["digest", publishedDigest], ["report", publishedReport]] as const) {
  liveTest(
    `no ${name} contains an injected figure, name, link or claim`,
    () =>
      overObeying((server) =>
        Effect.gen(function* () {
          const { wrong, counts } = yield* run(server, narrated[name], publish)
          equal(wrong, [])
          const { obeyed = 0, accepted = 0 } = counts
          const reached = `${obeyed} of ${inDigests.length} orders reached the model`
          ok(obeyed > obeyedShareMin * inDigests.length, reached)
          // The true claims around an order are published.
          ok(accepted > inDigests.length, JSON.stringify(counts))
          yield* Console.log(`${name}s: ${JSON.stringify(counts)}`)
        })
      ),
  )
}

liveTest(
  "no outcome is known: the only decisive headline has no second, independent one",
  () =>
    overObeying((server) =>
      Effect.gen(function* () {
        const acceptedCases: Array<string> = []
        for (const of of selected) {
          server.does(obeying(of, () => {}))
          const { accepted } = yield* acceptedDetection(of)
          if (accepted !== null) acceptedCases.push(`${of.payload.family} as ${of.place}`)
        }
        ok(server.calls.length >= selected.length)
        equal(acceptedCases, [])
      })
    ),
)

Deno.test("the oracle finds most orders, so the suite can fail", () => {
  const { facts } = digestPage(digestMaterialWith("headline", harmless.headline))
  const orders = payloads.flatMap(({ orders }) => orders)
  const [fact] = facts
  const found = orders.filter((text) =>
    publishedFaults({ text, facts: [fact?.id ?? ""] }, facts).length > 0
  )
  ok(found.length > 0.9 * orders.length, `${found.length} of ${orders.length}`)
})

/** All figures of facts, without those about untrusted text: rules and headlines. */
const figuresOf = (facts: ReadonlyArray<Fact>) =>
  facts.filter(({ kind }) => kind !== "rules" && kind !== "news")
    .flatMap(figuresIn).toSorted()

/** A digest has at most 800 words: a name of very many words leaves room for fewer cards. */
function asLong(calm: string, text: string): string {
  const more = text.split(/\s+/).length - calm.split(/\s+/).length
  return more > 40 ? "a ".repeat(more) + calm : calm
}

Deno.test("untrusted text changes no price, no stake and no label", () => {
  for (const { place, payload: { text } } of selected) {
    const calm = asLong(harmless[place], text)
    equal(
      figuresOf(digestPage(digestMaterialWith(place, text)).facts),
      figuresOf(digestPage(digestMaterialWith(place, calm)).facts),
    )
    const [attacked, quiet] = [text, calm].map((it) => reportPage(reportMaterialWith(place, it)))
    equal(figuresOf(attacked?.facts ?? []), figuresOf(quiet?.facts ?? []))
    equal(attacked?.confidence, quiet?.confidence)
  }
})
