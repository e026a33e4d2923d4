/**
 * A page as data, and the one renderer that makes HTML of it.
 *
 * A page is a title, a first sentence and a list of sections; a section is a title and a list of blocks.
 * The pages know no HTML but that of their words (`text.tsx`).
 *
 * @module
 */
import { raw } from "hono/html"
import type { Child } from "hono/jsx"
import { markdownHtml } from "./markdown.ts"
import type { Inline } from "./text.tsx"

interface Column {
  readonly title: string
  readonly numeric?: boolean
}

/** Rows of one kind; the first cell of a row names it. On a phone each row is a stack of its cells. */
interface Table {
  readonly caption: string
  readonly columns: ReadonlyArray<Column>
  readonly rows: ReadonlyArray<ReadonlyArray<Child>>
}

/** A box of a grid; its title is a heading. */
export interface Card {
  readonly id?: string
  readonly title: Inline
  readonly blocks: ReadonlyArray<Block>
}

/** What a section is made of. A text alone is a paragraph. */
export type Block =
  | Inline
  | { readonly facts: ReadonlyArray<readonly [name: Child, value: Child]> }
  | { readonly terms: ReadonlyArray<readonly [term: Child, text: Inline]> }
  | { readonly list: ReadonlyArray<Inline>; readonly numbered?: boolean }
  | { readonly cards: ReadonlyArray<Card> }
  | { readonly links: ReadonlyArray<readonly [path: string, text: string]> }
  | { readonly code: string; readonly label: string }
  /** Markdown of the service's own documents. */
  | { readonly document: string }
  | { readonly table: Table; readonly empty?: Inline }
  /** An image from `charts.ts`; null while there is nothing to draw, and `empty` is shown. */
  | { readonly plot: string | null; readonly caption: Inline; readonly empty?: Inline }
  | { readonly empty: Inline }
  | { readonly small: Inline }
  | { readonly notice: Inline }
  /** What is true now, with a mark in the colour of a variable of the style sheet. */
  | { readonly state: Inline; readonly tone: "good" | "mark" | "bad" }
  /** What few readers need: closed until it is opened. */
  | { readonly folded: string; readonly blocks: ReadonlyArray<Block> }
  /** Where the same numbers are as JSON. */
  | { readonly json: ReadonlyArray<string> }

export interface Section {
  /** The anchor of its title. */
  readonly id: string
  readonly title: Inline
  readonly blocks: ReadonlyArray<Block>
}

export interface Page {
  readonly title: Inline
  /** What stands before the title. */
  readonly above?: Inline
  /** The first sentences, in large letters; the blocks stand below them. */
  readonly lead?: Inline
  readonly blocks?: ReadonlyArray<Block>
  /** Next to the lead where there is room. */
  readonly aside?: Section
  readonly sections: ReadonlyArray<Section>
}

/** The page as the content of `<main>`. */
export function PageContent({ page }: { page: Page }) {
  const { title, above, lead, blocks = [], aside, sections } = page
  return (
    <>
      <div class={aside === undefined ? undefined : "hero"}>
        <div>
          {above === undefined ? null : <p class="quiet">{above}</p>}
          <h1>{title}</h1>
          {lead === undefined ? null : <p class="lead">{lead}</p>}
          {blocks.map(rendered)}
        </div>
        {aside === undefined ? null : <Sectioned section={aside} />}
      </div>
      {sections.map((section) => <Sectioned key={section.id} section={section} />)}
    </>
  )
}

const Sectioned = ({ section: { id, title, blocks } }: { section: Section }) => (
  <section aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {blocks.map(rendered)}
  </section>
)

function rendered(block: Block): Child {
  if (typeof block === "string" || Array.isArray(block)) return <p>{block}</p>
  if ("facts" in block) return <Terms name="facts" rows={block.facts} />
  if ("terms" in block) return <Terms name="terms" rows={block.terms} />
  if ("list" in block) {
    const rows = block.list.map((row, at) => <li key={at}>{row}</li>)
    return block.numbered === true ? <ol>{rows}</ol> : <ul>{rows}</ul>
  }
  if ("cards" in block) return <ul class="cards">{block.cards.map(CardItem)}</ul>
  if ("links" in block) {
    return (
      <nav class="contents" aria-label="On this page">
        {block.links.map(([path, text]) => <a key={path} href={path}>{text}</a>)}
      </nav>
    )
  }
  if ("code" in block) return <Code {...block} />
  if ("document" in block) return <div class="document">{raw(markdownHtml(block.document))}</div>
  if ("table" in block) {
    const { table, empty } = block
    return table.rows.length === 0 && empty !== undefined
      ? <p class="empty">{empty}</p>
      : <TableRegion {...table} />
  }
  if ("plot" in block) return <Plot {...block} />
  if ("folded" in block) {
    return (
      <details>
        <summary>{block.folded}</summary>
        {block.blocks.map(rendered)}
      </details>
    )
  }
  if ("json" in block) {
    return (
      <p class="quiet small">
        As JSON: {block.json.map((path, at) => (
          <>
            {at === 0 ? "" : ", "}
            <a href={path}>{path}</a>
          </>
        ))}
      </p>
    )
  }
  if ("empty" in block) return <p class="empty">{block.empty}</p>
  if ("state" in block) return <p class={`state ${block.tone}`}>{block.state}</p>
  if ("small" in block) return <p class="quiet small">{block.small}</p>
  return <p class="notice">{block.notice}</p>
}

const Terms = ({ name, rows }: {
  name: "facts" | "terms"
  rows: ReadonlyArray<readonly [Child, Child]>
}) => (
  <dl class={name}>
    {rows.map(([term, text], at) => (
      <div key={at}>
        <dt>{term}</dt>
        <dd>{text}</dd>
      </div>
    ))}
  </dl>
)

const CardItem = ({ id, title, blocks }: Card) => (
  <li id={id}>
    <h3>{title}</h3>
    {blocks.map(rendered)}
  </li>
)

/** Code that scrolls sideways, also by keyboard; one click selects all of it. */
const Code = ({ code, label }: { code: string; label: string }) => (
  <pre tabindex={0} role="region" aria-label={label}><code>{code}</code></pre>
)

function Plot({ plot, caption, empty }: Extract<Block, { readonly plot: string | null }>) {
  if (plot === null) return <p class="empty">{empty}</p>
  return (
    <figure>
      <div class="chart">{raw(plot)}</div>
      <figcaption>{caption}</figcaption>
    </figure>
  )
}

function TableRegion({ caption, columns, rows }: Table) {
  return (
    <div class="scroll stack" role="region" aria-label={caption} tabindex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, numeric }) => (
              <th key={title} scope="col" class={numeric ? "number" : undefined}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, at) => <Cell key={at} at={at} column={columns[at]} cell={cell} />)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Cell = (
  { at, column, cell }: { at: number; column: Column | undefined; cell: Child },
) =>
  at === 0 ? <th scope="row">{cell}</th> : (
    <td class={column?.numeric ? "number" : undefined} data-label={column?.title}>{cell}</td>
  )

/** Columns of numbers after a first one that names the row. */
export const columns = (first: string, ...numbers: ReadonlyArray<string>): Table["columns"] => [
  { title: first },
  ...numbers.map((title) => ({ title, numeric: true })),
]

/** A small image within a cell. */
export const image = (svg: string): Child => <span class="spark">{raw(svg)}</span>
