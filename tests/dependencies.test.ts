/**
 * The licences of everything that the product loads, and its bill of materials.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { cycloneDx, packagesOf } from "./support/bom.ts"

/** Each lets a service be run and its source be shared without publishing the operator's changes. */
const allowed = new Set([
  ...["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "0BSD", "Unlicense", "CC0-1.0"],
  ...["BlueOak-1.0.0", "PostgreSQL", "OFL-1.1", "MPL-2.0", "Python-2.0", "Zlib"],
])

/** An SPDX expression of names joined by AND or OR. */
const isAllowed = (expression: string) =>
  expression.replace(/[()]/g, "").split(" OR ").some((choice) =>
    choice.split(" AND ").every((name) => allowed.has(name.trim()))
  )

const packages = await packagesOf()

Deno.test("every package that the product loads has a licence that allows its use", () => {
  equal(
    packages.filter(({ license }) => license === null || !isAllowed(license))
      .map(({ name, version, license }) => `${name}@${version}: ${license}`),
    [],
  )
  ok(!isAllowed("GPL-3.0-only"))
  ok(!isAllowed("MIT AND AGPL-3.0-only"))
  ok(isAllowed("(MIT OR GPL-3.0-only)"))
})

Deno.test("the bill of materials names every package once, with its hash and its dependencies", () => {
  const { components, dependencies } = cycloneDx(packages, "1.0.0")
  const refs = components.map((component) => component["bom-ref"])
  equal(new Set(refs).size, refs.length)
  ok(refs.some((ref) => ref.startsWith("pkg:npm/effect@")))
  ok(!refs.some((ref) => ref.includes("axios")), "a package of tests")
  ok(components.every(({ hashes: [hash] }) => /^[0-9a-f]{128}$/.test(hash?.content ?? "")))
  equal(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref)), [])
})
