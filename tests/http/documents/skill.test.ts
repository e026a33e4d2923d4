/**
 * The Agent Skill has the form that hosts load, and names every tool.
 *
 * @module
 */
import { match, ok, strictEqual } from "node:assert/strict"
import { skills } from "../../../src/catalog/domain/skill.ts"
import { skillText } from "../../../src/http/documents/skill.ts"

/** The limits of the Agent Skills format. */
const limits = { descriptionLengthMax: 1_024, linesMax: 500 }

Deno.test("the Agent Skill has the form that hosts load, and names every tool", () => {
  const text = skillText("https://service.example")
  const [, name, description = ""] =
    /^---\nname: ([a-z0-9-]{1,64})\ndescription: >-\n((?: {2}.+\n)+)---\n/.exec(text) ?? []
  strictEqual(name, "bellwether")
  ok(description.length <= limits.descriptionLengthMax)
  ok(text.split("\n").length <= limits.linesMax)
  for (const skill of skills) match(text, new RegExp(`\`${skill.name}\``))
})
