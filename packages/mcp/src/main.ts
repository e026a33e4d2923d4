/**
 * The MCP server of a buyer, over stdio: the tools of the service, paid within a budget.
 *
 * Only the protocol is written to standard output; the log is standard error. It ends when its
 * standard input ends.
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

Settings are environment variables:
${Object.entries(variables).map(([name, text]) => `  ${name.padEnd(18)} ${text}`).join("\n")}
`

const log = (text: string) => process.stderr.write(`bellwether-mcp: ${text}\n`)

function main(args: ReadonlyArray<string>): void {
  const [option] = args
  if (option === "--help" || option === "--version") {
    process.stdout.write(option === "--help" ? help : `${version}\n`)
    return
  }
  try {
    if (option !== undefined) throw new WrongSetting(`There is no option ${option}: see --help`)
    const settings = readSettings({ env: process.env, platform: process.platform })
    serve(makeBuyer(settings, tools, log))
  } catch (error) {
    if (!(error instanceof WrongSetting)) throw error
    log(error.message)
    process.exitCode = 1
  }
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

main(process.argv.slice(2))
