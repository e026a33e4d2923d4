/**
 * A server with OpenAI's chat completions API on a real socket. It refuses what the real one refuses. The
 * test chooses its behaviour for each other call: it answers, hangs, refuses, disconnects, floods or lies.
 *
 * @module
 */
import { Deferred, Effect, Layer, Redacted, type Scope } from "effect"
import { layer as modelLayer, type ModelOptions } from "../../../src/writing/openai/model.ts"
import { NewsReader } from "../../../src/news/NewsReader.ts"
import { Narrator } from "../../../src/writing/Narrator.ts"

/** A request, decoded. */
export interface Call {
  /** From 0, over all requests. */
  readonly index: number
  /** The name of the requested schema; without one, guessed from the shape in words. */
  readonly use: "digest" | "report" | "reading" | "judge"
  readonly system: string
  readonly user: string
  /** The JSON values between the markers. */
  readonly data: ReadonlyArray<unknown>
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Headers
}

export type Behaviour = (call: Call) => Response | Promise<Response>

export interface ModelServer {
  readonly baseUrl: URL
  readonly calls: ReadonlyArray<Call>
  /** Waits until so many calls have arrived. */
  readonly arrived: (calls: number) => Effect.Effect<void>
  /** Sets the behaviours of the next calls, in order; the last one applies to all later calls. */
  readonly does: (...behaviours: ReadonlyArray<Behaviour>) => void
}

export const key = "sk-secret-canary"

/** Closes with its scope. */
export const modelServer = (
  ...first: ReadonlyArray<Behaviour>
): Effect.Effect<ModelServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const calls: Array<Call> = []
    const waits: Array<{ readonly calls: number; readonly done: Deferred.Deferred<void> }> = []
    let behaviours = first
    let since = 0
    const closing = new AbortController()
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Deno.serve(
          { port: 0, hostname: "127.0.0.1", signal: closing.signal, onListen: () => {} },
          async (request) => {
            const call = await callOf(request, calls.length)
            if (call === null) return new Response("not here", { status: 404 })
            const fault = requestFault(call)
            if (fault !== null) return status(400, {}, fault)(call)
            calls.push(call)
            for (const wait of waits) {
              if (calls.length >= wait.calls) Deferred.doneUnsafe(wait.done, Effect.void)
            }
            const behaviour = behaviours[call.index - since] ?? behaviours.at(-1)
            return behaviour === undefined ? new Response(null, { status: 501 }) : behaviour(call)
          },
        )
      ),
      () => Effect.sync(() => closing.abort()),
    )
    return {
      baseUrl: new URL(`http://127.0.0.1:${server.addr.port}/v1`),
      calls,
      arrived: (count) =>
        Effect.gen(function* () {
          const done = yield* Deferred.make<void>()
          if (calls.length >= count) return
          waits.push({ calls: count, done })
          yield* Deferred.await(done)
        }),
      does: (...next) => {
        behaviours = next
        since = calls.length
      },
    }
  })

/** The narrator without the trial of its judge, and the reader of the service, over this server. */
export const overModel = (
  { baseUrl }: Pick<ModelServer, "baseUrl">,
  options: Partial<ModelOptions> = {},
) =>
  Layer.mergeAll(Narrator.layerUnmeasured, NewsReader.layerModel).pipe(
    Layer.provide(modelLayer({
      ...{ apiKey: Redacted.make(key), baseUrl, model: "stub-1", checkModel: null },
      ...{ reasoningEffort: null, tokensMax: null },
      ...options,
    })),
  )

