/**
 * The price of each product. It imports nothing else about products, because the refund worker,
 * which has the treasury key, loads it to compute the largest possible refund.
 *
 * @module
 */
import { atomic, type AtomicAmount } from "../../core/domain/money.ts"

export const prices = {
  latest: atomic("0.01"),
  signal: atomic("0.01"),
  signals: atomic("0.03"),
  digest: atomic("0.10"),
  digest_history: atomic("0.05"),
  resolving: atomic("0.02"),
  whales: atomic("0.05"),
  research: atomic("1.00"),
} as const satisfies Readonly<Record<string, AtomicAmount>>
