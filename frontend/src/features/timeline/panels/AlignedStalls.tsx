/**
 * Small multiples: the stalls of the incident, then those of each run, aligned at the onset; a capture or
 * run without a stall begins at its first sample. One scale of seconds, one of values per series.
 */
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import { formatDuration, formatNumber } from '@/format'
import { sharedSearch } from '@/state/url'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { Time } from '@/ui/display/Value'
import { type AlignedRun, type Episodes, episodesQuery, runsQuery } from '@/ui/evidence/aligned'
import { AlignedPicture, highest } from '@/ui/evidence/AlignedPicture'

type Picture = {
  readonly key: string
  readonly thumbnail: Episodes['episodes'][number]['thumbnail']
  /** Null: no stall. */
  readonly onset: string | null
  readonly begins: string
  readonly words: string
}

type Row = { readonly key: string; readonly title: string; readonly pictures: readonly Picture[] }

const VERDICT_WORDS = {
  stall: 'stall',
  inside: 'inside a stall',
  short: 'cleared within seconds',
  calm: 'no stall',
  unknown: 'too little to judge',
} as const

const WIDTH = 300
const HEIGHT = 72

export function AlignedStalls({ incidentId }: { readonly incidentId: string }) {
  const { search } = useLocation()
  const episodes = useQuery(episodesQuery(incidentId))
  const runs = useQuery(runsQuery(incidentId))
  const error = episodes.error ?? runs.error
  if (error) return <Problem error={error} what="The stalls and runs could not be read" />
  if (!episodes.data || !runs.data) return <SkeletonRows rows={6} />
  const rows: readonly Row[] = [
    { key: 'incident', title: 'Incident', pictures: pictures(episodes.data) },
    ...runs.data.map((run) => ({
      key: run.experiment_id,
      title: runTitle(run),
      pictures: run.episodes ? pictures(run.episodes) : [],
    })),
  ]
  const shown = rows.flatMap((row) => row.pictures)
  if (shown.length === 0) {
    return (
      <EmptyState title="Nothing to align yet">
        Stalls of the incident, and runs with attached files, appear here after their analysis.
      </EmptyState>
    )
  }
  const drawn = [episodes.data, ...runs.data.flatMap(({ episodes }) => episodes ?? [])]
  const from = Math.min(...drawn.map(({ from_s }) => from_s))
  const to = Math.max(...drawn.map(({ to_s }) => to_s))
  const tops = new Map<string, number>()
  for (const { thumbnail } of shown) {
    if (!thumbnail) continue
    const name = nameOf(thumbnail.series)
    tops.set(name, Math.max(tops.get(name) ?? 1, highest(thumbnail)))
  }
  return (
    <div className="tl-aligned scroll">
      <p className="muted">
        Seconds around each onset, from {formatDuration(from)} to {formatDuration(to)}; without a
        stall, from the first sample. Equal series have one scale.
      </p>
      {rows.map((row) => (
        <section key={row.key} className="tl-aligned-row" aria-label={row.title}>
          <h2>
            {row.key === 'incident' ? (
              row.title
            ) : (
              <Link
                to={`/incidents/${incidentId}/experiments${sharedSearch(search, { experiment: row.key })}`}
              >
                {row.title}
              </Link>
            )}
          </h2>
          {row.pictures.length === 0 && (
            <p className="faint">No series shows its sessions or work.</p>
          )}
          <ul>
            {row.pictures.map((picture) => (
              <li key={picture.key}>
                <div className="muted">
                  <Time at={picture.onset ?? picture.begins} /> · {picture.words}
                </div>
                <AlignedPicture
                  thumbnail={picture.thumbnail}
                  from={from}
                  to={to}
                  width={WIDTH}
                  height={HEIGHT}
                  {...topOf(picture, tops)}
                />
                {picture.thumbnail && (
                  <div className="faint ellipsis" title={picture.thumbnail.title}>
                    {picture.thumbnail.title}, peak{' '}
                    {formatNumber(Math.round(highest(picture.thumbnail)), 0)}
                  </div>
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function pictures({ episodes, calm }: Episodes): readonly Picture[] {
  return [
    ...episodes.map(({ episode, onset, capture, thumbnail }) => ({
      key: episode.id,
      thumbnail,
      onset,
      begins: capture.first ?? onset,
      words: episode.stall.duration_s === null ? 'stall' : formatDuration(episode.stall.duration_s),
    })),
    ...(calm ?? []).map(({ capture, thumbnail }) => ({
      key: capture.id,
      thumbnail,
      onset: null,
      begins: capture.first ?? '',
      words: VERDICT_WORDS[capture.verdict],
    })),
  ]
}

const runTitle = ({ number, title, verdict }: AlignedRun) =>
  `Run ${number}: ${title}${verdict ? ` (${verdict.replace('_', ' ')})` : ''}`

/** The name of a series without its host: runs are on other hosts. */
const nameOf = (series: string) => series.split('@')[0] ?? series

const topOf = ({ thumbnail }: Picture, tops: ReadonlyMap<string, number>) => {
  const top = thumbnail ? tops.get(nameOf(thumbnail.series)) : undefined
  return top === undefined ? {} : { top }
}
