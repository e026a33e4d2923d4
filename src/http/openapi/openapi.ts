/**
 * All paths of the service as two OpenAPI 3.1 documents. /openapi.json has the calls that an agent
 * buys with, and is short, because catalogs and models read it whole. /openapi/service.json has the
 * rest: the record, documents about the service, the data of pages, and the agent endpoints.
 *
 * @module
 */
import { Record } from "effect"
import { resend, resendRule } from "../../catalog/domain/refusal.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import type { Answer } from "../server/answer.ts"
import { paths as documentPaths } from "../documents/addresses.ts"
import { agentOperations, agentResponses, agentSchemas } from "./agents.ts"
import { describeDocuments, openApiVersion } from "./documents.ts"
import { errorResponses } from "./errors.ts"
import { commonHeadersText, headers } from "./headers.ts"
import { contractOperations, contractSchemas, notModified, sharedParameters } from "./operations.ts"
import type { Json } from "../../catalog/domain/shortForm.ts"

interface OpenApiOptions {
  readonly terms: PaymentTerms
  readonly version: string
  /** The contact: a `mailto:` or `https:` address. */
  readonly contact: string
  /** The other documents about the service, by path. */
  readonly documents: ReadonlyMap<string, () => Answer>
}

/** Both documents as JSON text, by path. */
export function openApiDocuments(options: OpenApiOptions): ReadonlyMap<string, string> {
  const { terms: { publicBaseUrl } } = options
  const { paths, components } = contentsOf(options)
  const part = (tags: typeof callTags) => {
    const names = new Set(tags.map(({ name }) => name))
    const own = Object.fromEntries(
      Object.entries(paths).filter(([, item]) => names.has(tagOf(item))),
    )
    return { tags, security: [], paths: own, components: usedBy(own, components) }
  }
  const calls = part(callTags)
  const common = { openapi: openApiVersion, info: {}, servers: [{ url: publicBaseUrl }] }
  const info = infoOf(options)
  return new Map([
    [documentPaths.openApi, {
      ...common,
      ...calls,
      ...callsHead(publicBaseUrl),
      info: { ...info, ...callsInfo },
      components: { securitySchemes: { x402: scheme }, ...calls.components },
    }],
    [documentPaths.openApiService, {
      ...common,
      ...part(serviceTags),
      info: { ...info, ...serviceInfo },
      externalDocs: {
        url: `${publicBaseUrl}${documentPaths.openApi}`,
        description: "The calls that an agent buys with",
      },
    }],
  ].map(([path, document]) => [String(path), JSON.stringify(document)]))
}

/** The paths and components of both documents. */
function contentsOf({ terms, documents }: OpenApiOptions) {
  const { operations, responses } = describeDocuments(documents)
  const paths: Record<string, Json> = { ...contractOperations(terms), ...operations }
  for (const [path, post] of Object.entries(agentOperations)) {
    paths[path] = { ...paths[path], post }
  }
  const components: Components = {
    headers,
    parameters: sharedParameters,
    responses: {
      NotModified: notModified,
      ...errorResponses(terms),
      ...agentResponses,
      ...responses,
    },
    schemas: { ...contractSchemas(), ...agentSchemas },
  }
  return { paths, components }
}

function infoOf({ terms: { publicBaseUrl }, version, contact }: OpenApiOptions) {
  return {
    version,
    termsOfService: `${publicBaseUrl}/terms.txt`,
    contact: {
      name: "Bellwether",
      url: `${publicBaseUrl}${documentPaths.contact}`,
      ...emailOf(contact),
    },
    license: { name: "Proprietary", url: `${publicBaseUrl}/terms.txt` },
  }
}

const callsHead = (publicBaseUrl: string) => ({
  "x-agentcash-guidance": { llmsTxtUrl: `${publicBaseUrl}/llms.txt` },
  "x-service-info": {
    categories: ["data", "finance"],
    docs: {
      homepage: publicBaseUrl,
      apiReference: `${publicBaseUrl}/openapi.json`,
      llms: `${publicBaseUrl}/llms.txt`,
    },
  },
  externalDocs: {
    url: `${publicBaseUrl}/llms-full.txt`,
    description: "The full documentation as one text",
  },
})

