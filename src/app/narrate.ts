/**
 * `deno task narrate --cases`: lets a model write the recorded digests and reports and answer the recorded
 * detections, prints how much of it is accepted, why the rest is refused, the time and the cost, and
 * files the drafts.
 *
 * @module
 */
import { Clock, Console, Duration, Effect, Layer, Metric, Result } from "effect"
import { Detector } from "../predetermined/Detector.ts"
import { judgeDetection } from "../predetermined/domain/predetermined.ts"
import type { DraftedClaim } from "../writing/domain/claims.ts"
import { judgementOf } from "../writing/domain/claims.ts"
import { ClaimCheck } from "../writing/ClaimCheck.ts"
import { Narrator } from "../writing/Narrator.ts"
import { layer as modelLayer, type ModelOptions } from "../writing/openai/model.ts"
import { writePage, type WritingPorts, writingPorts, type WrittenPage } from "../writing/writing.ts"
import {
  CasesRefused,
  type DetectionCase,
  type NarrationCase,
  type PageCase,
  questionOf,
  readCases,
} from "./narrationCases.ts"

const usage = [
  "deno task narrate --cases [--from DIR] [--out DIR]",
  "",
  "Runs every case of a folder against the model of OPENAI_BASE_URL, OPENAI_MODEL and",
  "OPENAI_API_KEY, and prints what is accepted, why the rest is refused, the time and the cost.",
  "  --from  the folder of the cases; fixtures/narration/cases by default",
  "  --out   where the drafts are filed; fixtures/narration/drafts by default",
].join("\n")

const casesDir = "fixtures/narration/cases"
const draftsDir = "fixtures/narration/drafts"
/** The same time as in the service. */
const within = { digest: Duration.minutes(4), report: Duration.seconds(50) } as const
/** Reasons of refusals that are printed, the most frequent first. */
const reasonsMax = 20

interface Folders {
  readonly from: string
  readonly out: string
}

/** The folders of the cases and of the drafts; fails with the text to print. */
export function narrateCommand(args: ReadonlyArray<string>): Result.Result<Folders, string> {
  const [cases, ...options] = args
  const given = new Map<string, string>()
  for (let n = 0; n < options.length; n += 2) given.set(options[n] ?? "", options[n + 1] ?? "")
  const isKnown = [...given].every(([name, dir]) =>
    (name === "--from" || name === "--out") && dir !== ""
  )
  return cases === "--cases" && isKnown
    ? Result.succeed({
      from: given.get("--from") ?? casesDir,
      out: given.get("--out") ?? draftsDir,
    })
    : Result.fail(usage)
}

/** One line of the table. */
interface CaseResult {
  readonly name: string
  readonly line: string
  readonly reasons: ReadonlyArray<string>
  readonly draft: unknown
}

export const runNarrate = (model: ModelOptions, { from, out }: Folders) =>
  Effect.gen(function* () {
    const cases = yield* readCases(from)
    const started = yield* Clock.currentTimeMillis
    const results = yield* Effect.forEach(cases, caseResult)
    const seconds = ((yield* Clock.currentTimeMillis) - started) / 1_000
    yield* Effect.forEach(results, ({ name, draft }) =>
      fileDraft(out, `${model.model}-${name}`, draft))
    const counts = Map.groupBy(
      results.flatMap(({ reasons }) =>
        reasons
      ),
      reasonKind,
    )
    const reasons = [...counts].map(([reason, { length }]) => [length, reason] as const)
      .toSorted(([a], [b]) => b - a).slice(0, reasonsMax)
    yield* Console.log(
      [
        `${model.model} at ${model.baseUrl.host}: ${cases.length} cases in ${seconds.toFixed(1)} s`,
        ...results.map(({ line }) => line),
        "",
        reasons.length === 0 ? "no refusals" : "refusals by kind:",
        ...reasons.map(([count, reason]) => `  ${count}  ${reason}`),
        "",
        ...yield* spending,
        `drafts in ${out}`,
      ].join("\n"),
    )
  }).pipe(
    Effect.provide(
      Layer.mergeAll(Narrator.layerModel, ClaimCheck.layerModel, Detector.layerModel).pipe(
        Layer.provide(modelLayer(model)),
      ),
    ),
  )

