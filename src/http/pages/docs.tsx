/**
 * /docs, the quickstarts, the Agent Skill and /contact: the documents of the service as pages.
 *
 * Their Markdown is that of /llms-full.txt and of the documents on the same paths. A page is
 * rendered when it is first requested.
 *
 * @module
 */
import { raw } from "hono/html"
import type { Child } from "hono/jsx"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { usd } from "../../core/domain/money.ts"
import { paths } from "../documents/addresses.ts"
import { quickstarts } from "../documents/docs.ts"
import {
  agentsSection,
  errorsNote,
  errorTable,
  limitsSection,
  type LlmsOptions,
  payingSection,
} from "../documents/llms.ts"
import { testTriggerSection } from "../documents/testTriggers.ts"
import type { PageMeta } from "./layout.tsx"
import type { Documents } from "../documents/documents.ts"
import { markdownHtml } from "./markdown.ts"
import { pagePaths } from "./paths.ts"
import { PaymentFlow } from "./paymentFlow.tsx"

/** What a page of documents is made of. */
export interface DocumentPage {
  readonly meta: PageMeta
  readonly content: () => Child
}

export interface DocsOptions extends LlmsOptions {
  /** The documents as agents get them, by path. */
  readonly documents: Documents
}

/** All these pages. */
export function docsPages(options: DocsOptions): ReadonlyArray<DocumentPage> {
  const { documents } = options
  const text = (path: string) => new TextDecoder().decode(documents.get(path)?.().bytes)
  return [
    { meta: docsMeta, content: () => <DocsPage options={options} /> },
    ...Object.entries(quickstarts).map(([name, [note]]): DocumentPage => {
      const path = `${paths.quickstarts}${name}`
      return {
        meta: {
          path,
          title: `Quickstart: ${name}`,
          description: `Quickstart for Bellwether: ${note}.`,
        },
        content: () => <QuickstartPage name={name} note={note} text={text(path)} />,
      }
    }),
    { meta: contactMeta, content: () => <Markdown text={text(paths.contact)} /> },
    { meta: skillMeta, content: () => <SkillPage text={text(paths.skill)} /> },
  ]
}

const docsMeta: PageMeta = {
  path: pagePaths.docs,
  title: "Documentation",
  description:
    "How to call Bellwether and pay per call with x402: quickstarts, the life of a payment, limits and errors.",
}
const contactMeta: PageMeta = {
  path: paths.contact,
  title: "Contact",
  description: "Whom to write to about wrong data, refunds, outages and security.",
}
const skillMeta: PageMeta = {
  path: paths.skill,
  title: "Agent Skill",
  description: "Bellwether as SKILL.md, for agents that load skills.",
}
function Markdown({ text }: { text: string }) {
  return <div class="document">{raw(markdownHtml(text))}</div>
}

const sections = [
  ["start", "Start here"],
  ["quickstarts", "Quickstarts"],
  ["payment", "How a payment works"],
  ["errors", "Errors"],
  ["limits", "Limits"],
  ["agents", "A2A and MCP"],
  ["more", "Other documents"],
] as const

