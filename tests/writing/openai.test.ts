/**
 * The model adapter with its real client over a real socket: its requests, every kind of answer, and the
 * limits on the time, memory and money that a faulty server can take.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect, Fiber, Logger, Metric, References } from "effect"
import { TestClock } from "effect/testing"
import {
  answerBytesMax,
  circuitOpenDuration,
  concurrentRequestsMax,
  failuresMax,
  requestTimeout,
} from "../../src/writing/openai/limits.ts"
import { NewsReader } from "../../src/news/NewsReader.ts"
import type { ReadingTask } from "../../src/news/domain/reading.ts"
import { Narrator } from "../../src/writing/Narrator.ts"
import { liveTest, test } from "../support/effect.ts"
import {
  type Behaviour,
  bomb,
  completion,
  cutsOff,
  drips,
  endless,
  key,
  type ModelServer,
  modelServer,
  overModel,
  redirects,
  says,
  silent,
  status,
  supports,
} from "../support/writing/modelServer.ts"
import { market } from "../support/movers/market.ts"
import { agreement } from "../support/writing/writers.ts"
import type { Claim } from "../../src/writing/domain/page.ts"
import { claimDraft, claimsAnswer, draftRequest } from "../support/writing/pages.ts"

const digest = Effect.flatMap(Narrator, ({ draft }) => draft(draftRequest))
const validAnswer = says(() => claimsAnswer)
const claim: Claim = {
  ...claimDraft,
  text: "Alpha fell by 20 cents.",
  values: [
    { fact: "F1", text: "Alpha" },
    { fact: "F1", text: "20 cents" },
  ],
}

/** Requests a digest: "a draft", or the reason of the failure. */
const requestDigest = Effect.match(digest, {
  onSuccess: () => "a draft",
  onFailure: ({ reason }) => reason,
})

/** A small question to the reader, and what it finds. */
const readingTask: ReadingTask = {
  ...{ market: market(), siblings: [], rules: "", now: 0 },
  stories: [{
    ...{ title: "Lighthouse lit", url: "https://news.example/1", source: "Wire", firstAt: 0 },
    ...{ label: "none", outlets: [], corrected: false },
  }],
}
const reading = { outcome: "Yes", bears: "for", decides: false, quote: "Lighthouse lit" } as const

liveTest(
  "claims, verdicts and a reading are returned as the server sent them",
  () =>
    Effect.gen(function* () {
      const server = yield* modelServer(
        ...[validAnswer, validAnswer, says(agreement)],
        says(() => ({ readings: [{ story: "H1", about: true, ...reading }] })),
      )
      yield* Effect.gen(function* () {
        const narrator = yield* Narrator
        const reader = yield* NewsReader
        equal([narrator.name, reader.name], ["stub-1", "stub-1"])
        equal(yield* narrator.draft(draftRequest), [claimDraft])
        equal(yield* narrator.draft({ ...draftRequest, use: "report" }), [claimDraft])
        const facts = new Map(draftRequest.facts.map((fact) => [fact.id, fact]))
        equal(yield* narrator.supported([claim], facts), [claim])
        equal(yield* reader.read(readingTask), [reading])
      }).pipe(Effect.provide(overModel(server)))
      equal(server.calls.map(({ use }) => use), ["digest", "report", "judge", "reading"])
      for (const { body, headers, data } of server.calls) {
        equal(Object.keys(body), ["model", "messages", "max_completion_tokens", "response_format"])
        equal(body["model"], "stub-1")
        ok(Number(body["max_completion_tokens"]) > 0)
        equal(headers.get("authorization"), `Bearer ${key}`)
        equal([...headers.keys()].filter((name) => /stainless|openai/.test(name)), [])
        ok(data.length > 0)
      }
    }),
)

liveTest(
  "the judge's model, the effort and the token limit are sent when they are set",
  () =>
    Effect.gen(function* () {
      const server = yield* modelServer(validAnswer, says(() => ({ verdicts: [] })))
      yield* Effect.gen(function* () {
        yield* digest
        yield* Effect.flatMap(Narrator, ({ supported }) => supported([claim], new Map()))
      }).pipe(
        Effect.provide(
          overModel(server, { checkModel: "small-1", reasoningEffort: "low", tokensMax: 20_000 }),
        ),
      )
      const sent = server.calls.map(({ body }) => [
        ...[body["model"], body["reasoning_effort"], body["max_completion_tokens"]],
      ])
      equal(sent, [["stub-1", "low", 20_000], ["small-1", undefined, 20_000]])
    }),
)

