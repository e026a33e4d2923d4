/**
 * /openapi.json: all paths of the service as an OpenAPI 3.1 document.
 *
 * @module
 */
import { resend, resendRule } from "../../catalog/domain/refusal.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import type { Answer } from "../server/answer.ts"
import { paths } from "../documents/addresses.ts"
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
  readonly documents: ReadonlyMap<string, Answer>
}

/** The whole document, as JSON text. */
export function openApiDocument(options: OpenApiOptions): string {
  const { terms: { publicBaseUrl }, terms, version, contact, documents } = options
  const { operations, responses } = describeDocuments(documents)
  const operationsByPath: Record<string, Json> = { ...contractOperations(terms), ...operations }
  for (const [path, post] of Object.entries(agentOperations)) {
    operationsByPath[path] = { ...operationsByPath[path], post }
  }
  return JSON.stringify({
    openapi: openApiVersion,
    info: {
      title: "Bellwether",
      version,
      summary: "Prediction-market signals for agents, paid per call",
      description:
        "Free paths need no payment. Paid paths return 402 with an x402 version 2 challenge in the " +
        "PAYMENT-REQUIRED header. Sign it, and send the same request again with the payment in " +
        "PAYMENT-SIGNATURE. You do not pay for a call without an answer: its payment is not taken or, " +
        "if it was settled first (/v1/resolving, /v1/whales, /v1/research), it is refunded. `charged` " +
        "and `refund` in the error say which. Clients of x402 version 1 add ?x402Version=1.\n\n" +
        commonHeadersText,
      termsOfService: `${publicBaseUrl}/terms.txt`,
      contact: { name: "Bellwether", url: `${publicBaseUrl}${paths.contact}`, ...emailOf(contact) },
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
    paths: operationsByPath,
    components: {
      securitySchemes: { x402: scheme },
      headers,
      parameters: sharedParameters,
      responses: {
        NotModified: notModified,
        ...errorResponses(terms),
        ...agentResponses,
        ...responses,
      },
      schemas: { ...contractSchemas, ...agentSchemas },
    },
  })
}

/** The mail addresses that OpenAPI validators accept; they reject `localhost` as a domain. */
const mailPattern = /^mailto:([\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})$/i

/** The address of a contact that is a mail address; info.contact has the page as well. */
function emailOf(contact: string) {
  const [, email] = mailPattern.exec(contact) ?? []
  return email === undefined ? {} : { email }
}

const tags = [
  {
    name: "free",
    description: "No payment. Each client address has a request limit, see RateLimit-Policy",
  },
  { name: "payments", description: "The state of a payment. No payment needed" },
  { name: "paid", description: "Paid per call in USDC through x402" },
  { name: "pages", description: "What the pages for people show, as JSON. No payment needed" },
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
  "Send an Idempotency-Key on the first paid call, and keep it: a secret of 16 to 128 letters, digits, " +
  `- or _ that you choose, one for each purchase. ${resendRule} The same request with the same key ` +
  "returns the answer again for 24 hours, without a second charge. Without a key only the payer's " +
  "signature fetches a lost answer, for a limited time: the hint of the 409 has the text to sign.",
  "`error.charged` says whether you paid. false: nothing was taken. true: the payment was taken, and " +
  `\`refund\` shows its refund. null: not known yet; after Retry-After, ${resend}. ` +
  "GET /v1/payments/{paymentId} returns the state of the payment.",
  `/v1/research may take a minute. Use a timeout of 90 seconds; after it, ${resend}.`,
].join("\n\n")

const scheme = {
  type: "http",
  scheme: "x402",
  description:
    "x402 version 2, scheme exact: a signed EIP-3009 authorization in the PAYMENT-SIGNATURE header " +
    "(or X-PAYMENT, legacy), as base64 JSON. No account and no key: Authorization is not read",
}
