/**
 * The lock files and the programs that each is for. A lock is downloaded as a whole before the first
 * of its programs runs, so it names what those need and nothing else.
 *
 * @module
 */
const root = new URL("../..", import.meta.url)

/** Files of `folder`, and of its folders, that `isProgram` accepts, from the root of the repository. */
function filesIn(folder: string, isProgram: (path: string) => boolean): ReadonlyArray<string> {
  return Deno.readDirSync(new URL(folder, root)).toArray()
    .sort((a, b) => a.name < b.name ? -1 : 1)
    .flatMap(({ name, isDirectory }) => {
      const path = `${folder}${name}`
      if (isDirectory) return name === "node_modules" ? [] : filesIn(`${path}/`, isProgram)
      return isProgram(path) ? [path] : []
    })
}

/** The entries of the product. */
const entries = filesIn("src/", (path) => /^src\/[\w-]+\.ts$/.test(path))

/** A worker is started by address, so no import leads to it. */
const worker = "src/postgres/embeddedWorker.ts"

/** What a service can load. */
export const serving = [...entries, worker]

const buyers = ["examples/agent.ts", "examples/buyer.ts", "packages/mcp/src/main.ts"]

/** Reads files with a package of its own, which no service needs. */
const backtest = "tools/backtest.ts"

const tools = filesIn("tools/", (path) => path.endsWith("verify.ts"))

/** Folders with packages of their own, which `npm ci` installs. */
const installed = /^tests\/(?:anvil|browser|documents|hosts|legacy|oracle|quickstarts)\//

const tested = ["tests/", "bench/"].flatMap((folder) =>
  filesIn(folder, (path) => path.endsWith(".ts") && !installed.test(path))
)

/**
 * `product` is the lock of `deno.json`: a service, tools, and a buyer's programs, which need two packages more.
 * Commands of tests and measurements name the other.
 */
export const locks = {
  product: { file: "deno.lock", entries: [...serving, ...buyers, ...tools] },
  tests: {
    file: "tests/deno.lock",
    entries: [...serving, ...buyers, ...tools, backtest, ...tested],
  },
} as const

export interface Lock {
  readonly version: string
  /** Versions by requirement, such as `npm:effect@4.1.0`. */
  readonly specifiers: Readonly<Record<string, string>>
  /** Packages by name and version, with those of their peers after a `_`. */
  readonly npm: Readonly<Record<string, { readonly integrity: string }>>
}

export const readLock = async (file: string): Promise<Lock> =>
  JSON.parse(await Deno.readTextFile(new URL(file, root)))

export interface LoadedPackage {
  readonly name: string
  readonly version: string
  readonly dependencies: ReadonlyArray<string>
  readonly localPath: string
}

interface Info {
  readonly modules: ReadonlyArray<{ readonly npmPackage?: string }>
  readonly npmPackages: Readonly<Record<string, LoadedPackage>>
}

/** The packages that `entry` imports under a lock, with those that they depend on. */
export async function packagesOfEntry(
  entry: string,
  lock: string,
): Promise<ReadonlyMap<string, LoadedPackage>> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", `--lock=${lock}`, "--config=deno.json", entry],
    cwd: root,
    env: { NO_COLOR: "1" },
  }).output()
  if (!success) throw new Error(new TextDecoder().decode(stderr))
  const { modules, npmPackages }: Info = JSON.parse(new TextDecoder().decode(stdout))
  const found = new Map<string, LoadedPackage>()
  const add = (id: string) => {
    const loaded = npmPackages[id]
    if (loaded === undefined || found.has(id)) return
    found.set(id, loaded)
    loaded.dependencies.forEach(add)
  }
  modules.forEach(({ npmPackage }) => npmPackage === undefined || add(npmPackage))
  return found
}

/** The packages of several entries. */
export async function packagesOfEntries(
  from: ReadonlyArray<string>,
  lock: string,
): Promise<ReadonlyMap<string, LoadedPackage>> {
  const found = new Map<string, LoadedPackage>()
  for (const entry of from) {
    for (const [id, loaded] of await packagesOfEntry(entry, lock)) found.set(id, loaded)
  }
  return found
}
