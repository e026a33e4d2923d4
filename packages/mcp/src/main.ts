/**
 * The MCP server of a buyer, over stdio: the tools of the service, paid within a budget. With the name
 * of a tool it calls that tool once, for a person.
 *
 * Only the protocol, or the one answer, is written to standard output; the log is standard error. The
 * server ends when its standard input ends.
 *
 * @module
 */
import type { RequestId } from "@modelcontextprotocol/server"
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import process from "node:process"
import manifest from "../package.json" with { type: "json" }
import { type Buyer, makeBuyer } from "./buyer.ts"
import { makeServer } from "./server.ts"
import { readSettings, variables, WrongSetting } from "./settings.ts"
import { instructions, tools } from "./tools.ts"

const { version } = manifest
/** How long calls in flight may take to record their payments when the host has left. */
const stopMsMax = 2_000

const help =
  `bellwether-mcp ${version}: an MCP server over stdio that pays Bellwether within a budget

  bellwether-mcp                          serves a host over stdio
  bellwether-mcp get_signals since=5      calls one tool, and prints its answer

Settings are environment variables:
${Object.entries(variables).map(([name, text]) => `  ${name.padEnd(18)} ${text}`).join("\n")}
`

const log = (text: string) => process.stderr.write(`bellwether-mcp: ${text}\n`)

async function main(args: ReadonlyArray<string>): Promise<void> {
  const [option, ...pairs] = args
  if (option === "--help" || option === "--version") {
    process.stdout.write(option === "--help" ? help : `${version}\n`)
    return
  }
  try {
    if (option !== undefined && tools.every(({ name }) => name !== option)) {
      throw new WrongSetting(`There is no option or tool ${option}: see --help`)
    }
    const settings = readSettings({ env: process.env, platform: process.platform })
    const buyer = makeBuyer(settings, tools, log)
    if (option === undefined) serve(buyer)
    else await callOnce(buyer, option, Object.fromEntries(pairs.map(argumentOf)))
  } catch (error) {
    if (!(error instanceof WrongSetting)) throw error
    log(error.message)
    process.exitCode = 1
  }
}

/** An argument as it was typed: `since=5`. What is no JSON is text. */
function argumentOf(pair: string): readonly [name: string, value: unknown] {
  const [, name = pair, text = ""] = /^([^=]*)=(.*)$/s.exec(pair) ?? []
  try {
    return [name, JSON.parse(text)]
  } catch {
    return [name, text]
  }
}

/** Calls one tool: the whole answer on standard output, all else on standard error. */
async function callOnce(
  { call, settled }: Buyer,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { result, onWritten } = await call(name, args, new AbortController().signal)
  const { content, structuredContent: body, isError } = result
  const texts = content.flatMap((part) => part.type === "text" ? [part.text] : [])
  for (const text of isError ? texts : texts.slice(0, -1)) log(text)
  process.exitCode = isError ? 1 : 0
  if (!isError) process.stdout.write(`${JSON.stringify(body, null, 2)}\n`, () => onWritten())
  await settled(stopMsMax)
}

function serve({ call, settled }: Buyer): void {
  const { transport, whenWritten } = watchedTransport()
  const connection = serveStdio(
    () => makeServer({ version, instructions, tools, call, whenWritten }),
    { transport, onerror: (error) => log(error.message) },
  )
  const stop = async () => {
    // Cancels the calls in flight; each payment stays in the record.
    await connection.close()
    await settled(stopMsMax)
    process.exit(0)
  }
  process.stdin.once("end", stop)
  process.stdin.once("close", stop)
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
}

/** Standard input and output, and which answers have been written. */
function watchedTransport() {
  const waiting = new Map<RequestId, () => void>()
  const transport = new StdioServerTransport()
  const send = transport.send.bind(transport)
  transport.send = async (message) => {
    await send(message)
    if (!("id" in message) || "method" in message || message.id === undefined) return
    // An error in place of the result delivers nothing.
    if (!("error" in message)) waiting.get(message.id)?.()
    waiting.delete(message.id)
  }
  return { transport, whenWritten: waiting.set.bind(waiting) }
}

await main(process.argv.slice(2))