const limits = ["max_completion_tokens", "max_tokens"]
const strict = ["json_schema", "json_object"] as const
for (
  const [name, supported, last, asked] of [
    ["JSON mode only", { formats: ["json_object"], tokens: limits }, "json_object", 2],
    ["the old token limit only", { formats: strict, tokens: ["max_tokens"] }, "json_object", 2],
    ["neither format nor limit", { formats: [], tokens: [] }, undefined, 3],
  ] as const
) {
  liveTest(
    `a server with ${name} is asked in the form that it takes, and the form is remembered`,
    () =>
      Effect.gen(function* () {
        const server = yield* modelServer(supports(supported, validAnswer))
        yield* Effect.gen(function* () {
          equal([yield* digest, server.calls.length], [[claimDraft], asked])
          equal([yield* digest, server.calls.length], [[claimDraft], asked + 1])
        }).pipe(Effect.provide(overModel(server)))
        const body = server.calls.at(-1)?.body ?? {}
        equal(Object(body["response_format"]).type, last)
        equal(limits.filter((name) => name in body), asked === 2 ? ["max_tokens"] : [])
        ok(server.calls.every(({ system }) => system.includes("JSON schema")))
      }),
  )
}

const error = (message: string, code: unknown) => () => Response.json({ error: { message, code } })
const toolCall = {
  finish_reason: "tool_calls",
  message: { role: "assistant", content: null, tool_calls: [{ id: "1", type: "function" }] },
}
const long = "word ".repeat(1_000)

const answer = JSON.stringify(claimsAnswer)
const parts = [answer.slice(0, 9), answer.slice(9)].map((text) => ({ type: "text", text }))
/** The valid answer with other claims. */
const altered = (...claims: ReadonlyArray<unknown>) => says(() => ({ claims }))
const refusesFormat: Behaviour = ({ body }) =>
  Object(body["response_format"]).type === "json_schema"
    ? error("response_format is not supported", null)()
    : completion(answer)

/** What servers in use answer, or one that behaves as some do: the outcome, and the calls where not one. */
const answers: ReadonlyArray<
  readonly [name: string, answer: Behaviour, outcome: string, calls?: number]
> = [
  ["a good answer", validAnswer, "a draft"],
  ["a refusal of the format with status 200", refusesFormat, "a draft", 2],
  ["thoughts", () => completion(`<think>{F1} {}?</think>\n${answer}`), "a draft"],
  ["a code block", () => completion(`\`\`\`json\n${answer}\n\`\`\``), "a draft"],
  ["remarks", () => completion(`Here are {all}:\n${answer}\nI hope {this} helps.`), "a draft"],
  ["a list of parts", () => completion([{ type: "reasoning" }, ...parts]), "a draft"],
  ["JSON in a string", () => completion(JSON.stringify(answer)), "a draft"],
  ["added keys", () => completion(answer.replaceAll('{"', '{"note":"done","')), "a draft"],
  ["an end of its own", () => completion(answer, { finish: "end_turn" }), "a draft"],
  ["a cut answer", () => completion(answer.slice(0, -9)), "an answer of another shape"],
  ["a wrong key with status 200", error("no such key", 401), "status 401"],
  ["a busy server with status 200", error("overloaded", 529), "status 529"],
  ["a code in words", error("bad model", "model_not_found"), "status 400", 3],
  ["a call of a tool", () => Response.json({ choices: [toolCall] }), "an empty answer"],
  ["a stream", () => new Response(`data: ${answer}\n\n`), "the answer was not JSON"],
  ["another protocol", () => Response.json({ message: answer, done: true }), "no completion"],
  ["the schema", says(({ body }) => body["response_format"]), "an answer of another shape"],
  ["prose", () => completion("Dear reader, {all} is well."), "an answer of another shape"],
  ["a refusal", () => completion(null, { refusal: "I will not" }), "the model refused"],
  ["a filter", () => completion("", { finish: "content_filter" }), "the model refused"],
  ["half of it", () => completion("{", { finish: "length" }), "it ran out of tokens"],
  ["an empty answer", () => completion(""), "an empty answer"],
  ["no content", () => completion(null), "an empty answer"],
  ["no choice", () => Response.json({ choices: [] }), "no completion"],
  ["no JSON", () => new Response("<html>busy</html>"), "the answer was not JSON"],
  ["nothing", () => new Response(null, { status: 204 }), "no completion"],
  ["a long claim", altered({ ...claimDraft, text: long }), "an answer of another shape"],
  ["many claims", altered(...Array(200).fill(claimDraft)), "an answer of another shape"],
  ["half a body", cutsOff, "no answer could be read"],
  ["a wrong key", status(401, {}, `Incorrect API key provided: ${key}`), "status 401"],
  ["a fault", status(500), "status 500", 2],
  ["a long wait", status(429, { "retry-after": "3600" }), "status 429", 2],
  ["a bomb", bomb, "the answer was too long to read"],
]

