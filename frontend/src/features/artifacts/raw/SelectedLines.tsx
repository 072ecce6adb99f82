/** The footer of the raw text: the selected lines and their problems, copy, link, pin. */
import type { Artifact, ArtifactDetail } from '@/api/schema'
import { formatNumber } from '@/format'
import { CopyButton } from '@/ui/controls/CopyButton'
import { PinButton } from '@/ui/evidence/pin'
import { hashOfLines } from './lines'
import { RunValuesButton } from './RunValues'
import { PAGE_LINES, type RawLine } from '../queries'

const HINT = 'Click a number to select a line; Shift-click selects a range.'

export function SelectedLines({
  incidentId,
  artifact,
  detail,
  line,
  last,
  total,
  lineAt,
}: {
  readonly incidentId: string
  readonly artifact: Artifact
  readonly detail: ArtifactDetail | undefined
  readonly line: number
  readonly last: number
  readonly total: number
  readonly lineAt: (line: number) => RawLine | null
}) {
  if (line < 1)
    return (
      <div className="raw-foot">
        <span className="faint ellipsis" title={HINT}>
          {formatNumber(total, 0)} {total === 1 ? 'line' : 'lines'}. {HINT}
        </span>
      </div>
    )
  const name = noteOf(detail, line, last)
  return (
    <div className="raw-foot">
      <span className="raw-where" data-testid="raw-where">
        {last > line ? `lines ${line}–${last}` : `line ${line}`}{' '}
        <span className="faint">of {formatNumber(total, 0)}</span>
      </span>
      {name && (
        <span className="raw-note ellipsis" title={name}>
          {name}
        </span>
      )}
      <span className="raw-space" />
      <CopyButton text={() => linesText(lineAt, line, last)}>Copy</CopyButton>
      <CopyButton text={() => linesLink(incidentId, artifact, line, last)}>Copy link</CopyButton>
      <RunValuesButton
        incidentId={incidentId}
        artifact={artifact}
        text={() => linesText(lineAt, line, last)}
        line={line}
      />
      <PinButton
        incidentId={incidentId}
        pin={() => ({
          kind: 'lines',
          title: pinTitle(artifact, line, last, lineAt(line)?.text),
          locator: {
            artifact: artifact.sha256,
            path: artifact.path,
            line_first: line,
            line_last: last,
          },
        })}
      />
    </div>
  )
}

/** Return the problem in these lines, else the reason why they were skipped; null without either. */
function noteOf(detail: ArtifactDetail | undefined, line: number, last: number): string | null {
  const problem = detail?.problems_list.find(
    (item) => item.line !== null && item.line >= line && item.line <= last,
  )
  if (problem) return problem.message
  const skipped = detail?.receipt?.skipped.find(
    (item) => item.line_first <= last && item.line_last >= line,
  )
  return skipped ? `Skipped: ${skipped.why}` : null
}

function linesText(
  lineAt: (line: number) => { readonly text: string } | null,
  first: number,
  last: number,
): string {
  const most = Math.min(last, first + PAGE_LINES)
  const lines: string[] = []
  for (let at = first; at <= most; at += 1) lines.push(lineAt(at)?.text ?? '')
  return lines.join('\n')
}

function pinTitle(artifact: Artifact, first: number, last: number, line: string | undefined) {
  const where = last > first ? `lines ${first}–${last}` : `line ${first}`
  const name = line?.trim().slice(0, 120)
  return name ? name : `${artifact.name}, ${where}`
}

/** Return the permanent address of lines: the artifact by hash, the lines after #. */
function linesLink(incidentId: string, artifact: Artifact, line: number, last: number) {
  const { origin } = window.location
  const path = `${origin}/incidents/${incidentId}/artifacts?artifact=${artifact.sha256}`
  return path + (line > 0 ? hashOfLines({ first: line, last }) : '')
}
