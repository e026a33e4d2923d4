/**
 * Markdown of the service's own documents as HTML, with anchors on its headings.
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
  readonly #slugs = new Map<string, number>()
  /** Names the table that follows. */
  #heading = "Table"

  override heading({ depth, tokens }: Tokens.Heading): string {
    const content = this.parser.parseInline(tokens)
    if (depth === 1) return `<h1>${content}</h1>\n`
    this.#heading = content.replaceAll(/<[^>]*>|"/g, "")
    const slug = slugOf(this.#heading)
    const count = this.#slugs.get(slug) ?? 0
    this.#slugs.set(slug, count + 1)
    const id = count === 0 ? slug : `${slug}-${count}`
    return `<h${depth} id="${id}">${content}</h${depth}>\n`
  }

  /** A wide table scrolls in its own region, and so does code. */
  override table(table: Tokens.Table): string {
    const html = super.table(table).replaceAll(/<th(?=[ >])/g, '<th scope="col"')
    return `<div class="scroll" role="group" aria-label="${this.#heading}" tabindex="0">` +
      `${html.trimEnd()}</div>\n`
  }

  override code(code: Tokens.Code): string {
    return super.code(code).replace("<pre>", '<pre tabindex="0">')
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

/** The id that a heading gets on the common hosts of Git. */
function slugOf(heading: string): string {
  return heading.toLowerCase().replace(/&#?\w+;/g, "").replace(/[^\w\- ]/g, "").replaceAll(" ", "-")
}