for (const [name, answer, outcome, calls = 1] of answers) {
  liveTest(
    `${name} is ${outcome === "a draft" ? outcome : `no draft: ${outcome}`}`,
    () =>
      Effect.gen(function* () {
        const logged: Array<string> = []
        const logger = Logger.make(({ message }) => void logged.push(Deno.inspect(message)))
        const server = yield* modelServer(answer)
        yield* Effect.gen(function* () {
          equal([yield* requestDigest, server.calls.length], [outcome, calls])
          if (outcome !== "a draft") return
          // What it takes is known now.
          equal([yield* requestDigest, server.calls.length], [outcome, calls + 1])
        }).pipe(
          Effect.provide(overModel(server)),
          Effect.provide(Logger.layer([logger])),
          Effect.provideService(References.MinimumLogLevel, "All"),
        )
        ok(!logged.join("\n").includes(key))
      }),
  )
}

liveTest(
  "redirects are not followed, so the key stays with its server",
  () =>
    Effect.gen(function* () {
      const other = yield* modelServer(validAnswer)
      const server = yield* modelServer(redirects(new URL("/v1/chat/completions", other.baseUrl)))
      equal(yield* Effect.provide(requestDigest, overModel(server)), "no answer could be read")
      equal(other.calls.length, 0)
    }),
)

liveTest(
  "an endless body is read up to the limit, whatever its status",
  () =>
    Effect.gen(function* () {
      for (const code of [200, 400]) {
        let taken = 0
        const server = yield* modelServer(endless((bytes) => taken = bytes, code))
        const outcome = yield* Effect.provide(requestDigest, overModel(server))
        equal(outcome, code === 200 ? "the answer was too long to read" : "status 400")
        // The socket buffers add some.
        ok(taken < answerBytesMax + 16 * 1024 * 1024, String(taken))
      }
    }),
)

/** Requests a digest, advances the clock once the request has arrived, and returns the outcome. */
const waiting = Effect.fnUntraced(function* (server: ModelServer, wait: Duration.Duration) {
  const fiber = yield* Effect.forkChild(requestDigest)
  yield* server.arrived(server.calls.length + 1)
  yield* TestClock.adjust(Duration.subtract(wait, Duration.millis(1)))
  equal(fiber.pollUnsafe(), undefined)
  yield* TestClock.adjust(Duration.millis(1))
  return yield* Fiber.join(fiber)
})

for (
  const [name, behaviour] of [
    ["never answers", silent],
    ["drips without end", drips()],
    ["drips an error without end", drips(400)],
  ] as const
) {
  test(`a request to a server that ${name} times out after ${Duration.format(requestTimeout.digest)}`, () =>
    Effect.gen(function* () {
      const server = yield* modelServer(behaviour)
      yield* Effect.gen(function* () {
        equal(yield* waiting(server, requestTimeout.digest), "no answer in time")
        equal(server.calls.length, 1)
      }).pipe(Effect.provide(overModel(server)))
    }))
}

test(`at most ${concurrentRequestsMax} requests run at once, and waiting for a slot times out too`, () =>
  Effect.gen(function* () {
    const server = yield* modelServer(silent)
    yield* Effect.gen(function* () {
      const fibers = yield* Effect.forEach(
        Array.from({ length: 2 * concurrentRequestsMax + 1 }),
        () => Effect.forkChild(requestDigest, { startImmediately: true }),
      )
      yield* server.arrived(concurrentRequestsMax)
      yield* TestClock.adjust(requestTimeout.digest)
      yield* server.arrived(2 * concurrentRequestsMax)
      equal(server.calls.length, 2 * concurrentRequestsMax)
      yield* TestClock.adjust(requestTimeout.digest)
      equal(new Set(yield* Fiber.joinAll(fibers)), new Set(["no answer in time"]))
      equal(server.calls.length, 2 * concurrentRequestsMax)
    }).pipe(Effect.provide(overModel(server)))
  }))

