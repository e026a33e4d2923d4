/**
 * A real browser: calls made by a page, and a look at the service's own pages. The browser or its
 * packages may not be installed.
 *
 * @module
 */
import type { Inspected, Inspection } from "../../browser/inspect.ts"
import type { Call, Sight } from "../../browser/page.ts"
import { ask } from "../process.ts"

export type { Call, Inspected, Sight }

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

/** Screenshots of long pages take most of it. */
const inspectionMsMax = 600_000

/**
 * Makes calls in order from a page of another origin, and returns what the page can read of each.
 */
export const visit = (...calls: ReadonlyArray<Call>): Promise<ReadonlyArray<Sight>> =>
  ask(folder, "visit.ts", { chromium, calls })

/** Looks at pages as a reader does. */
export const inspect = (
  inspection: Omit<Inspection, "chromium">,
): Promise<ReadonlyArray<Inspected>> =>
  ask(folder, "inspect.ts", { chromium, ...inspection }, { msMax: inspectionMsMax })
