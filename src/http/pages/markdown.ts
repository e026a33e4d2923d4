/**
 * Markdown of the service's own documents as HTML.
 *
 * Raw HTML in the Markdown is shown as text. A link leads to http, https, mailto or the service; the
 * text of any other one stays. An address that is not written as a link is none, because one with a
 * placeholder must not become one.
 *
 * @module
 */
import { Marked, Renderer, type Tokens } from "marked"

/** What a link may lead to: links to files of the repository are not served. */
const served = /^(?:https?:|mailto:|[/#])/i

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** Writes one document. */
class DocumentRenderer extends Renderer {
  /** Names the table that follows. */
  #heading = "Table"

  override heading({ depth, tokens }: Tokens.Heading): string {
    const content = this.parser.parseInline(tokens)
    if (depth === 1) return `<h1>${content}</h1>\n`
    this.#heading = content.replaceAll(/<[^>]*>|"/g, "")
    return `<h${depth}>${content}</h${depth}>\n`
  }

  /** A wide table scrolls in its own region. */
  override table(table: Tokens.Table): string {
    const html = super.table(table).replaceAll(/<th(?=[ >])/g, '<th scope="col"')
    return `<div class="scroll" role="group" aria-label="${this.#heading}" tabindex="0">` +
      `${html.trimEnd()}</div>\n`
  }

  override link({ href, tokens }: Tokens.Link): string {
    const content = this.parser.parseInline(tokens)
    return served.test(href) ? `<a href="${escaped(href)}">${content}</a>` : content
  }

  override image({ text }: Tokens.Image): string {
    return escaped(text)
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return escaped(text)
  }
}

/** What these would read stays text. */
const reader = new Marked({
  tokenizer: { html: () => undefined, tag: () => undefined, url: () => undefined },
})

/** The document as HTML. */
export const markdownHtml = (markdown: string): string =>
  reader.parse(markdown, { async: false, renderer: new DocumentRenderer() })
