/** The parse receipt: bytes read, understood and skipped, and every problem by line. */
import { useUrlChange } from '@/state/url'
import type { ArtifactDetail } from '@/api/schema'
import { ShareBar } from '@/ui/display/Bar'
import { CopyButton } from '@/ui/controls/CopyButton'
import { Fields } from '@/ui/panels/Inspector'
import { EmptyState } from '@/ui/display/States'
import { Ago, BytesValue, Measured, ShareValue } from '@/ui/display/Value'

export function Receipt({ detail }: { readonly detail: ArtifactDetail }) {
  const { receipt } = detail
  const change = useUrlChange()
  const openLines = (first: number, last?: number) =>
    change(
      {
        tab: [],
        line: [String(first)],
        to: last && last !== first ? [String(last)] : [],
      },
      { push: true },
    )
  return (
    <div className="receipt scroll">
      {receipt ? (
        <>
          <p className="receipt-sum">
            <BytesValue value={receipt.bytes_understood} /> of{' '}
            <BytesValue value={receipt.bytes_read} /> understood
            {detail.coverage !== null && (
              <>
                {' '}
                (<ShareValue value={detail.coverage} />)
              </>
            )}
            , in <Measured value={receipt.lines} /> lines.
          </p>
          <ShareBar
            value={receipt.bytes_read ? receipt.bytes_understood / receipt.bytes_read : null}
            tone="running"
            width="100%"
          />
        </>
      ) : (
        <EmptyState compact title="No receipt yet">
          It is available after a worker has parsed the artifact.
        </EmptyState>
      )}
      <h3>Records</h3>
      {Object.keys(detail.records).length === 0 ? (
        <p className="muted">None.</p>
      ) : (
        <Fields
          items={Object.entries(detail.records)
            .sort((a, b) => b[1] - a[1])
            .map(([kind, count]) => [
              kind.replaceAll('_', ' '),
              <Measured key={kind} value={count} />,
            ])}
        />
      )}
      <h3>Problems</h3>
      {detail.problems_list.length === 0 ? (
        <p className="muted">
          {receipt && receipt.bytes_understood > 0 ? 'None: every line was understood.' : 'None.'}
        </p>
      ) : (
        <ul className="receipt-problems">
          {detail.problems_list.map((problem, index) => (
            <li key={index}>
              {problem.line !== null ? (
                <button
                  type="button"
                  className="link-button mono"
                  onClick={() => problem.line !== null && openLines(problem.line)}
                >
                  line {problem.line}
                </button>
              ) : (
                <span className="faint">whole file</span>
              )}
              <div>
                {problem.message}
                {problem.expected && <div className="muted">expected: {problem.expected}</div>}
                {problem.found && (
                  <div className="muted">
                    found: <code>{problem.found}</code>
                  </div>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      {detail.problems > detail.problems_list.length && (
        <p className="muted">
          The first {detail.problems_list.length} of {detail.problems} are shown.
        </p>
      )}
      {receipt && receipt.skipped.length > 0 && (
        <>
          <h3>
            Skipped (<BytesValue value={receipt.bytes_skipped} />)
          </h3>
          <ul className="receipt-problems">
            {receipt.skipped.map((range) => (
              <li key={range.line_first}>
                <button
                  type="button"
                  className="link-button mono"
                  onClick={() => openLines(range.line_first, range.line_last)}
                >
                  {range.line_first === range.line_last
                    ? `line ${range.line_first}`
                    : `lines ${range.line_first}–${range.line_last}`}
                </button>
                <div>{range.why}</div>
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>Provenance</h3>
      <Fields
        items={[
          ['Path', <code key="path">{detail.path}</code>],
          detail.also_at.length > 0 && [
            'Also uploaded as',
            <code key="also">{detail.also_at.join(', ')}</code>,
          ],
          [
            'SHA-256',
            <span key="sha" className="receipt-hash">
              <code>{detail.sha256}</code> <CopyButton text={detail.sha256}>Copy</CopyButton>
            </span>,
          ],
          ['Type', `${detail.format_title ?? 'unknown'}${detail.why ? `: ${detail.why}` : ''}`],
          ['Parser', detail.parser_version === null ? '–' : `version ${detail.parser_version}`],
          [
            'Uploaded',
            <span key="by">
              <Ago at={detail.uploaded_at} />
              {detail.uploaded_by && ` by ${detail.uploaded_by}`}
            </span>,
          ],
        ]}
      />
    </div>
  )
}
