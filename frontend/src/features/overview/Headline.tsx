/** Title, status, severity, and what happened in one sentence; the longer text is folded. */
import { useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { asProblem } from '@/api/problem'
import { incidentQuery, useChangeIncident, useMay } from '@/api/queries'
import { useQuery } from '@tanstack/react-query'
import type { IncidentChange, Overview } from '@/api/schema'
import { keepUnits } from '@/format'
import { sharedSearch } from '@/state/url'
import { Button, IconButton } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { DeleteIncident } from '@/ui/panels/DeleteIncident'
import { MoreIcon } from '@/ui/controls/icons'
import { Menu, MenuItem } from '@/ui/controls/Menu'
import { Problem } from '@/ui/display/States'
import { offerUndo } from '@/ui/history/undo'
import { Ago, ShareValue } from '@/ui/display/Value'

const STATUSES = ['open', 'analysing', 'review', 'published'] as const
const SEVERITIES = ['sev1', 'sev2', 'sev3', 'sev4'] as const

export function Headline({ overview }: { readonly overview: Overview }) {
  const { incident: brief, headline, server, analysis } = overview
  const incident = useQuery(incidentQuery(brief.id)).data
  const change = useChangeIncident(brief.id)
  const mayWrite = useMay('contributor')
  const mayDelete = useMay('admin')
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const write = (fields: IncidentChange) =>
    incident &&
    change.mutate(
      { change: fields, revision: incident.revision },
      {
        onSuccess: (saved) => {
          const [field] = Object.keys(fields) as (keyof typeof fields & keyof typeof incident)[]
          if (!field) return
          offerUndo(`Changed the ${field}`, () =>
            change.mutateAsync({ change: { [field]: incident[field] }, revision: saved.revision }),
          )
        },
      },
    )
  const { coverage } = overview.numbers
  const { search } = useLocation()
  const version = server['title']
  const shown = incident ?? brief
  return (
    <header className="headline">
      <div className="headline-title">
        <Title title={shown.title} editable={mayWrite} onSave={(title) => write({ title })} />
        <div className="headline-facts">
          <select
            className="select headline-select"
            aria-label="Status"
            disabled={!mayWrite || !incident}
            value={shown.status}
            onChange={(event) =>
              write({ status: STATUSES.find((word) => word === event.target.value) ?? null })
            }
          >
            {STATUSES.map((word) => (
              <option key={word}>{word}</option>
            ))}
          </select>
          <select
            className="select headline-select"
            aria-label="Severity"
            disabled={!mayWrite || !incident}
            value={shown.severity ?? ''}
            onChange={(event) =>
              write({ severity: SEVERITIES.find((word) => word === event.target.value) ?? null })
            }
          >
            <option value="">no severity</option>
            {SEVERITIES.map((word) => (
              <option key={word} value={word}>
                severity {word.slice(3)}
              </option>
            ))}
          </select>
          {shown.service && <span className="muted">{shown.service}</span>}
          {version && <span className="muted">{version}</span>}
          {coverage !== null && (
            <Link
              className="faint"
              to={`/incidents/${brief.id}/artifacts${sharedSearch(search)}`}
              title="Share of all bytes that were parsed"
            >
              <ShareValue value={coverage} /> parsed
            </Link>
          )}
          {analysis.finished_at && (
            <span className="faint">
              analysed <Ago at={analysis.finished_at} />
            </span>
          )}
          {mayDelete && (
            <Menu
              trigger={
                <IconButton size="small" label="More actions" icon={<MoreIcon size={14} />} />
              }
            >
              <MenuItem danger onSelect={() => setDeleting(true)}>
                Delete the incident…
              </MenuItem>
            </Menu>
          )}
        </div>
      </div>
      {deleting && (
        <DeleteIncident
          incident={{ id: brief.id, title: shown.title, artifacts: overview.artifacts.total }}
          onClose={() => setDeleting(false)}
          onDeleted={() => void navigate('/')}
        />
      )}
      {change.error && (
        <Problem
          compact
          error={change.error}
          what={
            asProblem(change.error).isConflict
              ? 'Somebody else changed it meanwhile; the page shows their change'
              : 'The change was not saved'
          }
        />
      )}
      {headline && (
        <div className="headline-summary">
          <Chip
            tone={
              headline.verdict === 'stall'
                ? 'holding'
                : headline.verdict === 'no_stall'
                  ? 'running'
                  : 'idle'
            }
          >
            {VERDICT[headline.verdict]}
          </Chip>
          {headline.story ? (
            <>
              <p className="headline-story">{keepUnits(headline.story)}</p>
              {overview.recurrence?.text && (
                <p className="headline-arrival">{overview.recurrence.text}</p>
              )}
              <Details headline={headline} />
            </>
          ) : (
            <>
              <p className="headline-text">{keepUnits(headline.text)}</p>
              {headline.next_step && <p className="headline-arrival">{headline.next_step}</p>}
            </>
          )}
          {!headline.story && headline.arrival && (
            <p className="headline-arrival">{headline.arrival}</p>
          )}
        </div>
      )}
    </header>
  )
}

/** The longer text, rendered once it is opened. */
function Details({ headline }: { readonly headline: NonNullable<Overview['headline']> }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="headline-detail" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Details</summary>
      {open && <p>{headline.text}</p>}
      {open && headline.next_step && <p>{headline.next_step}</p>}
      {open && headline.arrival && <p>{headline.arrival}</p>}
    </details>
  )
}

const VERDICT = {
  stall: 'stall',
  waits: 'waits seen',
  no_stall: 'no stall found',
  not_enough_data: 'not enough data',
} as const

function Title({
  title,
  editable,
  onSave,
}: {
  readonly title: string
  readonly editable: boolean
  readonly onSave: (title: string) => void
}) {
  const [draft, setDraft] = useState<string | null>(null)
  if (draft === null) {
    return (
      <h1>
        {editable ? (
          <button
            type="button"
            className="headline-edit"
            title="Edit the title"
            onClick={() => setDraft(title)}
          >
            {title}
          </button>
        ) : (
          title
        )}
      </h1>
    )
  }
  return (
    <form
      className="headline-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (draft.trim() && draft.trim() !== title) onSave(draft.trim())
        setDraft(null)
      }}
    >
      <input
        className="input"
        aria-label="Title"
        autoFocus
        maxLength={300}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && setDraft(null)}
      />
      <Button type="submit" variant="primary">
        Save
      </Button>
      <Button onClick={() => setDraft(null)}>Cancel</Button>
    </form>
  )
}
