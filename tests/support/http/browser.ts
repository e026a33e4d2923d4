/**
 * Calls made by a page in a real browser. The browser or the page's packages may not be installed.
 *
 * @module
 */
import type { Call, Sight } from "../../browser/page.ts"

export type { Call, Sight }

const folder = new URL("../../browser/", import.meta.url)

const present = (path: string | URL) => Deno.stat(path).then(() => true, () => false)

const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
const installed = await Promise.all(browsers.map(present))
const chromium = browsers.find((_, at) => installed[at]) ?? null

/** The command that installs what is missing; null when nothing is. */
export const missing = chromium === null
  ? "apt-get install chromium"
  : await present(new URL("node_modules/puppeteer-core/", folder))
  ? null
  : "npm ci --prefix tests/browser"

const visitMsMax = 60_000

/**
 * Makes calls in order from a page of another origin, and returns what the page can read of each.
 */
export async function visit(...calls: ReadonlyArray<Call>): Promise<ReadonlyArray<Sight>> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--node-modules-dir=manual", "-A", "visit.ts"],
    cwd: folder,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
    signal: AbortSignal.timeout(visitMsMax),
  }).spawn()
  await new Blob([JSON.stringify({ chromium, calls })]).stream().pipeTo(process.stdin)
  const { success, stdout } = await process.output()
  if (!success) throw new Error("The browser failed")
  return JSON.parse(new TextDecoder().decode(stdout))
}
