/**
 * Third-party tools that check documents, each run in its own process. They may not be installed.
 *
 * @module
 */
const folder = new URL("../../documents/", import.meta.url)

export const hasDocumentTools = await Deno.stat(new URL("node_modules/", folder))
  .then(() => true, () => false)

export interface ToolRun {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a program of the packages in tests/documents, in that folder. It writes to a file: one that
 * ends with process.exit() loses what does not fit into a pipe that is read late.
 */
export async function runTool(
  program: "discovery" | "openapi-typescript" | "redocly" | "spectral" | "tsc" | "validate-api",
  args: ReadonlyArray<string>,
): Promise<ToolRun> {
  const file = await Deno.makeTempFile()
  try {
    const { code, stderr } = await new Deno.Command("sh", {
      args: ["-c", 'exec node "$@" > "$0"', file, `node_modules/.bin/${program}`, ...args],
      cwd: folder,
      env: { NO_COLOR: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    }).output()
    const stdout = await Deno.readTextFile(file)
    return { code, stdout, stderr: new TextDecoder().decode(stderr) }
  } finally {
    await Deno.remove(file)
  }
}

interface ChallengeReport {
  readonly valid: boolean
  readonly amounts?: ReadonlyArray<string>
  readonly issues: ReadonlyArray<unknown>
}

/** Runs the validator behind x402scan on each PAYMENT-REQUIRED header. */
export async function judge(
  challenges: ReadonlyArray<string>,
): Promise<ReadonlyArray<ChallengeReport>> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--node-modules-dir=manual", "-A", "judge.ts"],
    cwd: folder,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn()
  await new Blob([JSON.stringify(challenges)]).stream().pipeTo(process.stdin)
  const { success, stdout } = await process.output()
  if (!success) throw new Error("The validator failed")
  return JSON.parse(new TextDecoder().decode(stdout))
}
