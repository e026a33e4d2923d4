/**
 * Effect handlers on Deno's own HTTP server.
 *
 * Unlike Effect's generic web handler it keeps the peer's address, copies no headers, and reads
 * `request.signal` only while a handler is pending, because reading it slows every answer.
 *
 * @module
 */
import {
  Context,
  Duration,
  Effect,
  type Fiber,
  Metric,
  Option,
  References,
  Schedule,
  Schema,
  type Scope,
  Tracer,
} from "effect"
import {
  HttpBody,
  HttpEffect,
  HttpMiddleware,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse,
  HttpTraceContext,
} from "effect/http"
import { TestCall } from "../../core/testCall.ts"
import { annotate, inTrace } from "../../core/tracing.ts"
import { acceptedEncoding, encode, encodedBytesMin } from "./encoding.ts"
import { RequestId } from "./errors.ts"

/** The posted body, or why it could not be read. */
export type Body =
  | { readonly bytes: ArrayBuffer }
  | { readonly fault: "too large" | "late" | "unreadable" }

/** The posted body of the current request, where its route reads it. */
export const RequestBody = Context.Reference<Body | null>("bellwether/http/RequestBody", {
  defaultValue: () => null,
})

/** What the edge passes to a handler with a request. */
export interface RequestMeta {
  readonly requestId: string
  /** The client's address, behind the trusted proxies. */
  readonly clientAddress: string
  /** The trigger that the request names; null without one. */
  readonly testTrigger: string | null
  /** The posted body, where the route reads it; else null. */
  readonly body: Body | null
  /** Set by a test trigger: the connection is closed instead of an answer. */
  isClosed?: boolean
  /** Set by the handler: runs when its answer was delivered on a live connection. */
  onDelivered?: () => void
}

/**
 * Runs an effect when the answer was delivered on a live connection; at once where there is no
 * socket.
 */
export const onDelivered = Context.Reference<
  (effect: Effect.Effect<void>) => Effect.Effect<void>
>("bellwether/http/onDelivered", { defaultValue: () => (effect) => effect })

/** An Effect handler, as a function of web requests. */
export type WebHandler = (request: Request, meta: RequestMeta) => Promise<Response>

/** The sender of a request, as the socket knows it. */
export interface Peer {
  readonly remoteAddr: Deno.Addr
  /** Settles when the answer was sent or the client left; absent where there is no socket. */
  readonly completed?: Promise<void>
}

/** The listener cannot bind its address. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  hostname: Schema.String,
  port: Schema.Int,
  reason: Schema.String,
}) {}

const resolver = Symbol("bellwether/http/server/resolver")
interface Pending {
  [resolver]?: (response: Response) => void
}

/** A handler: it needs its request, a scope, and the services it was built with. */
type App<E, R> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  R | HttpServerRequest.HttpServerRequest | Scope.Scope
>

interface HandlerOptions {
  /**
   * Sends long answers in gzip where the client asks for it. Not where a body has a secret next to
   * text of others, as the id of an A2A task: the length of the gzip depends on both.
   */
  readonly gzip?: boolean
}

/** Runs `app` once per web request, in its own fiber. */
export const toWebHandler = <E>(
  app: App<E, never>,
  { gzip = false }: HandlerOptions = {},
): Effect.Effect<WebHandler> =>
  Effect.contextWith((given: Context.Context<never>) => {
    // Effect's own span would adopt the trace of any client, and export headers.
    const services = Context.add(given, HttpMiddleware.TracerDisabledWhen, () => true)
    const isTraced = Context.get(services, Tracer.Tracer) !== Tracer.nativeTracer
    // `toHandled` makes its effect uninterruptible; outside Effect's router that must be undone
    // here.
    const handled = HttpEffect.toHandled(
      Effect.interruptible(isTraced ? traced(app) : app),
      (request, response) => {
        const withoutBody = request.method === "HEAD"
        const encoded = gzip ? inGzip(response, request.headers["accept-encoding"]) : response
        const sent = HttpServerResponse.omitsBody(encoded, withoutBody)
          ? encoded
          : HttpEffect.scopeTransferToStream(encoded)
        const pending: Pending = request as HttpServerRequest.HttpServerRequest & Pending
        pending[resolver]?.(HttpServerResponse.toWeb(sent, { withoutBody, context: services }))
        return Effect.void
      },
    )
    return Effect.succeed((request: Request, meta: RequestMeta) =>
      new Promise<Response>((resolve) => {
        const incoming = HttpServerRequest.fromWeb(request).modify({
          remoteAddress: Option.some(meta.clientAddress),
        })
        Object.assign(incoming, { [resolver]: resolve } satisfies Pending)
        const runLater = (effect: Effect.Effect<void>) =>
          Effect.sync(() => {
            meta.onDelivered = () => {
              Effect.runForkWith(services)(effect)
            }
          })
        const fiber = Effect.runForkWith(
          services.pipe(
            Context.add(RequestBody, meta.body),
            Context.add(HttpServerRequest.HttpServerRequest, incoming),
            Context.add(RequestId, meta.requestId),
            Context.add(References.CurrentLogAnnotations, { requestId: meta.requestId }),
            Context.add(onDelivered, runLater),
            Context.add(TestCall, {
              trigger: meta.testTrigger,
              close: Effect.sync(() => {
                meta.isClosed = true
              }),
            }),
          ),
        )(handled)
        if (fiber.pollUnsafe() === undefined) abortWith(request.signal, fiber)
      })
    )
  })