function Section({ id, children }: { id: typeof sections[number][0]; children: Child }) {
  const title = sections.find(([section]) => section === id)?.[1]
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

function DocsPage({ options }: { options: DocsOptions }) {
  const { terms } = options
  return (
    <>
      <h1>Documentation</h1>
      <p class="lead">
        Every call is a GET that returns JSON. Some calls are free. A paid call is paid for in USDC
        when it is made, with the protocol x402. There is no account and no API key.
      </p>
      <nav class="contents" aria-label="On this page">
        {sections.map(([id, title]) => <a key={id} href={`#${id}`}>{title}</a>)}
      </nav>
      <Section id="start">
        <Start publicBaseUrl={terms.publicBaseUrl} />
      </Section>
      <Section id="quickstarts">
        <p>
          Each one runs as it is, with the address of this service in it. Those that buy read a key
          from the environment and have a spending limit.
        </p>
        <ul>
          {Object.entries(quickstarts).map(([name, [note]]) => (
            <li key={name}>
              <a href={`${paths.quickstarts}${name}`}>{name}</a>: {note}
            </li>
          ))}
        </ul>
      </Section>
      <Section id="payment">
        <Payment options={options} />
      </Section>
      <Section id="errors">
        <Markdown text={`${errorsNote()}\n\n${errorTable()}`} />
      </Section>
      <Section id="limits">
        <Markdown text={limitsSection(options)} />
      </Section>
      <Section id="agents">
        <Markdown text={agentsSection(terms.publicBaseUrl)} />
      </Section>
      <Markdown text={testTriggerSection(options.testTriggers).join("\n\n")} />
      <Section id="more">
        <More />
      </Section>
    </>
  )
}

function Start({ publicBaseUrl }: { publicBaseUrl: string }) {
  const { signals } = products
  return (
    <ol class="cards">
      <li>
        <h3>Read what is free</h3>
        <p>The index says how many items were published. It needs no payment.</p>
        <pre tabindex={0}><code>{`curl ${publicBaseUrl}${freeRows.index.path}`}</code></pre>
      </li>
      <li>
        <h3>See a price</h3>
        <p>A paid call without a payment answers 402 with the price. Nothing is taken.</p>
        <pre tabindex={0}><code>{`curl -i ${publicBaseUrl}${signals.path}`}</code></pre>
      </li>
      <li>
        <h3>Buy one answer</h3>
        <p>
          An x402 client signs the payment and repeats the call: ${usd(signals.price)}{" "}
          for up to 20 items. Start with <a href={`${paths.quickstarts}client.mjs`}>client.mjs</a>,
          {" "}
          <a href={`${paths.quickstarts}python.py`}>python.py</a> or, in Claude,{" "}
          <a href={`${paths.quickstarts}claude.md`}>MCP</a>.
        </p>
      </li>
    </ol>
  )
}

const names = (order: string) =>
  Object.values(products).filter(({ settlementOrder }) => settlementOrder === order)
    .map(({ path }) => path)

function Paths({ list }: { list: ReadonlyArray<string> }) {
  return (
    <>
      {list.map((path, at) => (
        <>
          {at === 0 ? "" : ", "}
          <code key={path}>{path}</code>
        </>
      ))}
    </>
  )
}

function Payment({ options }: { options: DocsOptions }) {
  return (
    <>
      <p>
        You sign a permission to move an exact amount of USDC; the service submits it. You need no
        gas. A call without an answer costs nothing: its payment is not taken, or it is refunded.
        {" "}
        <code>charged</code> in every error says which.
      </p>
      <div class="flows">
        <figure>
          <PaymentFlow order="compute-first" title="Paid after the answer is computed" />
          <figcaption>
            Computed first, then paid: <Paths list={names("compute-first")} />.
          </figcaption>
        </figure>
        <figure>
          <PaymentFlow order="settle-early" title="Paid before the answer is computed" />
          <figcaption>
            Paid first, because computing is expensive; refunded if it fails:{" "}
            <Paths list={names("settle-early")} />.
          </figcaption>
        </figure>
      </div>
      <details>
        <summary>Every step, with the fields to sign</summary>
        <Markdown text={payingSection(options.terms).replace(/^## .*\n/, "")} />
      </details>
    </>
  )
}

function More() {
  const links = [
    [pagePaths.api, "API reference", "every path with its parameters, answers and errors"],
    [paths.openApi, "openapi.json", "the calls that an agent buys with, for generators"],
    [paths.openApiService, "openapi/service.json", "the other paths, for generators"],
    [paths.llmsFull, "llms-full.txt", "all of this as one text for a language model"],
    [paths.skill, "Agent Skill", "the service as SKILL.md"],
    [paths.mcpCard, "MCP server card", `MCP is at ${paths.mcp}`],
    [paths.agentCard, "A2A agent card", `A2A is at ${paths.a2a}`],
    [pagePaths.pricing, "Pricing", "what each call costs"],
    [freeRows.terms_text.path, "Terms", "what you accept by paying"],
    [paths.contact, "Contact", "who answers which question"],
  ] as const
  return (
    <ul>
      {links.map(([path, name, note]) => (
        <li key={path}>
          <a href={path}>{name}</a>: {note}
        </li>
      ))}
    </ul>
  )
}

function QuickstartPage({ name, note, text }: { name: string; note: string; text: string }) {
  return (
    <>
      <p class="quiet">
        <a href={`${pagePaths.docs}#quickstarts`}>All quickstarts</a>
      </p>
      <h1>{name}</h1>
      <p class="lead">For {note}.</p>
      {name.endsWith(".md") ? <Markdown text={text.replace(/^# .*\n/, "")} /> : (
        <>
          <p>
            Without a browser this address returns the plain file:{" "}
            <code>{`curl -O …${paths.quickstarts}${name}`}</code>
          </p>
          <pre tabindex={0}><code>{text}</code></pre>
        </>
      )}
    </>
  )
}

/** The front matter of a skill is data for hosts, so it is shown as code. */
function SkillPage({ text }: { text: string }) {
  const [, data = "", body = text] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? []
  return (
    <>
      <Markdown text={body} />
      {data === "" ? null : (
        <details>
          <summary>Front matter</summary>
          <pre tabindex={0}><code>{data}</code></pre>
        </details>
      )}
    </>
  )
}
