/**
 * Splits an SQL file into its statements, because the wire protocol takes one at a time.
 *
 * @module
 */

/** A stretch of text in which a semicolon ends nothing. */
const opaque = [
  /--[^\n]*/y,
  /\/\*[\s\S]*?\*\//y,
  /[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y,
  /'(?:[^']|'')*'/y,
  /"(?:[^"]|"")*"/y,
  /\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$/y,
  /[A-Za-z_][\w$]*/y,
]

/** The statements of `sql` in order, without their semicolons; comments alone are no statement. */
export function statements(sql: string): ReadonlyArray<string> {
  const found: Array<string> = []
  let start = 0
  let meant = false
  for (let at = 0; at <= sql.length;) {
    if (at === sql.length || sql[at] === ";") {
      if (meant) found.push(sql.slice(start, at).trim())
      start = at + 1
      meant = false
      at += 1
      continue
    }
    const stretch = stretchAt(sql, at)
    const comment = sql.startsWith("--", at) || sql.startsWith("/*", at)
    meant ||= !comment && stretch.trim() !== ""
    at += stretch.length
  }
  return found
}

function stretchAt(sql: string, at: number): string {
  for (const pattern of opaque) {
    pattern.lastIndex = at
    const [stretch] = pattern.exec(sql) ?? []
    if (stretch !== undefined) return stretch
  }
  return sql.slice(at, at + 1)
}
