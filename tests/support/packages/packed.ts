/**
 * The packages as a buyer installs them, and the hosts and versions of Node of `tests/hosts`.
 *
 * @module
 */
import { Effect } from "effect"
import { run } from "../process.ts"

const root = new URL("../../..", import.meta.url)
const hosts = new URL("tests/hosts/node_modules/", root)

export const hasHosts = await Deno.stat(hosts).then(() => true, () => false)

/** The folder that holds a version of Node. */
export const nodeFolder = (major: 20 | 24) => new URL(`node-${major}/bin`, hosts).pathname

/** A program of the hosts. */
export const hostProgram = (name: "claude" | "mcp-inspector" | "mcpb" | "mcporter") =>
  new URL(`.bin/${name}`, hosts).pathname

interface ProgramOptions {
  readonly cwd?: string | URL
  readonly env?: Readonly<Record<string, string>>
  /** The version of Node in front of all others. */
  readonly node?: 20 | 24
}

/** Runs a program; returns what it printed, or fails with it. */
export const runProgram = (
  command: ReadonlyArray<string>,
  { cwd = root, env = {}, node = 20 }: ProgramOptions = {},
) =>
  Effect.map(
    run(command, { cwd, env: { PATH: `${nodeFolder(node)}:${Deno.env.get("PATH")}`, ...env } }),
    ({ code, stdout, stderr }) => {
      if (code !== 0) throw new Error(`${command.join(" ")}\n${stdout}\n${stderr}`)
      return stdout
    },
  )

/** Packs a package into a folder, as its maintainer does; returns the path of the tarball. */
export const packed = (name: "client" | "mcp", folder: string) =>
  Effect.map(
    runProgram(["npm", "pack", "--silent", "--pack-destination", folder], {
      cwd: new URL(`packages/${name}`, root),
    }),
    (printed) => `${folder}/${printed.trim().split("\n").at(-1)}`,
  )
