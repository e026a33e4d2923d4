/**
 * The arguments of `deno task narrate`, and cases that cannot be read.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Result } from "effect"
import { narrateCommand } from "../../src/app/narrate.ts"
import { readCases } from "../../src/app/narrationCases.ts"
import { liveTest } from "../support/effect.ts"

Deno.test("narrateCommand() reads the folders, and explains itself otherwise", () => {
  const folders = { from: "fixtures/narration/cases", out: "fixtures/narration/drafts" }
  equal(narrateCommand(["--cases"]), Result.succeed(folders))
  equal(narrateCommand(["--cases", "--out", "o"]), Result.succeed({ ...folders, out: "o" }))
  equal(
    narrateCommand(["--cases", "--out", "o", "--from", "f"]),
    Result.succeed({ from: "f", out: "o" }),
  )
  for (const wrong of [[], ["--out", "o"], ["--cases", "--out"], ["--cases", "x", "y"]]) {
    const failure = Result.getOrThrow(Result.flip(narrateCommand(wrong)))
    ok(failure.startsWith("deno task narrate --cases"), failure)
  }
})

liveTest(
  "a folder that is missing, or a file that is no case, is named",
  () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(readCases("/nowhere"))
      ok(missing.message.includes("/nowhere"))
      const dir = yield* Effect.acquireRelease(
        Effect.promise(() => Deno.makeTempDir()),
        (dir) => Effect.promise(() => Deno.remove(dir, { recursive: true })),
      )
      yield* Effect.promise(() => Deno.writeTextFile(`${dir}/a.json`, '{"kind":"page"}'))
      const wrong = yield* Effect.flip(readCases(dir))
      ok(wrong.message.includes("a.json"), wrong.message)
    }),
)
