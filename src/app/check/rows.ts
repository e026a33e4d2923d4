/**
 * What `deno task check` found: one row for each part, as a table for a terminal and as JSON.
 *
 * @module
 */
import { Console, Duration, Effect } from "effect"
import type { InvalidSettings } from "../variables.ts"

/** `warn`: the process works, and a person should know. `fail`: it does not start, or cannot sell. */
type State = "ok" | "warn" | "fail"

export interface Row {
  readonly part: string
  readonly state: State
  readonly found: string
  /** Null when there is nothing to do. */
  readonly todo: string | null
}

/** How far another clock is from ours. */
export interface ClockReading {
  readonly source: string
  /** Milliseconds that our clock is ahead; negative when it is behind. */
  readonly aheadMs: number
  /** The reading may be wrong by this much. */
  readonly errorMs: number
}

/** What trying one part gave. */
export interface Tried {
  readonly rows: ReadonlyArray<Row>
  readonly clocks?: ReadonlyArray<ClockReading>
}

export const ok = (part: string, found: string): Row => ({ part, state: "ok", found, todo: null })
export const warn = (part: string, found: string, todo: string): Row => ({
  part,
  state: "warn",
  found,
  todo,
})
export const fail = (part: string, found: string, todo: string): Row => ({
  part,
  state: "fail",
  found,
  todo,
})

/** Longer than the time limit of any single call, so that a part names its own call. */
const partTimeout = Duration.seconds(15)

/** Tries the parts at the same time, each within a time limit. The clock is judged last. */
export const tryAll = Effect.fnUntraced(function* (
  parts: ReadonlyArray<readonly [part: string, tried: Effect.Effect<Tried>]>,
) {
  const tried = yield* Effect.forEach(
    parts,
    ([part, tried]) =>
      Effect.timeoutOrElse(tried, {
        duration: partTimeout,
        orElse: () => Effect.succeed(late(part)),
      }),
    { concurrency: "unbounded" },
  )
  const clocks = tried.flatMap(({ clocks = [] }) => clocks)
  return [...tried.flatMap(({ rows }) => rows), ...clocks.length === 0 ? [] : [clockRow(clocks)]]
})

const late = (part: string): Tried => ({
  rows: [fail(
    part,
    `no answer within ${Duration.format(partTimeout)}`,
    "Check that this machine can reach it, and that a firewall lets the connection out",
  )],
})

/** From these on payments expire early or late, and blocks seem to be from the future. */
const clockWarnMs = 5_000
const clockFailMs = 30_000

function clockRow(clocks: ReadonlyArray<ClockReading>): Row {
  const distance = ({ aheadMs, errorMs }: ClockReading) => Math.max(0, Math.abs(aheadMs) - errorMs)
  const worst = clocks.reduce((one, other) => distance(other) > distance(one) ? other : one)
  const ms = distance(worst)
  const sources = clocks.map(({ source }) => source).join(", ")
  if (ms < clockWarnMs) return ok("clock", `agrees with ${sources}`)
  const found = `${(ms / 1_000).toFixed(0)} s ${
    worst.aheadMs > 0 ? "ahead of" : "behind"
  } ${worst.source}`
  const todo = "Set the clock of this machine: run a time service, such as systemd-timesyncd"
  return ms < clockFailMs ? warn("clock", found, todo) : fail("clock", found, todo)
}

/** The rows of a role: one for each problem of its settings, or what is found with good ones. */
export const checked = <Settings, R>(
  settings: Effect.Effect<Settings, InvalidSettings, R>,
  check: (settings: Settings) => Effect.Effect<ReadonlyArray<Row>>,
): Effect.Effect<ReadonlyArray<Row>, never, R> =>
  Effect.matchEffect(settings, {
    onFailure: ({ problems }) =>
      Effect.succeed(
        problems.map((found): Row => ({ part: "settings", state: "fail", found, todo: null })),
      ),
    onSuccess: (settings) =>
      Effect.map(check(settings), (rows) => [
        ok("settings", "nothing is missing or wrong"),
        ...rows,
      ]),
  })

/** Prints what a role's check found, and returns its exit code. */
export const printCheck = <Settings, R>(
  { role, json }: { readonly role: string; readonly json: boolean },
  settings: Effect.Effect<Settings, InvalidSettings, R>,
  check: (settings: Settings) => Effect.Effect<ReadonlyArray<Row>>,
) =>
  Effect.flatMap(checked(settings, check), (rows) =>
    Effect.as(
      Console.log(json ? jsonOf(rows) : tableOf(`Bellwether, check of ${role}`, rows)),
      hasFailed(rows) ? 1 : 0,
    ))

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

/** The rows for a program, on one line. */
export const jsonOf = (rows: ReadonlyArray<Row>): string =>
  JSON.stringify({ ok: !hasFailed(rows), rows })