/** One trace for each request. The handler's path is one of ours, so it has few values. */
const traced = <E, R>(app: App<E, R>): App<E, R> =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    ({ method, originalUrl, headers }) =>
      Effect.flatMap(RequestId, (requestId) =>
        app.pipe(
          Effect.tap(({ status }) => annotate({ "http.response.status_code": status })),
          inTrace("request", () => ({
            attributes: {
              "request.id": requestId,
              "http.request.method": method,
              "http.route": URL.parse(originalUrl, "http://localhost")?.pathname ?? "",
            },
            caller: Option.getOrNull(HttpTraceContext.w3c(headers)),
          })),
        )),
  )

/** A successful answer in gzip, if it is long and the client accepts that. */
function inGzip(
  response: HttpServerResponse.HttpServerResponse,
  acceptEncoding: string | undefined,
): HttpServerResponse.HttpServerResponse {
  const { body, status } = response
  if (status !== 200 || body._tag !== "Uint8Array" || body.contentLength < encodedBytesMin) {
    return response
  }
  const varied = HttpServerResponse.setHeader(response, "vary", "Accept-Encoding")
  const encoding = acceptedEncoding(acceptEncoding, ["gzip"])
  if (encoding === null) return varied
  return varied.pipe(
    HttpServerResponse.setBody(HttpBody.uint8Array(encode(body.body, encoding), body.contentType)),
    HttpServerResponse.setHeader("content-encoding", encoding),
  )
}

/** Interrupts a pending handler when its client disconnects. */
function abortWith(signal: AbortSignal, fiber: Fiber.Fiber<unknown, unknown>): void {
  const abort = () => fiber.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation)
  if (signal.aborted) return abort()
  signal.addEventListener("abort", abort, { once: true })
  fiber.addObserver(() => signal.removeEventListener("abort", abort))
}

interface ListenOptions {
  readonly hostname: string
  /** 0 means any free port. */
  readonly port: number
  /** How long a shutdown waits for the requests in flight. */
  readonly drain: Duration.Duration
}

/** How long the port stays closed after the listener failed: meanwhile descriptors become free. */
const listenPause = Duration.millis(500)
const restarts = Metric.counter("http_listener_restarts_total", {
  description: "Times a listener failed and was opened again, as when descriptors run out",
  incremental: true,
})

type Handler = (request: Request, peer: Peer) => Response | Promise<Response>

/**
 * Listens until the scope closes. Then it accepts no new request and waits up to `drain` for the
 * requests in flight; what is still open ends with the process. Returns the bound address.
 *
 * When the process has no file descriptor left, Deno's listener ends; its open connections go on.
 * It is opened again on the same port after a pause, for as long as it takes.
 */
export const listen = (
  options: ListenOptions,
  handler: Handler,
): Effect.Effect<Deno.NetAddr, CannotListen, Scope.Scope> =>
  Effect.gen(function* () {
    const current = yield* Effect.acquireRelease(
      Effect.map(open(options, handler), (server) => ({ server })),
      ({ server }) => shutDown(server, options.drain),
    )
    const { addr } = current.server
    // So that an alert sees the first restart as an increase.
    yield* Metric.update(restarts, 0)
    const reopen = Effect.gen(function* () {
      const reason = yield* endOf(current.server)
      yield* Effect.logWarning(`The listener on port ${addr.port} failed: ${reason}`)
      yield* Effect.sleep(listenPause)
      current.server = yield* Effect.retry(
        open({ ...options, port: addr.port }, handler),
        Schedule.spaced(listenPause),
      )
      yield* Metric.update(restarts, 1)
    })
    yield* Effect.forkScoped(Effect.forever(reopen))
    return addr
  })

const open = ({ hostname, port }: ListenOptions, handler: Handler) =>
  Effect.try({
    try: () => {
      const onError = () => new Response(null, { status: 500 })
      return Deno.serve({ hostname, port, onListen: () => {}, onError }, handler)
    },
    catch: (cause) =>
      new CannotListen({ hostname, port, reason: cause instanceof Error ? cause.name : "unknown" }),
  })

/** Waits until a listener fails; returns why. A shutdown is not a failure. */
const endOf = (server: Deno.HttpServer) =>
  Effect.callback<string>((resume) => {
    server.finished.catch((cause) => resume(Effect.succeed(String(cause))))
  })

const shutDown = (server: Deno.HttpServer, drain: Duration.Duration) =>
  Effect.promise(() => server.shutdown()).pipe(
    Effect.timeoutOrElse({
      duration: drain,
      orElse: () => Effect.logWarning("Requests were still in flight at the end of the drain time"),
    }),
  )
