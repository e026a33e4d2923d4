/**
 * What the product's processes import from npm, as a CycloneDX bill of materials: name, version, licence,
 * hash and dependencies of every package that an entry of `src` can reach. The module graph and the
 * lock are the source, so a package of tests is left out.
 *
 * @module
 */
import { locks, packagesOfEntries, readLock, serving } from "./locks.ts"

export interface Package {
  readonly name: string
  readonly version: string
  /** An SPDX expression, or null when the package states none. */
  readonly license: string | null
  /** SHA-512 of the package's archive, in hex. */
  readonly sha512: string
  readonly dependencies: ReadonlyArray<string>
}

const keyOf = ({ name, version }: Pick<Package, "name" | "version">) => `${name}@${version}`
const purlOf = ({ name, version }: Pick<Package, "name" | "version">) =>
  `pkg:npm/${name.replace("@", "%40")}@${version}`

/** Every package that the product can load, by name. */
export async function productPackages(): Promise<ReadonlyArray<Package>> {
  const { file } = locks.product
  const { npm } = await readLock(file)
  const loaded = await packagesOfEntries(serving, file)
  const packages = [...loaded].map(async ([id, one]): Promise<Package> => {
    const locked = npm[id] ?? npm[keyOf(one)]
    if (locked === undefined) throw new Error(`${id} is not in ${file}`)
    return {
      name: one.name,
      version: one.version,
      license: await licenseOf(one.localPath),
      sha512: hexOf(locked.integrity),
      dependencies: one.dependencies.flatMap((next) => {
        const dependency = loaded.get(next)
        return dependency === undefined ? [] : [keyOf(dependency)]
      }),
    }
  })
  const found = new Map((await Promise.all(packages)).map((one) => [keyOf(one), one]))
  return [...found.values()].sort((a, b) => keyOf(a) < keyOf(b) ? -1 : 1)
}

type License = string | { readonly type?: string }

/** Old packages have a list `licenses`. */
async function licenseOf(folder: string): Promise<string | null> {
  const { licenses = [], license = licenses[0] } = JSON.parse(
    await Deno.readTextFile(`${folder}/package.json`),
  ) as { readonly license?: License; readonly licenses?: ReadonlyArray<License> }
  return typeof license === "string" ? license : license?.type ?? null
}

/** The licence of each package of a lock, by its key there, as Deno's cache has it. */
export async function licensesOf(file: string): Promise<ReadonlyArray<[string, string | null]>> {
  const { npm } = await readLock(file)
  const cache = new URL(import.meta.resolve("effect")).pathname.split("/effect/")[0]
  return Promise.all(
    Object.keys(npm).map(async (key) => {
      const [, name, version] = /^(@?[^@]+)@([^_]+)/.exec(key) ?? []
      return [key, await licenseOf(`${cache}/${name}/${version}`)]
    }),
  )
}

const hexOf = (integrity: string) =>
  Uint8Array.fromBase64(integrity.replace(/^sha512-/, "")).toHex()

/** CycloneDX 1.6. It has no time and no serial number, so equal packages give an equal file. */
export function cycloneDx(packages: ReadonlyArray<Package>, version: string) {
  const product = `pkg:generic/bellwether@${version}`
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "application", "bom-ref": product, name: "bellwether", version },
    },
    components: packages.map((one) => ({
      type: "library",
      "bom-ref": purlOf(one),
      name: one.name,
      version: one.version,
      hashes: [{ alg: "SHA-512", content: one.sha512 }],
      licenses: one.license === null ? [] : [{ expression: one.license }],
      purl: purlOf(one),
    })),
    dependencies: packages.map((one) => ({
      ref: purlOf(one),
      dependsOn: one.dependencies.map((key) => {
        const at = key.lastIndexOf("@")
        return purlOf({ name: key.slice(0, at), version: key.slice(at + 1) })
      }),
    })),
  }
}
