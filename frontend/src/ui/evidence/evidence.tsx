/**
 * Links from a claim to its source: a locator opens the raw lines, the series over its window, or the
 * moment in the wait graph.
 */
import { formatCount } from '@/format'
import { Link, useLocation } from 'react-router'
import { useQuery } from '@tanstack/react-query'
import { artifactsQuery } from '@/api/queries'
import type { Artifact, Locator } from '@/api/schema'
import { sharedSearch } from '@/state/url'
import './evidence.css'

/** Return the address of the raw lines of an artifact, highlighted. */
export function rawLinesPath(
  incidentId: string,
  artifactId: string,
  line?: number | null,
  to?: number | null,
  search = '',
): string {
  const extra: Record<string, string> = { artifact: artifactId }
  if (line) extra['line'] = String(line)
  if (to && to !== line) extra['to'] = String(to)
  return `/incidents/${incidentId}/artifacts${sharedSearch(search, extra)}`
}

/** Return the address of an experiment plan based on 'run:ID', 'finding:ID' or 'hypothesis:ID'. */
export const experimentPath = (incidentId: string, plan: string, search = '') =>
  `/incidents/${incidentId}/experiments${sharedSearch(search, { plan })}`

/** Return the address of the experiment screen with this experiment open. */
export const experimentAt = (incidentId: string, experiment: string, search = '') =>
  `/incidents/${incidentId}/experiments${sharedSearch(search, { experiment })}`

/** Return a function that finds an artifact by hash, or by path where only that is known. */
export function useArtifactByHash(
  incidentId: string,
): (sha256: string | null | undefined, path?: string | null) => Artifact | undefined {
  const { data } = useQuery(artifactsQuery(incidentId))
  return (sha256, path) =>
    data?.items.find((item) => item.sha256 === sha256 && (!path || item.path === path)) ??
    data?.items.find((item) => item.sha256 === sha256) ??
    (sha256 ? undefined : data?.items.find((item) => item.path === path))
}

/** Return the address of a locator; null when its artifact is deleted. */
export function locatorPath(
  incidentId: string,
  locator: Locator,
  find: ReturnType<typeof useArtifactByHash>,
  search: string,
): string | null {
  const artifact = find(locator.artifact, locator.path)
  if (locator.kind === 'series' && locator.series) {
    const query = sharedSearch(search, { series: locator.series })
    const params = new URLSearchParams(query)
    if (locator.start && locator.end) {
      params.set('start', locator.start)
      params.set('end', locator.end)
    }
    return `/incidents/${incidentId}/timeline?${params.toString()}`
  }
  if (locator.kind === 'snapshot' && locator.at && !locator.line_first) {
    const extra = { at: locator.at, ...(locator.node ? { node: locator.node } : {}) }
    return `/incidents/${incidentId}/waits${sharedSearch(search, extra)}`
  }
  if (!artifact) return null
  return rawLinesPath(incidentId, artifact.id, locator.line_first, locator.line_last, search)
}

/** A claim with its source: the text, and file:line as the link. */
export function Evidence({
  locator,
  incidentId,
  beside = '',
}: {
  readonly locator: Locator
  readonly incidentId: string
  /** Adjacent text: a claim that it contains is not repeated. */
  readonly beside?: string
}) {
  const { search } = useLocation()
  const find = useArtifactByHash(incidentId)
  const path = locatorPath(incidentId, locator, find, search)
  const repeated = locator.text !== '' && beside.includes(locator.text.replace(/[.\s]+$/, ''))
  return (
    <span className="evidence">
      {locator.text && !repeated && <span className="evidence-text">{locator.text}</span>}
      {path ? (
        <Link className="evidence-source mono" to={path} title={sourceText(locator)}>
          <Source locator={locator} />
        </Link>
      ) : (
        <span className="evidence-source mono faint">
          <Source locator={locator} />
        </span>
      )}
    </span>
  )
}

/** A source whose file name gives way in a narrow cell, never its lines. */
function Source({ locator }: { readonly locator: Locator }) {
  const [name, lines] = sourceParts(locator)
  return lines ? (
    <>
      <span className="evidence-file">{name}</span>
      {lines}
    </>
  ) : (
    name
  )
}

/** Return a short name of a source: "innodbstatus1:812–840", "Threads_running". */
export const sourceText = (locator: Locator) => sourceParts(locator).join('')

function sourceParts(locator: Locator): [name: string, lines: string] {
  if (locator.kind === 'series' && locator.series) return [locator.series, '']
  const name = locator.path?.split('/').at(-1) ?? 'source'
  if (!locator.line_first) return [name, '']
  const last = locator.line_last && locator.line_last !== locator.line_first
  const places = locator.ranges?.length ? ` (${formatCount(locator.ranges.length, 'place')})` : ''
  return [name, `:${locator.line_first}${last ? `–${locator.line_last}` : ''}${places}`]
}
