/**
 * The reference client of x402 version 1, in its own process; it may not be installed.
 *
 * @module
 */
const legacy = new URL("../../legacy/", import.meta.url)

export const hasLegacyBuyer = await Deno.stat(new URL("node_modules/x402-fetch/", legacy))
  .then(() => true, () => false)

export interface Bought {
  readonly statuses: ReadonlyArray<number>
  readonly body: { readonly success: boolean; readonly charged?: boolean }
  readonly receipt: string | null
}

/** Buys a URL with this key, and returns the result. */
export async function buyWithVersion1(
  errand: { readonly url: string; readonly key: string },
): Promise<Bought> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--node-modules-dir=manual", "-A", "pay.ts"],
    cwd: legacy,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn()
  await new Blob([JSON.stringify(errand)]).stream().pipeTo(process.stdin)
  const { success, stdout } = await process.output()
  if (!success) throw new Error("The stock buyer of version 1 failed")
  return JSON.parse(new TextDecoder().decode(stdout))
}
