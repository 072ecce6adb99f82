/** The outline: template, its sections with their state, and sections outside of the template. */
import { useMay } from '@/api/queries'
import { formatCount } from '@/format'
import { cx } from '@/ui/controls/cx'
import { Field } from '@/ui/controls/Field'
import { Problem } from '@/ui/display/States'
import { type Report, type Section, useTemplate } from './queries'

export function Outline({
  incidentId,
  report,
  remarks,
  reading,
  selected,
  onSelect,
}: {
  readonly incidentId: string
  readonly report: Report
  readonly remarks: ReadonlyMap<string, number>
  /** The section at the top of the screen. */
  readonly reading: string
  readonly selected: string
  readonly onSelect: (key: string) => void
}) {
  const mayWrite = useMay('contributor')
  const choose = useTemplate(incidentId, report.template_revision)
  const template = report.templates.find((template) => template.id === report.template)
  return (
    <nav className="report-outline scroll" aria-label="Sections">
      <div className="report-template">
        <Field label="Template" hint={template?.purpose}>
          {(ids) => (
            <select
              {...ids}
              className="input"
              value={report.template}
              disabled={!mayWrite || choose.isPending}
              onChange={(event) => choose.mutate(event.target.value)}
            >
              {report.templates.map((template) => (
                <option key={template.id} value={template.id}>
                  {template.title}
                </option>
              ))}
            </select>
          )}
        </Field>
        {choose.isError && (
          <Problem compact error={choose.error} what="The template was not changed" />
        )}
      </div>
      <ol>
        {report.sections.map((section, index) => (
          <li key={section.key}>
            <button
              type="button"
              data-testid="report-section"
              aria-current={section.key === selected}
              className={cx('report-entry', section.key === reading && 'selected')}
              onClick={() => onSelect(section.key)}
            >
              <span className="report-number num">{index + 1}</span>
              <span className="report-title">{section.title}</span>
              <SectionState section={section} remarks={remarks.get(section.key) ?? 0} />
            </button>
          </li>
        ))}
      </ol>
      {report.kept.length > 0 && (
        <>
          <h3>Not in this template</h3>
          <ol>
            {report.kept.map((item) => (
              <li key={item.key}>
                <button
                  type="button"
                  className={cx('report-entry', item.key === selected && 'selected')}
                  onClick={() => onSelect(item.key)}
                >
                  <span className="report-number" />
                  <span className="report-title">{item.title}</span>
                  <span className="faint">kept</span>
                </button>
              </li>
            ))}
          </ol>
        </>
      )}
    </nav>
  )
}

/** Whether a section is empty, proposed or written, or how many remarks it has. */
export function SectionState({
  section,
  remarks,
}: {
  readonly section: Section | undefined
  readonly remarks: number
}) {
  if (!section) return null
  if (remarks > 0) {
    return (
      <span className="report-remarks num" title={`${formatCount(remarks, 'remark')}: see Checks`}>
        {remarks}
      </span>
    )
  }
  if (!section.body_md.trim()) return <span className="faint">empty</span>
  return <span className="faint">{section.prefilled ? 'proposed' : 'written'}</span>
}
