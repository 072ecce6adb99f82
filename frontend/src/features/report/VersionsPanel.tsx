/** The releases with approvals and hashes, and the differences from the draft. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Chip } from '@/ui/controls/Chip'
import { cx } from '@/ui/controls/cx'
import { Problem, SkeletonRows } from '@/ui/display/States'
import { diffQuery, type Release, releasesQuery } from './queries'

const TONE = { in_review: 'waiting', approved: 'running', withdrawn: 'idle' } as const
const WORDS = { in_review: 'in review', approved: 'approved', withdrawn: 'withdrawn' } as const
const SIGNED = {
  ok: 'Signed by this installation',
  'another key': 'Signed by another installation',
  changed: 'The signature is of another document',
  unsigned: 'Not signed',
} as const
const APPROVED = {
  ...SIGNED,
  changed: 'The signature is of another approval',
} as const
const MARK: Readonly<Record<string, string>> = { '+': 'plus', '-': 'minus', '~': 'note' }

export function VersionsPanel({ incidentId }: { readonly incidentId: string }) {
  const { data, isLoadingError, error } = useQuery(releasesQuery(incidentId))
  const [compared, setCompared] = useState<string | null>(null)
  if (isLoadingError) return <Problem compact error={error} what="The releases could not be read" />
  if (!data) return <SkeletonRows rows={4} />
  if (data.releases.length === 0) {
    return (
      <p className="report-empty muted">
        No release yet. Sending the report to review freezes it with a hash; an approval applies to
        exactly that version.
      </p>
    )
  }
  return (
    <ul className="report-list">
      {data.releases.map((release) => (
        <li key={release.id} data-testid="report-release">
          <ReleaseHead release={release} />
          <div className="report-release-acts">
            <button
              type="button"
              className="linklike"
              aria-expanded={compared === release.id}
              onClick={() => setCompared(compared === release.id ? null : release.id)}
            >
              Compare with the draft
            </button>
          </div>
          {compared === release.id && <Diff incidentId={incidentId} before={release.id} />}
        </li>
      ))}
    </ul>
  )
}

function ReleaseHead({ release }: { readonly release: Release }) {
  return (
    <>
      <div className="report-check-head">
        <strong>Release {release.number}</strong>
        <Chip tone={TONE[release.state]}>{WORDS[release.state]}</Chip>
      </div>
      <div className="mono report-hash" title={`SHA-256 ${release.sha256}`}>
        {release.sha256.slice(0, 16)}
      </div>
      <div className="muted" title={release.signature.fingerprint ?? undefined}>
        {SIGNED[release.signature.state]}
      </div>
      <div className="muted">
        {release.made_by}, {at(release.made_at)}
        {release.note && `: ${release.note}`}
      </div>
      {release.approvals.map((approval) => (
        <div key={approval.at} className="muted">
          Approved by {approval.by}, {at(approval.at)}. {APPROVED[approval.signature]}.
        </div>
      ))}
    </>
  )
}

function Diff({ incidentId, before }: { readonly incidentId: string; readonly before: string }) {
  const { data, isLoadingError, error } = useQuery(diffQuery(incidentId, before, 'draft'))
  if (isLoadingError)
    return <Problem compact error={error} what="The versions could not be compared" />
  if (!data) return <SkeletonRows rows={3} />
  const changed = data.filter((item) => item.change !== 'same')
  if (changed.length === 0) return <p className="muted">No differences from the draft.</p>
  return (
    <div className="report-diff">
      {changed.map((section) => (
        <section key={section.key}>
          <h4>
            {section.title} <span className="faint">{section.change}</span>
          </h4>
          <pre>
            {section.lines.map(([mark, line], index) => (
              <div key={index} className={cx('diff-line', MARK[mark ?? ''])}>
                <span aria-hidden="true">{mark}</span> {line}
              </div>
            ))}
          </pre>
        </section>
      ))}
    </div>
  )
}

function at(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`
}
