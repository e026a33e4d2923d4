/**
 * `deno task narrate` in its own process, against a model's server of each kind on a real socket.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { liveTest } from "../support/effect.ts"
import {
  type Behaviour,
  type Call,
  completion,
  modelServer,
  supports,
} from "../support/writing/modelServer.ts"
import { claimDraft, draftRequest } from "../support/writing/pages.ts"
import { writesTruly } from "../support/writing/writers.ts"
import { removeFolder } from "../support/process.ts"

const { previous: _, ...page } = draftRequest
const detection = {
  kind: "detection",
  question: "Will Acme buy Globex by 1 December 2026?",
  outcomes: ["Yes", "No"],
  ...{
    siblings: [],
    exclusive: false,
    eventSlug: "acme",
    gameStartsAt: null,
    rules: "Yes if it does.",
  },
  mid: 0.5,
  endsAt: null,
  proposal: null,
  evidence: [{
    ...{ id: "E1", kind: "news", title: "Acme may buy Globex", url: "https://a.example/1" },
    ...{ source: "a.example", publishedAt: 0 },
  }],
  now: 3_600_000,
  expected: null,
}

/** One claim that holds, and one with a figure that no fact has. */
const answers: Readonly<Record<Call["use"], unknown>> = {
  digest: { claims: [claimDraft, { ...claimDraft, slot: "S2", text: "It fell by 77 cents." }] },
  report: { claims: [claimDraft] },
  check: { verdicts: [] },
  detection: {
    ...{ determined: false, outcome: null, confidence: "low", evidence: [] },
    decisiveWords: "",
  },
}
const answering: Behaviour = (call) => completion(JSON.stringify(answers[call.use]))
const thinking: Behaviour = (call) =>
  completion(`<think>{"claims":[]}</think>\nHere it is:\n${JSON.stringify(answers[call.use])}`)
const tokens = ["max_tokens", "max_completion_tokens"]

const narrate = (folders: ReadonlyArray<string>, baseUrl: string) =>
  Effect.promise(async () => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--no-check", "--no-prompt", "--allow-all", "src/narrate.ts"],
        ...["--cases", ...folders],
      ],
      cwd: new URL("../..", import.meta.url),
      env: {
        ...{ OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: "stub-1", OPENAI_PRICE: "2/8" },
        ...{ OPENAI_API_KEY: "", NO_COLOR: "1" },
      },
      stdin: "null",
    }).output()
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
    return { code, out: text(stdout), errors: text(stderr) }
  })

for (
  const [name, behaviour] of [
    ["with structured outputs", answering],
    ["with JSON mode only", supports({ formats: ["json_object"], tokens }, answering)],
    ["without any of it, which thinks aloud", supports({ formats: [], tokens: [] }, thinking)],
  ] as const
) {
  liveTest(`a server ${name} is measured, and its drafts are filed`, () =>
    Effect.gen(function* () {
      const server = yield* modelServer(behaviour)
      const dir = yield* Effect.acquireRelease(
        Effect.promise(() => Deno.makeTempDir()),
        removeFolder,
      )
      const cases = { page: { kind: "page", ...page }, question: detection }
      for (const [file, content] of Object.entries(cases)) {
        yield* Effect.promise(() =>
          Deno.writeTextFile(`${dir}/${file}.json`, JSON.stringify(content))
        )
      }
      const { code, out, errors } = yield* narrate(
        ["--from", dir, "--out", `${dir}/drafts`],
        server.baseUrl.href,
      )
      equal([code, errors], [0, ""], out)
      ok(/page: 4 claims, 1 accepted \(25%\), 2 refused/.test(out), out)
      ok(/question: right \(nothing accepted; answered\)/.test(out), out)
      ok(/refusals by kind:\n {2}\d/.test(out) && out.includes("model_cost_usd_total"), out)
      const filed = yield* Effect.promise(() => Deno.readTextFile(`${dir}/drafts/stub-1-page.json`))
      const draft = JSON.parse(filed)
      equal(draft.drafts[0], { draft: claimDraft, refusals: [] })
      ok(draft.drafts[1].refusals.length > 0)
      ok(JSON.stringify(draft.text).includes("Alpha fell by 20 cents."))
    }))
}

/** Cites all evidence for the first outcome, whatever was asked. */
const careless = (call: Call) => {
  const [question, ...rows] = call.data as ReadonlyArray<Record<string, unknown>>
  const evidence = rows.filter(({ id, title }) => id !== undefined && title !== undefined)
  return {
    determined: true,
    outcome: Object(question)["outcomes"][0],
    confidence: "high",
    evidence: evidence.map(({ id }) => id),
    decisiveWords: evidence.at(-1)?.["title"] ?? "",
  }
}

liveTest(
  "the recorded cases are read, and no case takes a careless answer for right",
  () =>
    Effect.gen(function* () {
      const server = yield* modelServer((call) =>
        call.use === "detection" ? completion(JSON.stringify(careless(call))) : writesTruly(call)
      )
      const out = yield* Effect.acquireRelease(
        Effect.promise(() => Deno.makeTempDir()),
        removeFolder,
      )
      const run = yield* narrate(["--out", out], server.baseUrl.href)
      equal([run.code, run.errors], [0, ""], run.out)
      ok(!run.out.includes("WRONG"), run.out)
      const pages = [
        ...run.out.matchAll(/^ {2}(?:digest|report)-.* (\d+) accepted .*, 0 refused/gm),
      ]
      ok(pages.length >= 6 && pages.every(([, accepted]) => Number(accepted) > 0), run.out)
    }),
)
