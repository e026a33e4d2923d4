/**
 * What the texts of pages are made of: cards, facts, code and notices.
 *
 * @module
 */
import type { Child } from "hono/jsx"

/** A grid of cards of equal rank. */
export function Cards({ children }: { children: Child }) {
  return <ul class="cards">{children}</ul>
}

export function Card({ title, children }: { title: string; children: Child }) {
  return (
    <li>
      <h3>{title}</h3>
      {children}
    </li>
  )
}

/** A few figures with their names. */
export function Facts({ children }: { children: Child }) {
  return <dl class="facts">{children}</dl>
}

export function Fact({ name, children }: { name: string; children: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Code that scrolls sideways, also by keyboard. */
export function CodeBlock({ label, children }: { label: string; children: string }) {
  return (
    <pre tabindex={0} role="region" aria-label={label}>
      <code>{children}</code>
    </pre>
  )
}

/** A text of the catalog, with what is in backticks as code. */
export function Prose({ children }: { children: string }) {
  return (
    <>
      {children.split("`").map((part, at) => at % 2 === 0 ? part : <code key={at}>{part}</code>)}
    </>
  )
}
