/**
 * Keeps Effect's fibers from capturing the context of `node:async_hooks`, which nothing here reads.
 *
 * A fiber captures it at each suspension. In Deno a capture takes about 4 us of a core, and the fiber
 * keeps 450 bytes of each until it ends: a loop that runs for weeks would fill the memory. Effect looks
 * for the class of captures once, when it loads, so each entry point imports this module first.
 *
 * @module
 */
import process from "node:process"

const { getBuiltinModule } = process
process.getBuiltinModule = (name: string) =>
  name === "node:async_hooks" ? undefined : getBuiltinModule(name)
