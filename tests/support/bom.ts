/**
 * What the product's processes import from npm, as a CycloneDX bill of materials: name, version, licence,
 * hash and dependencies of every package that an entry of `src` can reach. The module graph and the
 * lock are the source, so a package of tests is left out.
 *
 * @module
 */
const root = new URL("../..", import.meta.url)

/** The entries of the product. Each helper process and worker is imported by one of them. */
export const entries = Deno.readDirSync(new URL("src/", root))
  .filter(({ name }) => name.endsWith(".ts"))
  .map(({ name }) => `src/${name}`)
  .toArray()
  .sort()

/** Workers are started by address, so no import leads to them. */
const workers = [
  "src/postgres/embeddedWorker.ts",
  "src/news/sources/parseWorker.ts",
  "src/http/pages/card/cardWorker.ts",
]

export interface Package {
  readonly name: string
  readonly version: string
  /** An SPDX expression, or null when the package states none. */
  readonly license: string | null
  /** SHA-512 of the package's archive, in hex. */
  readonly sha512: string
  readonly dependencies: ReadonlyArray<string>
}

interface Info {
  readonly modules: ReadonlyArray<{ readonly kind?: string; readonly npmPackage?: string }>
  readonly npmPackages: Readonly<
    Record<
      string,
      {
        readonly name: string
        readonly version: string
        readonly dependencies: ReadonlyArray<string>
        readonly localPath: string
      }
    >
  >
}

const keyOf = ({ name, version }: Pick<Package, "name" | "version">) => `${name}@${version}`
const purlOf = ({ name, version }: Pick<Package, "name" | "version">) =>
  `pkg:npm/${name.replace("@", "%40")}@${version}`

/** Every package that the product can load, by name. */
export async function packagesOf(
  from: ReadonlyArray<string> = [...entries, ...workers],
): Promise<ReadonlyArray<Package>> {
  const { npm } = JSON.parse(await Deno.readTextFile(new URL("deno.lock", root))) as {
    readonly npm: Readonly<Record<string, { readonly integrity: string }>>
  }
  const found = new Map<string, Package>()
  for (const entry of from) {
    const { modules, npmPackages } = await infoOf(entry)
    const queue = modules.flatMap(({ npmPackage }) => npmPackage === undefined ? [] : [npmPackage])
    const seen = new Set(queue)
    for (const id of queue) {
      const entry = npmPackages[id]
      if (entry === undefined) continue
      for (const next of entry.dependencies) if (!seen.has(next)) seen.add(next) && queue.push(next)
      const locked = npm[id] ?? npm[keyOf(entry)]
      if (locked === undefined) throw new Error(`${id} is not in deno.lock`)
      found.set(keyOf(entry), {
        name: entry.name,
        version: entry.version,
        license: await licenseOf(entry.localPath),
        sha512: hexOf(locked.integrity),
        dependencies: entry.dependencies.flatMap((next) => {
          const dependency = npmPackages[next]
          return dependency === undefined ? [] : [keyOf(dependency)]
        }),
      })
    }
  }
  return [...found.values()].sort((a, b) => keyOf(a) < keyOf(b) ? -1 : 1)
}

async function infoOf(entry: string): Promise<Info> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry],
    cwd: root,
    env: { NO_COLOR: "1" },
  }).output()
  if (!success) throw new Error(new TextDecoder().decode(stderr))
  return JSON.parse(new TextDecoder().decode(stdout)) as Info
}

async function licenseOf(folder: string): Promise<string | null> {
  const { license } = JSON.parse(await Deno.readTextFile(`${folder}/package.json`)) as {
    readonly license?: string | { readonly type?: string }
  }
  return typeof license === "string" ? license : license?.type ?? null
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
