/**
 * Effect handlers on Deno's own HTTP server.
 *
 * Rather than the generic web handler: the peer's address is kept, headers are not copied, and
 * `request.signal` is touched only while a handler is pending (touching it costs every answer).
 *
 * @module
 */
import { Context, type Duration, Effect, type Fiber, Option, Schema, type Scope } from "effect"
import { HttpEffect, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { RequestId } from "./errors.ts"

/** What was posted; or why it is not here. */
export type Body =
  | { readonly bytes: ArrayBuffer }
  | { readonly fault: "too large" | "late" | "unreadable" }

/** What was posted with the request being answered, where its route reads it. */
export const RequestBody = Context.Reference<Body | null>("bellwether/http/RequestBody", {
  defaultValue: () => null,
})

/** What was learnt of a request before it came to its handler. */
export interface Seen {
  readonly requestId: string
  /** The client's address, behind the proxies we trust. */
  readonly clientAddress: string
  /** What was posted, where the route reads it; else null. */
  readonly body: Body | null
  /** Set by the handler: what to do when its answer has left on a live connection. */
  handedOver?: () => void
}

/** Does something when the answer has left on a live connection; at once where there is none to see. */
export const onDelivered = Context.Reference<
  (effect: Effect.Effect<void>) => Effect.Effect<void>
>("bellwether/http/onDelivered", { defaultValue: () => (effect) => effect })

/** An Effect handler, as a function of web requests. */
export type WebHandler = (request: Request, seen: Seen) => Promise<Response>

/** Who sent a request, as the socket knows it. */
export interface Peer {
  readonly remoteAddr: Deno.Addr
  /** When the answer has left, or its client; absent where no socket is behind it. */
  readonly completed?: Promise<void>
}

/** The listener cannot take its address. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  hostname: Schema.String,
  port: Schema.Int,
  reason: Schema.String,
}) {}

const resolver = Symbol("bellwether/http/server/resolver")
interface Pending {
  [resolver]?: (response: Response) => void
}

/** What a handler may ask of its surroundings: its request and the services it was built with. */
type App<E, R> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  R | HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** Runs `app` once for each web request, in a fiber of its own. */
export const toWebHandler = <E>(app: App<E, never>): Effect.Effect<WebHandler> =>
  Effect.contextWith((services: Context.Context<never>) => {
    // `toHandled` lets nothing interrupt what it runs, and only a router of Effect's undoes that.
    const handled = HttpEffect.toHandled(Effect.interruptible(app), (request, response) => {
      const withoutBody = request.method === "HEAD"
      const sent = HttpServerResponse.omitsBody(response, withoutBody)
        ? response
        : HttpEffect.scopeTransferToStream(response)
      const pending: Pending = request as HttpServerRequest.HttpServerRequest & Pending
      pending[resolver]?.(HttpServerResponse.toWeb(sent, { withoutBody, context: services }))
      return Effect.void
    })
    return Effect.succeed((request: Request, seen: Seen) =>
      new Promise<Response>((resolve) => {
        const incoming = HttpServerRequest.fromWeb(request).modify({
          remoteAddress: Option.some(seen.clientAddress),
        })
        Object.assign(incoming, { [resolver]: resolve } satisfies Pending)
        const later = (effect: Effect.Effect<void>) =>
          Effect.sync(() => {
            seen.handedOver = () => {
              Effect.runForkWith(services)(effect)
            }
          })
        const fiber = Effect.runForkWith(
          services.pipe(
            Context.add(RequestBody, seen.body),
            Context.add(HttpServerRequest.HttpServerRequest, incoming),
            Context.add(RequestId, seen.requestId),
            Context.add(onDelivered, later),
          ),
        )(handled)
        if (fiber.pollUnsafe() === undefined) abortWith(request.signal, fiber)
      })
    )
  })

/** Interrupts a pending handler when its client goes away. */
function abortWith(signal: AbortSignal, fiber: Fiber.Fiber<unknown, unknown>): void {
  const abort = () => fiber.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation)
  if (signal.aborted) return abort()
  signal.addEventListener("abort", abort, { once: true })
  fiber.addObserver(() => signal.removeEventListener("abort", abort))
}

export interface ListenOptions {
  readonly hostname: string
  /** 0 takes any free port. */
  readonly port: number
  /** How long a shutdown waits for the requests in flight. */
  readonly drain: Duration.Duration
}

/**
 * Listens until the scope closes. Then no new request is taken, and those in flight have `drain` to
 * end: what is still open is left to the end of the process. Gives the address taken.
 */
export const listen = (
  options: ListenOptions,
  handler: (request: Request, peer: Peer) => Response | Promise<Response>,
): Effect.Effect<Deno.NetAddr, CannotListen, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const { hostname, port } = options
        const onError = () => new Response(null, { status: 500 })
        return Deno.serve({ hostname, port, onListen: () => {}, onError }, handler)
      },
      catch: (cause) =>
        new CannotListen({
          hostname: options.hostname,
          port: options.port,
          reason: cause instanceof Error ? cause.name : "unknown",
        }),
    }),
    (server) =>
      Effect.promise(() => server.shutdown()).pipe(
        Effect.timeoutOrElse({
          duration: options.drain,
          orElse: () => Effect.logWarning("Requests in flight were left when the time was up"),
        }),
      ),
  ).pipe(Effect.map((server) => server.addr))
