/**
 * /openapi.json: every path of the interface, in OpenAPI 3.1.
 *
 * Catalogs and models read it whole, so it has no examples of answers: /v1/sample and /llms-full.txt
 * have them.
 *
 * @module
 */
import { Record } from "effect"
import { resend, resendRule } from "../../catalog/domain/refusal.ts"
import { version } from "../../core/domain/version.ts"
import type { Site } from "../site.ts"
import { paths } from "./addresses.ts"
import {
  agentError,
  commonHeadersText,
  errorResponses,
  headers,
  notModified,
  operations,
  sharedParameters,
  tags,
} from "./operations.ts"
import { callSchemas } from "./schemas.ts"

/** The document as JSON text. */
export function openApiText({ terms, contact }: Pick<Site, "terms" | "contact">): string {
  const { publicBaseUrl } = terms
  const at = (path: string) => `${publicBaseUrl}${path}`
  const termsOfService = at("/terms.txt")
  const document = {
    openapi: "3.1.0",
    info: {
      ...info,
      version,
      termsOfService,
      contact: { name: "Bellwether", url: at(paths.contact), ...emailOf(contact) },
      license: { name: "Proprietary", url: termsOfService },
    },
    servers: [{ url: publicBaseUrl }],
    tags: Record.toEntries(tags).map(([name, description]) => ({ name, description })),
    security: [],
    paths: operations(),
    components: {
      securitySchemes: { x402: scheme },
      headers,
      parameters: sharedParameters,
      responses: { NotModified: notModified, AgentError: agentError, ...errorResponses(terms) },
      schemas: callSchemas().types,
    },
    "x-agentcash-guidance": { llmsTxtUrl: at(paths.llms) },
    "x-service-info": {
      categories: ["data", "finance"],
      docs: { homepage: publicBaseUrl, apiReference: at(paths.openApi), llms: at(paths.llms) },
    },
    externalDocs: { url: at(paths.llmsFull), description: "The full documentation as one text" },
  }
  return JSON.stringify(document)
}

/** The mail addresses that OpenAPI validators accept; they reject `localhost` as a domain. */
const mailPattern = /^mailto:([\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})$/i

/** The address of a contact that is a mail address; info.contact has the page as well. */
function emailOf(contact: string) {
  const [, email] = mailPattern.exec(contact) ?? []
  return email === undefined ? {} : { email }
}

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
  "returns the answer again for 24 hours, without a second charge. Without a key nothing does.",
  "`error.charged` says whether you paid. false: nothing was taken. true: the payment was taken, and " +
  `\`refund\` shows its refund. null: not known yet; after Retry-After, ${resend}. ` +
  "GET /v1/payments/{paymentId} returns the state of the payment.",
  `/v1/research may take a minute. Use a timeout of 90 seconds; after it, ${resend}.`,
].join("\n\n")

const info = {
  title: "Bellwether",
  summary: "Prediction-market signals for agents, paid per call",
  description: "You do not pay for a call without an answer. " + commonHeadersText,
  "x-guidance": guidance,
}

const scheme = {
  type: "http",
  scheme: "x402",
  description:
    "x402 version 2, scheme exact: a signed EIP-3009 authorization in the PAYMENT-SIGNATURE header " +
    "(or X-PAYMENT, legacy), as base64 JSON. No account and no key: Authorization is not read",
}
