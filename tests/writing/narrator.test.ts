/**
 * The laws of a narrator, on the template and on models of every character; and what it takes to have
 * a model's own draft published.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect, Layer, References } from "effect"
import { DigestNarrator } from "../../src/digest/DigestNarrator.ts"
import { ReportNarrator } from "../../src/research/ReportNarrator.ts"
import { draftsMax } from "../../src/writing/writing.ts"
import { briefOfDigest, briefOfReport } from "../injection/cases.ts"
import { harmless } from "../injection/world.ts"
import { liveTest } from "../support/effect.ts"
import {
  type Behaviour,
  completion,
  modelServer,
  overModel,
  status,
} from "../support/writing/modelServer.ts"
import { lies, tells, writesByTemplate, writesFreely } from "../support/writing/writers.ts"
import { narratorLaws, writeDigest, writeReport } from "./narrator.laws.ts"

const template = Layer.merge(DigestNarrator.layerTemplate, ReportNarrator.layerTemplate)
const quietly = Effect.provideService(References.MinimumLogLevel, "None")

for (const [name, body] of narratorLaws) {
  liveTest(`the template: ${name}`, () => body.pipe(Effect.provide(template), quietly))
}

const cites = lies["cites another fact"] ?? ((passage) => passage)
const characters: ReadonlyArray<readonly [string, Behaviour]> = [
  ["writes as the template does", writesByTemplate],
  ["writes in its own manner", writesFreely],
  ["lies in one passage", tells(cites)],
  ["is not there", status(400)],
  ["writes nonsense", () => completion("{}")],
  [
    "does a little of everything",
    (call) =>
      [writesFreely, tells(cites), status(400), writesByTemplate, () => completion(null)][
        call.index % 5
      ]?.(call) ?? status(500)(call),
  ],
]

for (const [character, behaviour] of characters) {
  for (const [name, body] of narratorLaws) {
    liveTest(`a model that ${character}: ${name}`, () =>
      Effect.gen(function* () {
        const server = yield* modelServer(behaviour)
        yield* Effect.provide(body, overModel(server))
      }).pipe(quietly))
  }
}

const calm = { place: "question", payload: { family: "none", text: harmless.question } } as const

liveTest(
  "a model's own digest and report are published as its own, at the first draft",
  () =>
    Effect.gen(function* () {
      for (const behaviour of [writesByTemplate, writesFreely]) {
        const server = yield* modelServer(behaviour)
        yield* Effect.gen(function* () {
          const { name } = yield* DigestNarrator
          const digest = yield* writeDigest(briefOfDigest(calm))
          const report = yield* writeReport(briefOfReport(calm))
          equal([digest.narrator, digest.asked], [name, 1])
          equal([report.narrator, report.asked], [name, 1])
        }).pipe(Effect.provide(overModel(server)))
      }
    }).pipe(quietly),
)

for (const [name, lie] of Object.entries(lies)) {
  liveTest(
    `a model that ${name} is asked ${draftsMax} times, told why, and not published`,
    () =>
      Effect.gen(function* () {
        const server = yield* modelServer(tells(lie))
        yield* Effect.gen(function* () {
          const digest = yield* writeDigest(briefOfDigest(calm))
          equal([digest.narrator, digest.asked], ["template", draftsMax])
          const report = yield* writeReport(briefOfReport(calm))
          equal([report.narrator, report.asked], ["template", draftsMax])
        }).pipe(Effect.provide(overModel(server)))
        const told = server.calls.map(({ complaints }) => complaints.length > 0)
        equal(told, [false, true, true, false, true, true])
      }).pipe(quietly),
  )
}

liveTest("a model that mends its draft is published", () =>
  Effect.gen(function* () {
    const server = yield* modelServer(tells(cites), writesFreely)
    const { narrator, asked } = yield* Effect.provide(
      writeDigest(briefOfDigest(calm)),
      overModel(server),
    )
    equal([narrator, asked], ["stub-1", 2])
  }).pipe(quietly))
