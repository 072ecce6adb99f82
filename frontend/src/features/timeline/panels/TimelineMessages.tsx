/** Messages above the lanes: files still being read, nothing moved, what failed. */
import { Banner, Problem } from '@/ui/display/States'

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
  /** Questions of the analysis that failed. */
  readonly unanswered: readonly { readonly part: string; readonly why: string }[]
}

/** Parts of the analysis that the timeline draws. */
const DRAWN: Readonly<Record<string, string>> = {
  stalls: 'The stalls',
  captures: 'The captures',
  series: 'The series',
  waits: 'The waits and blockers',
  blockers: 'The blockers',
  events: 'The events',
}

export function TimelineMessages({ unanswered, artifacts, whatMoved, tileError }: Props) {
  return (
    <>
      {artifacts && artifacts.parsing > 0 && (
        <Banner>
          {artifacts.done + artifacts.problems} of {artifacts.total} files parsed; lanes appear as
          they are analysed.
        </Banner>
      )}
      {unanswered
        .filter(({ part }) => part in DRAWN)
        .map(({ part, why }) => (
          <Banner key={part}>
            {DRAWN[part]} could not be determined: {why}
          </Banner>
        ))}
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
