/**
 * Markdown of the service's own documents as HTML, with anchors on its headings.
 *
 * Raw HTML in the Markdown is shown as text, and an address of another scheme than http, https or
 * mailto is dropped: both are the renderer's defaults. Of GitHub's extensions only tables are read,
 * because an address with a placeholder must not become a link.
 *
 * @module
 */
import { micromark } from "micromark"
import { gfmTable, gfmTableHtml } from "micromark-extension-gfm-table"

/** Links to files of the repository, which the service does not serve. */
const repositoryLink = /<a href="(?!https?:|mailto:|[/#])[^"]*">(.*?)<\/a>/g

/** The document as HTML. A wide table scrolls in its own region, and so does code. */
export function markdownHtml(markdown: string): string {
  const html = micromark(markdown, {
    extensions: [gfmTable()],
    htmlExtensions: [gfmTableHtml()],
  })
  const slugs = new Map<string, number>()
  let heading = "Table"
  return html
    .replace(repositoryLink, "$1")
    .replaceAll("<pre>", '<pre tabindex="0">')
    .replaceAll(/<th(?=[ >])/g, '<th scope="col"')
    .replaceAll("</table>", "</table></div>")
    .replaceAll(/<h([2-6])>(.*?)<\/h\1>|<table>/g, (found, level: string, content: string) => {
      if (found === "<table>") {
        return `<div class="scroll" role="group" aria-label="${heading}" tabindex="0"><table>`
      }
      heading = content.replaceAll(/<[^>]*>|"/g, "")
      const slug = slugOf(heading)
      const count = slugs.get(slug) ?? 0
      slugs.set(slug, count + 1)
      return `<h${level} id="${count === 0 ? slug : `${slug}-${count}`}">${content}</h${level}>`
    })
}

/** The id that a heading gets on the common hosts of Git. */
function slugOf(heading: string): string {
  return heading.toLowerCase().replace(/&\w+;/g, "").replace(/[^\w\- ]/g, "").replaceAll(" ", "-")
}
