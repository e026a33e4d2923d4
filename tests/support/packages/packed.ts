/**
 * The packages as a buyer installs them, and the hosts and versions of Node of `tests/hosts`.
 *
 * @module
 */
import { Effect } from "effect"

const root = new URL("../../..", import.meta.url)
const hosts = new URL("tests/hosts/node_modules/", root)

export const hasHosts = await Deno.stat(hosts).then(() => true, () => false)

/** The folder that holds a version of Node. */
export const nodeFolder = (major: 20 | 24) => new URL(`node-${major}/bin`, hosts).pathname

/** A program of the hosts. */
export const hostProgram = (name: "claude" | "mcp-inspector" | "mcpb" | "mcporter") =>
  new URL(`.bin/${name}`, hosts).pathname

export interface ProgramOptions {
  readonly cwd?: string | URL
  readonly env?: Readonly<Record<string, string>>
  /** The version of Node in front of all others. */
  readonly node?: 20 | 24
}

/** Runs a program; returns what it printed, or fails with it. */
export const runProgram = (
  [command = "", ...args]: ReadonlyArray<string>,
  { cwd = root, env = {}, node = 20 }: ProgramOptions = {},
) =>
  Effect.promise(async () => {
    const { success, stdout, stderr } = await new Deno.Command(command, {
      args,
      cwd,
      env: { PATH: `${nodeFolder(node)}:${Deno.env.get("PATH")}`, NO_COLOR: "1", ...env },
      stdin: "null",
    }).output()
    const [out = "", error = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes))
    if (!success) throw new Error(`${command} ${args.join(" ")}\n${out}\n${error}`)
    return out
  })

/** A folder that is deleted with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => Deno.makeTempDir()),
  (path) => Effect.promise(() => Deno.remove(path, { recursive: true })),
)

/** Packs a package into a folder, as its maintainer does; returns the path of the tarball. */
export const packed = (name: "client" | "mcp", folder: string) =>
  Effect.map(
    runProgram(["npm", "pack", "--silent", "--pack-destination", folder], {
      cwd: new URL(`packages/${name}`, root),
    }),
    (printed) => `${folder}/${printed.trim().split("\n").at(-1)}`,
  )
