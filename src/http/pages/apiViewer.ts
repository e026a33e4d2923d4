/**
 * /docs/api: /openapi.json in Swagger UI, on the one page that has a script.
 *
 * The script and its style are files of a pinned package. They are read and compressed at their first
 * request.
 *
 * @module
 */
import { prepared } from "../../core/domain/prepared.ts"
import { paths } from "../documents/addresses.ts"
import { type Answer, answer, type HeaderPair } from "../server/answer.ts"
import type { FreeRoute } from "../server/route.ts"
import type { RateLimiter } from "../server/limits.ts"
import { apiFiles, pagePaths } from "./paths.ts"

/** Only files of this origin are loaded, and the viewer connects to this origin alone. */
const headers: ReadonlyArray<HeaderPair> = [
  [
    "content-security-policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["permissions-policy", "camera=(), geolocation=(), microphone=()"],
]

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Every path of Bellwether with its parameters, answers and errors.">
<title>API reference · Bellwether</title>
<link rel="icon" href="${paths.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${apiFiles.style}">
</head>
<body class="swagger-ui">
<main>
<nav class="wrapper" aria-label="Documents">
<p><a href="${pagePaths.docs}">Documentation of Bellwether</a></p>
<noscript><p>This page needs a script. The same as text:
<a href="${paths.openApi}">openapi.json</a>, <a href="${paths.llmsFull}">llms-full.txt</a>.</p></noscript>
</nav>
<div id="viewer"></div>
</main>
<script src="${apiFiles.script}"></script>
<script src="${apiFiles.start}"></script>
</body>
</html>
`

/** By default the viewer sends the address of each document to a validator on another host. */
const start = `const dark = matchMedia("(prefers-color-scheme: dark)")
dark.onchange = () => document.documentElement.classList.toggle("dark-mode", dark.matches)
dark.onchange()
SwaggerUIBundle({
  dom_id: "#viewer",
  url: "${paths.openApi}",
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
})
`

/** The page and its files, by path. */
export function apiViewer(limiter: RateLimiter): ReadonlyArray<readonly [string, FreeRoute]> {
  const script = "text/javascript; charset=utf-8"
  const page = answer({
    body: html,
    contentType: "text/html; charset=utf-8",
    cache: "page",
    headers,
  })
  const packed = (
    contentType: string,
    load: () => Promise<{ default: Uint8Array<ArrayBuffer> }>,
  ) => ({
    limiter,
    current: prepared(async () => compressed((await load()).default, contentType)),
  })
  const startFile = answer({ body: start, contentType: script, cache: "document" })
  return [
    [pagePaths.api, { limiter, current: () => page }],
    [apiFiles.start, { limiter, current: () => startFile }],
    [
      apiFiles.script,
      packed(
        script,
        () => import("swagger-ui-dist/swagger-ui-bundle.js", { with: { type: "bytes" } }),
      ),
    ],
    [
      apiFiles.style,
      packed(
        "text/css; charset=utf-8",
        () => import("swagger-ui-dist/swagger-ui.css", { with: { type: "bytes" } }),
      ),
    ],
  ]
}

const pieceBytes = 65_536

/**
 * A large file in the one encoding that every browser accepts. Compressing it takes 130 ms, so it is
 * done in pieces, and other requests are answered between them.
 */
async function compressed(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<Answer> {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      yield bytes.subarray(at, at + pieceBytes)
      await new Promise((resolve) => setTimeout(resolve))
    }
  }
  const body = await new Response(
    ReadableStream.from(pieces()).pipeThrough(new CompressionStream("gzip")),
  ).bytes()
  return answer({
    body,
    contentType,
    cache: "document",
    headers: [["content-encoding", "gzip"]],
  })
}
