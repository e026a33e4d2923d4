/**
 * A model behind OpenAI's chat completions API, or any compatible server.
 *
 * The client gets every option explicitly, so it reads nothing from the environment. It retries a status
 * that may pass; timeouts and limits are ours. A request begins in the strictest form (form.ts). A server
 * that refuses it is asked in the next one, and the form of a good answer is remembered.
 *
 * @module
 */
import { Array, Duration, Effect, Exit, Layer, Option, Random, type Redacted, Ref } from "effect"
import { Result, Schema, Stream } from "effect"
import { toCodecOpenAI } from "effect/ai/OpenAiStructuredOutput"
import { CircuitBreaker } from "effect/persistence"
import OpenAI from "openai"
import { makePlaces, publishDepth } from "../../core/places.ts"
import type { Prompt } from "../domain/prompt.ts"
import { Model, ModelFailed, type ModelRequest, type ModelUse } from "../Model.ts"
import { type CallFailed, failed, failureOf, failureOfStatus } from "./failures.ts"
import { forms, jsonIn, shapeInWords, textOf } from "./form.ts"
import {
  circuitOpenDuration,
  circuitOpenDurationMax,
  concurrentRequestsMax,
  failuresMax,
  requestTimeout,
  retriesMax,
  tokensMax,
  waitingRequestsMax,
} from "./limits.ts"
import { recordCall, recordTokens } from "./spending.ts"
import { transport } from "./transport.ts"

export interface ModelOptions {
  readonly apiKey: Redacted.Redacted
  readonly baseUrl: URL
  readonly model: string
  /** The model that judges claims; null for the same one. */
  readonly checkModel: string | null
  /** Sent to `model` as it is; null for the server's default. */
  readonly reasoningEffort: OpenAI.ReasoningEffort
  /** The most tokens of any answer, reasoning included; null for the limits by use. */
  readonly tokensMax: number | null
}

/** A request ready to be sent. */
interface Call<A> {
  readonly use: ModelUse
  readonly prompt: Prompt
  readonly jsonSchema: Record<string, unknown>
  /** Ignores keys that the shape does not have: without structured outputs models add some. */
  readonly decode: (answer: unknown) => Result.Result<A, Schema.SchemaError>
}

/** 256 random bits: enough against authors who never see a prompt. */
const boundary: Effect.Effect<string> = Effect.map(
  Effect.all(Array.makeBy(8, () => Random.nextIntBetween(0, 0xffff_ffff))),
  (parts) => `BLOCK-${parts.map((part) => part.toString(16).padStart(8, "0")).join("")}`,
)

/** One schema gives both the JSON schema for the server and the decoder. */
const callOf = <A, E>({ use, prompt, shape }: ModelRequest<A, E>): Effect.Effect<Call<A>> =>
  Effect.map(boundary, (boundary) => {
    const { codec, jsonSchema } = toCodecOpenAI(shape)
    return {
      use,
      prompt: prompt(boundary),
      jsonSchema,
      decode: Schema.decodeUnknownResult(codec),
    }
  })

/** The client requires a key; the transport adds the real one. */
const noKey = "none"

/** The fields that are read of an answer; others are ignored. */
const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(Schema.Struct({
    finish_reason: Schema.optionalKey(Schema.NullOr(Schema.String)),
    message: Schema.Struct({
      content: Schema.optionalKey(Schema.Unknown),
      refusal: Schema.optionalKey(Schema.NullOr(Schema.String)),
    }),
  })),
})
const decodeCompletion = Schema.decodeUnknownOption(Completion)

/** The body of an error that some servers send with status 200. */
const decodeError = Schema.decodeUnknownOption(Schema.Struct({
  error: Schema.Struct({ message: Schema.String, code: Schema.optionalKey(Schema.Unknown) }),
}))
/** The status of such an error, unless its code is one. */
const errorStatus = 400

/** `send` performs the HTTP requests; a stand-in answers them itself. */
export const layer = (
  options: ModelOptions,
  send: typeof fetch = transport(options.apiKey),
): Layer.Layer<Model> =>
  Layer.effect(
    Model,
    Effect.gen(function* () {
      const client = clientOf(options, send)
      const places = makePlaces({
        places: concurrentRequestsMax,
        waiting: waitingRequestsMax,
        waitMax: requestTimeout.digest,
      })
      yield* publishDepth("model", places)
      const circuit = yield* CircuitBreaker.make({
        tripPolicy: CircuitBreaker.consecutive(failuresMax),
        openDuration: circuitOpenDuration,
        maxOpenDuration: circuitOpenDurationMax,
      })
      yield* circuit.transitions.pipe(
        Stream.runForEach(({ key, to }) =>
          Effect.logWarning(`The model's circuit breaker for ${key} is ${to}`)
        ),
        Effect.forkScoped,
      )

      const attempt = yield* attempts(client, options)
      const answered = <A>(call: Call<A>) =>
        attempt(call).pipe(
          Effect.timeoutOrElse({
            duration: requestTimeout[call.use],
            orElse: () => Effect.fail(noAnswerInTime),
          }),
          // One circuit per use: a model that fails at reading may still write digests.
          (work) => circuit.execute(work, { key: call.use, classify }),
          Effect.catchTag("CircuitBreakerError", () => notAsked),
          recordCall(call.use),
          places.run(noAnswerInTime),
        )

      return Model.of({
        name: options.model,
        generate: (request) =>
          callOf(request).pipe(
            Effect.flatMap(answered),
            Effect.mapError(({ reason }) => new ModelFailed({ reason })),
          ),
      })
    }),
  ).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))

