/**
 * /openapi.json: all paths of the service as an OpenAPI 3.1 document.
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
  /** The contact: a `mailto:` or `https:` address. */
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
        "Free paths need no payment. Paid paths return 402 with an x402 version 2 challenge in the " +
        "PAYMENT-REQUIRED header. Sign it, and send the same request again with the payment in " +
        "PAYMENT-SIGNATURE. You do not pay for a call without an answer: its payment is not taken or, " +
        "if it was settled first (/v1/resolving, /v1/whales, /v1/research), it is refunded. `charged` " +
        "and `refund` in the error say which. Clients of x402 version 1 add ?x402Version=1.",
      termsOfService: `${publicBaseUrl}/terms.txt`,
      contact: { name: "Bellwether", ...contactOf(contact) },
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
      description: "The full documentation as one text",
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
  }, simplifySchema)
}

/** The mail addresses that OpenAPI validators accept; they reject `localhost` as a domain. */
const mailPattern = /^mailto:([\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})$/i

/** The contact object: `email` for a mail address, else `url`. */
function contactOf(contact: string) {
  const [, email] = mailPattern.exec(contact) ?? []
  return email === undefined ? { url: contact } : { email }
}

const tags = [
  {
    name: "free",
    description: "No payment. Each client address has a request limit, see RateLimit-Policy",
  },
  { name: "payments", description: "The state of a payment. No payment needed" },
  { name: "paid", description: "Paid per call in USDC through x402" },
  { name: "documents", description: "Documents about the service. No payment needed" },
  { name: "agents", description: "The same skills over A2A and MCP" },
]

/** What an agent must know in addition to the operations. */
const guidance = [
  "Poll the free GET /v1/index about every 10 minutes. When `index` has increased, buy GET " +
  "/v1/signals with `since` set to the last index you saw. It is not charged when there is nothing " +
  "new. The free GET /v1/sample shows the shape of every paid answer.",
  "To pay: call without a payment. The 402 has a PAYMENT-REQUIRED header: base64 JSON of x402 " +
  "version 2, with the amount in units of 0.000001 USDC. Sign an EIP-3009 authorization for the only " +
  "entry of `accepts`, and send the same request again with the payment as base64 JSON in " +
  "PAYMENT-SIGNATURE. Parameters are checked before the payment: a 400 leaves it unused.",
  "Send an Idempotency-Key on the first paid call: a secret of 16 to 128 letters, digits, - or _ " +
  "that you choose. If the answer is lost, the same request with the same key returns it again " +
  "for 24 hours, without a second charge, with the same payment or with a new signature of the same payer. Without " +
  "a key only the payer's signature fetches a lost answer, for a limited time: the hint of the 409 " +
  "has the text to sign.",
  "`error.charged` says whether you paid. false: nothing was taken. true: the payment was taken, and " +
  "`refund` shows its refund. null: not known yet; send the same payment again after Retry-After, it " +
  "is never taken twice. GET /v1/payments/{paymentId} returns the state of the payment.",
  "/v1/research may take a minute. Use a timeout of 90 seconds.",
].join("\n\n")

const scheme = {
  type: "http",
  scheme: "x402",
  description:
    "x402 version 2, scheme exact: a signed EIP-3009 authorization in the PAYMENT-SIGNATURE header " +
    "(or X-PAYMENT, legacy), as base64 JSON. No account and no key: Authorization is not read",
}

/**
 * A replacer for `JSON.stringify`. The generated document is valid, but some of its forms cause
 * errors in linters and type generators; this replaces them.
 */
function simplifySchema(key: string, value: unknown): unknown {
  // Answers may gain fields in later versions.
  if (key === "additionalProperties" && value === false) return undefined
  // This is the bound of every integer in JSON.
  if (key === "maximum" && value === Number.MAX_SAFE_INTEGER) return undefined
  return isRecord(value) ? mergeAllOf(tupleAsList(value)) : value
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A tuple of equal types as a list with `items`: few tools support a list without it. */
function tupleAsList(schema: Json): Json {
  const { prefixItems, ...rest } = schema
  if (!Array.isArray(prefixItems) || "items" in schema) return schema
  const [first, ...others] = prefixItems.map((item) => JSON.stringify(item))
  return others.every((other) => other === first) ? { ...rest, items: prefixItems[0] } : schema
}

/** Merges the annotations in `allOf` into their schema, where no key occurs twice. */
function mergeAllOf(schema: Json): Json {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf) || !allOf.every(isRecord)) return schema
  const keys = [rest, ...allOf].flatMap((part) => Object.keys(part))
  const clashes = new Set(keys).size < keys.length || keys.includes("$ref")
  return clashes ? schema : Object.assign({}, rest, ...allOf)
}
