/** The state of the report (draft, in review, approved) and its export. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '@/api/queries'
import { Button } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { Problem } from '@/ui/display/States'
import { ExportDialog } from './ExportDialog'
import { type Report, releasesQuery, useApprove, useSubmit, useWithdraw } from './queries'

const STEPS = ['Draft', 'In review', 'Approved'] as const

export function ReleaseBar({
  incidentId,
  report,
}: {
  readonly incidentId: string
  readonly report: Report
}) {
  const mayWrite = useMay('contributor')
  const { data } = useQuery(releasesQuery(incidentId))
  const submit = useSubmit(incidentId)
  const approve = useApprove(incidentId)
  const withdraw = useWithdraw(incidentId)
  const [exporting, setExporting] = useState(false)
  const newest = data?.releases.find((release) => release.state !== 'withdrawn')
  const review = newest?.state === 'in_review' ? newest : undefined
  const approved = newest?.state === 'approved' && !data?.draft_differs ? newest : undefined
  const step = review ? 1 : approved ? 2 : 0
  const failed = submit.error ?? approve.error ?? withdraw.error
  return (
    <div className="report-release">
      <ol className="report-steps" aria-label="State of the report">
        {STEPS.map((words, index) => (
          <li
            key={words}
            aria-current={index === step ? 'step' : undefined}
            className={cx(index === step && 'now', index < step && 'past')}
          >
            {words}
          </li>
        ))}
      </ol>
      <span className="muted report-state" role="status">
        {review
          ? `Release ${review.number}, ${review.sha256.slice(0, 8)}${data?.draft_differs ? '; the draft has changed since' : ''}`
          : approved
            ? `Release ${approved.number} by ${approved.approvals.map((approval) => approval.by).join(', ')}`
            : newest
              ? `Changed since release ${newest.number}`
              : 'Not released yet'}
      </span>
      <span className="report-grow" />
      {mayWrite && !review && !approved && (
        <Button size="small" busy={submit.isPending} onClick={() => submit.mutate('')}>
          Send to review
        </Button>
      )}
      {mayWrite && review && (
        <>
          <Button size="small" busy={withdraw.isPending} onClick={() => withdraw.mutate(review)}>
            Withdraw
          </Button>
          <Button size="small" busy={approve.isPending} onClick={() => approve.mutate(review)}>
            Approve
          </Button>
        </>
      )}
      <Button size="small" variant="primary" onClick={() => setExporting(true)}>
        Export
      </Button>
      {failed && (
        <div className="report-failed">
          <Problem compact error={failed} what="The release was not changed" />
        </div>
      )}
      {exporting && (
        <ExportDialog
          incidentId={incidentId}
          report={report}
          releases={data?.releases ?? []}
          onClose={() => setExporting(false)}
        />
      )}
    </div>
  )
}
