/**
 * /docs has every quickstart with the service's own address, and /contact says whom to write to.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { skills } from "../../../src/catalog/domain/skill.ts"
import { contactText, quickstarts, skillText } from "../../../src/http/documents/docs.ts"
import { test } from "../../support/effect.ts"
import { base, openDocumentService } from "../../support/http/documents.ts"
import { serviceOptions } from "../../support/http/httpService.ts"

const folder = new URL("../../../examples/quickstarts/", import.meta.url)
Deno.test("every file of examples/quickstarts is served", () => {
  const files = [...Deno.readDirSync(folder)].map(({ name }) => name)
  equal(Object.keys(quickstarts).toSorted(), files.toSorted())
})

test("a quickstart is its file with the address of the service, and leaves none open", function* () {
  const face = yield* openDocumentService
  for (const name of Object.keys(quickstarts)) {
    const response = yield* face.get(`/docs/quickstart/${name}`)
    strictEqual(response.status, 200, name)
    match(response.headers.get("content-type") ?? "", /^text\/(plain|markdown); charset=utf-8$/)
    const text = yield* Effect.promise(() => response.text())
    const file = Deno.readTextFileSync(new URL(name, folder))
    ok(!/127\.0\.0\.1:8402|BASE_URL=(\.\.\.|https:\/\/\.)/.test(text), name)
    const lines = text.split("\n")
    for (const [at, line] of file.split("\n").entries()) {
      if (/8402|BASE_URL=/.test(line)) ok(lines[at]?.includes(base), `${name}: ${line}`)
      else strictEqual(lines[at], line, name)
    }
    const [etag, note] = [response.headers.get("etag") ?? "", "if-none-match"]
    const again = yield* face.get(`/docs/quickstart/${name}`, { headers: { [note]: etag } })
    strictEqual(again.status, 304, name)
  }
  strictEqual((yield* face.get("/docs/quickstart/none.sh")).status, 404)
  const [program, guide] = yield* Effect.forEach(
    ["/docs/quickstart/typescript.mjs", "/llms-full.txt"],
    (path) => Effect.flatMap(face.get(path), (found) => Effect.promise(() => found.text())),
  )
  ok(guide?.includes(`\`\`\`js\n${program?.trimEnd()}\n\`\`\``), "the program of /llms-full.txt")
})

test("the index of /docs links every quickstart and the skill", function* () {
  const response = yield* (yield* openDocumentService).get("/docs")
  const text = yield* Effect.promise(() => response.text())
  for (const path of [...Object.keys(quickstarts).map((name) => `quickstart/${name}`), "skill"]) {
    ok(text.includes(`](${base}/docs/${path})`), path)
  }
})

test("the index of Agent Skills has the hash of the served file", function* () {
  const { get } = yield* openDocumentService
  const index = yield* get("/.well-known/agent-skills/index.json")
  const { skills: [skill], $schema } = yield* Effect.promise(() => index.json())
  match($schema, /discovery\/0\.2\.0/)
  equal([skill.name, skill.type, skill.url], ["bellwether", "skill-md", `${base}/SKILL.md`])
  match(skill.description, /^Reads prediction-market signals from Bellwether .*venue\.$/)
  ok(skill.description.length <= limits.descriptionLengthMax)
  const file = yield* get("/SKILL.md")
  const bytes = yield* Effect.promise(() => file.bytes())
  strictEqual(skill.digest, `sha256:${createHash("sha256").update(bytes).digest("hex")}`)
})

Deno.test("/contact names the contact without its scheme, and what to send for what", () => {
  for (const contact of ["mailto:help@feed.example", "https://feed.example/help"]) {
    const text = contactText(base, contact)
    ok(text.includes(`Write to ${contact.replace("mailto:", "")}.`), contact)
    for (const topic of ["Wrong data", "Refund", "Outage", "Security"]) ok(text.includes(topic))
  }
})

/** The limits of the Agent Skills format. */
const limits = { descriptionLengthMax: 1_024, linesMax: 500 }

Deno.test("the Agent Skill has the form that hosts load, and names every tool", () => {
  const text = skillText(serviceOptions)
  const [, name, description = ""] =
    /^---\nname: ([a-z0-9-]{1,64})\ndescription: >-\n((?: {2}.+\n)+)---\n/.exec(text) ?? []
  strictEqual(name, "bellwether")
  ok(description.length <= limits.descriptionLengthMax)
  ok(text.split("\n").length <= limits.linesMax)
  for (const skill of skills) match(text, new RegExp(`\`${skill.name}\``))
})
