/** Messages above the lanes: files still being read, nothing moved, what failed. */
import { Banner, Problem } from '@/ui/display/States'
import { MissingAnswers } from '@/ui/evidence/Unanswered'

type Props = {
  readonly artifacts:
    | {
        readonly parsing: number
        readonly done: number
        readonly problems: number
        readonly total: number
      }
    | undefined
  readonly whatMoved: { readonly found: number | null; readonly error: unknown }
  readonly tileError: unknown
  readonly incidentId: string
}

export function TimelineMessages({ incidentId, artifacts, whatMoved, tileError }: Props) {
  return (
    <>
      {artifacts && artifacts.parsing > 0 && (
        <Banner>
          {artifacts.done + artifacts.problems} of {artifacts.total} files parsed; lanes appear as
          they are analysed.
        </Banner>
      )}
      <MissingAnswers
        incidentId={incidentId}
        parts={['stalls', 'captures', 'series', 'waits', 'blockers', 'events']}
      />
      {whatMoved.found === 0 && (
        <Banner tone="plain">
          No series changed in this window compared with the one before. Choose a window that
          contains the change.
        </Banner>
      )}
      {whatMoved.error !== null && (
        <Problem
          compact
          error={whatMoved.error}
          what="Could not compare this window with the one before"
        />
      )}
      {tileError !== null && (
        <Problem compact error={tileError} what="Some lanes could not be loaded; trying again" />
      )}
    </>
  )
}
