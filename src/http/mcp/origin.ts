/**
 * Which web pages may call /mcp.
 *
 * A page of any origin may, as everywhere here: there are no cookies and no accounts, so a page can do
 * nothing that its visitor's money does not sign. What is refused is an origin that names no page
 * (`null`, a scheme that is not the web's), and, while the service is on this machine only, every page
 * that is not: such a page gets here by a name that was made to point at this machine.
 *
 * @module
 */

/** True when a page of this origin may call the service at `publicBaseUrl`; no page, any may. */
export function mayCall(origin: string | undefined, publicBaseUrl: string): boolean {
  if (origin === undefined) return true
  const page = URL.parse(origin)
  if (page === null || page.origin !== origin || !/^https?:$/.test(page.protocol)) return false
  return isOfThisMachine(page.hostname) || !isOfThisMachine(new URL(publicBaseUrl).hostname)
}

function isOfThisMachine(hostname: string): boolean {
  return hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname) ||
    /^(?:[^.]+\.)*localhost$/.test(hostname)
}
