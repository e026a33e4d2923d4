/**
 * The release: of the interface, the processes and the packages.
 *
 * @module
 */

export const version = "1.0.0"

/** How a process names itself; the commit is null where it is not known. */
export function releaseName(commit: string | null, process?: string): string {
  return [
    `Bellwether ${version}`,
    ...process === undefined ? [] : [process],
    ...commit === null ? [] : [`commit ${commit}`],
  ].join(", ")
}
