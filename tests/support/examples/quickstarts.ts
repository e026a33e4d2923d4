/**
 * Runs a quickstart as a stranger does: the published file in a folder of its own, with the packages
 * that it names, as a real process that knows the address of a service and a key.
 *
 * @module
 */
import { Effect } from "effect"
import { inherited } from "../inherited.ts"
import { type Ran, removeFolder, run } from "../process.ts"

const root = new URL("../../../", import.meta.url)
export const quickstarts = new URL("examples/quickstarts/", root)
const oracles = new URL("tests/quickstarts/node_modules", root)
/** Far longer than a quickstart takes; a process that hangs is killed. */
const runMsMax = 120_000

const exists = (url: URL) => Deno.stat(url).then(() => true, () => false)

/** Our own packages, as `deno task pack` writes them before the tests start. */
const tarballs = await Promise.all(["client", "mcp"].map(async (folder) => {
  const manifest = await Deno.readTextFile(new URL(`packages/${folder}/package.json`, root))
  const { name, version } = JSON.parse(manifest)
  const file = new URL(`packages/built/${name}-${version}.tgz`, root)
  return { name, file, isPacked: await exists(file) }
}))

export const hasQuickstartPackages = await exists(oracles)
export const hasAllPackages = hasQuickstartPackages && tarballs.every(({ isPacked }) => isPacked)
export const installQuickstarts = "npm ci --prefix tests/quickstarts && deno task pack"

/**
 * A folder with the quickstarts. What they install is where Node looks for it: our packages in the
 * folder, the others above it. Deleted when the scope closes.
 */
export const quickstartFolder = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => {
      const home = await Deno.makeTempDir({ prefix: "quickstart-" })
      const folder = `${home}/run`
      await Deno.mkdir(`${folder}/node_modules`, { recursive: true })
      for await (const { name, isFile } of Deno.readDir(quickstarts)) {
        if (isFile) await Deno.writeTextFile(`${folder}/${name}`, quickstartText(name))
      }
      if (hasQuickstartPackages) await Deno.symlink(oracles, `${home}/node_modules`)
      if (hasAllPackages) await installOwnPackages(folder)
      return home
    }),
    removeFolder,
  ),
  (home) => `${home}/run`,
)

/** A quickstart with the packed files in the place of their addresses, so that nothing is downloaded. */
export function quickstartText(name: string): string {
  return Deno.readTextFileSync(new URL(name, quickstarts)).replaceAll(
    /http:\/\/127\.0\.0\.1:8402\/packages\//g,
    `file:${new URL("packages/built/", root).pathname}`,
  )
}

/** What `npm install` does with the tarball of the client; npx takes that of the server itself. */
async function installOwnPackages(folder: string): Promise<void> {
  for (const { name, file } of tarballs.filter(({ name }) => name === "bellwether-client")) {
    const target = `${folder}/node_modules/${name}`
    await Deno.mkdir(target)
    const args = ["-xzf", file.pathname, "-C", target, "--strip-components=1"]
    const { success } = await new Deno.Command("tar", { args }).output()
    if (!success) throw new Error(`tar ${args.join(" ")} failed`)
  }
}

const programs: Readonly<Record<string, string>> = { sh: "bash", py: "python3", mjs: "node" }

/** The environment of a quickstart in this folder, which is also its home: it sees no other state. */
export const environmentOf = (folder: string): Readonly<Record<string, string>> => ({
  ...inherited(),
  HOME: folder,
  NO_COLOR: "1",
  PYTHONDONTWRITEBYTECODE: "1",
  npm_config_offline: "true",
  // What frameworks send to their makers.
  ...{ OPENAI_AGENTS_DISABLE_TRACING: "1", MASTRA_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" },
})

/** Runs a file in the folder until it ends, or until `stopped` aborts: then it is killed. */
export const runQuickstart = (
  folder: string,
  file: string,
  env: Readonly<Record<string, string>>,
  stopped: AbortSignal = AbortSignal.timeout(runMsMax),
): Effect.Effect<Ran> =>
  run([programs[file.split(".").at(-1) ?? ""] ?? "", file], {
    cwd: folder,
    clearEnv: true,
    env: { ...environmentOf(folder), ...env },
    signal: stopped,
  })
