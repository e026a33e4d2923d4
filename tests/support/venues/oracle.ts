/**
 * The venue's own schemas as a test oracle, and recordings from outside the repository. Both may be
 * missing; their tests are then registered as skipped.
 *
 * @module
 */

const oracle = new URL("../../oracle/", import.meta.url)
const recordings = new URL("../../../../shared/data/", import.meta.url)

function present(url: URL): boolean {
  try {
    Deno.statSync(url)
    return true
  } catch {
    return false
  }
}

export const hasOracle = present(
  new URL("node_modules/@polymarket/bindings/", oracle),
)
export const hasRecordings = present(recordings)

/** The folder of recordings, as a path. */
export const recordingsDir = recordings.pathname

/** A recorded file's JSON, with or without a byte-order mark. */
export function recorded(path: string): unknown {
  return JSON.parse(
    Deno.readTextFileSync(new URL(path, recordings)).replace(/^\ufeff/, ""),
  )
}

/** For each row, whether the venue's schema accepts it. */
export async function schemaAccepts(
  module: "gamma" | "clob" | "data",
  schema: string,
  rows: ReadonlyArray<unknown>,
): Promise<ReadonlyArray<boolean>> {
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-config",
      "--node-modules-dir=manual",
      "--allow-read",
      "ask.ts",
    ],
    cwd: oracle,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn()
  await new Blob([JSON.stringify({ module, schema, rows })]).stream().pipeTo(
    process.stdin,
  )
  const { success, stdout } = await process.output()
  if (!success) throw new Error("The oracle did not answer")
  return JSON.parse(new TextDecoder().decode(stdout))
}

/** Registers an ignored test whose name says why it cannot run here. */
export function registerSkipped(what: string, why: string): void {
  Deno.test.ignore(`${what} (skipped: ${why})`, () => {})
}
