/**
 * Which of many e-values are discoveries, with a bounded false discovery rate under any dependence and
 * at every check.
 *
 * @module
 */

/** Sums this near their bound reach it. */
const slack = 1 - 1e-9

/**
 * How many of the largest e-values are discoveries: the closed e-BH procedure (Xu, Solari, Fischer, de
 * Heide, Ramdas and Goeman, Bringing closure to false discovery rate control, arXiv 2509.02517, 2025),
 * which finds all that e-BH finds (Wang and Ramdas, False discovery rate control with e-values, Journal
 * of the Royal Statistical Society B 84, 2022). `logs` are ln of the e-values, descending;
 * `rate` is the largest expected share of false discoveries.
 *
 * The r largest are discoveries if for every set A of hypotheses, of which a are among the r, the mean
 * e-value of A is at least a / (rate r). For each a the worst set is easily found: the a smallest of the
 * r, and of the others all e-values below a / (rate r). An e-value below
 * 1 / `rate` is never a discovery: a single hypothesis needs that much, and a label is a statement about
 * one wallet.
 */
export function discoveries(logs: ReadonlyArray<number>, rate: number): number {
  const count = logs.length
  // No more than this is ever needed, so larger e-values are cut; a smaller e-value is valid too.
  const most = Math.log(count / rate)
  const values = logs.map((log) => Math.exp(Math.min(log, most)))
  const after = new Float64Array(count + 1)
  for (let i = count - 1; i >= 0; i--) after[i] = (after[i + 1] ?? 0) + (values[i] ?? 0)
  const sum = (from: number, to: number) => (after[from] ?? 0) - (after[to] ?? 0)

  const suffices = (r: number): boolean => {
    let other = count
    for (let a = r; a >= 1; a--) {
      const bound = a / (rate * r)
      // As the bound falls, fewer of the others are below it.
      if (a === r) other = r
      while (other < count && (values[other] ?? 0) >= bound) other++
      const most = (a + count - other) * bound
      if (sum(r - a, r) + sum(other, count) < most * slack) return false
    }
    return true
  }
  let r = values.filter((value) => value * rate >= slack).length
  while (r > 0 && !suffices(r)) r--
  return r
}
