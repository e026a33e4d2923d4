/**
 * What holds whoever writes: what is published passes the check, nothing fails, nobody is asked more
 * often than allowed, and the template stands where no draft will do.
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

/** A digest as the service makes it; `asked` counts. */
export const writeDigest = Effect.fnUntraced(function* (brief: DigestBrief) {
  const narrator = yield* DigestNarrator
  let asked = 0
  const made = yield* writeChecked({
    text: "digest",
    narrator: narrator.name,
    requestDraft: (complaints) =>
      Effect.suspend(() => (asked++, narrator.write(brief, complaints))),
    complaints: (draft) => digestComplaints(draft, brief),
    template: templateDigest(brief),
    within,
  })
  return { ...made, asked }
})

export const writeReport = Effect.fnUntraced(function* (brief: ReportBrief) {
  const narrator = yield* ReportNarrator
  let asked = 0
  const made = yield* writeChecked({
    text: "report",
    narrator: narrator.name,
    requestDraft: (complaints) =>
      Effect.suspend(() => (asked++, narrator.write(brief, complaints))),
    complaints: (draft) => reportComplaints(draft, brief),
    template: templateReport(brief),
    within,
  })
  return { ...made, asked }
})

const holds = Effect.fnUntraced(function* <A, R>(
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
    "of any window a digest is published that passes the check, after three drafts at most",
    holds(anyDigestMaterial, (material) =>
      Effect.gen(function* () {
        const brief = digestBrief(material)
        const { draft, narrator, asked } = yield* writeDigest(brief)
        equal(digestComplaints(draft, brief), [])
        const sections = digestSections.flatMap((section) => draft.sections[section])
        for (const passage of [draft.title, draft.summary, ...sections]) {
          equal(publishedFaults(passage, brief.facts), [], passage.text)
        }
        ok(asked >= 1 && asked <= draftsMax)
        if (narrator === "template") equal(draft, templateDigest(brief))
        else equal(narrator, (yield* DigestNarrator).name)
      })),
  ],
  [
    "of any market a report is published that passes the check, after three drafts at most",
    holds(anyReportMaterial, (material) =>
      Effect.gen(function* () {
        const brief = reportBrief(material)
        const { draft, narrator, asked } = yield* writeReport(brief)
        equal(reportComplaints(draft, brief), [])
        const { thesis, whaleView, risks, bottomLine } = draft
        for (const passage of [thesis, whaleView, ...risks, bottomLine]) {
          equal(publishedFaults(passage, brief.facts), [], passage.text)
        }
        ok(asked >= 1 && asked <= draftsMax)
        if (narrator === "template") equal(draft, templateReport(brief))
        else equal(narrator, (yield* ReportNarrator).name)
      })),
  ],
]
