/**
 * What a test reads inside a page. Each function is sent to the browser as text, so it uses nothing
 * outside of itself.
 *
 * @module
 */

/** Keeps every report of the Content-Security-Policy; runs before the page. */
export function watchPolicy() {
  globalThis.policyReports = []
  globalThis.addEventListener("securitypolicyviolation", (event) => {
    globalThis.policyReports.push(`${event.effectiveDirective} ${event.blockedURI || event.sample}`)
  })
}

export function policyReports() {
  return globalThis.policyReports
}

/** Opens or closes everything that a reader can open. */
export function setOpen(open) {
  for (const details of document.querySelectorAll("details")) details.open = open
}

/** What a reader sees: the visible text, and how many elements there are. */
export function content() {
  const names = [...document.querySelectorAll("main bdi")]
  const texts = names.map(({ textContent }) => textContent)
  const text = document.body.innerText
  for (const name of names) name.textContent = "(name)"
  const textAroundNames = document.body.innerText
  names.forEach((name, at) => (name.textContent = texts[at]))
  return {
    text,
    textAroundNames,
    elements: document.documentElement.getElementsByTagName("*").length,
    html: document.documentElement.outerHTML.replace(/<details open="">/g, "<details>"),
  }
}

/** Text, attributes and elements that no page has of its own. */
export function strayText() {
  const faults = []
  const hidden =
    // deno-lint-ignore no-control-regex
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]|\p{M}{5}/u
  const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}]/u
  const name = (element) => `<${element.tagName.toLowerCase()}>`
  const look = (text, place) => {
    if (hidden.test(text)) {
      faults.push(`${place} has hidden characters: ${escape(text.slice(0, 60))}`)
    }
  }
  for (const element of document.querySelectorAll("*")) {
    for (const { name: attribute, value } of element.attributes) {
      look(value, `${name(element)} ${attribute}`)
      if (/^on|^style$/.test(attribute)) faults.push(`${name(element)} has ${attribute}`)
      if (/^(?:xlink:)?href$|^src$/.test(attribute)) {
        const { protocol } = new URL(value, document.baseURI)
        if (!["http:", "https:", "mailto:"].includes(protocol)) {
          faults.push(`${name(element)} links to ${protocol}`)
        }
      }
    }
    for (const node of element.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE) continue
      look(node.data, name(element))
      // A document's title and a drawing's description are not laid out.
      if (!rightToLeft.test(node.data) || element.closest("title, desc") !== null) continue
      const holder = element.closest("bdi")
      if (holder === null || getComputedStyle(holder).unicodeBidi !== "isolate") {
        faults.push(`${name(element)} has text from right to left outside of <bdi>`)
      }
    }
  }
  if (document.querySelector("script, iframe, object, embed, form, base") !== null) {
    faults.push("an element that no page has")
  }
  const titles = document.querySelectorAll("h1").length
  if (titles !== 1) faults.push(`${titles} elements <h1>`)
  return faults.slice(0, 12)
}

/** Elements that are wider than the page, unless they are in a region that scrolls by itself. */
export function overflows() {
  const faults = []
  const name = (element) => {
    const { tagName, id, className, textContent } = element
    const group = typeof className === "string" && className !== "" ? `.${className}` : ""
    return `<${tagName.toLowerCase()}${id && `#${id}`}${group}> “${
      textContent.trim().replace(/\s+/g, " ").slice(0, 40)
    }”`
  }
  const width = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth > width) {
    faults.push(`the page is ${document.documentElement.scrollWidth} wide`)
  }
  const scrolls = (element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX)
  const visit = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true })) return
    const box = element.getBoundingClientRect()
    // A link that shows itself when it has the focus waits to the left of the page.
    if (box.right <= 0 || box.width <= 1) return
    if (box.right > width + 1 || box.left < -1) {
      faults.push(`${name(element)} from ${Math.round(box.left)} to ${Math.round(box.right)}`)
      return
    }
    if (scrolls(element)) return
    for (const child of element.children) visit(child)
  }
  visit(document.body)
  for (const drawing of document.querySelectorAll("svg")) {
    const frame = drawing.getBoundingClientRect()
    if (frame.width === 0) continue
    for (const label of drawing.querySelectorAll("text")) {
      const box = label.getBoundingClientRect()
      if (box.width === 0) continue
      const isOutside = box.left < frame.left - 1 || box.right > frame.right + 1 ||
        box.top < frame.top - 1 || box.bottom > frame.bottom + 1
      if (isOutside) faults.push(`${name(label)} is outside of its drawing`)
      const scale = label.getScreenCTM()?.a ?? 1
      const size = Number.parseFloat(getComputedStyle(label).fontSize) * scale
      if (size < 9) faults.push(`${name(label)} has letters of ${size.toFixed(1)} px`)
    }
  }
  return faults.slice(0, 12)
}

/** Marks what the Tab key must reach, in the order of the document; returns their names. */
export function markStops() {
  const controls = "a[href], summary, button, input"
  const visible = [...document.querySelectorAll(`${controls}, [tabindex]`)]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
  const stops = visible.filter(({ tabIndex }) => tabIndex >= 0)
  const skipped = visible.filter((element) => element.tabIndex < 0 && element.matches(controls))
  const name = ({ textContent }) => textContent.trim().replace(/\s+/g, " ").slice(0, 40)
  const scrollers = [...document.querySelectorAll("body *")].filter((element) =>
    ["auto", "scroll"].includes(getComputedStyle(element).overflowX) &&
    element.scrollWidth > element.clientWidth + 1 && element.tabIndex < 0 &&
    element.querySelector("a[href], button, input, summary, [tabindex]") === null
  )
  stops.forEach((element, at) => (element.stop = at))
  return {
    stops: stops.map(name),
    unreachable: [
      ...scrollers.map(({ tagName, className }) => `<${tagName} ${className}> scrolls`),
      ...skipped.map((element) => `“${name(element)}” is a control`),
    ],
  }
}

/** The element with the focus: its place in the order, and what is wrong with how it shows that. */
export function focused() {
  const element = document.activeElement
  if (element === null || element === document.body) return { stop: -1, fault: null }
  const style = getComputedStyle(element)
  const hasOutline = style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) > 0
  const box = element.getBoundingClientRect()
  const isInView = box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 &&
    box.left < innerWidth
  return {
    stop: element.stop ?? -2,
    fault: hasOutline ? isInView ? null : "is not in view" : "shows no focus",
  }
}

/** Runs axe, which was loaded into the page before. */
export async function audit() {
  const { violations } = await globalThis.axe.run(document, {
    runOnly: [
      ...["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"],
      "best-practice",
    ],
    resultTypes: ["violations"],
  })
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) =>
      `${id}: ${html.slice(0, 160)} ${
        (failureSummary ?? "").split("\n").slice(1, 2).join("").trim()
      }`
    )
  )
}

/** How many requests began before the first paint, and when that was. */
export function firstPaint() {
  const paint = performance.getEntriesByName("first-paint")[0]?.startTime ?? null
  return {
    paint,
    before: performance.getEntriesByType("resource")
      .filter(({ startTime }) => paint === null || startTime < paint)
      .map(({ name }) => name),
  }
}