/** One HTTP request for a call in the form that its model took last, or more in the forms after it. */
const attempts = Effect.fnUntraced(function* (client: OpenAI, options: ModelOptions) {
  const taken = yield* Ref.make<ReadonlyMap<string, number>>(new Map())

  const inForm = <A>(call: Call<A>, form: number): Effect.Effect<A, CallFailed> => {
    const body = requestOf(options, call, forms[form] ?? forms[0])
    return Effect.tryPromise({
      try: (signal) => client.chat.completions.create(body, { signal }),
      catch: failureOf,
    }).pipe(
      Effect.tap((answer) => recordTokens(call.use, answer)),
      Effect.flatMap((answer) => answerOf(answer, call)),
      Effect.tap(() => Ref.update(taken, (all) => new Map(all).set(body.model, form))),
      Effect.catch((failure) =>
        failure.isFormRefused && form + 1 < forms.length
          ? inForm(call, form + 1)
          : Effect.fail(failure)
      ),
    )
  }

  return <A>(call: Call<A>): Effect.Effect<A, CallFailed> =>
    Effect.flatMap(
      Ref.get(taken),
      (known) => inForm(call, known.get(modelOf(options, call.use)) ?? 0),
    )
})

/** All options are explicit: the client reads nothing from the environment and logs nothing. */
function clientOf({ baseUrl }: ModelOptions, send: typeof fetch): OpenAI {
  return new OpenAI({
    apiKey: noKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: baseUrl.href,
    logLevel: "off",
    maxRetries: retriesMax,
    // Our own timeout fires first; without this one the client would use its default.
    timeout: 2 * Duration.toMillis(requestTimeout.digest),
    fetch: send,
  })
}

function modelOf({ model, checkModel }: ModelOptions, use: ModelUse): string {
  return use === "judge" ? checkModel ?? model : model
}

/** Sends nothing that a plain server may refuse, unless it is configured or can be left out. */
function requestOf<A>(
  options: ModelOptions,
  { use, prompt: { system, user }, jsonSchema }: Call<A>,
  { format, tokens }: typeof forms[number],
): OpenAI.ChatCompletionCreateParamsNonStreaming {
  const model = modelOf(options, use)
  return {
    model,
    messages: [
      { role: "system", content: `${system}\n\n${shapeInWords(jsonSchema)}` },
      { role: "user", content: user },
    ],
    ...tokens === null ? {} : { [tokens]: options.tokensMax ?? tokensMax[use] },
    ...options.reasoningEffort === null || model !== options.model
      ? {}
      : { reasoning_effort: options.reasoningEffort },
    ...format === null ? {} : {
      response_format: format === "json_object"
        ? { type: format }
        : { type: format, json_schema: { name: use, strict: true, schema: jsonSchema } },
    },
  }
}

function answerOf<A>(answer: unknown, { decode }: Call<A>): Effect.Effect<A, CallFailed> {
  const error = Option.getOrNull(decodeError(answer))?.error
  if (error !== undefined) {
    const code = Number(error.code)
    return Effect.fail(failureOfStatus(code >= 400 ? code : errorStatus, error.message))
  }
  const completion = Option.getOrNull(decodeCompletion(answer))
  if (completion === null) return malformed("no completion")
  const [{ finish_reason, message: { content, refusal } }] = completion.choices
  if (typeof refusal === "string" && refusal !== "") return refused
  if (finish_reason === "content_filter") return refused
  if (finish_reason === "length") return Effect.fail(failed("cut_off", "it ran out of tokens"))
  const text = textOf(content)
  if (text === "") return malformed("an empty answer")
  return Result.match(decode(jsonIn(text)), {
    onFailure: () => malformed("an answer of another shape"),
    onSuccess: Effect.succeed,
  })
}

const noAnswerInTime = failed("timed_out", "no answer in time")
const refused = Effect.fail(failed("refused", "the model refused"))
const malformed = (what: string) => Effect.fail(failed("malformed", what))
const notAsked = Effect.fail(failed("not_asked", "requests are paused for now"))

/** A refusal is neither a success nor a failure of the server. */
function classify(exit: Exit.Exit<unknown, CallFailed>): CircuitBreaker.Outcome {
  if (Exit.isSuccess(exit)) return CircuitBreaker.success
  const failure = Option.getOrNull(Exit.findErrorOption(exit))
  return failure?.outcome === "refused" ? CircuitBreaker.ignored : CircuitBreaker.failure()
}
