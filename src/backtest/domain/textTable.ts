/**
 * A table in plain text: the first column aligned left, the others right.
 *
 * @module
 */

export function textTable(
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): string {
  const lines = [header, ...rows]
  const widths = header.map((_, n) => Math.max(...lines.map((cells) => cells[n]?.length ?? 0)))
  return lines
    .map((cells) =>
      cells.map((cell, n) => n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))
        .join("  ").trimEnd()
    )
    .join("\n")
}
