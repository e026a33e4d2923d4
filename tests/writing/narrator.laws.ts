/**
 * The laws of every narrator: what is published passes the check, writing never fails, the number of
 * drafts is limited, and the template is used when no draft passes.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Duration, Effect } from "effect"
import { type DigestBrief, digestSections } from "../../src/digest/domain/digest.ts"
import { digestBrief } from "../../src/digest/domain/facts.ts"
import { templateDigest } from "../../src/digest/domain/template.ts"
import { digestComplaints } from "../../src/digest/domain/text.ts"
import type { ReportBrief } from "../../src/research/domain/report.ts"
import { reportBrief } from "../../src/research/domain/facts.ts"
import { templateReport } from "../../src/research/domain/template.ts"
import { reportComplaints } from "../../src/research/domain/text.ts"
import { DigestNarrator } from "../../src/digest/DigestNarrator.ts"
import { ReportNarrator } from "../../src/research/ReportNarrator.ts"
import { draftsMax, writeChecked } from "../../src/writing/writing.ts"
import { publishedFaults } from "../injection/oracle.ts"
import { anyMaterial as anyDigestMaterial } from "../support/digest/digests.ts"
import { anyMaterial as anyReportMaterial } from "../support/research/reports.ts"

export type NarratorLaw = readonly [
  name: string,
  body: Effect.Effect<void, unknown, DigestNarrator | ReportNarrator>,
]

const runs = 25
const within = Duration.minutes(10)

/** Writes a digest as the service does; `requests` counts the drafts. */
export const writeDigest = Effect.fnUntraced(function* (brief: DigestBrief) {
  const narrator = yield* DigestNarrator
  let requests = 0
  const text = yield* writeChecked({
    text: "digest",
    narrator: narrator.name,
    requestDraft: (complaints) =>
      Effect.suspend(() => (requests++, narrator.write(brief, complaints))),
    complaints: (draft) => digestComplaints(draft, brief),
    template: templateDigest(brief),
    within,
  })
  return { ...text, requests }
})

export const writeReport = Effect.fnUntraced(function* (brief: ReportBrief) {
  const narrator = yield* ReportNarrator
  let requests = 0
  const text = yield* writeChecked({
    text: "report",
    narrator: narrator.name,
    requestDraft: (complaints) =>
      Effect.suspend(() => (requests++, narrator.write(brief, complaints))),
    complaints: (draft) => reportComplaints(draft, brief),
    template: templateReport(brief),
    within,
  })
  return { ...text, requests }
})

const assertForAll = Effect.fnUntraced(function* <A, R>(
  arbitrary: Arbitrary.Arbitrary<A>,
  property: (value: A) => Effect.Effect<void, unknown, R>,
) {
  const checked = Effect.fnUntraced(function* (value: A) {
    yield* property(value)
    return true
  })
  const failure = Arbitrary.formatCheckFailure(
    yield* Arbitrary.checkEffect(arbitrary, checked, { runs }),
  )
  ok(failure === undefined, failure)
})

export const narratorLaws: ReadonlyArray<NarratorLaw> = [
  [
    "every published digest passes the check, after at most three drafts",
    assertForAll(anyDigestMaterial, (material) =>
      Effect.gen(function* () {
        const brief = digestBrief(material)
        const { draft, narrator, requests } = yield* writeDigest(brief)
        equal(digestComplaints(draft, brief), [])
        const sections = digestSections.flatMap((section) => draft.sections[section])
        for (const passage of [draft.title, draft.summary, ...sections]) {
          equal(publishedFaults(passage, brief.facts), [], passage.text)
        }
        ok(requests >= 1 && requests <= draftsMax)
        if (narrator === "template") equal(draft, templateDigest(brief))
        else equal(narrator, (yield* DigestNarrator).name)
      })),
  ],
  [
    "every published report passes the check, after at most three drafts",
    assertForAll(anyReportMaterial, (material) =>
      Effect.gen(function* () {
        const brief = reportBrief(material)
        const { draft, narrator, requests } = yield* writeReport(brief)
        equal(reportComplaints(draft, brief), [])
        const { thesis, whaleView, risks, bottomLine } = draft
        for (const passage of [thesis, whaleView, ...risks, bottomLine]) {
          equal(publishedFaults(passage, brief.facts), [], passage.text)
        }
        ok(requests >= 1 && requests <= draftsMax)
        if (narrator === "template") equal(draft, templateReport(brief))
        else equal(narrator, (yield* ReportNarrator).name)
      })),
  ],
]
