/**
 * A real EVM for tests: a process of anvil on a free loopback port, killed when its scope closes. It
 * may not be installed; then tests say so and stop.
 *
 * @module
 */
import { Effect } from "effect"
import { registerSkipped } from "../venues/oracle.ts"

const binary = new URL(
  "../../anvil/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil",
  import.meta.url,
).pathname

export const hasAnvil = isFile(binary)

/** Says aloud what is not tested for want of anvil. */
export function skipWithoutAnvil(what: string): void {
  registerSkipped(what, "no anvil; npm ci --prefix tests/anvil")
}

export interface Anvil {
  readonly url: string
  /** One JSON-RPC call; an error in the answer is a defect. */
  readonly call: (method: string, ...params: ReadonlyArray<unknown>) => Effect.Effect<unknown>
}

export interface AnvilOptions {
  /** Seconds between blocks; a block is mined only when asked for, when left out. */
  readonly blockSeconds?: number
  /** The time of the first block; now, when left out. */
  readonly startSeconds?: number
  readonly chainId?: number
}

export const startAnvil = Effect.fn("startAnvil")(function* (
  { blockSeconds, startSeconds, chainId = 8453 }: AnvilOptions = {},
) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new Deno.Command(binary, {
        args: [
          ...["--host", "127.0.0.1", "--port", "0", "--chain-id", String(chainId)],
          // The safe block is then the one below the newest.
          ...["--slots-in-an-epoch", "1"],
          ...blockSeconds === undefined ? ["--no-mining"] : ["--block-time", String(blockSeconds)],
          ...startSeconds === undefined ? [] : ["--timestamp", String(startSeconds)],
        ],
        stdin: "null",
        stdout: "piped",
        stderr: "null",
      }).spawn()
    ),
    (child) =>
      Effect.promise(async () => {
        try {
          child.kill("SIGKILL")
        } catch {
          // It has ended already.
        }
        await child.status
      }),
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

/** Where it listens, as it says; the rest of what it says is read and dropped. */
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
