/**
 * The test reader of /llms.txt is as strict as the reference parser.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Result, Schema } from "effect"
import { law } from "../../support/effect.ts"
import { type Llms, readLlms } from "../../support/http/llms.ts"

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

/** The parts of a document. */
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

law("readLlms() returns the written parts", Arbitrary.schema(AnyLlms), (llms) => {
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

/** Invalid texts, and their errors. */
const notLlms: ReadonlyArray<readonly [string, RegExp]> = [
  ["", /does not begin with a title/],
  ["## Links\n- [a](https://b.example)", /does not begin with a title/],
  ["# T\n\nSome prose.\n\n### Deep\n", /a heading is before/],
  ["# T\n\n## S\n\nProse in a section.\n", /more than links: Prose in a section/],
  ["# T\n\n## S\n- [a] (https://b.example)\n", /more than links/],
  [`# T\n${"\n".repeat(1_000)}`, /too many lines/],
]

for (const [text, why] of notLlms) {
  Deno.test(`readLlms() refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
    const read = readLlms(text)
    ok(Result.isFailure(read) && why.test(read.failure.message), JSON.stringify(read))
  })
}
