/**
 * A model with a script, behind OpenAI's chat completions API on a real socket: it calls each named
 * tool in turn, and then repeats the beginning of what the tools returned as its answer.
 *
 * @module
 */
import { Effect } from "effect"

/** What it repeats of each result. */
const repeatedLengthMax = 2_000

interface Message {
  readonly role: string
  readonly content: unknown
}

/** The fields of a request that the script reads. */
interface CompletionRequest {
  readonly stream?: boolean
  readonly messages: ReadonlyArray<Message>
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string } }>
}

/** A call of the script: frameworks may put the server's name in front of the tool's. */
export interface ScriptedCall {
  readonly tool: string
  readonly arguments: object
}

const textOf = (content: unknown): string =>
  typeof content === "string" ? content : JSON.stringify(content)

function reply(script: ReadonlyArray<ScriptedCall>, { messages, tools = [] }: CompletionRequest) {
  const results = messages.filter(({ role }) => role === "tool")
  const next = script[results.length]
  if (next === undefined) {
    const texts = results.map(({ content }) => textOf(content).slice(0, repeatedLengthMax))
    return { finish: "stop", delta: { role: "assistant", content: texts.join("\n") } }
  }
  const name = tools.map((tool) => tool.function.name).find((name) => name.endsWith(next.tool))
  const call = {
    ...{ index: 0, id: `call_${results.length}`, type: "function" },
    function: { name: name ?? next.tool, arguments: JSON.stringify(next.arguments) },
  }
  return {
    finish: "tool_calls",
    delta: { role: "assistant", content: null, tool_calls: [call] },
  }
}

const completion = { id: "chatcmpl-1", created: 1, model: "scripted-1" }
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

function respond(script: ReadonlyArray<ScriptedCall>, request: CompletionRequest): Response {
  const { finish, delta } = reply(script, request)
  const choice = { index: 0, logprobs: null, finish_reason: finish }
  if (request.stream !== true) {
    return Response.json({
      ...{ ...completion, object: "chat.completion", usage },
      choices: [{ ...choice, message: delta }],
    })
  }
  const chunk = { ...completion, object: "chat.completion.chunk" }
  const chunks = [
    { ...chunk, choices: [{ ...choice, finish_reason: null, delta }] },
    { ...chunk, choices: [{ ...choice, delta: {} }], usage },
  ]
  const text = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"]
    .map((data) => `data: ${data}\n\n`).join("")
  return new Response(text, { headers: { "content-type": "text/event-stream" } })
}

/** Serves until the scope closes; returns its base URL and the requests it received. */
export const scriptedModel = Effect.fnUntraced(function* (script: ReadonlyArray<ScriptedCall>) {
  const requests: Array<CompletionRequest> = []
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
        if (new URL(request.url).pathname !== "/v1/chat/completions") {
          return new Response("not here", { status: 404 })
        }
        const body: CompletionRequest = await request.json()
        requests.push(body)
        return respond(script, body)
      })
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  return { baseUrl: `http://127.0.0.1:${server.addr.port}/v1`, requests }
})
