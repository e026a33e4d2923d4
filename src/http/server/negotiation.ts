/**
 * Which answer a client prefers: proactive negotiation over `Accept` and `Accept-Encoding` (RFC 9110
 * 12.5), by the parser that Express and others use.
 *
 * @module
 */
import Negotiator from "negotiator"

/** What a path with a page answers, in the order of a tie: agents' types are first. */
const offered = ["text/plain", "text/markdown", "application/json", "text/html"]

/**
 * True only where `text/html` is named, and preferred to every other text and to JSON. A client
 * without `Accept`, or with the range of all types alone, gets what agents get.
 */
export function prefersHtml(accept: string | null): boolean {
  // Most agents end here.
  if (accept === null || !accept.toLowerCase().includes("text/html")) return false
  return new Negotiator({ headers: { accept } }).mediaTypes(offered)[0] === "text/html"
}

/** Whether `Accept-Encoding` allows gzip. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  if (!acceptEncoding) return false
  const negotiator = new Negotiator({ headers: { "accept-encoding": acceptEncoding } })
  return negotiator.encodings(["gzip"])[0] === "gzip"
}
