/**
 * The settings of the model and of the news sources.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Redacted } from "effect"
import { serviceBanner } from "../../src/app/console.ts"
import { serviceSandbox } from "../../src/app/sandbox.ts"
import { loadService } from "../../src/app/settings.ts"
import type { Variable } from "../../src/app/variables.ts"
import { test } from "../support/effect.ts"

type Env = Partial<Record<Variable, string>>

const settings = (env: Env) => loadService("dev", (name) => env[name])
const errorOf = (env: Env) =>
  Effect.match(settings(env), {
    onSuccess: () => "accepted",
    onFailure: ({ message }) => message,
  })
const real = { VENUE: "polymarket" } as const

test("the news is real with the live venue, and simulated with the simulated one", () =>
  Effect.gen(function* () {
    const { news } = yield* settings(real)
    ok(news.kind === "real" && news.gdelt)
    equal(
      news.feeds.map(({ name }) => name).join(),
      "BBC,Al Jazeera,DW,The Guardian,France 24,NPR,Euronews",
    )
    equal((yield* settings({})).news, { kind: "simulated" })
    for (const venue of [real, {}]) {
      equal((yield* settings({ ...venue, NEWS_FEEDS: "off" })).news, { kind: "off" })
    }
  }))

test("real news is refused with a simulated venue", () =>
  Effect.gen(function* () {
    for (const feeds of ["gdelt", "https://a.example/rss"]) {
      const message = yield* errorOf({ NEWS_FEEDS: feeds })
      ok(message.includes("NEWS_FEEDS") && message.includes("VENUE="), message)
    }
  }))

test("a feed is named by its well-known name, or by its host with a number if the host has two", () =>
  Effect.gen(function* () {
    const list = "https://a.example/1?x=y, https://a.example/2,https://b.example/rss," +
      "gdelt,https://feeds.bbci.co.uk/news/world/rss.xml,"
    const { news } = yield* settings({ ...real, NEWS_FEEDS: list })
    ok(news.kind === "real" && news.gdelt)
    equal(news.feeds, [
      { name: "a.example", url: "https://a.example/1?x=y" },
      { name: "a.example 2", url: "https://a.example/2" },
      { name: "b.example", url: "https://b.example/rss" },
      { name: "BBC", url: "https://feeds.bbci.co.uk/news/world/rss.xml" },
    ])
    equal((yield* settings({ ...real, NEWS_FEEDS: "gdelt" })).news, {
      kind: "real",
      gdelt: true,
      feeds: [],
    })
  }))

test("without a key there is no model; with one there is, and the key is not printed", () =>
  Effect.gen(function* () {
    equal((yield* settings({})).model, null)
    const { model } = yield* settings({ OPENAI_API_KEY: "sk-hunter2" })
    ok(model !== null)
    equal(Redacted.value(model.apiKey), "sk-hunter2")
    ok(!JSON.stringify(model).includes("hunter2"))
    equal(model.baseUrl.href, "https://api.openai.com/v1")
    ok(model.model.length > 0)
  }))

test("a server on this machine needs a model's name and no key; any other server needs both", () =>
  Effect.gen(function* () {
    for (const OPENAI_BASE_URL of ["http://127.0.0.1:11434/v1", "http://localhost:8000/v1"]) {
      const { model } = yield* settings({ OPENAI_BASE_URL, OPENAI_MODEL: "llama3.2:3b" })
      equal(model?.model, "llama3.2:3b")
      equal(model?.baseUrl.href, OPENAI_BASE_URL)
      equal(Redacted.value(model?.apiKey ?? Redacted.make("")), "none")
      ok((yield* errorOf({ OPENAI_BASE_URL })).includes("OPENAI_MODEL"))
    }
    const OPENAI_BASE_URL = "https://models.example/v1"
    const keyless = yield* errorOf({ OPENAI_BASE_URL, OPENAI_MODEL: "m" })
    ok(keyless.includes("OPENAI_BASE_URL") && keyless.includes("OPENAI_API_KEY"), keyless)
    const key = { OPENAI_API_KEY: "sk-hunter2" }
    ok((yield* errorOf({ ...key, OPENAI_BASE_URL })).includes("OPENAI_MODEL"))
    const { model } = yield* settings({ ...key, OPENAI_BASE_URL, OPENAI_MODEL: "org/m" })
    equal(model?.baseUrl.href, OPENAI_BASE_URL)
  }))

test("incomplete model settings give a message that names the missing variable", () =>
  Effect.gen(function* () {
    const halves: ReadonlyArray<Env> = [
      ...[{ OPENAI_MODEL: "gpt-5" }, { OPENAI_CHECK_MODEL: "small" }],
      ...[{ OPENAI_REASONING_EFFORT: "low" }, { OPENAI_MAX_TOKENS: "9000" }],
    ]
    for (const half of halves) {
      const message = yield* errorOf(half)
      ok(message.includes(Object.keys(half)[0] ?? "-"), message)
      ok(message.includes("OPENAI_API_KEY"), message)
    }
  }))

const wrong: ReadonlyArray<readonly [Variable, ReadonlyArray<string>]> = [
  ["NEWS_FEEDS", [
    ...["bbc", "http://a.example/rss", "https://me:hunter2@a.example/rss", "on", ",", "off,gdelt"],
    ...["https://a.example/rss#x", "gdelt,gdelt", "https://a.example/rss,https://A.example/rss"],
    Array.from({ length: 41 }, (_, n) => `https://a.example/${n}`).join(),
    `https://a.example/${"x".repeat(500)}`,
  ]],
  ["OPENAI_API_KEY", ["hunter2 hunter2", "hunter2\nX: y", "x".repeat(501)]],
  ["OPENAI_BASE_URL", [
    ...["http://models.example/v1", "models", "https://me:hunter2@models.example/v1"],
    "https://models.example/v1?key=hunter2",
  ]],
  ["OPENAI_MODEL", ["a model", "x".repeat(101), "hunter2\n"]],
  ["OPENAI_CHECK_MODEL", ["a model", "x".repeat(101)]],
  ["OPENAI_REASONING_EFFORT", ["Low", "much", "5"]],
  ["OPENAI_MAX_TOKENS", ["999", "100001", "many", "2000.5", "-1"]],
]
for (const [name, values] of wrong) {
  test(`an invalid ${name} gives a message that names it`, () =>
    Effect.gen(function* () {
      const valid = { ...real, OPENAI_API_KEY: "sk", OPENAI_MODEL: "m" }
      for (const value of values) {
        const message = yield* errorOf({ ...valid, [name]: value })
        ok(message.includes(name), `${name}=${value}: ${message}`)
        ok(!message.includes("hunter2"), "a secret is never repeated")
      }
    }))
}

test("the service may connect only to the configured hosts", () =>
  Effect.gen(function* () {
    const hosts = (env: Env) =>
      Effect.map(
        settings(env),
        (settings) => serviceSandbox(settings, { storePackages: [] }).net.slice(2),
      )
    equal(yield* hosts({}), [])
    equal(yield* hosts({ OPENAI_API_KEY: "sk" }), ["api.openai.com:443"])
    const polymarket = yield* hosts({ ...real, NEWS_FEEDS: "off" })
    const list = "gdelt,https://a.example/rss,https://b.example:8443/rss,https://a.example/2"
    const own = { OPENAI_BASE_URL: "http://127.0.0.1:11434/v1", OPENAI_MODEL: "m" }
    equal(yield* hosts({ ...real, NEWS_FEEDS: list, ...own }), [
      ...polymarket,
      ...["api.gdeltproject.org:443", "a.example:443", "b.example:8443", "a.example:443"],
      "127.0.0.1:11434",
    ])
  }))

test("serviceBanner() names the narrator and the news sources, and no key", () =>
  Effect.gen(function* () {
    const rules = serviceBanner(yield* settings({}))
    ok(/narrator {2}rules/.test(rules) && /news {6}simulated/.test(rules), rules)
    const model = serviceBanner(yield* settings({ ...real, OPENAI_API_KEY: "sk-hunter2" }))
    ok(model.includes("gpt-5-mini at api.openai.com") && model.includes("GDELT, BBC"), model)
    ok(!model.includes("hunter2"))
    const small = { OPENAI_CHECK_MODEL: "small-1", OPENAI_REASONING_EFFORT: "low" }
    const two = serviceBanner(yield* settings({ OPENAI_API_KEY: "sk", ...small }))
    ok(two.includes("gpt-5-mini (effort low) at") && two.includes("by small-1"), two)
  }))
