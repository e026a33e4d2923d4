/**
 * The generated contract of the client is current.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { calls } from "../../../packages/client/src/contract.ts"
import { skills } from "../../../src/catalog/domain/skill.ts"
import { callOf, contractFile, contractText } from "../../support/clientContract.ts"
import { hasDocumentTools } from "../../support/http/documentTools.ts"

Deno.test("the table of calls is that of the service (deno task generate writes it)", () => {
  equal(calls, Object.fromEntries(skills.map((skill) => [skill.name, callOf(skill)])))
})

Deno.test({
  name: hasDocumentTools
    ? "the types of the bodies are those of the service (deno task generate writes them)"
    : "the types of the bodies are not compared: npm ci --prefix tests/documents",
  ignore: !hasDocumentTools,
  fn: async () => {
    const folder = await Deno.makeTempDir()
    try {
      const path = `${folder}/contract.ts`
      await Deno.writeTextFile(path, await contractText())
      const config = new URL("../../../deno.json", import.meta.url).pathname
      await new Deno.Command(Deno.execPath(), {
        args: ["fmt", "--quiet", "--config", config, path],
      }).output()
      strictEqual(await Deno.readTextFile(path), await Deno.readTextFile(contractFile))
    } finally {
      await Deno.remove(folder, { recursive: true })
    }
  },
})
