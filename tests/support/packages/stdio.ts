/**
 * The stdio server as a process, and unmodified clients that start it.
 *
 * @module
 */
import { StdioClientTransport as CurrentTransport } from "@modelcontextprotocol/client/stdio"
import { StdioClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Effect } from "effect"
import { type ClientKind, connectOver } from "../http/mcp.ts"
import { inherited } from "../inherited.ts"

const root = new URL("../../..", import.meta.url)

/** How a host starts the server. */
export interface ServerCommand {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

/** The server from its sources, with its record in `folder`, as `deno task mcp` runs it. */
export function fromSources(
  folder: string,
  env: Readonly<Record<string, string>>,
): ServerCommand {
  const { tasks } = JSON.parse(Deno.readTextFileSync(new URL("deno.json", root)))
  const [, flags = ""] = / deno run (.*)$/.exec(tasks.mcp.command) ?? []
  return {
    command: Deno.execPath(),
    args: ["run", ...flags.replaceAll(taskFolder, folder).split(" ")],
    env: { ...inherited(), ...env, BUDGET_DIR: folder, DENO_NO_UPDATE_CHECK: "1" },
  }
}

/** Where `deno task mcp` keeps its record. */
const taskFolder = ".data/mcp"

/** A client that started the server; both end with the scope. `log` collects standard error. */
export const connectStdio = Effect.fnUntraced(function* (
  kind: ClientKind,
  { command, args, env }: ServerCommand,
) {
  const options = {
    command,
    args: [...args],
    cwd: Deno.realPathSync(root),
    stderr: "pipe" as const,
    env: { ...inherited(), ...env },
  }
  const log: Array<string> = []
  let pid: () => number | null = () => null
  const watched = <T extends EarlierTransport | CurrentTransport>(transport: T): T => {
    transport.stderr?.on("data", (chunk: Uint8Array) => log.push(new TextDecoder().decode(chunk)))
    pid = () => transport.pid
    return transport
  }
  const client = yield* connectOver(kind, {
    earlier: () => watched(new EarlierTransport(options)),
    current: () => watched(new CurrentTransport(options)),
  })
  return { ...client, log: () => log.join(""), pid: () => pid() }
})
