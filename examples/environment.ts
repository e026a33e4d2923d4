/**
 * What the demo programs read from the environment, and errors that name its variables.
 *
 * @module
 */
import { type ClientOptions, makeClient } from "bellwether-client"
import { generatePrivateKey } from "viem/accounts"

/** The service on this machine, at its own setting. */
const defaultAddress = `http://127.0.0.1:${Deno.env.get("PORT") || 8402}`

/** The options of the client that a variable sets. */
const variables = {
  baseUrl: "BASE_URL",
  budgetUsd: "BUDGET_USD",
  maxPriceUsd: "MAX_PRICE_USD",
  privateKey: "BUYER_PRIVATE_KEY",
}

/** The address in the arguments, else that of BASE_URL. */
export function readBase(argument: string | undefined): URL {
  const text = argument ?? (Deno.env.get("BASE_URL") || defaultAddress)
  const url = URL.parse(text)
  const variable = Deno.env.get("BASE_URL") ? "BASE_URL" : "The address with PORT"
  const name = argument === undefined ? variable : "The address"
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      `${name} must be an http or https address such as ${defaultAddress}: ${text}`,
    )
  }
  const { protocol, hostname } = url
  if (protocol === "http:" && !/^(localhost|\[::1\]|127(\.\d+){3})$/.test(hostname)) {
    throw new TypeError(`${name} must be https, unless it is on this machine: ${text}`)
  }
  return url
}

/** The key that pays; null for a throw-away key. */
export const readKey = () => Deno.env.get("BUYER_PRIVATE_KEY") || null

/** A client with the key and the limits of the environment. */
export function clientFromEnvironment(
  base: URL,
  budgetUsd: string,
  options: Pick<ClientOptions, "fetch" | "ledger" | "onStep">,
) {
  try {
    return makeClient({
      ...options,
      baseUrl: base.origin,
      privateKey: readKey() ?? generatePrivateKey(),
      budgetUsd: Deno.env.get("BUDGET_USD") || budgetUsd,
      maxPriceUsd: Deno.env.get("MAX_PRICE_USD") || "1.00",
    })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const [option = "", ...rest] = error.message.split(" ")
    const name = Object.entries(variables).find(([key]) => key === option)?.[1] ?? option
    throw new TypeError([name, ...rest].join(" "))
  }
}
