/**
 * How a payment works, as one picture for each settlement order. The pictures are narrow, so that
 * their text can be read on a phone.
 *
 * @module
 */
import type { SettlementOrder } from "../../catalog/domain/product.ts"

interface Step {
  readonly who: "you" | "service"
  readonly does: string
  /** What happens to the money when the step fails, in two short lines. */
  readonly otherwise?: readonly [string, string]
}

const opening: ReadonlyArray<Step> = [
  { who: "you", does: "Call without a payment" },
  { who: "service", does: "Answers 402: the price" },
  { who: "you", does: "Sign it, call again" },
  { who: "service", does: "Verifies the payment", otherwise: ["Refused: 402,", "not charged"] },
]

const settle = {
  who: "service",
  does: "Settles: takes the USDC",
  otherwise: ["Fails: error,", "not charged"],
} as const
const deliver = {
  who: "service",
  does: "Delivers the answer",
  otherwise: ["Lost: send it again,", "or refunded"],
} as const

const orders: Readonly<Record<SettlementOrder, ReadonlyArray<Step>>> = {
  "compute-first": [
    ...opening,
    {
      who: "service",
      does: "Computes the answer",
      otherwise: ["Fails: error,", "not charged"],
    },
    settle,
    deliver,
  ],
  "settle-early": [
    ...opening,
    settle,
    {
      who: "service",
      does: "Computes the answer",
      otherwise: ["Fails: error,", "refunded in full"],
    },
    deliver,
  ],
}

const boxWidth = 202
const boxHeight = 40
const rowHeight = 62
const width = 356

/** The steps of one settlement order, from the first call to the answer. */
export function PaymentFlow({ order, title }: { order: SettlementOrder; title: string }) {
  const steps = orders[order]
  const height = (steps.length - 1) * rowHeight + boxHeight + 4
  const id = `flow-${order}`
  const description = steps.map(({ who, does, otherwise }, at) => {
    const by = who === "you" ? "You" : "The service"
    const failure = otherwise === undefined ? "" : ` (${otherwise.join(" ").toLowerCase()})`
    return `${at + 1}. ${by}: ${does.toLowerCase()}${failure}`
  }).join(". ")
  return (
    <svg
      class="flow"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-labelledby={`${id}-title ${id}-text`}
    >
      <title id={`${id}-title`}>{title}</title>
      <desc id={`${id}-text`}>{`${description}.`}</desc>
      {steps.map((step, at) => (
        <Row
          key={at}
          step={step}
          at={at}
          isLast={at === steps.length - 1}
        />
      ))}
    </svg>
  )
}

function Row({ step, at, isLast }: { step: Step; at: number; isLast: boolean }) {
  const top = at * rowHeight + 2
  const middle = top + boxHeight / 2
  const bottom = top + boxHeight
  const [first, second] = step.otherwise ?? []
  return (
    <g>
      <rect class={step.who} x="2" y={top} width={boxWidth} height={boxHeight} rx="6" />
      <text x="14" y={middle + 5}>{step.does}</text>
      {isLast ? null : (
        <path
          class="arrow"
          d={`M${boxWidth / 2} ${bottom}v${rowHeight - boxHeight - 3}m-5 -6l5 6l5 -6`}
        />
      )}
      {first === undefined ? null : (
        <>
          <path class="failure" d={`M${boxWidth + 2} ${middle}h16`} />
          <text class="failure" x={boxWidth + 24} y={middle - 3}>{first}</text>
          <text class="failure" x={boxWidth + 24} y={middle + 13}>{second}</text>
        </>
      )}
    </g>
  )
}
