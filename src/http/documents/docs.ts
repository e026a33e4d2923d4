/**
 * /docs: the quickstarts and the Agent Skill, with the service's own address, and /contact.
 *
 * The files are imported as text, so a process needs no permission to read them, and one that is
 * missing stops every start and every test.
 *
 * @module
 */
import claude from "../../../examples/quickstarts/claude.md" with { type: "text" }
import client from "../../../examples/quickstarts/client.mjs" with { type: "text" }
import curl from "../../../examples/quickstarts/curl.sh" with { type: "text" }
import eip3009 from "../../../examples/quickstarts/eip3009.py" with { type: "text" }
import langchain from "../../../examples/quickstarts/langchain.mjs" with { type: "text" }
import mastra from "../../../examples/quickstarts/mastra.mjs" with { type: "text" }
import openaiAgents from "../../../examples/quickstarts/openai-agents.mjs" with { type: "text" }
import python from "../../../examples/quickstarts/python.py" with { type: "text" }
import typescript from "../../../examples/quickstarts/typescript.mjs" with { type: "text" }
import vercelAi from "../../../examples/quickstarts/vercel-ai.mjs" with { type: "text" }
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { paymentsPrefix } from "../paywall/paymentStatus.ts"
import { documentRows, markdownType, paths, textType } from "./addresses.ts"
import { type Packages, withPackages } from "./packages.ts"

/** The quickstarts by file name: what each one shows, and its text. */
export const quickstarts: Readonly<Record<string, readonly [note: string, text: string]>> = {
  "curl.sh": ["free calls with curl, and what an unpaid call answers", curl],
  "client.mjs": ["buying within a budget with bellwether-client", client],
  "typescript.mjs": ["buying with the stock x402 client", typescript],
  "python.py": ["buying with Python; needs eip3009.py next to it", python],
  "eip3009.py": ["the signature for python.py", eip3009],
  "claude.md": ["Claude Code and Claude Desktop, by MCP", claude],
  "langchain.mjs": ["an agent with LangChain.js", langchain],
  "vercel-ai.mjs": ["an agent with the Vercel AI SDK", vercelAi],
  "openai-agents.mjs": ["an agent with the OpenAI Agents SDK", openaiAgents],
  "mastra.mjs": ["an agent with Mastra", mastra],
}

/** The address that the files name after their packages, and how they leave it open. */
const placeholders = /http:\/\/127\.0\.0\.1:8402|(?<=BASE_URL=)(?:https:\/\/)?\.\.\./g

/** The path, text and content type of each quickstart. */
export const quickstartTexts = (packages: Packages) =>
  Object.entries(quickstarts).map(([name, [, text]]) =>
    [
      `${paths.quickstarts}${name}`,
      withPackages(text, packages).replaceAll(placeholders, () => packages.publicBaseUrl),
      name.endsWith(".md") ? markdownType : textType,
    ] as const
  )

/** The text of /docs. */
export function indexText(publicBaseUrl: string): string {
  const link = (name: string, path: string, note: string) =>
    `- [${name}](${publicBaseUrl}${path}): ${note}`
  return [
    "# Bellwether: documentation",
    "",
    ...documentRows.map(({ title, path, description }) => link(title, path, description)),
    "",
    "## Quickstarts",
    "",
    ...Object.entries(quickstarts).map(([name, [note]]) =>
      link(name, `${paths.quickstarts}${name}`, note)
    ),
    "",
  ].join("\n")
}

/** Whom to write to, and what to send. `contact` is a `mailto:` or `https:` address. */
export function contactText(publicBaseUrl: string, contact: string): string {
  const payment = `${publicBaseUrl}${paymentsPrefix}{paymentId}`
  return [
    "# Contact",
    "",
    `Write to ${
      contact.replace(/^mailto:/, "")
    }. Name the X-Request-Id of the answer, if you have ` +
    "one. Never send a private key, an Idempotency-Key or the id of an A2A task.",
    "",
    "- **Wrong data**: the path and the time of the call, or the `feedIndex` of the item, and what is " +
    "wrong.",
    "- **Refund**: refunds are made automatically and in full. Read the state first: " +
    `GET ${payment} is free. If it says \`needs_review\`, or \`queued\` for more than a day, write ` +
    "with the payment id.",
    "- **Outage**: read " +
    `${publicBaseUrl}${freeRows.health.path} first; \`checks\` names the part that fails. Write ` +
    "if it does not answer, or says `live` and you get errors.",
    "- **Security**: report a vulnerability to the address in " +
    `${publicBaseUrl}${paths.security}, and do not publish it before it is corrected.`,
    "",
  ].join("\n")
}