liveTest(
  "a transient fault is retried once, a permanent one is not",
  () =>
    Effect.gen(function* () {
      for (const transient of [status(503), status(429), status(429, { "retry-after": "0" })]) {
        const server = yield* modelServer(transient, validAnswer)
        equal(yield* Effect.provide(requestDigest, overModel(server)), "a draft")
        equal(server.calls.length, 2)
      }
      for (const permanent of [status(401), status(403), status(404)]) {
        const server = yield* modelServer(permanent, validAnswer)
        ok((yield* Effect.provide(requestDigest, overModel(server))) !== "a draft")
        equal(server.calls.length, 1)
      }
    }),
)

liveTest(
  "a request that is refused in every form is asked in three, and the strict form comes first again",
  () =>
    Effect.gen(function* () {
      const server = yield* modelServer(status(400), status(400), status(400), validAnswer)
      yield* Effect.gen(function* () {
        equal(yield* requestDigest, "status 400")
        equal(server.calls.length, 3)
        equal(yield* requestDigest, "a draft")
        equal(Object(server.calls.at(-1)?.body["response_format"]).type, "json_schema")
      }).pipe(Effect.provide(overModel(server)))
    }),
)

test(`after ${failuresMax} consecutive failures the circuit is open for ${Duration.format(circuitOpenDuration)}`, () =>
  Effect.gen(function* () {
    const server = yield* modelServer(status(401))
    yield* Effect.gen(function* () {
      for (let n = 0; n < failuresMax; n++) equal(yield* requestDigest, "status 401")
      equal(yield* requestDigest, "requests are paused for now")
      yield* TestClock.adjust(Duration.subtract(circuitOpenDuration, Duration.millis(1)))
      equal(yield* requestDigest, "requests are paused for now")
      equal(server.calls.length, failuresMax)
      server.does(validAnswer)
      yield* TestClock.adjust(Duration.millis(1))
      equal(yield* requestDigest, "a draft")
      equal(yield* requestDigest, "a draft")
    }).pipe(Effect.provide(overModel(server)))
  }))

test("failed readings do not open the circuit of digests", () =>
  Effect.gen(function* () {
    const server = yield* modelServer(status(401))
    yield* Effect.gen(function* () {
      const { read } = yield* NewsReader
      for (let n = 0; n <= failuresMax; n++) yield* Effect.flip(read(readingTask))
      equal(server.calls.length, failuresMax)
      server.does(validAnswer)
      equal(yield* requestDigest, "a draft")
    }).pipe(Effect.provide(overModel(server)))
  }))

test("refusals do not open the circuit", () =>
  Effect.gen(function* () {
    const server = yield* modelServer(() => completion(null, { refusal: "no" }))
    yield* Effect.gen(function* () {
      for (let n = 0; n < 2 * failuresMax; n++) equal(yield* requestDigest, "the model refused")
    }).pipe(Effect.provide(overModel(server)))
  }))

/** Every counter of the model, by its name and attributes. */
const counted = Effect.map(Metric.snapshot, (metrics) =>
  Object.fromEntries(
    metrics.flatMap(({ id, attributes, state }) =>
      "count" in state && id.startsWith("model_") && id !== "model_seconds"
        ? [[`${id} ${Object.values(attributes ?? {}).join(" ")}`, Number(state.count)] as const]
        : []
    ),
  ))

test("requests are counted with their tokens", () =>
  Effect.gen(function* () {
    const server = yield* modelServer(validAnswer, () => completion("no"), status(401))
    yield* Effect.gen(function* () {
      for (let n = 0; n < 3; n++) yield* requestDigest
    }).pipe(Effect.provide(overModel(server)))
    equal(yield* counted, {
      "model_calls_total digest answered": 1,
      "model_calls_total digest malformed": 1,
      "model_calls_total digest rejected": 1,
      "model_tokens_total digest input": 2_000,
      "model_tokens_total digest output": 1_000,
    })
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))

test("impossible token counts are ignored", () =>
  Effect.gen(function* () {
    const claims = [-1, 1e12, "many", null, 0.5]
    const server = yield* modelServer((call) =>
      Response.json({
        choices: [],
        usage: { prompt_tokens: claims[call.index], completion_tokens: 1 },
      })
    )
    yield* Effect.gen(function* () {
      for (const _ of claims) yield* requestDigest
    }).pipe(Effect.provide(overModel(server)))
    equal(Object.keys(yield* counted), ["model_calls_total digest malformed"])
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))
