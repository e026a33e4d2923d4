/**
 * Third-party tools that check documents, each run in its own process. They may not be installed.
 *
 * @module
 */
import { Effect } from "effect"
import { ask, type Ran, run, temporaryFolder } from "../process.ts"

const folder = new URL("../../documents/", import.meta.url)

export const hasDocumentTools = await Deno.stat(new URL("node_modules/", folder))
  .then(() => true, () => false)

/**
 * Runs a program of the packages in tests/documents, in that folder. It writes to a file: one that
 * ends with process.exit() loses what does not fit into a pipe that is read late.
 */
export const runTool = (
  program: "discovery" | "openapi-typescript" | "redocly" | "spectral" | "tsc" | "validate-api",
  ...args: ReadonlyArray<string>
): Effect.Effect<Ran> =>
  Effect.gen(function* () {
    const file = `${yield* temporaryFolder}/output`
    const tool = ["sh", "-c", 'exec node "$@" > "$0"', file, `node_modules/.bin/${program}`]
    const ran = yield* run([...tool, ...args], {
      cwd: folder,
      env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    })
    return { ...ran, stdout: Deno.readTextFileSync(file) }
  }).pipe(Effect.scoped)

interface ChallengeReport {
  readonly valid: boolean
  readonly amounts?: ReadonlyArray<string>
  readonly issues: ReadonlyArray<unknown>
}

/** Runs the validator behind x402scan on each PAYMENT-REQUIRED header. */
export const judge = (challenges: ReadonlyArray<string>): Promise<ReadonlyArray<ChallengeReport>> =>
  ask(folder, "judge.ts", challenges)
