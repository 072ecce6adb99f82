/** The parsed records next to the raw text: those of one kind, and the selected one in full. */
import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { Artifact, RecordRow } from '@/api/schema'
import { formatNumber } from '@/format'
import { text, useUrlState } from '@/state/url'
import { cx } from '@/ui/controls/cx'
import { Problem } from '@/ui/display/States'
import { LongList, type Target } from '../longlist/LongList'
import { recordQuery, useRecords } from './recordQueries'

const ROW_PX = 36

export function Records({
  artifact,
  current,
  chosenLine,
  others,
  onChoose,
}: {
  readonly artifact: Artifact
  /** The record of the selected lines. */
  readonly current: RecordRow | null
  readonly chosenLine: number
  /** All records of the selected lines. */
  readonly others: readonly RecordRow[]
  readonly onChoose: (record: RecordRow) => void
}) {
  const kinds = Object.entries(artifact.records)
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1])
  const [chosenKind, setChosenKind] = useUrlState('kind', text, '')
  const known = (kind: string) => kinds.some(([name]) => name === kind)
  const kind =
    current && known(current.kind) ? current.kind : known(chosenKind) ? chosenKind : kinds[0]?.[0]
  if (!kind)
    return (
      <section className="records records-none" aria-label="Parsed records">
        <p className="muted">
          No records in this file
          {artifact.state === 'unknown_format' ? ': its type is not known.' : '.'}
        </p>
      </section>
    )
  const beside = others.filter((item) => item.kind !== kind || item.index !== current?.index)
  return (
    <section className="records" aria-label="Parsed records">
      <div className="records-head">
        <select
          className="select"
          aria-label="Kind of the records"
          value={kind}
          onChange={(event) => {
            setChosenKind(event.target.value)
            const first = others.find((item) => item.kind === event.target.value)
            if (first) onChoose(first)
          }}
        >
          {kinds.map(([name, count]) => (
            <option key={name} value={name}>
              {kindWords(name)} ({formatNumber(count, 0)})
            </option>
          ))}
        </select>
      </div>
      <KindList
        key={kind}
        artifact={artifact}
        kind={kind}
        current={current?.kind === kind ? current : null}
        onChoose={onChoose}
      />
      {chosenLine > 0 && !current && (
        <p className="records-note muted">No records in the selected lines.</p>
      )}
      {current && (
        <OneRecord artifact={artifact} record={current} beside={beside} onChoose={onChoose} />
      )}
    </section>
  )
}

function KindList({
  artifact,
  kind,
  current,
  onChoose,
}: {
  readonly artifact: Artifact
  readonly kind: string
  readonly current: RecordRow | null
  readonly onChoose: (record: RecordRow) => void
}) {
  const [seen, setSeen] = useState<readonly [number, number]>([0, 40])
  const records = useRecords(artifact.id, artifact.parser_version, kind, seen[0], seen[1])
  const [target, setTarget] = useState<Target | null>(current ? { row: current.index } : null)
  const [shown, setShown] = useState(current?.index ?? -1)
  if (current && current.index !== shown) {
    setShown(current.index)
    setTarget({ row: current.index })
  }
  const onSeen = useCallback((first: number, last: number) => setSeen([first, last]), [])
  if (records.error)
    return <Problem compact error={records.error} what="The records could not be read" />
  const count = artifact.records[kind] ?? 0
  return (
    <LongList
      count={count}
      rowPx={ROW_PX}
      label={`Records: ${kindWords(kind)}`}
      className="records-list"
      target={target}
      onSeen={onSeen}
      row={(index, style) => {
        const record = records.recordAt(index)
        const here = current?.index === index
        return (
          <button
            key={index}
            type="button"
            className={cx('record', here && 'record-here')}
            style={style}
            aria-pressed={here}
            disabled={!record}
            title={record?.text}
            onClick={() => record && onChoose(record)}
          >
            <span className="record-text ellipsis mono">{record?.text ?? '…'}</span>
            <span className="record-where">{record ? linesWords(record) : ''}</span>
          </button>
        )
      }}
    />
  )
}

function OneRecord({
  artifact,
  record,
  beside,
  onChoose,
}: {
  readonly artifact: Artifact
  readonly record: RecordRow
  readonly beside: readonly RecordRow[]
  readonly onChoose: (record: RecordRow) => void
}) {
  const whole = useQuery(
    recordQuery(artifact.id, artifact.parser_version, record.kind, record.index),
  )
  return (
    <div className="record-whole scroll" tabIndex={0} role="region" aria-label="Selected record">
      <h3>
        {kindWords(record.kind)} <span className="faint">{record.index + 1}</span>
      </h3>
      {whole.error && <Problem compact error={whole.error} what="The record could not be read" />}
      <dl className="record-fields">
        {whole.data?.fields.map(({ name, value }) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd className="mono">{value || '–'}</dd>
          </div>
        ))}
      </dl>
      {beside.length > 0 && (
        <>
          <h3>Other records of these lines</h3>
          <ul className="record-beside">
            {beside.slice(0, 20).map((item) => (
              <li key={`${item.kind}${item.index}`}>
                <button type="button" className="link-button" onClick={() => onChoose(item)}>
                  {kindWords(item.kind)}: <span className="mono">{item.text}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

const kindWords = (kind: string) => kind.replaceAll('_', ' ')

const linesWords = (record: RecordRow) =>
  record.line_first === record.line_last
    ? `line ${record.line_first}`
    : `lines ${record.line_first}–${record.line_last}`
