/**
 * Loads test files into one isolate: Effect and the embedded store are loaded once for all of them.
 * `tests/run.ts` writes the entries that call this.
 *
 * @module
 */

const register = Deno.test

/** `Deno.test` that puts the file in front of the name of each test, as `./tests/a.test.ts => name`. */
function registerFor(file: string): typeof Deno.test {
  const named = (register: unknown) => (...args: Array<unknown>) => {
    const [first, ...rest] = args
    const name = (text: unknown) => `./${file} => ${text}`
    const prefixed = typeof first === "string"
      ? name(first)
      : { ...(first as Deno.TestDefinition), name: name((first as Deno.TestDefinition).name) }
    return (register as (...args: ReadonlyArray<unknown>) => void)(prefixed, ...rest)
  }
  return Object.assign(named(register), {
    ...register,
    ignore: named(register.ignore),
  }) as typeof Deno.test
}

/** Loads test files, one after the other, each given as its path and its import. */
export async function load(
  files: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  for (const [file, load] of Object.entries(files)) {
    Object.assign(Deno, { test: registerFor(file) })
    await load()
  }
}
