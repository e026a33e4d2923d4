/**
 * Writes the lock files after a change of `imports.json`: `tests/deno.lock` has the packages of all
 * programs; `deno.lock` is the part that the product needs, because a lock is downloaded as a whole.
 *
 *     deno run --no-lock --no-check -A bench/lock.ts
 *
 * It is no task: a task refuses to run while the lock is behind `imports.json`.
 *
 * @module
 */
import { type Lock, locks, packagesOfEntries, readLock } from "../tests/support/locks.ts"

const root = new URL("..", import.meta.url)

async function cache(lock: string, entries: ReadonlyArray<string>): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["cache", "--quiet", `--lock=${lock}`, "--frozen=false", ...entries],
    cwd: root,
  }).spawn().status
  if (!success) Deno.exit(1)
}

/** The part of a lock that names `packages`. */
function partOf({ version, specifiers, npm }: Lock, packages: ReadonlySet<string>): Lock {
  const nameOf = (specifier: string) => specifier.slice("npm:".length, specifier.lastIndexOf("@"))
  return {
    version,
    specifiers: Object.fromEntries(
      Object.entries(specifiers).filter(([specifier, resolved]) =>
        packages.has(`${nameOf(specifier)}@${resolved}`)
      ),
    ),
    npm: Object.fromEntries(Object.entries(npm).filter(([id]) => packages.has(id))),
  }
}

await cache(locks.tests.file, locks.tests.entries)
const all = await readLock(locks.tests.file)
const { file, entries } = locks.product
const packages = new Set((await packagesOfEntries(entries, locks.tests.file)).keys())
await Deno.writeTextFile(new URL(file, root), JSON.stringify(partOf(all, packages), null, 2))
// Deno writes the part in its own form.
await cache(file, entries)
