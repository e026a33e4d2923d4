/**
 * Turns one SVG image into a PNG, in a thread of its own: it takes a second of a processor.
 *
 * @module
 */
import bold from "@expo-google-fonts/pt-sans/700Bold/PTSans_700Bold.ttf" with { type: "bytes" }
import regular from "@expo-google-fonts/pt-sans/400Regular/PTSans_400Regular.ttf" with {
  type: "bytes",
}
import { initWasm, Resvg } from "@resvg/resvg-wasm"
import wasm from "@resvg/resvg-wasm/index_bg.wasm" with { type: "bytes" }

export type PngImage = Uint8Array<ArrayBuffer>

/** The global scope of a worker, as far as it is used. */
interface WorkerScope {
  onmessage: (event: MessageEvent<string>) => void
  postMessage: (image: Uint8Array) => void
}

/** An image has the same text on every machine. */
const font = {
  fontBuffers: [regular, bold],
  defaultFontFamily: "PT Sans",
  sansSerifFamily: "PT Sans",
  loadSystemFonts: false,
}

const scope = globalThis as unknown as WorkerScope

scope.onmessage = async ({ data }) => {
  await initWasm(wasm)
  scope.postMessage(new Resvg(data, { font }).render().asPng())
}