/** The call of a request; null for another one. */
export async function callOf(request: Request, index: number): Promise<Call | null> {
  const { pathname } = new URL(request.url)
  if (request.method !== "POST" || !pathname.endsWith("/chat/completions")) return null
  const body = await request.json()
  const [{ content: system }, { content: user }] = body.messages
  const [, block = ""] = String(user).split(/^BLOCK-.*$/m)
  return {
    index,
    use: body.response_format?.json_schema?.name ?? useIn(system),
    system,
    user,
    data: block.split("\n").filter((line) => /^["{[]/.test(line)).map((line) => JSON.parse(line)),
    body,
    headers: request.headers,
  }
}

/** Parameters of the reference of chat completions that the service sends; another one is a typing error. */
const parameters = new Set([
  ...["model", "messages", "max_completion_tokens", "max_tokens", "reasoning_effort"],
  "response_format",
])
/** Keywords of the guide "Structured outputs", section "Supported schemas", that the service uses. */
const keywords = new Set([
  ...["type", "properties", "items", "required", "additionalProperties", "enum", "anyOf"],
  ...["description", "maxItems"],
])

/** Why the real server refuses a request; null when it does not. */
function requestFault({ body, system, user }: Call): string | null {
  const unknown = Object.keys(body).find((key) => !parameters.has(key))
  if (unknown !== undefined) return `Unrecognized request argument supplied: ${unknown}`
  const { type, json_schema: schema } = Object(body["response_format"])
  if (type === "json_object" && !/json/i.test(system + user)) {
    return "'messages' must contain the word 'json' in some form"
  }
  if (type !== "json_schema") return null
  if (!/^[\w-]{1,64}$/.test(schema.name)) return "Invalid 'response_format.json_schema.name'"
  return schema.strict === true && schema.schema.type === "object" && isStrict(schema.schema)
    ? null
    : `Invalid schema for response_format '${schema.name}'`
}

/** Whether a schema fulfils the rules of strict mode: each object closed, and all its keys required. */
function isStrict(schema: Readonly<Record<string, unknown>>): boolean {
  const { type, properties = {}, items, anyOf = [], required, additionalProperties } = schema
  const parts = [...Object.values(Object(properties)), ...Object.values(Object(anyOf))]
    .concat(items === undefined ? [] : [items])
  const isClosed = type !== "object" || additionalProperties === false &&
      `${required}` === `${Object.keys(Object(properties))}`
  return isClosed && Object.keys(schema).every((key) => keywords.has(key)) &&
    parts.every((part) => isStrict(Object(part)))
}

function useIn(system: string): Call["use"] {
  if (system.includes('"verdicts"')) return "judge"
  return system.includes('"claims"') ? "digest" : "reading"
}

export const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 }

/** A completion around some text. */
export function completion(
  content: unknown,
  { finish = "stop", refusal = null as string | null } = {},
): Response {
  return Response.json({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "stub-1",
    choices: [{
      index: 0,
      message: { role: "assistant", content, refusal },
      logprobs: null,
      finish_reason: finish,
    }],
    usage,
  })
}

/** Answers with this value as JSON. */
export const says = (answer: (call: Call) => unknown): Behaviour => (call) =>
  completion(JSON.stringify(answer(call)))

export const status =
  (code: number, headers: Record<string, string> = {}, message = "no"): Behaviour => () =>
    Response.json({ error: { message, type: "error", code: null } }, { status: code, headers })

/** Does it, if the request is in no stricter form than the server supports; else a 400 that says so. */
export const supports = (
  { formats, tokens }: {
    readonly formats: ReadonlyArray<"json_schema" | "json_object">
    readonly tokens: ReadonlyArray<string>
  },
  behaviour: Behaviour,
): Behaviour =>
(call) => {
  const format = Object(call.body["response_format"]).type
  const unknown = ["max_tokens", "max_completion_tokens"]
    .filter((name) => name in call.body && !tokens.includes(name))
  if (unknown.length > 0) return status(422, {}, `extra fields: ${unknown}`)(call)
  return format === undefined || formats.includes(format)
    ? behaviour(call)
    : status(400, {}, `response_format ${format} is not supported`)(call)
}

/** Never answers. */
export const silent: Behaviour = () => new Promise(() => {})

/** Redirects to another address. */
export const redirects = (location: URL): Behaviour => () =>
  new Response(null, { status: 307, headers: { location: location.href } })

const bytes = new TextEncoder()
const json = { headers: { "content-type": "application/json" } }

/** Half an answer, then the connection breaks. */
export const cutsOff: Behaviour = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.encode('{"choices":[{"index":0,"mess'))
      },
      pull(controller) {
        controller.error(new Error("dead"))
      },
    }),
    json,
  )

/** An endless body of spaces; `read` is called with the bytes read so far. */
export const endless = (read: (bytes: number) => void, code = 200): Behaviour => () => {
  const chunk = bytes.encode(" ".repeat(16 * 1024))
  let sent = 0
  return new Response(
    new ReadableStream({
      pull(controller) {
        sent += chunk.length
        read(sent)
        controller.enqueue(chunk.slice())
      },
    }),
    { ...json, status: code },
  )
}

/** A small body that decompresses to a large one. */
export const bomb: Behaviour = () =>
  new Response(
    new Blob([" ".repeat(8 * 1024 * 1024)]).stream().pipeThrough(new CompressionStream("gzip")),
    { headers: { ...json.headers, "content-encoding": "gzip" } },
  )

/** A space every few milliseconds, forever. */
export const drips = (code = 200): Behaviour => () => {
  let timer: ReturnType<typeof setInterval>
  return new Response(
    new ReadableStream({
      start(controller) {
        timer = setInterval(() => controller.enqueue(bytes.encode(" ")), 5)
      },
      cancel() {
        clearInterval(timer)
      },
    }),
    { ...json, status: code },
  )
}
