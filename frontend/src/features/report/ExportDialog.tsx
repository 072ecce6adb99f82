/** The export dialog: format, version, sections, redaction with a preview, zone, paper. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatCount } from '@/format'
import { Button } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import { EditableField } from '@/ui/controls/EditableField'
import {
  REDACTION_KINDS,
  RedactionChoice,
  type RedactionKind,
  redactOf,
} from '@/ui/controls/RedactionChoice'
import { Problem } from '@/ui/display/States'
import { type Download, DownloadState, useDownload } from './Download'
import { type Check, redactionQuery, type Release, type Report } from './queries'

const FORMATS = [
  ['pdf', 'PDF', 'typeset, figures as vectors'],
  ['html', 'HTML', 'one file, interactive, works offline'],
  ['docx', 'DOCX', 'for a word processor'],
  ['md', 'Markdown', 'plain text with footnotes'],
] as const
const SHOWN_INTERNALS = 6
const PAPERS = [
  ['a4', 'A4'],
  ['letter', 'Letter'],
] as const

export function ExportDialog({
  incidentId,
  report,
  releases,
  onClose,
}: {
  readonly incidentId: string
  readonly report: Report
  readonly releases: readonly Release[]
  readonly onClose: () => void
}) {
  const approved = releases.find((release) => release.state === 'approved')
  const [format, setFormat] = useState<(typeof FORMATS)[number][0]>('pdf')
  const [release, setRelease] = useState(approved?.id ?? '')
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [kinds, setKinds] = useState<ReadonlySet<RedactionKind>>(new Set())
  const [zone, setZone] = useState('UTC')
  const [paper, setPaper] = useState('a4')
  const download = useDownload()
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone
  const redact = redactOf(kinds)
  const query = new URLSearchParams({ format, zone, paper })
  if (redact) query.set('redact', redact)
  if (release) query.set('release', release)
  if (left.size) {
    query.set(
      'sections',
      report.sections
        .map((section) => section.key)
        .filter((key) => !left.has(key))
        .join(','),
    )
  }
  const flip = (set: ReadonlySet<string>, key: string) => {
    const next = new Set(set)
    if (!next.delete(key)) next.add(key)
    return next
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Export the report"
      width={680}
      footer={
        <ExportFooter
          download={download}
          format={FORMATS.find(([value]) => value === format)?.[1] ?? ''}
        />
      }
    >
      <form
        id="report-export"
        className="report-export"
        onSubmit={(event) => {
          event.preventDefault()
          void download.start(`/api/v1/incidents/${incidentId}/report/export?${query}`)
        }}
      >
        <fieldset className="report-formats">
          <legend>Format</legend>
          {FORMATS.map(([value, words, hint]) => (
            <label key={value}>
              <input
                type="radio"
                name="format"
                checked={format === value}
                onChange={() => setFormat(value)}
              />
              <span>
                {words} <span className="faint">{hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <div className="report-export-row">
          <EditableField
            label="Version"
            value={release}
            onChange={setRelease}
            options={[
              ['', 'Current draft'],
              ...releases.map(
                ({ id, number, state }) =>
                  [id, `Release ${number}, ${state.replace('_', ' ')}`] as const,
              ),
            ]}
          />
          <EditableField
            label="Times in"
            value={zone}
            onChange={setZone}
            options={[...new Set(['UTC', local])].map((name) => [name, name] as const)}
          />
          <EditableField label="Paper" value={paper} onChange={setPaper} options={PAPERS} />
        </div>
        <fieldset>
          <legend>Sections</legend>
          <div className="report-choices">
            {report.sections.map((section) => (
              <label key={section.key}>
                <input
                  type="checkbox"
                  checked={!left.has(section.key)}
                  onChange={() => setLeft(flip(left, section.key))}
                />
                {section.title}
              </label>
            ))}
          </div>
        </fieldset>
        {!release && (
          <Internals
            checks={report.checks.filter(
              ({ rule, section, line }) =>
                // The title, which has no line, is part of every choice of sections.
                rule === 'internals' && (line === null || !left.has(section ?? '')),
            )}
          />
        )}
        <fieldset>
          <legend>Replace by tokens</legend>
          <RedactionChoice kinds={kinds} onChange={setKinds} />
          <Redaction incidentId={incidentId} redact={redact} release={release} />
        </fieldset>
      </form>
    </Dialog>
  )
}

/** What readers without a database would not know, in the words of the team. */
function Internals({ checks }: { readonly checks: readonly Check[] }) {
  if (checks.length === 0) return null
  return (
    <section className="report-internals" aria-label="Technical words in this version">
      <p>
        This version is for readers who do not run databases. Your own words stay as you wrote them;{' '}
        {formatCount(checks.length, 'place')} {checks.length === 1 ? 'is' : 'are'} technical:
      </p>
      <ul>
        {checks.slice(0, SHOWN_INTERNALS).map((check, index) => (
          <li key={index}>
            {check.text}
            {check.line !== null && <span className="faint num"> (line {check.line})</span>}
          </li>
        ))}
      </ul>
      {checks.length > SHOWN_INTERNALS && (
        <p className="muted">and {checks.length - SHOWN_INTERNALS} more under Checks.</p>
      )}
    </section>
  )
}

function ExportFooter({
  download,
  format,
}: {
  readonly download: Download
  readonly format: string
}) {
  return (
    <>
      <DownloadState download={download} />
      {download.isBusy && <Button onClick={download.cancel}>Cancel</Button>}
      <Button variant="primary" type="submit" form="report-export" busy={download.isBusy}>
        Export {format}
      </Button>
    </>
  )
}

function Redaction({
  incidentId,
  redact,
  release,
}: {
  readonly incidentId: string
  readonly redact: string
  readonly release: string
}) {
  const { data, isFetching, isError, error } = useQuery(
    redactionQuery(incidentId, release ? { redact, release } : { redact }),
  )
  if (!redact) {
    return <p className="muted">Not redacted: the file contains queries, host names and users.</p>
  }
  if (isError) return <Problem compact error={error} what="The redaction preview failed" />
  if (!data) return <p className="muted">{isFetching ? 'Counting…' : ''}</p>
  return (
    <table className="report-redaction" aria-label="What would be replaced">
      <tbody>
        {data.map((kind) => (
          <tr key={kind.kind}>
            <th scope="row">{REDACTION_KINDS.find(([value]) => value === kind.kind)?.[1]}</th>
            <td className="num">
              {kind.values} in {kind.occurrences} places
            </td>
            <td className="mono">
              {kind.examples.slice(0, 3).map((example) => (
                <div key={example.token}>
                  {example.value.length > 28 ? `${example.value.slice(0, 27)}…` : example.value} →{' '}
                  {example.token}
                </div>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
