/**
 * The files that `deno task generate` writes are current, a host accepts the Agent Skill, and the
 * program of Bruno runs the collection against the service.
 *
 * @module
 */
import { deepStrictEqual as equal, match, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { skills } from "../../src/catalog/domain/skill.ts"
import { liveTest } from "../support/effect.ts"
import { publishedFiles } from "../support/examples/published.ts"
import { hasQuickstartPackages, installQuickstarts } from "../support/examples/quickstarts.ts"
import { servedService } from "../support/http/servedService.ts"
import { registerSkipped } from "../support/venues/oracle.ts"

const root = new URL("../../", import.meta.url)

function filesIn(folder: string): ReadonlyArray<string> {
  return [...Deno.readDirSync(new URL(folder, root))].flatMap((
    { name, isDirectory },
  ) => isDirectory ? filesIn(`${folder}/${name}`) : [`${folder}/${name}`])
}

Deno.test("the Agent Skill and the Bruno collection are those of the catalog", () => {
  const found = [...filesIn("examples/skills"), ...filesIn("examples/bruno")]
    .map((path) => [path, Deno.readTextFileSync(new URL(path, root))])
  equal(Object.fromEntries(found), publishedFiles)
})

/** The limits of the Agent Skills format. */
const limits = { descriptionLengthMax: 1_024, linesMax: 500 }

Deno.test("the Agent Skill has the form that hosts load, and names every tool", () => {
  const folder = "bellwether"
  const text = publishedFiles[`examples/skills/${folder}/SKILL.md`] ?? ""
  const [, name, description = ""] =
    /^---\nname: ([a-z0-9-]{1,64})\ndescription: >-\n((?: {2}.+\n)+)---\n/.exec(
      text,
    ) ?? []
  strictEqual(name, folder)
  equal(description.length <= limits.descriptionLengthMax, true)
  equal(text.split("\n").length <= limits.linesMax, true)
  for (const skill of skills) match(text, new RegExp(`\`${skill.name}\``))
})

if (hasQuickstartPackages) {
  liveTest(
    "Bruno runs the collection: every free call answers, every paid one asks for payment",
    () =>
      Effect.gen(function* () {
        const base = yield* servedService
        const { code, stdout } = yield* Effect.promise(() =>
          new Deno.Command("node", {
            args: [
              "../../tests/quickstarts/node_modules/@usebruno/cli/bin/bru.js",
              ...[
                "run",
                "-r",
                "--env",
                "local",
                "--env-var",
                `baseUrl=${base}`,
              ],
            ],
            cwd: new URL("examples/bruno/", root),
            env: { NO_COLOR: "1" },
          }).output()
        )
        const requests = Object.keys(publishedFiles).filter((path) => /\/(free|paid)\//.test(path))
        const text = new TextDecoder().decode(stdout)
        strictEqual(code, 0, text)
        match(
          text,
          new RegExp(
            `Requests +│ +${requests.length} \\(${requests.length} Passed\\)`,
          ),
        )
      }),
  )
} else registerSkipped("the Bruno collection", installQuickstarts)
