/**
 * The captures of a case with more than one: each stall with its series aligned at the onset, on one
 * scale, and the captures without a stall. Nothing is drawn between captures.
 */
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import type { CaptureDoc, Overview } from '@/api/schema'
import { sharedSearch } from '@/state/url'
import { Chip, type Tone } from '@/ui/controls/Chip'
import { Duration, Measured, Time } from '@/ui/display/Value'
import { useSeen } from '@/charts/useSeen'
import { aroundStall } from './links'
import { type Episodes, episodesQuery } from '@/ui/evidence/aligned'
import { AlignedPicture } from '@/ui/evidence/AlignedPicture'
import { unansweredOf } from '@/ui/evidence/Unanswered'
import { Section } from './Section'

type EpisodeCard = Episodes['episodes'][number]

const VERDICT: Record<CaptureDoc['verdict'], readonly [string, Tone]> = {
  stall: ['stall', 'holding'],
  inside: ['inside a stall', 'holding'],
  short: ['cleared within seconds', 'idle'],
  calm: ['calm', 'running'],
  unknown: ['too little to judge', 'idle'],
}

export function Captures({ overview }: { readonly overview: Overview }) {
  const several = overview.captures.length > 1
  const [place, seen] = useSeen<HTMLDivElement>()
  const episodes = useQuery({ ...episodesQuery(overview.incident.id), enabled: several && seen })
  const missing = unansweredOf(overview, ['captures', 'episodes', 'recurrence'])
  if (!several && missing.length === 0) return null
  const { data } = episodes
  const without = overview.captures.filter((capture) => capture.episodes.length === 0)
  return (
    <div ref={place}>
      <Section
        title="Captures"
        note={several && `${overview.captures.length} in this incident`}
        unanswered={missing}
      >
        {data && data.episodes.length > 0 && (
          <ul className="captures-list" aria-label="Stalls, aligned at their onset">
            {data.episodes.map((card) => (
              <Episode
                key={card.episode.id}
                card={card}
                all={data}
                incidentId={overview.incident.id}
              />
            ))}
          </ul>
        )}
        {without.length > 0 && (
          <ul className="captures-list" aria-label="Captures without a stall">
            {without.map((capture) => (
              <li key={capture.id} className="captures-row">
                <span className="captures-when">
                  <Time at={capture.first} /> – <Time at={capture.last} style="clock" />
                  {capture.host && <span className="muted"> {capture.host}</span>}
                </span>
                <Chip tone={VERDICT[capture.verdict][1]}>{VERDICT[capture.verdict][0]}</Chip>
                <span className="captures-text muted">{capture.text}</span>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </div>
  )
}

function Episode({
  card,
  all,
  incidentId,
}: {
  readonly card: EpisodeCard
  readonly all: Episodes
  readonly incidentId: string
}) {
  const { search } = useLocation()
  const { stall, finding, findings, headline, leading } = card.episode
  const cause = findings.find((item) => item.id === finding)
  return (
    <li className="captures-row">
      <span className="captures-when">
        <Link to={`/incidents/${incidentId}/timeline${sharedSearch(search, aroundStall(stall))}`}>
          <Time at={stall.onset} />
        </Link>
        {card.capture.host && <span className="muted"> {card.capture.host}</span>}
      </span>
      <AlignedPicture thumbnail={card.thumbnail} from={all.from_s} to={all.to_s} />
      <span className="captures-text">
        <Duration value={stall.duration_s} />
        {stall.peak_waiters !== null && (
          <>
            , peak <Measured value={stall.peak_waiters} />{' '}
            {stall.peak_counts === 'running' ? 'sessions' : 'waiters'}
          </>
        )}
        {leading && <span className="muted"> · described on this page</span>}
        <br />
        <span className="muted">
          {headline.story || (cause ? cause.title : 'no likely cause found')}
        </span>
      </span>
    </li>
  )
}
