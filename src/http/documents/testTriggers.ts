/**
 * The section of /llms-full.txt about test triggers, where payments are simulated.
 *
 * @module
 */
import { products } from "../../catalog/domain/product.ts"
import { testHeader, testSlugOf, type TestTrigger } from "../../core/testCall.ts"

/** The section; nothing without triggers. */
export function testTriggerSection(
  triggers: ReadonlyArray<TestTrigger> = [],
): ReadonlyArray<string> {
  const [first] = triggers
  if (first === undefined) return []
  return [
    "## Test triggers",
    "Payments are simulated here, so a buyer can be tested against failures. Name one in the header " +
    `\`${testHeader}\` of a paid call, over HTTP, A2A or MCP; or buy \`${products.research.path}\` ` +
    `for the market \`test-\` and the name (\`${testSlugOf(first)}\`), which returns the sample ` +
    "report in the end. A trigger acts on the first call with a payment; later calls with the same " +
    "payment are answered as usual. Where payments are real, the header is refused with 400 and these markets do not exist.",
    triggerTable(triggers),
  ]
}

/** The table of triggers. */
export function triggerTable(triggers: ReadonlyArray<TestTrigger>): string {
  const rows = triggers.map(({ name, happens, end }) => `| \`${name}\` | ${happens} | ${end} |`)
  return ["| trigger | what happens | what a correct buyer gets |", "|---|---|---|", ...rows]
    .join("\n")
}
