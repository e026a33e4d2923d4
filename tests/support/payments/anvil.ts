/**
 * A real EVM for tests: an anvil process on a free loopback port, killed when its scope closes.
 * Without anvil, tests log that and skip.
 *
 * @module
 */
import { Effect } from "effect"
import { killAndWait } from "../process.ts"
import { registerSkipped } from "../venues/oracle.ts"

const binary = new URL(
  "../../anvil/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil",
  import.meta.url,
).pathname

export const hasAnvil = isFile(binary)

/** Logs which test is skipped without anvil. */
export function skipWithoutAnvil(what: string): void {
  registerSkipped(what, "no anvil; npm ci --prefix tests/anvil")
}

export interface Anvil {
  readonly url: string
  /** One JSON-RPC call; an error response is a defect. */
  readonly call: (method: string, ...params: ReadonlyArray<unknown>) => Effect.Effect<unknown>
}

export interface AnvilOptions {
  /** Seconds between blocks. Without it, blocks are mined only on request. */
  readonly blockSeconds?: number
  /** The time of the first block; now when absent. */
  readonly startSeconds?: number
  readonly chainId?: number
  /** The states of so many blocks are kept in memory; all when absent. */
  readonly statesMax?: number
  /** Variables of the process. */
  readonly env?: Readonly<Record<string, string>>
}

export const startAnvil = Effect.fn("startAnvil")(function* (
  { blockSeconds, startSeconds, chainId = 8453, statesMax, env = {} }: AnvilOptions = {},
) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new Deno.Command(binary, {
        args: [
          ...["--host", "127.0.0.1", "--port", "0", "--chain-id", String(chainId)],
          // With this, the safe block is the one below the newest.
          ...["--slots-in-an-epoch", "1"],
          ...blockSeconds === undefined ? ["--no-mining"] : ["--block-time", String(blockSeconds)],
          ...startSeconds === undefined ? [] : ["--timestamp", String(startSeconds)],
          ...statesMax === undefined ? [] : ["--prune-history", String(statesMax)],
        ],
        env,
        stdin: "null",
        stdout: "piped",
        stderr: "null",
      }).spawn()
    ),
    (child) => Effect.promise(() => killAndWait(child)),
  )
  const url = `http://${yield* Effect.promise(() => listening(child.stdout))}`
  const call: Anvil["call"] = (method, ...params) =>
    Effect.promise(async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      const headers = { "content-type": "application/json" }
      const response = await fetch(url, { method: "POST", headers, body })
      const { result, error } = await response.json()
      if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
      return result
    })
  return { url, call } satisfies Anvil
})

/** Reads the address from the output; the rest of the output is discarded. */
async function listening(stdout: ReadableStream<Uint8Array>): Promise<string> {
  const [first, rest] = stdout.tee()
  rest.pipeTo(new WritableStream()).catch(() => {})
  let said = ""
  for await (const text of first.pipeThrough(new TextDecoderStream())) {
    said += text
    const [, host] = /Listening on (127\.0\.0\.1:\d+)/.exec(said) ?? []
    if (host !== undefined) return host
  }
  throw new Error(`anvil does not start: ${said}`)
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile
  } catch {
    return false
  }
}
