/**
 * The package's contract is that of the repository: the same types and the same table of calls.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { contractText } from "../../../bench/clientContract.ts"
import { calls } from "../../../packages/client/src/contract.ts"

const source = new URL("../../../packages/client/src/", import.meta.url)

/** The package types a list of at least two as a list, so its bodies are wider than the catalog's. */
const program = `
import type * as packed from "./contract.ts"
import type * as here from "${source}contract.ts"

type Fits<A, B> = [A] extends [B] ? true : false
type Same<A, B> = [Fits<A, B>, Fits<B, A>] extends [true, true] ? true : false

export const names: Same<packed.CallName, here.CallName> = true
export const payment: Fits<here.PaymentBody, packed.PaymentBody> = true
export const item: Fits<here.FeedItem, packed.FeedItem> = true
export const bodies: { [Name in here.CallName]: Fits<here.BodyOf<Name>, packed.BodyOf<Name>> } = {
${Object.keys(calls).map((name) => `  ${name}: true,`).join("\n")}
}
export const parameters: {
  [Name in here.CallName]: Same<packed.ParametersOf<Name>, here.ParametersOf<Name>>
} = {
${Object.keys(calls).map((name) => `  ${name}: true,`).join("\n")}
}
`

Deno.test("the contract in the package has the types and calls of the catalog", async () => {
  const folder = await Deno.makeTempDir()
  try {
    await Deno.writeTextFile(`${folder}/contract.ts`, await contractText())
    await Deno.copyFile(new URL("call.ts", source), `${folder}/call.ts`)
    await Deno.writeTextFile(`${folder}/same.ts`, program)
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "check",
        "--quiet",
        "--config=deno.json",
        "--lock=tests/deno.lock",
        `${folder}/same.ts`,
      ],
      cwd: new URL("../../../", import.meta.url),
      env: { NO_COLOR: "1" },
    }).output()
    equal([code, new TextDecoder().decode(stderr)], [0, ""])
    const packed: { readonly calls: unknown } = await import(`file://${folder}/contract.ts`)
    equal(packed.calls, calls)
  } finally {
    await Deno.remove(folder, { recursive: true })
  }
})
