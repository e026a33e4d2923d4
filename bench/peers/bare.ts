/**
 * A bare `Deno.serve` that answers every request with the body and headers in `ANSWER` (JSON): the
 * upper bound for the index. Listens on `PORT`.
 *
 * @module
 */
const answer: { body: string; headers: Array<[string, string]> } = JSON.parse(
  Deno.env.get("ANSWER") ?? "",
)
const bytes = new TextEncoder().encode(answer.body)
const init = { headers: answer.headers }

Deno.serve(
  { hostname: "127.0.0.1", port: Number(Deno.env.get("PORT")), onListen: () => {} },
  () => new Response(bytes, init),
)
