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
import { type Inline, words } from "./text.tsx"

/** Rows of one kind; the first cell of a row names it. On a phone each row is a stack of its cells. */
interface Table {
  readonly caption: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<Child>>
}

/** A box of a grid; its title is a heading. */
export interface Card {
  readonly title: Inline
  readonly blocks: ReadonlyArray<Block>
}

/** What a section is made of. A text alone is a paragraph. */
export type Block =
  | Inline
  | { readonly facts: ReadonlyArray<readonly [name: Child, value: Child]> }
  | { readonly list: ReadonlyArray<Inline> }
  | { readonly cards: ReadonlyArray<Card> }
  /** One click selects all of it. */
  | { readonly code: string }
  /** Markdown of the service's own documents. */
  | { readonly document: string }
  | { readonly table: Table; readonly empty?: Inline }
  /** An image from `charts.tsx`; null while there is nothing to draw, and `empty` is shown. */
  | { readonly plot: Child; readonly caption: Inline; readonly empty?: Inline }
  | { readonly empty: Inline }
  /** What is true now, with a mark in the colour of a variable of the style sheet. */
  | { readonly state: Inline; readonly tone: "good" | "mark" | "bad" }
  /** What few readers need: closed until it is opened. */
  | { readonly folded: string; readonly blocks: ReadonlyArray<Block> }

export interface Section {
  /** The anchor of its title. */
  readonly id: string
  readonly title: Inline
  readonly blocks: ReadonlyArray<Block>
}

export interface Page {
  /** Shown in the tab, without the name of the service. */
  readonly name: string
  /** One sentence for search results and link previews. */
  readonly description: string
  /** The name, if there is none. */
  readonly title?: Inline
  /** What stands before the title. */
  readonly above?: Inline
  /** The first sentences, in large letters; the blocks stand below them. */
  readonly lead?: Inline
  readonly blocks?: ReadonlyArray<Block>
  readonly sections?: ReadonlyArray<Section>
}

/** The page as the content of `<main>`. */
export const PageContent = (
  { page: { name, title = name, above, lead, blocks = [], sections = [] } }: { page: Page },
) => (
  <>
    {above === undefined ? null : <p class="quiet">{words(above)}</p>}
    <h1>{words(title)}</h1>
    {lead === undefined ? null : <p class="lead">{words(lead)}</p>}
    {blocks.map(rendered)}
    {sections.map(({ id, title, blocks }) => (
      <section key={id} aria-labelledby={id}>
        <h2 id={id}>{words(title)}</h2>
        {blocks.map(rendered)}
      </section>
    ))}
  </>
)

function rendered(block: Block): Child {
  if (typeof block === "string" || Array.isArray(block)) return <p>{words(block)}</p>
  if ("facts" in block) {
    return (
      <dl class="facts">
        {block.facts.map(([name, value], at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    )
  }
  if ("list" in block) return <ul>{block.list.map((row, at) => <li key={at}>{words(row)}</li>)}</ul>
  if ("cards" in block) {
    return (
      <ul class="cards">
        {block.cards.map(({ title, blocks }, at) => (
          <li key={at}>
            <h3>{words(title)}</h3>
            {blocks.map(rendered)}
          </li>
        ))}
      </ul>
    )
  }
  if ("code" in block) return <pre><code>{block.code}</code></pre>
  if ("document" in block) return <div class="document">{raw(markdownHtml(block.document))}</div>
  if ("table" in block && block.table.rows.length > 0) return <TableRegion {...block.table} />
  if ("plot" in block && block.plot !== null) {
    return (
      <figure>
        {block.plot}
        <figcaption>{words(block.caption)}</figcaption>
      </figure>
    )
  }
  if ("folded" in block) {
    return (
      <details>
        <summary>{block.folded}</summary>
        {block.blocks.map(rendered)}
      </details>
    )
  }
  if ("state" in block) return <p class={`state ${block.tone}`}>{words(block.state)}</p>
  return <p class="empty">{words(block.empty ?? "")}</p>
}

const TableRegion = ({ caption, columns, rows }: Table) => (
  <div class="scroll stack" role="region" aria-label={caption} tabindex={0}>
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>{columns.map((title) => <th key={title} scope="col">{title}</th>)}</tr>
      </thead>
      <tbody>
        {rows.map(([first, ...cells], row) => (
          <tr key={row}>
            <th scope="row">{first}</th>
            {cells.map((cell, at) => <td key={at} data-label={columns[at + 1]}>{cell}</td>)}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
