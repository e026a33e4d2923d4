/**
 * The expected outcome of a sale with a fault at one of its calls.
 *
 * A row gives, for one call and one kind of fault: the buyer's outcome, the state of the row, and
 * the end. There is one end when it is the same for a buyer who sends the payment again and for one
 * who does not; otherwise the first end is for the buyer who does not. Left of the bar the fault
 * comes before the call takes effect, right of it after; without a bar there is no difference.
 * `lost` is the buyer's outcome when the process dies.
 *
 * @module
 */

/** The rows of one flow, in the order of its calls. */
export const rowsOf = (flow: string): ReadonlyArray<string> =>
  (tables[flow] ?? "").trim().split("\n").map((row) => row.trim())

const tables: Readonly<Record<string, string>> = {
  "compute-first": `
    findWithKey crash: lost, no row; unpaid
    findWithKey interrupt: lost, no row; unpaid
    findWithKey defect: Unresolved, no row; unpaid
    findWithKey silence: Unresolved, no row; unpaid
    verify crash: lost, no row; unpaid
    verify interrupt: Unresolved, no row; unpaid
    verify defect: facilitator_error, no row; unpaid
    verify silence: facilitator_error, no row; unpaid
    isNonceUsed crash: lost, no row; unpaid
    isNonceUsed interrupt: Unresolved, no row; unpaid
    isNonceUsed defect: payments_unavailable, no row; unpaid
    isNonceUsed silence: payments_unavailable, no row; unpaid
    claim crash: lost, no row; unpaid | lost, claimed; unpaid
    claim interrupt: Unresolved, no row; unpaid | Unresolved, claimed; unpaid
    claim defect: Unresolved, no row; unpaid | Unresolved, claimed; unpaid
    claim silence: Unresolved, no row; unpaid | Unresolved, claimed; unpaid
    work crash: lost, claimed; unpaid
    work interrupt: Unresolved, claimed; unpaid
    work defect: internal_error, released; unpaid
    work silence: upstream_timeout, released; unpaid
    intend crash: lost, claimed; unpaid | lost, settling; unpaid
    intend interrupt: Unresolved, claimed; unpaid | Unresolved, settling; unpaid
    intend defect: payments_unavailable, claimed; unpaid | payments_unavailable, settling; unpaid
    intend silence: payments_unavailable, claimed; unpaid | payments_unavailable, settling; unpaid
    settlement crash: lost, settling; unpaid | lost, settling; refunded; delivered
    settlement interrupt: Unresolved, settling; unpaid | Unresolved, settling; refunded; delivered
    settlement defect: Unresolved, unresolved; unpaid | answer, answered; delivered
    settlement silence: Unresolved, unresolved; unpaid | answer, answered; delivered
    proof crash: lost, settling; refunded; delivered
    proof interrupt: Unresolved, settling; refunded; delivered
    proof defect: answer, answered; delivered
    proof silence: answer, answered; delivered
    answer crash: lost, settling; refunded; delivered | lost, answered; refunded; delivered
    answer interrupt: Unresolved, settling; refunded; delivered | Unresolved, answered; refunded; delivered
    answer defect: Unresolved, settling; refunded; delivered | answer, answered; delivered
    answer silence: Unresolved, settling; refunded; delivered | answer, answered; delivered
    markSent crash: answer, answered; both | answer, answered; delivered
    markSent interrupt: answer, answered; both | answer, answered; delivered
    markSent defect: answer, answered; delivered
    markSent silence: answer, answered; delivered
  `,
  "settle-early": `
    findWithKey crash: lost, no row; unpaid
    findWithKey interrupt: lost, no row; unpaid
    findWithKey defect: Unresolved, no row; unpaid
    findWithKey silence: Unresolved, no row; unpaid
    recentSales crash: lost, no row; unpaid
    recentSales interrupt: lost, no row; unpaid
    recentSales defect: payments_unavailable, no row; unpaid
    recentSales silence: payments_unavailable, no row; unpaid
    check crash: lost, no row; unpaid
    check interrupt: Unresolved, no row; unpaid
    check defect: internal_error, no row; unpaid
    check silence: upstream_timeout, no row; unpaid
    verify crash: lost, no row; unpaid
    verify interrupt: Unresolved, no row; unpaid
    verify defect: facilitator_error, no row; unpaid
    verify silence: facilitator_error, no row; unpaid
    isNonceUsed crash: lost, no row; unpaid
    isNonceUsed interrupt: Unresolved, no row; unpaid
    isNonceUsed defect: payments_unavailable, no row; unpaid
    isNonceUsed silence: payments_unavailable, no row; unpaid
    balanceOf crash: lost, no row; unpaid
    balanceOf interrupt: Unresolved, no row; unpaid
    balanceOf defect: payments_unavailable, no row; unpaid
    balanceOf silence: payments_unavailable, no row; unpaid
    liability crash: lost, no row; unpaid
    liability interrupt: Unresolved, no row; unpaid
    liability defect: payments_unavailable, no row; unpaid
    liability silence: payments_unavailable, no row; unpaid
    claim crash: lost, no row; unpaid | lost, claimed; unpaid
    claim interrupt: Unresolved, no row; unpaid | Unresolved, claimed; unpaid
    claim defect: Unresolved, no row; unpaid | Unresolved, claimed; unpaid
    claim silence: Unresolved, no row; unpaid | Unresolved, claimed; unpaid
    liability crash: lost, claimed; unpaid
    liability interrupt: Unresolved, claimed; unpaid
    liability defect: payments_unavailable, released; unpaid
    liability silence: payments_unavailable, released; unpaid
    intend crash: lost, claimed; unpaid | lost, settling; unpaid
    intend interrupt: Unresolved, claimed; unpaid | Unresolved, settling; unpaid
    intend defect: payments_unavailable, claimed; unpaid | payments_unavailable, settling; unpaid
    intend silence: payments_unavailable, claimed; unpaid | payments_unavailable, settling; unpaid
    settlement crash: lost, settling; unpaid | lost, settling; refunded; delivered
    settlement interrupt: Unresolved, settling; unpaid | Unresolved, settling; refunded; delivered
    settlement defect: Unresolved, unresolved; unpaid | answer, answered; delivered
    settlement silence: Unresolved, unresolved; unpaid | answer, answered; delivered
    proof crash: lost, settling; refunded; delivered
    proof interrupt: Unresolved, settling; refunded; delivered
    proof defect: answer, answered; delivered
    proof silence: answer, answered; delivered
    settle crash: lost, settling; refunded; delivered | lost, settled; refunded
    settle interrupt: Unresolved, settling; refunded; delivered | Unresolved, settled; refunded
    settle defect: Unresolved, settling; refunded; delivered | answer, answered; delivered
    settle silence: Unresolved, settling; refunded; delivered | answer, answered; delivered
    work crash: lost, settled; refunded
    work interrupt: Unresolved, settled; refunded
    work defect: RefundQueued, refund_due; refunded
    work silence: RefundQueued, refund_due; refunded
    answer crash: lost, settled; refunded | lost, answered; refunded; delivered
    answer interrupt: Unresolved, settled; refunded | Unresolved, answered; refunded; delivered
    answer defect: Unresolved, settled; refunded | answer, answered; delivered
    answer silence: Unresolved, settled; refunded | answer, answered; delivered
    markSent crash: answer, answered; both | answer, answered; delivered
    markSent interrupt: answer, answered; both | answer, answered; delivered
    markSent defect: answer, answered; delivered
    markSent silence: answer, answered; delivered
  `,
  "compute-first, not worth its price": `
    findWithKey crash: lost, no row; unpaid
    findWithKey interrupt: lost, no row; unpaid
    findWithKey defect: Unresolved, no row; unpaid
    findWithKey silence: Unresolved, no row; unpaid
    verify crash: lost, no row; unpaid
    verify interrupt: Unresolved, no row; unpaid
    verify defect: facilitator_error, no row; unpaid
    verify silence: facilitator_error, no row; unpaid
    isNonceUsed crash: lost, no row; unpaid
    isNonceUsed interrupt: Unresolved, no row; unpaid
    isNonceUsed defect: payments_unavailable, no row; unpaid
    isNonceUsed silence: payments_unavailable, no row; unpaid
    claim crash: lost, no row; unpaid | lost, claimed; unpaid
    claim interrupt: Unresolved, no row; unpaid | Unresolved, claimed; unpaid
    claim defect: Unresolved, no row; unpaid | Unresolved, claimed; unpaid
    claim silence: Unresolved, no row; unpaid | Unresolved, claimed; unpaid
    work crash: lost, claimed; unpaid
    work interrupt: Unresolved, claimed; unpaid
    work defect: internal_error, released; unpaid
    work silence: upstream_timeout, released; unpaid
    release crash: lost, claimed; unpaid | lost, released; unpaid
    release interrupt: Unresolved, claimed; unpaid | Unresolved, released; unpaid
    release defect: Unresolved, claimed; unpaid | Unresolved, released; unpaid
    release silence: Unresolved, claimed; unpaid | Unresolved, released; unpaid
  `,
  "settle-early, whose work fails": `
    findWithKey crash: lost, no row; unpaid
    findWithKey interrupt: lost, no row; unpaid
    findWithKey defect: Unresolved, no row; unpaid
    findWithKey silence: Unresolved, no row; unpaid
    recentSales crash: lost, no row; unpaid
    recentSales interrupt: lost, no row; unpaid
    recentSales defect: payments_unavailable, no row; unpaid
    recentSales silence: payments_unavailable, no row; unpaid
    check crash: lost, no row; unpaid
    check interrupt: Unresolved, no row; unpaid
    check defect: internal_error, no row; unpaid
    check silence: upstream_timeout, no row; unpaid
    verify crash: lost, no row; unpaid
    verify interrupt: Unresolved, no row; unpaid
    verify defect: facilitator_error, no row; unpaid
    verify silence: facilitator_error, no row; unpaid
    isNonceUsed crash: lost, no row; unpaid
    isNonceUsed interrupt: Unresolved, no row; unpaid
    isNonceUsed defect: payments_unavailable, no row; unpaid
    isNonceUsed silence: payments_unavailable, no row; unpaid
    balanceOf crash: lost, no row; unpaid
    balanceOf interrupt: Unresolved, no row; unpaid
    balanceOf defect: payments_unavailable, no row; unpaid
    balanceOf silence: payments_unavailable, no row; unpaid
    liability crash: lost, no row; unpaid
    liability interrupt: Unresolved, no row; unpaid
    liability defect: payments_unavailable, no row; unpaid
    liability silence: payments_unavailable, no row; unpaid
    claim crash: lost, no row; unpaid | lost, claimed; unpaid
    claim interrupt: Unresolved, no row; unpaid | Unresolved, claimed; unpaid
    claim defect: Unresolved, no row; unpaid | Unresolved, claimed; unpaid
    claim silence: Unresolved, no row; unpaid | Unresolved, claimed; unpaid
    liability crash: lost, claimed; unpaid
    liability interrupt: Unresolved, claimed; unpaid
    liability defect: payments_unavailable, released; unpaid
    liability silence: payments_unavailable, released; unpaid
    intend crash: lost, claimed; unpaid | lost, settling; unpaid
    intend interrupt: Unresolved, claimed; unpaid | Unresolved, settling; unpaid
    intend defect: payments_unavailable, claimed; unpaid | payments_unavailable, settling; unpaid
    intend silence: payments_unavailable, claimed; unpaid | payments_unavailable, settling; unpaid
    settlement crash: lost, settling; unpaid | lost, settling; refunded; delivered
    settlement interrupt: Unresolved, settling; unpaid | Unresolved, settling; refunded; delivered
    settlement defect: Unresolved, unresolved; unpaid | RefundQueued, refund_due; refunded
    settlement silence: Unresolved, unresolved; unpaid | RefundQueued, refund_due; refunded
    proof crash: lost, settling; refunded; delivered
    proof interrupt: Unresolved, settling; refunded; delivered
    proof defect: RefundQueued, refund_due; refunded
    proof silence: RefundQueued, refund_due; refunded
    settle crash: lost, settling; refunded; delivered | lost, settled; refunded
    settle interrupt: Unresolved, settling; refunded; delivered | Unresolved, settled; refunded
    settle defect: Unresolved, settling; refunded; delivered | RefundQueued, refund_due; refunded
    settle silence: Unresolved, settling; refunded; delivered | RefundQueued, refund_due; refunded
    work crash: lost, settled; refunded | RefundQueued, refund_due; refunded
    work interrupt: Unresolved, settled; refunded | RefundQueued, refund_due; refunded
    work defect: RefundQueued, refund_due; refunded
    work silence: RefundQueued, refund_due; refunded
    owe crash: lost, settled; refunded | lost, refund_due; refunded
    owe interrupt: Unresolved, settled; refunded | Unresolved, refund_due; refunded
    owe defect: Unresolved, settled; refunded | RefundQueued, refund_due; refunded
    owe silence: Unresolved, settled; refunded | RefundQueued, refund_due; refunded
  `,
  "settle-early, whose settlement is late": `
    findWithKey crash: lost, no row; unpaid
    findWithKey interrupt: lost, no row; unpaid
    findWithKey defect: Unresolved, no row; unpaid
    findWithKey silence: Unresolved, no row; unpaid
    recentSales crash: lost, no row; unpaid
    recentSales interrupt: lost, no row; unpaid
    recentSales defect: payments_unavailable, no row; unpaid
    recentSales silence: payments_unavailable, no row; unpaid
    check crash: lost, no row; unpaid
    check interrupt: Unresolved, no row; unpaid
    check defect: internal_error, no row; unpaid
    check silence: upstream_timeout, no row; unpaid
    verify crash: lost, no row; unpaid
    verify interrupt: Unresolved, no row; unpaid
    verify defect: facilitator_error, no row; unpaid
    verify silence: facilitator_error, no row; unpaid
    isNonceUsed crash: lost, no row; unpaid
    isNonceUsed interrupt: Unresolved, no row; unpaid
    isNonceUsed defect: payments_unavailable, no row; unpaid
    isNonceUsed silence: payments_unavailable, no row; unpaid
    balanceOf crash: lost, no row; unpaid
    balanceOf interrupt: Unresolved, no row; unpaid
    balanceOf defect: payments_unavailable, no row; unpaid
    balanceOf silence: payments_unavailable, no row; unpaid
    liability crash: lost, no row; unpaid
    liability interrupt: Unresolved, no row; unpaid
    liability defect: payments_unavailable, no row; unpaid
    liability silence: payments_unavailable, no row; unpaid
    claim crash: lost, no row; unpaid | lost, claimed; unpaid
    claim interrupt: Unresolved, no row; unpaid | Unresolved, claimed; unpaid
    claim defect: Unresolved, no row; unpaid | Unresolved, claimed; unpaid
    claim silence: Unresolved, no row; unpaid | Unresolved, claimed; unpaid
    liability crash: lost, claimed; unpaid
    liability interrupt: Unresolved, claimed; unpaid
    liability defect: payments_unavailable, released; unpaid
    liability silence: payments_unavailable, released; unpaid
    intend crash: lost, claimed; unpaid | lost, settling; unpaid
    intend interrupt: Unresolved, claimed; unpaid | Unresolved, settling; unpaid
    intend defect: payments_unavailable, claimed; unpaid | payments_unavailable, settling; unpaid
    intend silence: payments_unavailable, claimed; unpaid | payments_unavailable, settling; unpaid
    settlement crash: lost, settling; unpaid | lost, settling; refunded; delivered
    settlement interrupt: Unresolved, settling; unpaid | Unresolved, settling; refunded; delivered
    settlement defect: Unresolved, unresolved; unpaid | Unresolved, unresolved; refunded; delivered
    settlement silence: Unresolved, unresolved; unpaid | answer, answered; delivered
    proof crash: lost, settling; refunded; delivered
    proof interrupt: Unresolved, settling; refunded; delivered
    proof defect: Unresolved, unresolved; refunded; delivered
    proof silence: Unresolved, unresolved; refunded; delivered
    proof crash: lost, settling; refunded; delivered
    proof interrupt: Unresolved, settling; refunded; delivered
    proof defect: Unresolved, unresolved; refunded; delivered
    proof silence: Unresolved, unresolved; refunded; delivered
    proof crash: lost, settling; refunded; delivered
    proof interrupt: Unresolved, settling; refunded; delivered
    proof defect: Unresolved, unresolved; refunded; delivered
    proof silence: Unresolved, unresolved; refunded; delivered
    doubt crash: lost, settling; refunded; delivered | lost, unresolved; refunded; delivered
    doubt interrupt: Unresolved, settling; refunded; delivered | Unresolved, unresolved; refunded; delivered
    doubt defect: Unresolved, settling; refunded; delivered | Unresolved, unresolved; refunded; delivered
    doubt silence: Unresolved, settling; refunded; delivered | Unresolved, unresolved; refunded; delivered
  `,
  "compute-first after a release": `
    findWithKey crash: lost, released; unpaid
    findWithKey interrupt: lost, released; unpaid
    findWithKey defect: Unresolved, released; unpaid
    findWithKey silence: Unresolved, released; unpaid
    verify crash: lost, released; unpaid
    verify interrupt: Unresolved, released; unpaid
    verify defect: facilitator_error, released; unpaid
    verify silence: facilitator_error, released; unpaid
    isNonceUsed crash: lost, released; unpaid
    isNonceUsed interrupt: Unresolved, released; unpaid
    isNonceUsed defect: payments_unavailable, released; unpaid
    isNonceUsed silence: payments_unavailable, released; unpaid
    claim crash: lost, released; unpaid | lost, claimed; unpaid
    claim interrupt: Unresolved, released; unpaid | Unresolved, claimed; unpaid
    claim defect: Unresolved, released; unpaid | Unresolved, claimed; unpaid
    claim silence: Unresolved, released; unpaid | Unresolved, claimed; unpaid
    work crash: lost, claimed; unpaid
    work interrupt: Unresolved, claimed; unpaid
    work defect: internal_error, released; unpaid
    work silence: upstream_timeout, released; unpaid
    intend crash: lost, claimed; unpaid | lost, settling; unpaid
    intend interrupt: Unresolved, claimed; unpaid | Unresolved, settling; unpaid
    intend defect: payments_unavailable, claimed; unpaid | payments_unavailable, settling; unpaid
    intend silence: payments_unavailable, claimed; unpaid | payments_unavailable, settling; unpaid
    settlement crash: lost, settling; unpaid | lost, settling; refunded; delivered
    settlement interrupt: Unresolved, settling; unpaid | Unresolved, settling; refunded; delivered
    settlement defect: Unresolved, unresolved; unpaid | answer, answered; delivered
    settlement silence: Unresolved, unresolved; unpaid | answer, answered; delivered
    proof crash: lost, settling; refunded; delivered
    proof interrupt: Unresolved, settling; refunded; delivered
    proof defect: answer, answered; delivered
    proof silence: answer, answered; delivered
    answer crash: lost, settling; refunded; delivered | lost, answered; refunded; delivered
    answer interrupt: Unresolved, settling; refunded; delivered | Unresolved, answered; refunded; delivered
    answer defect: Unresolved, settling; refunded; delivered | answer, answered; delivered
    answer silence: Unresolved, settling; refunded; delivered | answer, answered; delivered
    markSent crash: answer, answered; both | answer, answered; delivered
    markSent interrupt: answer, answered; both | answer, answered; delivered
    markSent defect: answer, answered; delivered
    markSent silence: answer, answered; delivered
  `,
  "settle-early, to be resumed": `
    findWithKey crash: lost, unresolved; refunded; delivered
    findWithKey interrupt: lost, unresolved; refunded; delivered
    findWithKey defect: Unresolved, unresolved; refunded; delivered
    findWithKey silence: Unresolved, unresolved; refunded; delivered
    proof crash: lost, unresolved; refunded; delivered
    proof interrupt: Unresolved, unresolved; refunded; delivered
    proof defect: Unresolved, unresolved; refunded; delivered
    proof silence: Unresolved, unresolved; refunded; delivered
    settle crash: lost, unresolved; refunded; delivered | lost, settled; refunded
    settle interrupt: Unresolved, unresolved; refunded; delivered | Unresolved, settled; refunded
    settle defect: Unresolved, unresolved; refunded; delivered | Unresolved, settled; refunded
    settle silence: Unresolved, unresolved; refunded; delivered | Unresolved, settled; refunded
    work crash: lost, settled; refunded
    work interrupt: Unresolved, settled; refunded
    work defect: RefundQueued, refund_due; refunded
    work silence: RefundQueued, refund_due; refunded
    answer crash: lost, settled; refunded | lost, answered; refunded; delivered
    answer interrupt: Unresolved, settled; refunded | Unresolved, answered; refunded; delivered
    answer defect: Unresolved, settled; refunded | answer, answered; delivered
    answer silence: Unresolved, settled; refunded | answer, answered; delivered
    markSent crash: answer, answered; both | answer, answered; delivered
    markSent interrupt: answer, answered; both | answer, answered; delivered
    markSent defect: answer, answered; delivered
    markSent silence: answer, answered; delivered
  `,
  "compute-first, not delivered yet": `
    findWithKey crash: lost, answered; refunded; delivered
    findWithKey interrupt: lost, answered; refunded; delivered
    findWithKey defect: Unresolved, answered; refunded; delivered
    findWithKey silence: Unresolved, answered; refunded; delivered
    markSent crash: answer again, answered; both | answer again, answered; delivered
    markSent interrupt: answer again, answered; both | answer again, answered; delivered
    markSent defect: answer again, answered; delivered
    markSent silence: answer again, answered; delivered
  `,
}
