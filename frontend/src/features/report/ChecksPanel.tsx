/** The checks of the report: remarks, each with its line. */
import { Chip } from '@/ui/controls/Chip'
import type { Check, Report } from './queries'

export function ChecksPanel({
  report,
  onGo,
}: {
  readonly report: Report
  readonly onGo: (check: Check) => void
}) {
  if (report.checks.length === 0) {
    return <p className="report-empty muted">No remarks: every claim has a source.</p>
  }
  const titles = new Map(report.sections.map((section) => [section.key, section.title]))
  return (
    <ul className="report-list">
      {report.checks.map((check, index) => (
        <li key={index} data-rule={check.rule}>
          <div className="report-check-head">
            <Chip tone={check.level === 'warning' ? 'waiting' : 'plain'}>{check.level}</Chip>
            <button type="button" className="linklike" onClick={() => onGo(check)}>
              {check.section === null ? 'Actions' : (titles.get(check.section) ?? check.section)}
              {check.line !== null && <span className="num">, line {check.line}</span>}
            </button>
          </div>
          <div>{check.text}</div>
        </li>
      ))}
    </ul>
  )
}
