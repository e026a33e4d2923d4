/**
 * The model's client in its own process under the sandbox of the service: it needs no environment
 * variable, uses none and logs nothing.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { flagsOf } from "../../src/app/sandbox.ts"
import { liveTest } from "../support/effect.ts"
import { key, modelServer, says } from "../support/writing/modelServer.ts"
import { run } from "../support/process.ts"
import { claimsAnswer } from "../support/writing/pages.ts"

/** The variables that the client library reads by default, with wrong values. */
const misleading = {
  ...{ OPENAI_API_KEY: "sk-wrong", OPENAI_ADMIN_KEY: "sk-admin", OPENAI_LOG: "debug" },
  ...{ OPENAI_BASE_URL: "http://127.0.0.1:9/v1", OPENAI_ORG_ID: "org", OPENAI_PROJECT_ID: "p" },
  ...{ OPENAI_WEBHOOK_SECRET: "s", OPENAI_CUSTOM_HEADERS: "Authorization: Bearer sk-custom" },
}

for (
  const [name, env] of [
    ["no variable", []],
    ["every variable of the library", Object.keys(misleading)],
  ] as const
) {
  liveTest(`the client calls the configured server, with permission to read ${name}`, function* () {
    const server = yield* modelServer(says(() => claimsAnswer))
    const flags = flagsOf({ variables: [], net: [server.baseUrl.host], read: [], write: [] })
    const allowed = env.length === 0 ? [] : [`--allow-env=${env.join(",")}`]
    const { stdout, stderr } = yield* run([
      ...[Deno.execPath(), "run", ...flags, ...allowed],
      ...["tests/e2e/requestDigest.ts", server.baseUrl.href, key],
    ], { env: misleading })
    equal(stderr, "")
    equal(JSON.parse(stdout), {
      _id: "Result",
      _tag: "Success",
      value: claimsAnswer.claims,
    })
    equal(server.calls.map(({ headers }) => headers.get("authorization")), [`Bearer ${key}`])
    const headersOfClient = ["accept", "accept-encoding", "accept-language", "authorization"]
    equal(
      [...(server.calls[0]?.headers.keys() ?? [])],
      [...headersOfClient, "content-length", "content-type", "host", "user-agent"],
    )
  })
}
