/**
 * The schema of an answer that clients get with a tool: it accepts the answer and further fields, and
 * refuses an answer without one of its fields.
 *
 * @module
 */
import { ok } from "node:assert/strict"
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { outputSchema } from "../../../src/catalog/domain/jsonSchema.ts"
import { skills } from "../../../src/catalog/domain/skill.ts"

/** All schemas together, in bytes: clients read them with every list of tools. */
const bytesMax = 45_000

for (const skill of skills) {
  const schema = outputSchema(skill)
  const { sample: answer } = skill

  Deno.test(`the output schema of ${skill.name} describes its answer`, () => {
    // Strict, and without formats: the least that a client has. Older clients know draft 7 only.
    for (const ajv of [new Ajv2020({ allowUnionTypes: true }), new Ajv({ strict: false })]) {
      const validate = ajv.compile(schema)
      const accepts = (value: unknown) => validate(value)
      if (typeof answer === "string") continue
      ok(accepts(answer), ajv.errorsText(validate.errors))
      ok(accepts({ ...answer, addedLater: 1 }))
      const { required } = schema
      ok(Array.isArray(required) && required.includes("success"))
      for (const name of required) {
        const rest = Object.entries(answer).filter(([field]) => field !== name)
        ok(!accepts(Object.fromEntries(rest)), `without ${name}`)
      }
    }
  })
}

Deno.test("the output schemas are short", () => {
  const bytes = skills.reduce((sum, skill) => sum + JSON.stringify(outputSchema(skill)).length, 0)
  ok(bytes <= bytesMax, `${bytes} bytes`)
})