type Ports = Narrator | ClaimCheck | Detector

const caseResult = ({ name, content }: NarrationCase): Effect.Effect<CaseResult, never, Ports> =>
  content.kind === "page" ? pageResult(name, content) : detectionResult(name, content)

const pageResult = Effect.fnUntraced(function* (name: string, { kind: _, ...page }: PageCase) {
  const ports = yield* writingPorts
  const drafts: Array<DraftedClaim> = []
  const facts = new Map(page.facts.map((fact) => [fact.id, fact]))
  const recording: WritingPorts = {
    ...ports,
    narrator: {
      name: ports.narrator.name,
      draft: (request) =>
        Effect.tap(ports.narrator.draft(request), (answer) =>
          Effect.sync(() => {
            for (const draft of answer) {
              const judgement = judgementOf(draft, page.slots, facts)
              const refusals = judgement.verdict === "refuse" ? judgement.reasons : []
              drafts.push({ draft, refusals })
            }
          })),
    },
  }
  const started = yield* Clock.currentTimeMillis
  const written = yield* writePage(recording, { ...page, within: within[page.use] })
  const seconds = ((yield* Clock.currentTimeMillis) - started) / 1_000
  return {
    name,
    line: pageLine(name, drafts, written, seconds),
    reasons: drafts.flatMap(({ refusals }) => refusals),
    draft: { case: name, drafts, text: written.slots.map(({ sentences }) => sentences) },
  }
})

function pageLine(
  name: string,
  drafts: ReadonlyArray<DraftedClaim>,
  { accepted, refused, asked, dropped, failed }: WrittenPage,
  seconds: number,
): string {
  const share = drafts.length === 0 ? "-" : `${Math.round(100 * accepted / drafts.length)}%`
  return `  ${name}: ${drafts.length} claims, ${accepted} accepted (${share}), ${refused} refused, ` +
    `${asked} asked, ${dropped} dropped, ${failed} requests failed, ${seconds.toFixed(1)} s`
}

const detectionResult = Effect.fnUntraced(function* (name: string, given: DetectionCase) {
  const { detect } = yield* Detector
  const question = questionOf(given)
  const started = yield* Clock.currentTimeMillis
  const answer = yield* Effect.result(detect(question))
  const seconds = ((yield* Clock.currentTimeMillis) - started) / 1_000
  const judged = Result.isSuccess(answer) ? judgeDetection(question, answer.success) : null
  const found = judged !== null && Result.isSuccess(judged)
    ? given.outcomes[judged.success.outcome]
    : null
  const verdict = found === given.expected ? "right" : found === null ? "not found" : "WRONG"
  const said = Result.isSuccess(answer) ? "answered" : answer.failure.reason
  return {
    name,
    line: `  ${name}: ${verdict} (${found ?? "nothing accepted"}; ${said}), ${
      seconds.toFixed(1)
    } s`,
    reasons: [],
    draft: { case: name, answer: Result.isSuccess(answer) ? answer.success : null, verdict },
  }
})

/** A reason without what differs from claim to claim. */
function reasonKind(reason: string): string {
  return reason.replace(/“[^”]*”|\{[^}]*\}|\b[FS]\d+\b|[\d.,%$]*\d[\d.,%]*/g, "…").replace(
    /…(?:, …)+/g,
    "…",
  )
}

const FileName = /[^\w.-]+/g
const fileDraft = (out: string, name: string, draft: unknown) =>
  Effect.tryPromise({
    try: async () => {
      await Deno.mkdir(out, { recursive: true })
      const path = `${out}/${name.replace(FileName, "-")}.json`
      await Deno.writeTextFile(path, `${JSON.stringify(draft, null, 2)}\n`)
    },
    catch: () => new CasesRefused({ message: `Cannot write the drafts to ${out}` }),
  })

/** Tokens and cost of all requests of this process. */
const spending = Effect.map(
  Metric.snapshot,
  (metrics) =>
    metrics.flatMap(({ id, attributes, state }) =>
      "count" in state && /^model_(?:calls|tokens|cost)/.test(id)
        ? [`${id}{${Object.values(attributes ?? {}).join(",")}} ${round(Number(state.count))}`]
        : []
    ),
)

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
