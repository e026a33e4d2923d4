/**
 * /docs, the quickstarts, the Agent Skill and /contact: the documents of the service as pages.
 *
 * Their Markdown is that of /llms-full.txt and of the documents on the same paths.
 *
 * @module
 */
import { paths } from "../documents/addresses.ts"
import { quickstarts } from "../documents/docs.ts"
import type { Documents } from "../documents/documents.ts"
import { sectionOf } from "../documents/llms.ts"
import type { Page } from "./sections.tsx"

/** All these pages, by path. */
export function docsPages(documents: Documents): ReadonlyArray<readonly [path: string, Page]> {
  const textOf = (path: string) => new TextDecoder().decode(documents.get(path)?.(path).bytes)
  return [
    [paths.docs, docsPage(textOf(paths.docs), textOf(paths.llmsFull))],
    ...Object.entries(quickstarts).map(([name, [note]]) => {
      const path = `${paths.quickstarts}${name}`
      return [path, quickstartPage(name, note, textOf(path))] as const
    }),
    [paths.contact, documentPage("Contact", textOf(paths.contact))],
    // Its front matter is data for hosts.
    [
      paths.skill,
      documentPage("Agent Skill", textOf(paths.skill).replace(/^---\n[^]*?\n---\n/, "")),
    ],
  ]
}

/** A document with its own title. */
function documentPage(name: string, text: string): Page {
  const [, title = name, body = text] = /^\s*# (.*)\n([^]*)$/.exec(text) ?? []
  return { name, description: `${name} of Bellwether.`, title, blocks: [{ document: body }] }
}

/** The lists of documents, and what the full text says of calls. */
const docsPage = (index: string, llmsFull: string): Page => ({
  ...documentPage("Documentation", index),
  description:
    "How to call Bellwether and pay per call with x402: quickstarts, the life of a payment, limits and errors.",
  lead:
    "Every call is a GET that returns JSON. Some calls are free. A paid call is paid for in USDC when it is made, with the protocol x402. There is no account and no API key.",
  sections: [
    ["payment", "How to pay"],
    ["errors", "Errors and charges"],
    ["limits", "Limits"],
    ["agents", "A2A and MCP"],
    // Only where payments are simulated.
    ["triggers", "Test triggers"],
  ].flatMap(([id = "", title = ""]) => {
    const document = sectionOf(llmsFull, title)
    return document === "" ? [] : [{ id, title, blocks: [{ document }] }]
  }),
})

const quickstartPage = (name: string, note: string, text: string): Page => ({
  name,
  description: `Quickstart for Bellwether: ${note}.`,
  above: "[Documentation](/docs)",
  lead: `For ${note}.`,
  blocks: name.endsWith(".md") ? [{ document: text.replace(/^# .*\n/, "") }] : [
    `Without a browser this address returns the plain file: \`curl -O …${paths.quickstarts}${name}\``,
    { code: text },
  ],
})
