/**
 * Which methods a path answers, and what a preflight says.
 *
 * @module
 */
import { commonHeaders, type HeaderPair } from "./answer.ts"

const reading = ["GET", "HEAD", "OPTIONS"]
const readingAndPosting = [...reading, "POST"]
const posting = ["OPTIONS", "POST"]

/** The methods of a path; of one that is unknown, those of most. */
export function methodsOf(
  route: { readonly current: unknown; readonly post?: unknown } | undefined,
): ReadonlyArray<string> {
  if (route?.post === undefined) return reading
  return route.current === null ? posting : readingAndPosting
}

const requestHeaders = "Content-Type, Accept, Authorization, PAYMENT-SIGNATURE, X-PAYMENT, " +
  "Access-Control-Expose-Headers, If-None-Match, X-Request-Id, Idempotency-Key, A2A-Version, " +
  "A2A-Extensions, X-A2A-Extensions, MCP-Protocol-Version, Mcp-Method, Mcp-Name"

/** The headers of the answer to OPTIONS. */
export function preflight(methods: ReadonlyArray<string>): ReadonlyArray<HeaderPair> {
  return [
    ...commonHeaders,
    ["allow", methods.join(", ")],
    ["access-control-allow-methods", methods.join(", ")],
    ["access-control-allow-headers", requestHeaders],
    ["access-control-max-age", "86400"],
  ]
}
