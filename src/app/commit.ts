/**
 * The commit of a working copy, read from its `.git` without starting git.
 *
 * @module
 */

/** The commit that is checked out in `root`; null where there is none, as in a container. */
export function commitIn(root: URL): string | null {
  // In a worktree `.git` is a file that names a folder, and the references are in another one.
  const named = /^gitdir: (.+)$/m.exec(textOf(new URL(".git", root)) ?? "")?.[1]
  const folder = new URL(named === undefined ? ".git/" : `${named}/`, root)
  const common = new URL(`${textOf(new URL("commondir", folder))?.trim() ?? "."}/`, folder)
  const head = textOf(new URL("HEAD", folder))?.trim() ?? ""
  const reference = /^ref: (\S+)$/.exec(head)?.[1]
  if (reference === undefined) return commitOf(head)
  return commitOf(textOf(new URL(reference, common))?.trim() ?? packed(common, reference))
}

/** A reference among those that git keeps in one file. */
function packed(common: URL, reference: string): string {
  const lines = textOf(new URL("packed-refs", common))?.split("\n") ?? []
  return lines.find((line) => line.endsWith(` ${reference}`))?.split(" ")[0] ?? ""
}

const commitOf = (text: string) => /^[0-9a-f]{40}$/.test(text) ? text : null

function textOf(file: URL): string | null {
  try {
    return Deno.readTextFileSync(file)
  } catch {
    return null
  }
}
