/**
 * /docs, the quickstarts, the Agent Skill and /contact: the documents of the service as pages.
 *
 * Their Markdown is that of /llms-full.txt and of the documents on the same paths.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { usd } from "../../core/domain/money.ts"
import { documentRows, paths } from "../documents/addresses.ts"
import { quickstarts } from "../documents/docs.ts"
import type { Documents } from "../documents/documents.ts"
import { type LlmsOptions, sectionOf } from "../documents/llms.ts"
import type { PageMeta } from "./layout.tsx"
import { pagePaths } from "./paths.ts"
import { paymentCards } from "./payment.ts"
import type { Block, Page, Section } from "./sections.tsx"
import { code, link, say } from "./text.tsx"

/** A page that shows no data. */
interface FixedPage {
  readonly meta: PageMeta
  readonly content: () => Page
}

export interface DocsOptions extends LlmsOptions {
  /** The documents as agents get them, by path. */
  readonly documents: Documents
}

/** All these pages. */
export function docsPages(options: DocsOptions): ReadonlyArray<FixedPage> {
  const text = (path: string) => new TextDecoder().decode(options.documents.get(path)?.().bytes)
  return [
    {
      meta: docsMeta,
      content: () => docsPage(options.terms.publicBaseUrl, text(paths.llmsFull)),
    },
    ...Object.entries(quickstarts).map(([name, [note]]): FixedPage => {
      const path = `${paths.quickstarts}${name}`
      const description = `Quickstart for Bellwether: ${note}.`
      return {
        meta: { path, title: `Quickstart: ${name}`, description },
        content: () => quickstartPage(name, note, text(path)),
      }
    }),
    {
      meta: {
        path: paths.contact,
        title: "Contact",
        description: "Whom to write to about wrong data, refunds, outages and security.",
      },
      content: () => documentPage(text(paths.contact)),
    },
    {
      meta: {
        path: paths.skill,
        title: "Agent Skill",
        description: "Bellwether as SKILL.md, for agents that load skills.",
      },
      content: () => skillPage(text(paths.skill)),
    },
  ]
}

const docsMeta: PageMeta = {
  path: pagePaths.docs,
  title: "Documentation",
  description:
    "How to call Bellwether and pay per call with x402: quickstarts, the life of a payment, limits and errors.",
}

/** A document with its own title. */
function documentPage(text: string, blocks: ReadonlyArray<Block> = []): Page {
  const [, title = "", body = text] = /^\s*# (.*)\n([^]*)$/.exec(text) ?? []
  return { title, blocks: [{ document: body }, ...blocks], sections: [] }
}

/** Only where payments are simulated. */
const triggers = "Test triggers"

/** The page, with sections of /llms-full.txt. */
function docsPage(publicBaseUrl: string, llmsFull: string): Page {
  const section = (title: string) => ({ document: sectionOf(llmsFull, title) })
  const sections: ReadonlyArray<Section> = [
    { id: "start", title: "Start here", blocks: start(publicBaseUrl) },
    {
      id: "quickstarts",
      title: "Quickstarts",
      blocks: [
        "Each one runs as it is, with the address of this service in it. Those that buy read a key from the environment and have a spending limit.",
        {
          list: Object.entries(quickstarts).map(([name, [note]]) =>
            say`${link(`${paths.quickstarts}${name}`, name)}: ${note}`
          ),
        },
      ],
    },
    {
      id: "payment",
      title: "How a payment works",
      blocks: [
        say`You sign a permission to move an exact amount of USDC; the service submits it. You need no gas. A call without an answer costs nothing: its payment is not taken, or it is refunded. ${
          code("charged")
        } in every error says which.`,
        { cards: paymentCards },
        {
          folded: "Every step, with the fields to sign",
          blocks: [section("How to pay")],
        },
      ],
    },
    { id: "errors", title: "Errors", blocks: [section("Errors and charges")] },
    { id: "limits", title: "Limits", blocks: [section("Limits")] },
    { id: "agents", title: "A2A and MCP", blocks: [section("A2A and MCP")] },
    ...(sectionOf(llmsFull, triggers) === ""
      ? []
      : [{ id: "triggers", title: triggers, blocks: [section(triggers)] }]),
    { id: "more", title: "Other documents", blocks: [more] },
  ]
  return {
    title: "Documentation",
    lead:
      "Every call is a GET that returns JSON. Some calls are free. A paid call is paid for in USDC when it is made, with the protocol x402. There is no account and no API key.",
    blocks: [{ links: sections.map(({ id, title }) => [`#${id}`, String(title)]) }],
    sections,
  }
}

const start = (publicBaseUrl: string): ReadonlyArray<Block> => [{
  cards: [
    {
      title: "Read what is free",
      blocks: [
        "The index says how many items were published. It needs no payment.",
        { label: "Free call", code: `curl ${publicBaseUrl}${freeRows.index.path}` },
      ],
    },
    {
      title: "See a price",
      blocks: [
        "A paid call without a payment answers 402 with the price. Nothing is taken.",
        { label: "Unpaid call", code: `curl -i ${publicBaseUrl}${products.signals.path}` },
      ],
    },
    {
      title: "Buy one answer",
      blocks: [
        say`An x402 client signs the payment and repeats the call: $${
          usd(products.signals.price)
        } for up to 20 items. Start with [client.mjs](/docs/quickstart/client.mjs), [python.py](/docs/quickstart/python.py) or, in Claude, [MCP](/docs/quickstart/claude.md).`,
      ],
    },
  ],
}]

const more: Block = {
  list: [
    {
      path: pagePaths.api,
      title: "API reference",
      description: "Every path with its parameters, answers and errors.",
    },
    { path: pagePaths.pricing, title: "Pricing", description: "What each call costs." },
    freeRows.terms_text,
    ...documentRows,
  ].map(({ path, title, description }) => say`${link(path, title)}: ${description}`),
}

function quickstartPage(name: string, note: string, text: string): Page {
  return {
    above: [link(`${pagePaths.docs}#quickstarts`, "All quickstarts")],
    title: name,
    lead: `For ${note}.`,
    blocks: name.endsWith(".md") ? [{ document: text.replace(/^# .*\n/, "") }] : [
      say`Without a browser this address returns the plain file: ${
        code(`curl -O …${paths.quickstarts}${name}`)
      }`,
      { label: name, code: text },
    ],
    sections: [],
  }
}

/** The front matter of a skill is data for hosts, so it is shown as code. */
function skillPage(text: string): Page {
  const [, data = "", body = text] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? []
  return documentPage(
    body,
    data === ""
      ? []
      : [{ folded: "Front matter", blocks: [{ label: "Front matter", code: data }] }],
  )
}
