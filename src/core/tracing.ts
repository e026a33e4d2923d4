/**
 * Spans of the service's own steps. Without a tracer a span costs one look at the fiber.
 *
 * A trace begins with a request that reaches a handler, or with one run of a job. The names of spans
 * and attributes are closed lists, and the tracer (`app/telemetry.ts`) exports no others: no
 * header, signature or key is ever a value.
 *
 * @module
 */
import { Effect, identity, Tracer } from "effect"

/** What begins a trace. */
export const rootNames = ["request", "job"] as const
type RootName = (typeof rootNames)[number]

/** The steps inside a trace. */
export const stepNames = [
  ...["sale", "verify", "compute", "settle", "prove", "store", "chain", "stage"] as const,
]
type StepName = (typeof stepNames)[number]

/** Every attribute of a span. Values are ours, or ids that were checked. */
export const attributeKeys = [
  ...["http.request.method", "http.route", "http.response.status_code", "error.type"] as const,
  ...[
    "request.id",
    "payment.id",
    "tick.id",
    "product",
    "outcome",
    "operation",
    "job",
    "stage",
  ] as const,
]
type Attributes = {
  readonly [K in (typeof attributeKeys)[number]]?: string | number | boolean
}

interface TraceStart {
  readonly attributes: Attributes
  /** The span that the caller names. It is linked, and never the parent: anyone can send one. */
  readonly caller?: Tracer.AnySpan | null
}

/** Begins a trace. Its log lines have the id of the trace. `start` runs only with a tracer. */
export const inTrace =
  (name: RootName, start: () => TraceStart) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      if (fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer) return effect
      const kind = name === "request" ? "server" : "internal"
      const { attributes, caller = null } = start()
      const links = caller === null ? [] : [{ span: caller, attributes: {} }]
      return Effect.useSpan(name, { root: true, kind, attributes, links }, (span) =>
        effect.pipe(
          Effect.provideService(Tracer.ParentSpan, span),
          span.sampled ? Effect.annotateLogs({ traceId: span.traceId }) : identity,
        ))
    })

/** A step of the current trace; nothing outside one. */
export const inSpan =
  (name: StepName, attributes: Attributes = {}) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      if (fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer) return effect
      return Effect.useSpan(
        name,
        { attributes },
        (span) => Effect.provideService(effect, Tracer.ParentSpan, span),
      )
    })

/** Adds attributes to the current span. */
export const annotate: (attributes: Attributes) => Effect.Effect<void> = Effect.annotateCurrentSpan
