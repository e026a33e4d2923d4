/**
 * Splits an SQL file into its statements, because the wire protocol takes one at a time.
 *
 * @module
 */

/** Tokens in which a semicolon does not end a statement. */
const opaqueTokens = [
  /--[^\n]*/y,
  /\/\*[\s\S]*?\*\//y,
  /[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y,
  /'(?:[^']|'')*'/y,
  /"(?:[^"]|"")*"/y,
  /\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$/y,
  /[A-Za-z_][\w$]*/y,
]

/** The statements of `sql` in order, without semicolons. A comment alone is not a statement. */
export function statements(sql: string): ReadonlyArray<string> {
  const found: Array<string> = []
  let start = 0
  let hasCode = false
  for (let at = 0; at <= sql.length;) {
    if (at === sql.length || sql[at] === ";") {
      if (hasCode) found.push(sql.slice(start, at).trim())
      start = at + 1
      hasCode = false
      at += 1
      continue
    }
    const token = tokenAt(sql, at)
    const comment = sql.startsWith("--", at) || sql.startsWith("/*", at)
    hasCode ||= !comment && token.trim() !== ""
    at += token.length
  }
  return found
}

function tokenAt(sql: string, at: number): string {
  for (const pattern of opaqueTokens) {
    pattern.lastIndex = at
    const [token] = pattern.exec(sql) ?? []
    if (token !== undefined) return token
  }
  return sql.slice(at, at + 1)
}
