/**
 * /docs: the quickstarts, the Agent Skill and /contact: files with the service's own address and
 * catalog in them.
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
import { type FreeRow, freeRows } from "../../catalog/domain/freeRow.ts"
import { limitsOf } from "../../catalog/domain/parameter.ts"
import { type Product, products } from "../../catalog/domain/product.ts"
import { resendRule } from "../../catalog/domain/refusal.ts"
import { skillName } from "../../catalog/domain/skill.ts"
import { usd } from "../../core/domain/money.ts"
import { descriptionOf, documentRows, markdownType, paths, textType } from "./addresses.ts"
import contact from "./contact.md" with { type: "text" }
import type { Site } from "../site.ts"
import { type Packages, withPackages } from "./packages.ts"
import skill from "./skill.md" with { type: "text" }

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

/** A quickstart with the address of the service. */
export const quickstartText = (name: string, packages: Packages): string =>
  withPackages(quickstarts[name]?.[1] ?? "", packages)
    .replaceAll(placeholders, () => packages.publicBaseUrl)

/** The path, text and content type of each quickstart. */
export const quickstartTexts = (packages: Packages) =>
  Object.keys(quickstarts).map((name) =>
    [
      `${paths.quickstarts}${name}`,
      quickstartText(name, packages),
      name.endsWith(".md") ? markdownType : textType,
    ] as const
  )

/** A text with these values in the place of their `{{names}}`. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (name, key: string) => `${values[key] ?? name}`)

/** The text of /docs. */
export function indexText(site: Site): string {
  const { publicBaseUrl } = site.terms
  const link = (name: string, path: string, note: string) =>
    `- [${name}](${publicBaseUrl}${path}): ${note}`
  return [
    "# Bellwether: documentation",
    "",
    descriptionOf(site),
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

/** Whom to write to, and what to send. `contactAddress`: a `mailto:` or `https:` address. */
export const contactText = (base: string, contactAddress: string): string =>
  fill(contact, { base, contact: contactAddress.replace(/^mailto:/, "") })

/** SKILL.md: what a model reads before it uses the service. */
export const skillText = (site: Site): string =>
  fill(skill, {
    base: site.terms.publicBaseUrl,
    description: descriptionOf(site),
    resendRule,
    free: Object.values(freeRows).filter(({ isText }: FreeRow) => isText !== true)
      .map((row) => `| \`${skillName(row)}\` | \`${row.path}\` | ${row.title} |`).join("\n"),
    paid: Object.values(products).map(paidRow).join("\n"),
  })

function paidRow({ id, path, price, title, parameters }: Product): string {
  const named = parameters.map((one) => `\`${one.name}\`: ${one.description} (${limitsOf(one)})`)
  const answer = [title, ...named.length === 0 ? [] : [named.join("; ")]].join(". ")
  return `| \`${skillName({ id })}\` | \`${path}\` | $${usd(price)} | ${
    answer.replaceAll("|", "\\|")
  } |`
}
