/**
 * Prints the CycloneDX bill of materials of what the product's processes load: deno task sbom > sbom.json
 *
 * @module
 */
import { cycloneDx, productPackages } from "../tests/support/bom.ts"

const [change] = (await Deno.readTextFile(new URL("../CHANGELOG.md", import.meta.url)))
  .matchAll(/^## (\S+)/gm)
// deno-lint-ignore no-console
console.log(JSON.stringify(cycloneDx(await productPackages(), change?.[1] ?? "unknown"), null, 2))
