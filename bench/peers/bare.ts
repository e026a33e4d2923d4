/**
 * A bare Deno.serve that answers every request with the bytes and headers given in `ANSWER` (JSON:
 * body, headers) and nothing else: what the index is measured against. `PORT` as ever.
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
