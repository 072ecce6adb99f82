/** A text that several people edit at once, with their cursors and the save status. */
import type { Extension } from '@codemirror/state'
import { lazy, type ReactNode, Suspense, useCallback, useState, useSyncExternalStore } from 'react'
import { useStore } from '@/state/store'
import { useMay } from '@/api/queries'
import {
  heldText,
  holdText,
  type LiveText as Live,
  releaseText,
  type Saved,
} from '@/state/liveText'
import { Button } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { Skeleton } from '@/ui/display/States'
import { TextVersions } from './TextVersions'
import './live-text.css'

const LiveEditor = lazy(() => import('./LiveEditor'))

type Props = {
  readonly incidentId: string
  /** As in api/texts.py: 'summary', 'report/<section>', 'hypothesis/<id>/notes'. */
  readonly textKey: string
  readonly label: string
  readonly readOnly?: boolean
  readonly placeholder?: string
  readonly autoFocus?: boolean
  /** Additional CodeMirror extensions, read once when the editor opens. */
  readonly extensions?: readonly Extension[]
  /** Called with the whole text when it is loaded and after each change. */
  readonly onText?: (text: string) => void
  readonly className?: string
  /** Shown until the editor opens; otherwise a skeleton. */
  readonly waiting?: ReactNode
}

export function LiveText({ incidentId, textKey, readOnly, className, ...rest }: Props) {
  const mayWrite = useMay('contributor')
  const live = useSyncExternalStore(
    useCallback(() => {
      holdText(incidentId, textKey)
      return () => releaseText(incidentId, textKey)
    }, [incidentId, textKey]),
    () => heldText(incidentId, textKey),
  )
  if (!live) return rest.waiting ?? <Skeleton />
  return (
    <Shown
      key={`${incidentId} ${textKey}`}
      live={live}
      incidentId={incidentId}
      textKey={textKey}
      readOnly={readOnly === true || !mayWrite}
      className={className}
      {...rest}
    />
  )
}

function Shown({
  live,
  incidentId,
  className,
  waiting = <Skeleton />,
  ...rest
}: Omit<Props, 'className'> & {
  readonly live: Live
  readonly className: string | undefined
}) {
  const saved = useStore(live.saved)
  const [earlier, setEarlier] = useState(false)
  return (
    <div className={cx('live-text', rest.readOnly && 'live-text-read', className)}>
      {saved.state === 'loading' ? (
        waiting
      ) : (
        <Suspense fallback={waiting}>
          <LiveEditor live={live} {...rest} />
        </Suspense>
      )}
      <div className="live-foot">
        <p className={`live-saved live-saved-${saved.state}`} role="status">
          {words(saved)}
        </p>
        {saved.state !== 'loading' && (
          <Button
            variant="ghost"
            size="small"
            className="live-earlier"
            aria-label={`History of ${rest.label}`}
            onClick={() => setEarlier(true)}
          >
            History
          </Button>
        )}
      </div>
      {earlier && (
        <LiveHistory
          incidentId={incidentId}
          textKey={rest.textKey}
          label={rest.label}
          live={live}
          mayWrite={rest.readOnly !== true}
          onClose={() => setEarlier(false)}
        />
      )}
    </div>
  )
}

/** The history, compared with the live text, which others may be editing. */
function LiveHistory({
  live,
  ...rest
}: Omit<Parameters<typeof TextVersions>[0], 'now'> & { readonly live: Live }) {
  const now = useSyncExternalStore(
    useCallback(
      (notify: () => void) => {
        live.text.observe(notify)
        return () => live.text.unobserve(notify)
      },
      [live],
    ),
    () => live.text.toString(),
  )
  return <TextVersions now={now} {...rest} />
}

function words(saved: Saved): string {
  switch (saved.state) {
    case 'loading':
      return 'reading…'
    case 'saving':
      return 'saving…'
    case 'saved':
      return 'saved'
    case 'offline':
      return 'offline: kept in this browser, sent when the server responds'
    case 'refused':
      return `not saved: ${saved.problem.message} What you typed is kept in this browser.`
  }
}
