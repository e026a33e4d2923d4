/**
 * What a check found: one row for each part, as a table for a terminal and as JSON.
 *
 * @module
 */

/** `warn`: it works, and a person should know. `fail`: it does not work, or is not true. */
type State = "ok" | "warn" | "fail"

export interface Row {
  readonly part: string
  readonly state: State
  readonly found: string
  /** Null when there is nothing to do. */
  readonly todo: string | null
}

export const ok = (part: string, found: string): Row => ({ part, state: "ok", found, todo: null })
export const warn = (part: string, found: string, todo: string): Row => ({
  part,
  state: "warn",
  found,
  todo,
})
export const fail = (part: string, found: string, todo: string | null): Row => ({
  part,
  state: "fail",
  found,
  todo,
})

export const hasFailed = (rows: ReadonlyArray<Row>): boolean =>
  rows.some(({ state }) => state === "fail")

/** The rows for a person; what to do is on a line of its own. */
export function tableOf(title: string, rows: ReadonlyArray<Row>): string {
  const width = Math.max(...rows.map(({ part }) => part.length))
  const lines = rows.flatMap(({ part, state, found, todo }) => [
    `  ${state.padEnd(4)}  ${part.padEnd(width)}  ${found}`,
    ...todo === null ? [] : [`${" ".repeat(width + 10)}-> ${todo}`],
  ])
  const count = (state: State) => rows.filter((row) => row.state === state).length
  return [title, ...lines, `${count("ok")} ok, ${count("warn")} warn, ${count("fail")} fail`]
    .join("\n")
}
