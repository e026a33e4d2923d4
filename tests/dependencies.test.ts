/**
 * The licences of all packages, the product's bill of materials, and the lock files.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { cycloneDx, licensesOf, productPackages } from "./support/bom.ts"
import { locks, packagesOfEntries, readLock } from "./support/locks.ts"

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

Deno.test("every package of the product and its tests has a licence that allows its use", async () => {
  const licenses = await licensesOf(locks.tests.file)
  ok(licenses.length > 100)
  equal(licenses.filter(([, license]) => license === null || !isAllowed(license)), [])
  ok(!isAllowed("GPL-3.0-only"))
  ok(!isAllowed("MIT AND AGPL-3.0-only"))
  ok(isAllowed("(MIT OR GPL-3.0-only)"))
})

Deno.test("the bill of materials names every package once, with its hash and its dependencies", async () => {
  const packages = await productPackages()
  const { components, dependencies } = cycloneDx(packages, "1.0.0")
  const refs = components.map((component) => component["bom-ref"])
  equal(new Set(refs).size, refs.length)
  ok(refs.some((ref) => ref.startsWith("pkg:npm/effect@")))
  ok(!refs.some((ref) => ref.includes("axios")), "a package of tests")
  ok(components.every(({ hashes: [hash] }) => /^[0-9a-f]{128}$/.test(hash?.content ?? "")))
  equal(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref)), [])
})

const root = new URL("..", import.meta.url)
const config: {
  readonly lock: unknown
  readonly tasks: Readonly<Record<string, string | { readonly command: string }>>
} = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)))

/** The parts of a task that load code. */
const loading = Object.values(config.tasks)
  .flatMap((task) => (typeof task === "string" ? task : task.command).split(" && "))
  .filter((part) => / ?deno (?:run|check|test|audit) /.test(part))

const lockOf = (part: string) => / --lock=(\S+)/.exec(part)?.[1] ?? locks.product.file

Deno.test("every task loads packages by a frozen lock, which is that of its program", () => {
  equal(config.lock, { path: locks.product.file, frozen: true })
  ok(loading.length > 30)
  equal(loading.filter((part) => /--no-lock|--no-config|--frozen=false/.test(part)), [])
  for (const part of loading) {
    const entry = part.split(" ").find((word) =>
      /^(?:src|examples|packages|tests|bench|tools)\/.*\.ts$/.test(word)
    )
    const isProduct = /^(?:src|examples\/\w|packages|tools\/verify)/.test(entry ?? "") &&
      !/deno check /.test(part)
    const expected = !isProduct ? locks.tests : locks.product
    equal(lockOf(part), expected.file, part)
  }
})

for (const { file, entries } of Object.values(locks)) {
  Deno.test(`${file} covers its programs`, async () => {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["install", "--cached-only", "--frozen", `--lock=${file}`, "--entrypoint", ...entries],
      cwd: root,
      env: { NO_COLOR: "1" },
      stdout: "null",
    }).output()
    ok(success, new TextDecoder().decode(stderr))
  })
}

Deno.test("a release has the packages of every program of the product", async () => {
  const text = await Deno.readTextFile(new URL("deploy/release", root))
  const cached = (/deno cache ([^)]*)\)/.exec(text)?.[1] ?? "").split(/[\s\\]+/)
  const files = cached.filter((path) => path.endsWith(".ts")).flatMap((path) => {
    const [folder, isAll] = path.split("*.ts")
    if (isAll === undefined) return [path]
    return [...Deno.readDirSync(new URL(folder ?? "", root))]
      .filter(({ name }) => name.endsWith(".ts")).map(({ name }) => `${folder}${name}`)
  })
  // A program of another lock would make the release outdated, and it could not be built.
  equal(files.toSorted(), locks.product.entries.toSorted())
})

Deno.test("deno.lock has the packages of its programs, with the hashes of all tests, and no other", async () => {
  const { file, entries } = locks.product
  const { npm } = await readLock(file)
  const loaded = await packagesOfEntries(entries, file)
  equal(Object.keys(npm).sort(), [...loaded.keys()].sort())
  const hashes = async (name: string) =>
    Object.entries((await readLock(name)).npm)
      .map(([id, { integrity }]) => `${id.split("_")[0]} ${integrity}`)
  const all = new Set(await hashes(locks.tests.file))
  equal((await hashes(file)).filter((line) => !all.has(line)), [])
})
