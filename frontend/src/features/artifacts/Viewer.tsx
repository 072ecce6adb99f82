/** The viewer of one artifact: type, raw text with sections, receipt, clock. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '@/api/queries'
import type { Artifact } from '@/api/schema'
import { oneOf, useUrlState } from '@/state/url'
import { Button, IconButton } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { CloseIcon, WidthIcon } from '@/ui/controls/icons'
import { Banner, Problem, SkeletonRows } from '@/ui/display/States'
import { Tabs } from '@/ui/controls/Tabs'
import { ArtifactActions } from './ArtifactActions'
import { ClockTab } from './clock/ClockTab'
import { RawView } from './raw/RawView'
import { Receipt } from './Receipt'
import { StateChip } from './state'
import { sentence, TypeChooser } from './TypeChooser'
import { MappingDialog } from './mapping/MappingDialog'
import { TablesTab } from './tables/TablesTab'
import { detailQuery } from './queries'
import { isTableReadBadly, mayBeTable } from './mapping/mappableFormats'

type Tab = 'raw' | 'tables' | 'receipt' | 'clock'
const TAB = oneOf<Tab>(['raw', 'tables', 'receipt', 'clock'])

export function Viewer({
  incidentId,
  artifact,
  wide,
  onWide,
  onClose,
}: {
  readonly incidentId: string
  readonly artifact: Artifact
  /** Whether the viewer also covers the list. */
  readonly wide: boolean
  readonly onWide: (wide: boolean) => void
  readonly onClose: () => void
}) {
  const detail = useQuery(detailQuery(artifact.id))
  const [tab, setTab] = useUrlState<Tab>('tab', TAB, 'raw')
  const [telling, setTelling] = useState(false)
  const mayWrite = useMay('contributor')
  const tables = artifact.records['table'] ?? 0
  const tell = mayWrite && mayBeTable(artifact) ? () => setTelling(true) : undefined
  const troubled = artifact.problems
  return (
    <aside className={cx('viewer', wide && 'viewer-wide')} aria-label={`Artifact ${artifact.path}`}>
      <header className="viewer-head">
        <div className="viewer-titles">
          <h2 className="mono ellipsis" title={artifact.path}>
            {artifact.name}
          </h2>
          <div className="viewer-subtitle">
            <span className="ellipsis" title={artifact.why ?? undefined}>
              {artifact.format_title ?? artifact.format ?? 'Type unknown'}
              {artifact.format_given && ' (by hand)'}
            </span>
            <StateChip artifact={artifact} />
          </div>
        </div>
        <ArtifactActions incidentId={incidentId} artifact={artifact} onMapColumns={tell} />
        <IconButton
          label={wide ? 'Show the list of artifacts' : 'Use the full width'}
          pressed={wide}
          icon={<WidthIcon />}
          onClick={() => onWide(!wide)}
        />
        <IconButton label="Close the artifact" icon={<CloseIcon />} onClick={onClose} />
      </header>
      {artifact.state === 'failed' && artifact.error && (
        <Banner tone="holding">
          <strong>It could not be parsed.</strong> {sentence(artifact.error)} The file is stored
          unchanged.
        </Banner>
      )}
      {artifact.state === 'unknown_format' && (
        <TypeChooser incidentId={incidentId} artifact={artifact} onMapColumns={tell} />
      )}
      {tell && isTableReadBadly(artifact) && (
        <Banner
          action={
            <Button size="small" onClick={tell}>
              Define the columns
            </Button>
          }
        >
          Some rows of this table could not be parsed.
        </Banner>
      )}
      {telling && (
        <MappingDialog
          incidentId={incidentId}
          artifact={artifact}
          open
          onOpenChange={(open) => !open && setTelling(false)}
        />
      )}
      <div className="viewer-body">
        <Tabs
          label="Views of the artifact"
          value={tab === 'tables' && tables === 0 ? 'raw' : tab}
          onChange={setTab}
          tabs={[
            {
              value: 'raw',
              label: 'Raw text',
              content: <RawView incidentId={incidentId} artifact={artifact} detail={detail.data} />,
            },
            ...(tables > 0
              ? [
                  {
                    value: 'tables' as const,
                    label: (
                      <>
                        Tables<span className="unit">{tables}</span>
                      </>
                    ),
                    content: <TablesTab incidentId={incidentId} artifact={artifact} />,
                  },
                ]
              : []),
            {
              value: 'receipt',
              label: (
                <>
                  Parse receipt
                  {troubled > 0 && (
                    <span className="unit">
                      {troubled} {troubled === 1 ? 'problem' : 'problems'}
                    </span>
                  )}
                </>
              ),
              content: detail.error ? (
                <Problem error={detail.error} onRetry={() => void detail.refetch()} />
              ) : detail.data ? (
                <Receipt detail={detail.data} />
              ) : (
                <SkeletonRows />
              ),
            },
            {
              value: 'clock',
              label: 'Clock',
              content: <ClockTab incidentId={incidentId} artifact={artifact} />,
            },
          ]}
        />
      </div>
    </aside>
  )
}
