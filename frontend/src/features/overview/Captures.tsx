/**
 * The captures of a case with more than one: each stall with its series aligned at the onset, on one
 * scale, and the captures without a stall. Nothing is drawn between captures.
 */
import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import type { CaptureDoc, Overview } from '@/api/schema'
import { sharedSearch } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { Chip, type Tone } from '@/ui/controls/Chip'
import { Duration, Measured, Time } from '@/ui/display/Value'
import { SkeletonRows } from '@/ui/display/States'
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

/** A longer list hides what happened in the leading stall. */
const SHOWN = 6

export function Captures({ overview }: { readonly overview: Overview }) {
  const several = overview.captures.length > 1
  const [all, setAll] = useState(false)
  const episodes = useQuery({ ...episodesQuery(overview.incident.id), enabled: several })
  const missing = unansweredOf(overview, ['captures', 'episodes', 'recurrence'])
  if (!several && missing.length === 0) return null
  const { data } = episodes
  const stalls = overview.captures.reduce((sum, capture) => sum + capture.episodes.length, 0)
  const cards = data?.episodes ?? []
  const shown = all ? cards : shortened(cards)
  const without = overview.captures.filter((capture) => capture.episodes.length === 0)
  const calm = all ? without : without.slice(0, Math.max(0, SHOWN - shown.length))
  const hidden = cards.length - shown.length + (without.length - calm.length)
  return (
    <Section
      title="Captures"
      note={several && `${overview.captures.length} in this incident`}
      unanswered={missing}
    >
      {episodes.isPending && several && stalls > 0 && (
        <SkeletonRows rows={Math.min(stalls, SHOWN)} />
      )}
      {data && shown.length > 0 && (
        <ul className="captures-list" aria-label="Stalls, aligned at their onset">
          {shown.map((card) => (
            <Episode
              key={card.episode.id}
              card={card}
              all={data}
              incidentId={overview.incident.id}
            />
          ))}
        </ul>
      )}
      {calm.length > 0 && (
        <ul className="captures-list" aria-label="Captures without a stall">
          {calm.map((capture) => (
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
      {hidden > 0 && (
        <Button size="small" variant="ghost" onClick={() => setAll(true)}>
          Show all captures ({hidden} more)
        </Button>
      )}
    </Section>
  )
}

/** The first stalls, the leading one always among them. */
function shortened(cards: readonly EpisodeCard[]): readonly EpisodeCard[] {
  const first = cards.slice(0, SHOWN)
  const leading = cards.slice(SHOWN).filter((card) => card.episode.leading)
  return [...first.slice(0, SHOWN - leading.length), ...leading]
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
  const words = headline.story || (cause ? cause.title : 'no likely cause found')
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
        {leading ? (
          <span className="muted"> · described on this page</span>
        ) : (
          <span className="captures-story muted">{words}</span>
        )}
      </span>
    </li>
  )
}
