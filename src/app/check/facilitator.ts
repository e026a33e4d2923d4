/**
 * Tries each x402 facilitator: whether it lists the kind of payment that the service sells for.
 *
 * @module
 */
import { Effect, Option, Schema } from "effect"
import { excerpt } from "../../core/domain/untrusted.ts"
import { bearer } from "../../payments/facilitator/bearerToken.ts"
import type { Network } from "../../payments/domain/x402/terms.ts"
import type { LivePayments } from "../moneySettings.ts"
import { get } from "./http.ts"
import { fail, ok, type Tried, warn } from "./rows.ts"

const part = "facilitator"
const listedMax = 5
const listedLengthMax = 80

const Supported = Schema.Struct({
  kinds: Schema.Array(Schema.Struct({
    x402Version: Schema.Int,
    scheme: Schema.String,
    network: Schema.String,
  })),
})
const decodeSupported = Schema.decodeUnknownOption(Supported)

export const tryFacilitator = (
  { urls, apiKey }: LivePayments["facilitator"],
  network: Network,
): Effect.Effect<Tried> =>
  Effect.map(
    Effect.forEach(urls, (url, i) => tryOne(url, i === 0 ? apiKey : null, network), {
      concurrency: "unbounded",
    }),
    (tried) => ({
      rows: tried.flatMap(({ rows }, i) =>
        tried.length === 1
          ? rows
          : rows.map((row) => ({ ...row, found: `${i + 1} of ${tried.length}: ${row.found}` }))
      ),
      clocks: tried.flatMap(({ clocks = [] }) => clocks),
    }),
  )

const tryOne = (
  url: string,
  apiKey: LivePayments["facilitator"]["apiKey"],
  network: Network,
): Effect.Effect<Tried> =>
  Effect.gen(function* () {
    const headers = apiKey === null ? {} : yield* Effect.flatMap(
      bearer({ keyId: apiKey.id, secret: apiKey.secret, baseUrl: url }),
      (headers) => headers("/supported", "GET"),
    )
    const { status, body, ms, clocks } = yield* get("the facilitator", `${url}/supported`, headers)
    return { rows: [rowOf(status, body, ms, apiKey !== null, network)], clocks }
  }).pipe(
    Effect.catch((error) =>
      Effect.succeed({
        rows: [
          error._tag === "BadApiKey"
            ? fail(part, "its API key is not a key", error.message)
            : fail(part, error.reason, "Check FACILITATOR_URL, and that this machine can reach it"),
        ],
      })
    ),
  )

function rowOf(
  status: number,
  body: unknown,
  ms: number,
  hasKey: boolean,
  { usdc: { chainId }, title }: Network,
) {
  const network = `eip155:${chainId}`
  if (status === 401 || status === 403) {
    return hasKey
      ? fail(
        part,
        `it refuses the API key (${status})`,
        "Correct FACILITATOR_API_KEY_ID and its SECRET",
      )
      : fail(
        part,
        `it needs an API key (${status})`,
        "Set FACILITATOR_API_KEY_ID and FACILITATOR_API_KEY_SECRET",
      )
  }
  if (status === 404) {
    return warn(
      part,
      "it answers, and does not list what it supports (404)",
      `Check that FACILITATOR_URL has the right path, and that it settles exact on ${network}`,
    )
  }
  const supported = status === 200 ? decodeSupported(body) : Option.none()
  if (Option.isNone(supported)) {
    return fail(
      part,
      `its answer to /supported is not a list of kinds (${status})`,
      "Check FACILITATOR_URL: it is the address before /supported",
    )
  }
  const { kinds } = supported.value
  const found = kinds.some((kind) =>
    kind.x402Version === 2 && kind.scheme === "exact" &&
    [network, "eip155:*"].includes(kind.network)
  )
  if (found) return ok(part, `settles exact on ${network}, answers in ${ms} ms`)
  const listed = kinds.slice(0, listedMax).map(({ x402Version, scheme, network }) =>
    excerpt(`${scheme} on ${network} (x402 version ${x402Version})`, listedLengthMax)
  )
  return fail(
    part,
    `it does not settle exact on ${network}: it lists ${listed.join(", ") || "nothing"}`,
    `Set FACILITATOR_URL to one that supports x402 version 2 on ${title}`,
  )
}
