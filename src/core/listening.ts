/**
 * How the listeners of a process are opened.
 *
 * @module
 */
import { Effect, Schema } from "effect"

/** A listener cannot bind its address. `reason` is the name of the runtime's error. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  hostname: Schema.String,
  port: Schema.Int,
  reason: Schema.String,
}) {
  override get message() {
    return `Cannot listen on ${this.hostname}:${this.port}: ${this.reason}`
  }
}

/** What `open` opens at an address. */
export const openAt = <A>(
  hostname: string,
  port: number,
  open: () => A,
): Effect.Effect<A, CannotListen> =>
  Effect.try({
    try: open,
    catch: (cause) =>
      new CannotListen({ hostname, port, reason: cause instanceof Error ? cause.name : "unknown" }),
  })

/** Serves web requests at an address. The handler answers every request; a fault of ours is 500. */
export const serveAt = (
  { hostname, port }: { readonly hostname: string; readonly port: number },
  handler: (
    request: Request,
    info: Deno.ServeHandlerInfo<Deno.NetAddr>,
  ) => Response | Promise<Response>,
) =>
  openAt(hostname, port, () => {
    const onError = () => new Response(null, { status: 500 })
    return Deno.serve({ hostname, port, onListen: () => {}, onError }, handler)
  })
