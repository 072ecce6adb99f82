/** Over the status line of every screen while the server does not answer: since when, what is kept. */
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
  // Where no event stream tells it.
  const alone = useConnection() === 'none'
  useEffect(() => (alone ? lookAfter() : undefined), [alone])
  const shown = away !== null && away.since !== hidden
  return (
    <div className="away-place" role="status">
      {shown && away.until !== null && (
        <div className="away away-back">
          <span aria-hidden="true">●</span>
          <p>
            <strong>Pileup answers again.</strong> What did not come is asked for now.
          </p>
        </div>
      )}
      {shown && away.until === null && (
        <div className="away">
          <GapIcon />
          <p>
            <strong>Pileup does not answer</strong> since{' '}
            <time dateTime={new Date(away.since).toISOString()}>
              {new Date(away.since).toISOString().slice(11, 19)} UTC
            </time>
            <Since at={away.since} />. It is asked again every 2 s and this page goes on by itself.
            What you see is as of then, what you typed stays
            {uploads > 0 && `, ${uploads === 1 ? 'the upload goes' : `${uploads} uploads go`} on`}.
            Does Pileup run, is the network up?
          </p>
          <Button size="small" onClick={askNow}>
            Ask now
          </Button>
          <Button size="small" onClick={() => setHidden(away.since)}>
            Hide
          </Button>
        </div>
      )}
    </div>
  )
}

/** Not read aloud: it changes every second. */
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