type Components = Readonly<Record<string, Json>>

/** The tag of a path's operations. */
function tagOf(item: Json): string {
  const [operation] = Object.values(item)
  return String(Object(operation).tags[0])
}

/** The components that these paths reference, directly or not. */
function usedBy(paths: unknown, components: Components): Components {
  const used = new Set<unknown>()
  const visit = (part: unknown) => {
    const references = JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)
    for (const [, kind = "", name = ""] of references) {
      const component = components[kind]?.[name]
      if (used.has(component)) continue
      used.add(component)
      visit(component)
    }
  }
  visit(paths)
  return Record.map(components, Record.filter((component) => used.has(component)))
}

/** The mail addresses that OpenAPI validators accept; they reject `localhost` as a domain. */
const mailPattern = /^mailto:([\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})$/i

/** The address of a contact that is a mail address; info.contact has the page as well. */
function emailOf(contact: string) {
  const [, email] = mailPattern.exec(contact) ?? []
  return email === undefined ? {} : { email }
}

/** The tags of /openapi.json. */
const callTags = [
  {
    name: "free",
    description: "No payment. Each client address has a request limit, see RateLimit-Policy",
  },
  { name: "payments", description: "The state of a payment. No payment needed" },
  { name: "paid", description: "Paid per call in USDC through x402" },
  { name: "service", description: "Health and terms of the service" },
]

/** The tags of /openapi/service.json. */
const serviceTags = [
  { name: "record", description: "How published items and tracked wallets did; proofs of both" },
  { name: "pages", description: "What the pages for people show, as JSON" },
  { name: "documents", description: "Documents about the service" },
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
  "Send an Idempotency-Key on the first paid call, and keep it: a secret of 16 to 128 letters, digits, " +
  `- or _ that you choose, one for each purchase. ${resendRule} The same request with the same key ` +
  "returns the answer again for 24 hours, without a second charge. Without a key only the payer's " +
  "signature fetches a lost answer, for a limited time: the hint of the 409 has the text to sign.",
  "`error.charged` says whether you paid. false: nothing was taken. true: the payment was taken, and " +
  `\`refund\` shows its refund. null: not known yet; after Retry-After, ${resend}. ` +
  "GET /v1/payments/{paymentId} returns the state of the payment.",
  `/v1/research may take a minute. Use a timeout of 90 seconds; after it, ${resend}.`,
].join("\n\n")

const callsInfo = {
  title: "Bellwether",
  summary: "Prediction-market signals for agents, paid per call",
  description:
    "Free paths need no payment. Paid paths return 402 with an x402 version 2 challenge in the " +
    "PAYMENT-REQUIRED header. Sign it, and send the same request again with the payment in " +
    "PAYMENT-SIGNATURE. You do not pay for a call without an answer: its payment is not taken or, " +
    "if it was settled first (/v1/resolving, /v1/whales, /v1/research), it is refunded. `charged` " +
    "and `refund` in the error say which. Clients of x402 version 1 add ?x402Version=1.\n\n" +
    `${commonHeadersText}\n\n${documentPaths.openApiService} describes the other free paths: ` +
    "track record, outcomes, proofs, data of pages, documents, /a2a and /mcp.",
  "x-guidance": guidance,
}

const serviceInfo = {
  title: "Bellwether: the service",
  summary: "The record and the documents of the service",
  description: "No path here needs a payment. The calls that an agent buys with are in " +
    `${documentPaths.openApi}.\n\n${commonHeadersText}`,
}

const scheme = {
  type: "http",
  scheme: "x402",
  description:
    "x402 version 2, scheme exact: a signed EIP-3009 authorization in the PAYMENT-SIGNATURE header " +
    "(or X-PAYMENT, legacy), as base64 JSON. No account and no key: Authorization is not read",
}
