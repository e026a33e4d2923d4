/**
 * /openapi.json: the contract and the documents about the service as an OpenAPI 3.1 document.
 *
 * @module
 */
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import type { Answer } from "../server/answer.ts"
import { agentOperations, agentSchemas } from "./agents.ts"
import { describeDocuments } from "./documents.ts"
import { errorResponses } from "./errors.ts"
import { headers } from "./headers.ts"
import { contractOperations, contractSchemas } from "./operations.ts"

type Json = Readonly<Record<string, unknown>>

interface OpenApiOptions {
  readonly terms: PaymentTerms
  readonly version: string
  /** Where to turn to: a `mailto:` or `https:` address. */
  readonly contact: string
  /** The other documents about the service, by path. */
  readonly documents: ReadonlyMap<string, Answer>
}

/** The whole document, as JSON text. */
export function openApiDocument(options: OpenApiOptions): string {
  const { terms: { publicBaseUrl }, terms, version, contact, documents } = options
  const { operations, examples } = describeDocuments(documents)
  const paths: Record<string, Json> = { ...contractOperations(terms), ...operations }
  for (const [path, post] of Object.entries(agentOperations)) {
    paths[path] = { ...paths[path], post }
  }
  return JSON.stringify({
    openapi: "3.1.0",
    info: {
      title: "Bellwether",
      version,
      summary: "Prediction-market signals for agents, paid per call",
      description:
        "Free paths need nothing. Paid paths answer 402 with an x402 version 2 challenge in the " +
        "PAYMENT-REQUIRED header: sign it, and send the same request again with the payment in " +
        "PAYMENT-SIGNATURE. What cannot be answered is not charged, or, where the payment comes " +
        "first (/v1/resolving, /v1/whales, /v1/research), refunded: `charged` and `refund` of the " +
        "error say which. A buyer of x402 version 1 asks for its challenge with ?x402Version=1.",
      termsOfService: `${publicBaseUrl}/terms.txt`,
      contact: { name: "Bellwether", ...reached(contact) },
      license: { name: "Proprietary", url: `${publicBaseUrl}/terms.txt` },
      "x-guidance": guidance,
    },
    "x-agentcash-guidance": { llmsTxtUrl: `${publicBaseUrl}/llms.txt` },
    "x-service-info": {
      categories: ["data", "finance"],
      docs: {
        homepage: publicBaseUrl,
        apiReference: `${publicBaseUrl}/openapi.json`,
        llms: `${publicBaseUrl}/llms.txt`,
      },
    },
    servers: [{ url: publicBaseUrl }],
    externalDocs: {
      url: `${publicBaseUrl}/llms-full.txt`,
      description: "The same for a reader, whole, in one text",
    },
    tags,
    security: [],
    paths,
    components: {
      securitySchemes: { x402: scheme },
      headers,
      responses: errorResponses,
      examples,
      schemas: { ...contractSchemas, ...agentSchemas },
    },
  }, plainly)
}

/** What validators of documents take for an address of mail: `localhost` is no domain to them. */
const mailPattern = /^mailto:([\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})$/i

/** An address of mail as one, any other as what it is. */
function reached(contact: string) {
  const [, email] = mailPattern.exec(contact) ?? []
  return email === undefined ? { url: contact } : { email }
}

const tags = [
  {
    name: "free",
    description: "No payment; a budget for each client address, named in RateLimit-Policy",
  },
  { name: "payments", description: "No payment; what became of one" },
  { name: "paid", description: "Paid per call in USDC through x402" },
  { name: "documents", description: "No payment; the service about itself" },
  { name: "agents", description: "The same skills over A2A and MCP" },
]

/** What an agent needs beside the operations, to use them well. */
const guidance = [
  "Poll GET /v1/index, which is free, about every 10 minutes. When `index` has moved, buy GET " +
  "/v1/signals with `since` set to the last index you saw: nothing new costs nothing. " +
  "GET /v1/sample, free, shows the shape of every paid answer.",
  "To pay: call without a payment. The 402 has a PAYMENT-REQUIRED header: base64 JSON of x402 " +
  "version 2, with the amount in units of 0.000001 USDC. Sign an EIP-3009 authorization for the one " +
  "entry of `accepts`, and send the same request again with the base64 JSON of the payment in " +
  "PAYMENT-SIGNATURE. Parameters are read first: a 400 leaves the payment unused.",
  "Send an Idempotency-Key of your own, a secret of 16 to 128 letters, digits, - or _, on the first " +
  "paid call: if the answer is lost on the way, the same request with the same payment and key " +
  "fetches it again, and is not charged again.",
  "`error.charged` tells what happened to your money: false, nothing was taken; true, it was taken, " +
  "and `refund` says how it comes back; null, not known yet: send the same payment again after " +
  "Retry-After, it is never taken twice. GET /v1/payments/{paymentId} tells what became of it.",
  "/v1/research may take a minute: wait 90 seconds before you give up.",
].join("\n\n")

const scheme = {
  type: "http",
  scheme: "x402",
  description:
    "x402 version 2, scheme exact: a signed EIP-3009 authorization in the PAYMENT-SIGNATURE header " +
    "(or X-PAYMENT, legacy), as base64 JSON. No account and no key: Authorization is not read",
}

/**
 * A replacer for `JSON.stringify`, over a whole document: what the contract's own writer makes is valid,
 * and says some things in ways that linters and generators of types stumble over.
 */
function plainly(key: string, value: unknown): unknown {
  // Answers may gain fields: the document does not close them.
  if (key === "additionalProperties" && value === false) return undefined
  // What every integer of JSON is bounded by says nothing.
  if (key === "maximum" && value === Number.MAX_SAFE_INTEGER) return undefined
  return isRecord(value) ? merged(listed(value)) : value
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A tuple of alike things as a list of so many: few tools know a list without `items`. */
function listed(schema: Json): Json {
  const { prefixItems, ...rest } = schema
  if (!Array.isArray(prefixItems) || "items" in schema) return schema
  const [first, ...others] = prefixItems.map((item) => JSON.stringify(item))
  return others.every((other) => other === first) ? { ...rest, items: prefixItems[0] } : schema
}

/** Annotations beside the schema they are about, where they say nothing that it says itself. */
function merged(schema: Json): Json {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf) || !allOf.every(isRecord)) return schema
  const keys = [rest, ...allOf].flatMap((part) => Object.keys(part))
  const clashes = new Set(keys).size < keys.length || keys.includes("$ref")
  return clashes ? schema : Object.assign({}, rest, ...allOf)
}
