/** The hypotheses screen: possible causes, evidence for and against, confidence. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { hypothesesQuery, useMay } from '@/api/queries'
import { useIncidentId } from '@/state/incident'
import { oneOf, text, useUrlState } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { NotRefreshed, Problem, SkeletonRows } from '@/ui/display/States'
import { Tabs } from '@/ui/controls/Tabs'
import { Board } from './Board'
import { Detail } from './Detail'
import { EvidenceTab } from './EvidenceTab'
import { MatrixTab } from './MatrixTab'
import { NewHypothesis } from './NewHypothesis'
import { findingsQuery, pinsQuery } from './queries'
import './hypotheses.css'

type View = 'board' | 'matrix' | 'evidence'
const VIEW = oneOf<View>(['board', 'matrix', 'evidence'])

export default function HypothesesScreen() {
  const id = useIncidentId()
  const mayWrite = useMay('contributor')
  const [view, setView] = useUrlState('tab', VIEW, 'board')
  const [open, setOpen] = useUrlState('hypothesis', text, '')
  const [creating, setCreating] = useState(false)
  const list = useQuery(hypothesesQuery(id))
  const pins = useQuery(pinsQuery(id))
  // Suggestions stand left of the cards: shown later, they would move a card away from a click.
  const findings = useQuery(findingsQuery(id))
  const stale = pins.data?.filter((pin) => pin.stale && !pin.kept).length ?? 0
  if (list.isLoadingError) {
    return (
      <Problem
        error={list.error}
        what="The hypotheses could not be read"
        onRetry={() => void list.refetch()}
      />
    )
  }
  // An empty list that is being read again was read before somebody else wrote, or a sample was loaded.
  const isOld = list.data?.length === 0 && list.isFetching && !list.isFetchedAfterMount
  if (!list.data || isOld || findings.isPending) return <SkeletonRows rows={8} />
  const { data } = list
  const chosen = data.find((item) => item.id === open)
  return (
    <div className="hypotheses">
      <h2 className="visually-hidden">Hypotheses</h2>
      {mayWrite && (
        <div className="hypotheses-actions">
          <Button size="small" variant="primary" onClick={() => setCreating(true)}>
            New hypothesis
          </Button>
        </div>
      )}
      <Tabs<View>
        label="Hypotheses"
        value={view}
        onChange={setView}
        tabs={[
          {
            value: 'board',
            label: 'Board',
            content: (
              <div className="hypotheses-row">
                <Board incidentId={id} hypotheses={data} open={open} onOpen={setOpen} />
                {chosen && (
                  <Detail
                    key={chosen.id}
                    incidentId={id}
                    hypothesis={chosen}
                    all={data}
                    onClose={() => setOpen(null)}
                  />
                )}
              </div>
            ),
          },
          { value: 'matrix', label: 'Matrix', content: <MatrixTab incidentId={id} /> },
          {
            value: 'evidence',
            label: (
              <>
                Evidence <span className="faint">{pins.data?.length ?? ''}</span>
                {stale > 0 && <span className="hypothesis-stale"> {stale} stale</span>}
              </>
            ),
            content: <EvidenceTab incidentId={id} />,
          },
        ]}
      />
      <NotRefreshed query={list} />
      {creating && (
        <NewHypothesis incidentId={id} onClose={() => setCreating(false)} onMade={setOpen} />
      )}
    </div>
  )
}
