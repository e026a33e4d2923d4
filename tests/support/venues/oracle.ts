/**
 * The venue's own schemas as a test oracle, and recordings from outside the repository. Both may be
 * missing; their tests are then registered as skipped.
 *
 * @module
 */
import { ask } from "../process.ts"

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
export const schemaAccepts = (
  module: "gamma" | "clob" | "data",
  schema: string,
  rows: ReadonlyArray<unknown>,
): Promise<ReadonlyArray<boolean>> =>
  ask(oracle, "ask.ts", { module, schema, rows }, { permission: "--allow-read" })

/** Registers an ignored test whose name says why it cannot run here. */
export function registerSkipped(what: string, why: string): void {
  Deno.test.ignore(`${what} (skipped: ${why})`, () => {})
}
