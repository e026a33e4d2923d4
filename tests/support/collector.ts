/**
 * An OpenTelemetry collector on a real socket (OTLP over HTTP, JSON), which can misbehave.
 *
 * @module
 */
import { Effect } from "effect"

/** How it answers. `silent` never answers; `endless` sends a body that does not end. */
export type Behaviour =
  | "accepts"
  | "fails"
  | "refuses"
  | "redirects"
  | "silent"
  | "garbage"
  | "endless"

export interface CollectedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: ReadonlyArray<string>
  readonly failed: boolean
}

export interface Collector {
  readonly url: string
  /** The spans that it accepted, in the order of their arrival. */
  readonly spans: Array<CollectedSpan>
  /** The texts of all requests, accepted or not. */
  readonly bodies: Array<string>
  readonly headers: Array<Headers>
  behaviour: Behaviour
}

/** A collector, until the scope closes. */
export const startCollector = Effect.fnUntraced(function* (behaviour: Behaviour = "accepts") {
  const stop = new AbortController()
  const collector: Collector = { url: "", spans: [], bodies: [], headers: [], behaviour }
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: stop.signal },
        (request) => answer(collector, request),
      )
    ),
    () => Effect.sync(() => stop.abort()),
  )
  return Object.assign(collector, { url: `http://127.0.0.1:${server.addr.port}` })
})

async function answer(collector: Collector, request: Request): Promise<Response> {
  const body = await request.text()
  collector.bodies.push(body)
  collector.headers.push(request.headers)
  switch (collector.behaviour) {
    case "accepts":
      collector.spans.push(...spansOf(body))
      return Response.json({})
    case "garbage":
      collector.spans.push(...spansOf(body))
      return new Response("\u0000<html>{{{", { headers: { "content-type": "application/json" } })
    case "endless":
      collector.spans.push(...spansOf(body))
      return new Response(
        new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) }),
      )
    case "fails":
      return new Response("down", { status: 503 })
    case "refuses":
      return new Response("no", { status: 400 })
    case "redirects":
      return new Response(null, { status: 307, headers: { location: "http://127.0.0.1:1/" } })
    case "silent":
      return new Promise(() => {})
  }
}

interface WireSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<{ key: string; value: Record<string, unknown> }>
  readonly links: ReadonlyArray<{ traceId: string }>
  readonly status: { code: number }
}

function spansOf(body: string): ReadonlyArray<CollectedSpan> {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: ReadonlyArray<{ scopeSpans: ReadonlyArray<{ spans: ReadonlyArray<WireSpan> }> }>
  }
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)).map(
    ({ name, traceId, spanId, parentSpanId = null, attributes, links, status }) => ({
      ...{ name, traceId, spanId, parentSpanId },
      attributes: Object.fromEntries(
        attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
      ),
      links: links.map(({ traceId }) => traceId),
      failed: status.code === 2,
    }),
  )
}

/** The spans of a trace as lines of text: each step under its parent, by their names. */
export function treeOf(
  spans: ReadonlyArray<CollectedSpan>,
  label: (span: CollectedSpan) => string = ({ name }) => name,
  parent: string | null = null,
  depth = 0,
): ReadonlyArray<string> {
  return spans.filter(({ parentSpanId }) => parentSpanId === parent).flatMap((span) => [
    `${"  ".repeat(depth)}${label(span)}`,
    ...treeOf(spans, label, span.spanId, depth + 1),
  ])
}
