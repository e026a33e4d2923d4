/**
 * What a process uses, as /proc shows it.
 *
 * @module
 */

/** Clock ticks per second in /proc; 100 on common Linux systems. */
const ticksPerSecond = 100

/** CPU seconds of all threads of a process since it began; NaN when it is not there. */
export function cpuSeconds(pid: number | string | null): number {
  try {
    // The name of the program is in parentheses, and may have spaces.
    const [, fields = ""] = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")
    const [user, system] = fields.split(" ").slice(11, 13)
    return (Number(user) + Number(system)) / ticksPerSecond
  } catch {
    return NaN
  }
}

/** Null when the process is not there. */
export function residentBytes(pid: number | null): number | null {
  return procBytes(pid, "status", "VmRSS")
}

/** The bytes that a file of a process has for a field. */
export function procBytes(pid: number | null, file: string, field: string): number | null {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/${file}`)
    const [, found] = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(text) ?? []
    return found === undefined ? null : Number(found) * 1_024
  } catch {
    return null
  }
}
