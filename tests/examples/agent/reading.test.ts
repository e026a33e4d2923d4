/**
 * What an agent reads before it asks for anything: /llms.txt by the reference rules, the contract's
 * prices, and how fast it may ask.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Result, Schema } from "effect"
import { contradiction, offerAt, readContract } from "../../../examples/agent/contract.ts"
import { type Llms, readLlms } from "../../../examples/agent/llms.ts"
import { absence, readAllowance, readRetryAfter, waitAfter } from "../../../examples/agent/pace.ts"
import { law } from "../../support/effect.ts"

const Text = Schema.String.check(Schema.isPattern(/^[A-Za-z$.,/][A-Za-z0-9 $.,/-]{0,30}[a-z.]$/))
const Url = Schema.String.check(Schema.isPattern(/^https:\/\/[a-z]{3,9}\.example\/[a-z0-9.]{0,9}$/))
const AnyLlms = Schema.Struct({
  title: Text,
  summary: Schema.NullOr(Text),
  details: Schema.Literals(["", "Two lines,\n- of which one is a list."]),
  sections: Schema.Array(Schema.Struct({
    heading: Text,
    links: Schema.Array(Schema.Struct({ name: Text, url: Url, note: Schema.NullOr(Text) })),
  })),
})

/** A document as an author writes it. */
function written({ title, summary, details, sections }: Llms): string {
  return [
    `# ${title}`,
    ...summary === null ? [] : ["", `> ${summary}`],
    ...details === "" ? [] : ["", details],
    ...sections.flatMap(({ heading, links }) => [
      ...["", `## ${heading}`, ""],
      ...links.map(({ name, url, note }) =>
        `- [${name}](${url})${note === null ? "" : `: ${note}`}`
      ),
    ]),
    "",
  ].join("\n")
}

law("readLlms() reads what was written", Arbitrary.schema(AnyLlms), (llms) => {
  equal(Result.getOrThrow(readLlms(written(llms))), structuredClone(llms))
})

const anyLines = [
  ...["# T", "## S", "> s", "", "- [a](https://b.example)"] as const,
  ...["- [a](", "prose", "### x", "#", "##"] as const,
] as const

law(
  "readLlms() reads any text or says why not, and never throws",
  Arbitrary.schema(Schema.Array(Schema.Literals(anyLines))),
  (lines) => {
    const read = readLlms(lines.join("\n"))
    ok(Result.isSuccess(read) || read.failure.message.startsWith("/llms.txt cannot be read: "))
  },
)

/** Text, and what of it is wrong. */
const notLlms: ReadonlyArray<readonly [string, RegExp]> = [
  ["", /does not open with a title/],
  ["## Links\n- [a](https://b.example)", /does not open with a title/],
  ["# T\n\nSome prose.\n\n### Deep\n", /a heading stands before/],
  ["# T\n\n## S\n\nProse in a section.\n", /more than links: Prose in a section/],
  ["# T\n\n## S\n- [a] (https://b.example)\n", /more than links/],
  [`# T\n${"\n".repeat(1_000)}`, /longer than a list of links/],
]

for (const [text, why] of notLlms) {
  Deno.test(`readLlms() refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
    const read = readLlms(text)
    ok(Result.isFailure(read) && why.test(read.failure.message), JSON.stringify(read))
  })
}

const paths = (amount: unknown, mode = "fixed", currency = "USD") => ({
  info: { title: "T", version: "1.0.0" },
  paths: {
    "/free": { get: { summary: "Free", security: [] } },
    "/paid": {
      get: {
        parameters: [{ name: "count", schema: { maximum: 20 } }, { $ref: "#/x" }],
        "x-payment-info": { price: { mode, currency, amount } },
      },
    },
    "/posted": { post: {} },
  },
})

Deno.test("readContract() finds what is free, what costs, and the bounds of parameters", () => {
  const contract = Result.getOrThrow(readContract(paths("0.03")))
  equal(contract.offers.map(({ path, price }) => [path, price]), [
    ["/free", null],
    ["/paid", 30_000n],
  ])
  equal(offerAt(contract, "/paid")?.maxima, new Map([["count", 20]]))
  equal(offerAt(contract, "/posted"), undefined)
})

Deno.test("readContract() takes no price it cannot hold a challenge against", () => {
  const wrong = [
    ...["", "-0.03", "0.0000001", "1e9", "free", 0.03, null].map((amount) => paths(amount)),
    paths("0.03", "dynamic"),
    paths("0.03", "fixed", "EUR"),
    { ...paths("0.03"), paths: "none" },
    undefined,
  ]
  for (const json of wrong) ok(Result.isFailure(readContract(json)), JSON.stringify(json))
})

/** What a link says of the path that costs 0.03, and whether that contradicts the contract. */
const saids: ReadonlyArray<readonly [path: string, note: string | null, contradicts: boolean]> = [
  ["/paid", "$0.03. Items", false],
  ["/paid", "$0.030 a call", false],
  ["/paid", "Items for $0.04", false],
  ["/paid", null, false],
  ["/paid", "$0.04. Items", true],
  ["/paid", "$0.3. Items", true],
  ["/free", "$0.01. Not free", true],
  ["/unknown", "$0.01. Not there", false],
]

for (const [path, note, contradicts] of saids) {
  Deno.test(`contradiction() ${contradicts ? "sees" : "sees none in"} ${path}: ${note}`, () => {
    const link = { name: "GET", url: `https://a.example${path}`, note }
    const found = contradiction(Result.getOrThrow(readContract(paths("0.03"))), [link])
    equal(found?.path ?? null, contradicts ? path : null)
  })
}

const Budget = Schema.Struct({
  quota: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6 })),
  windowSeconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 90 })),
  everyMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30_000 })),
})

law(
  "an agent that waits as waitAfter() says is never refused by the budget it reads",
  Arbitrary.schema(Budget),
  ({ quota, windowSeconds, everyMs }) => {
    const windowMs = windowSeconds * 1_000
    let grants: ReadonlyArray<number> = []
    let now = 0
    for (let poll = 0; poll < 40; poll += 1) {
      grants = grants.filter((at) => now - at < windowMs)
      ok(grants.length < quota, `poll ${poll} at ${now} is refused`)
      grants = [...grants, now]
      const resetMs = (grants[0] ?? now) + windowMs - now
      const field = `"free";r=${quota - grants.length};t=${Math.ceil(resetMs / 1_000)}`
      const waitMs = waitAfter(readAllowance(field), everyMs)
      ok(waitMs >= everyMs)
      now += waitMs
    }
  },
)

Deno.test("readAllowance() and readRetryAfter() read what is sent, and nothing else", () => {
  equal(readAllowance('"free";r=4;t=60'), { remaining: 4, resetMs: 60_000 })
  equal(readAllowance('"documents";r=0;t=7, "free";r=1;t=2'), { remaining: 0, resetMs: 7_000 })
  for (const field of [null, "", "free;r=1", '"free";r=-1;t=2', '"free";r=1']) {
    equal(readAllowance(field), null)
  }
  equal(["7", "0", "999999999"].map(readRetryAfter), [7_000, 1_000, 3_600_000])
  for (const field of [null, "", "-1", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"]) {
    equal(readRetryAfter(field), null)
  }
})

Deno.test("absence() waits twice as long each time, up to a minute", () => {
  const waits = [1, 2, 3, 6, 7, 8, 1_000].map(absence)
  equal(waits, [1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000])
})
