/**
 * Traces for an OpenTelemetry collector (OTLP over HTTP, JSON). Without a collector there is no tracer.
 *
 * Effect's exporter sends batches of the ended spans, and pauses for a minute when a collector fails: a
 * slow or dead one never slows or fails a sale, and its spans are dropped. A trace is exported or not as
 * a whole, by a limit of traces per second.
 *
 * A span has a name and attributes of `core/tracing.ts` only. An error is exported by its type alone: its
 * message may be text from outside.
 *
 * @module
 */
import {
  Clock,
  ConfigProvider,
  Context,
  Duration,
  Effect,
  Exit,
  Layer,
  Metric,
  Option,
  Predicate,
  Redacted,
  Tracer,
} from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { OtlpExporter, OtlpSerialization, OtlpTracer } from "effect/observability"
import { attributeKeys, rootNames, stepNames } from "../core/tracing.ts"

interface TelemetryOptions {
  /** The address that traces are posted to. */
  readonly url: string
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  readonly commit: string | null
}

/** Traces of requests that begin in one second; later ones of that second are not exported. */
export const tracesPerSecondMax = 50
/** Longest value of an attribute, in characters. */
export const valueLengthMax = 120
/** Spans of a batch, and how often a smaller one is made. */
const batchSpans = 256
const batchEvery = Duration.seconds(2)
/** One request to the collector. */
const requestMax = Duration.seconds(5)
/** How long a closing service waits for the last batches. */
const drainMax = Duration.seconds(3)

const notTracedTotal = Metric.counter("traces_left_out_total", {
  description: "Requests without a trace, because a second had too many",
  incremental: true,
})

/** The tracer; nothing when no collector is set. */
export const layer = (options: TelemetryOptions | null): Layer.Layer<never> =>
  options === null ? Layer.empty : Layer.mergeAll(
    Layer.effect(Tracer.Tracer, makeTracer(options)),
    // Ids of ours are of no use to others, and would let them join requests.
    Layer.succeed(HttpClient.TracerPropagationEnabled, false),
    // Its spans have addresses with keys in them; the ports have spans of their own.
    Layer.succeed(HttpClient.TracerDisabledWhen, () => true),
  )

const makeTracer = Effect.fnUntraced(function* ({ url, headers, commit }: TelemetryOptions) {
  const otlp = yield* OtlpTracer.make({
    url,
    headers: Redacted.value(headers),
    resource: { serviceName: "bellwether", ...(commit === null ? {} : { serviceVersion: commit }) },
    exportInterval: batchEvery,
    maxBatchSize: batchSpans,
    shutdownTimeout: drainMax,
  }).pipe(
    Effect.provide(OtlpSerialization.layerJson),
    Effect.provideServiceEffect(HttpClient.HttpClient, collectorClient),
    Effect.provide(FetchHttpClient.layer),
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    Effect.provide(OtlpExporter.layerFlusher),
    // The default provider would enumerate the environment.
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: {} })),
  )
  return limited(otlp, yield* Effect.context<never>())
})

/** Posts a batch within a time limit, and logs once that the collector fails. */
const collectorClient = Effect.map(HttpClient.HttpClient, (fetching) => {
  let failing = false
  const judged = Effect.fnUntraced(function* (isGood: boolean, reason: string) {
    if (isGood !== failing) return
    failing = !isGood
    yield* failing
      ? Effect.logWarning(`Cannot deliver traces: ${reason}`)
      : Effect.logInfo("Traces are delivered again")
  })
  return HttpClient.make((request) =>
    HttpClient.withScope(fetching).execute(request).pipe(
      // The body may be anything, and endless: closing the scope ends it unread.
      Effect.map(({ status, headers }) => new Response(null, { status, headers })),
      Effect.scoped,
      Effect.timeoutOrElse({
        duration: requestMax,
        orElse: () => {
          const description = "no answer in time"
          const reason = new HttpClientError.TransportError({ request, description })
          return Effect.fail(new HttpClientError.HttpClientError({ reason }))
        },
      }),
      Effect.tap(({ ok, status }) => judged(ok, `status ${status}`)),
      Effect.tapError(({ reason }) => judged(false, reason.description ?? "no connection")),
      Effect.map((answer) => HttpClientResponse.fromWeb(request, answer)),
    )
  )
})

const roots: ReadonlySet<string> = new Set(rootNames)
const steps: ReadonlySet<string> = new Set(stepNames)
const keys: ReadonlySet<string> = new Set(attributeKeys)

/** A tracer that exports only what `core/tracing.ts` names, and a limited number of requests. */
function limited(otlp: Tracer.Tracer, context: Context.Context<never>): Tracer.Tracer {
  const clock = Context.get(context, Clock.Clock)
  const exported = new WeakSet<Tracer.AnySpan>()
  let second = 0
  let requests = 0
  const begins = (name: string) => {
    if (name !== "request") return roots.has(name)
    const now = Math.floor(clock.currentTimeMillisUnsafe() / 1_000)
    if (now !== second) {
      second = now
      requests = 0
    }
    requests += 1
    if (requests <= tracesPerSecondMax) return true
    notTracedTotal.updateUnsafe(1, context)
    return false
  }
  return Tracer.make({
    span: (options) => {
      const parent = Option.getOrUndefined(options.parent)
      const isExported = parent === undefined
        ? options.root && begins(options.name)
        : exported.has(parent)
      if (!isExported) return otlp.span({ ...options, sampled: false })
      const span = parent !== undefined && !steps.has(options.name)
        ? passed(parent)
        : guarded(otlp.span(options))
      exported.add(span)
      return span
    },
  })
}

/** The span, which takes the attributes of the list and the type of an error alone. */
function guarded(span: Tracer.Span): Tracer.Span {
  const { attribute, end } = span
  return Object.assign(span, {
    ...ignored,
    attribute(key: string, value: unknown) {
      if (!keys.has(key)) return
      if (typeof value === "string") attribute.call(span, key, shortened(value))
      if (typeof value === "number" || typeof value === "boolean") attribute.call(span, key, value)
    },
    end(endTime: bigint, exit: Exit.Exit<unknown, unknown>) {
      end.call(span, endTime, withoutText(exit))
    },
  })
}

/** A span that is not exported, in a trace that is: its children belong to its parent. */
function passed(parent: Tracer.AnySpan): Tracer.Span {
  const ids = { traceId: { value: parent.traceId }, spanId: { value: parent.spanId } }
  return Object.assign(Object.create(parent, ids), ignored)
}

const ignored = { attribute() {}, event() {}, addLinks() {}, end() {} }

const shortened = (value: string) => value.replaceAll(/\s+/g, " ").trim().slice(0, valueLengthMax)

/** The exit with the type of its error alone. An interruption stays one. */
function withoutText(exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> {
  if (Exit.isSuccess(exit)) return Exit.void
  const reason = exit.cause.reasons.find(({ _tag }) => _tag !== "Interrupt")
  if (reason === undefined || reason._tag === "Interrupt") return exit
  const error = reason._tag === "Fail" ? reason.error : reason.defect
  return Exit.fail({ name: typeOf(error), message: "" })
}

function typeOf(error: unknown): string {
  const name = Predicate.hasProperty(error, "_tag")
    ? error._tag
    : Predicate.hasProperty(error, "name")
    ? error.name
    : "defect"
  return typeof name === "string" && /^[\w./-]{1,60}$/.test(name) ? name : "error"
}
