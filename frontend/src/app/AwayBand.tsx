/** The band above the status line while the server does not respond: since when, and what is kept. */
import { useEffect, useState } from 'react'
import { useConnection } from '@/api/events'
import { askNow, lookAfter, useAway } from '@/api/reach'
import { formatDuration } from '@/format'
import { useUploadsUnderWay } from '@/state/uploadsUnderWay'
import { Button } from '@/ui/controls/Button'
import { GapIcon } from '@/ui/controls/icons'
import './away.css'

export function AwayBand() {
  const away = useAway()
  const uploads = useUploadsUnderWay()
  const [hidden, setHidden] = useState(0)
  // For pages without an event stream.
  const alone = useConnection() === 'none'
  useEffect(() => (alone ? lookAfter() : undefined), [alone])
  const shown = away !== null && away.since !== hidden
  return (
    <div className="away-place" role="status">
      {shown && away.until !== null && (
        <div className="away away-back">
          <span aria-hidden="true">●</span>
          <p>
            <strong>Pileup responds again.</strong> Loading what was missed.
          </p>
        </div>
      )}
      {shown && away.until === null && (
        <div className="away">
          <GapIcon />
          <p>
            <strong>Pileup is not responding</strong> since{' '}
            <time dateTime={new Date(away.since).toISOString()}>
              {new Date(away.since).toISOString().slice(11, 19)} UTC
            </time>
            <Since at={away.since} />. Retrying every 2 s; this page continues automatically. You
            see the data of that time; what you typed is kept
            {uploads > 0 &&
              `, and ${uploads === 1 ? 'the upload continues' : `${uploads} uploads continue`}`}
            . Check that Pileup is running and that the network is up.
          </p>
          <Button size="small" onClick={askNow}>
            Retry now
          </Button>
          <Button size="small" onClick={() => setHidden(away.since)}>
            Hide
          </Button>
        </div>
      )}
    </div>
  )
}

/** Elapsed time since `at`; hidden from screen readers because it changes every second. */
function Since({ at }: { readonly at: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.round((now - at) / 1000))
  return (
    <span className="muted" aria-hidden="true">
      {' '}
      ({formatDuration(seconds)})
    </span>
  )
}
