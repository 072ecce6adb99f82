/** Opens the plan dialog for the address: 'new', 'run:ID', 'change:ID', 'finding:ID' or 'hypothesis:ID'. */
import { useQuery } from '@tanstack/react-query'
import { hypothesesQuery } from '@/api/queries'
import { type Draft, EMPTY, likeFinding, likeHypothesis, likeRun } from './draft'
import { PlanDialog } from './PlanDialog'
import { type Experiment, findingsQuery } from './queries'

type Props = {
  readonly incidentId: string
  readonly plan: string
  readonly experiments: readonly Experiment[]
  readonly onClose: () => void
  readonly onMade: (id: string) => void
}

export function Planning({ incidentId, plan, experiments, onClose, onMade }: Props) {
  const hypotheses = useQuery(hypothesesQuery(incidentId))
  const findings = useQuery(findingsQuery(incidentId))
  // The form initialises once, so it mounts after its data is loaded.
  if (hypotheses.isPending || findings.isPending) return null
  const { start, like, was } = begin(plan, experiments, hypotheses.data ?? [], findings.data ?? [])
  return (
    <PlanDialog
      incidentId={incidentId}
      hypotheses={hypotheses.data ?? []}
      start={start}
      like={like}
      was={was}
      onClose={onClose}
      onMade={onMade}
    />
  )
}

function begin(
  plan: string,
  experiments: readonly Experiment[],
  hypotheses: Parameters<typeof likeFinding>[1],
  findings: readonly { readonly finding: Parameters<typeof likeFinding>[0] }[],
): { readonly start: Draft; readonly like: string; readonly was?: Experiment } {
  const at = plan.indexOf(':')
  const kind = plan.slice(0, at)
  const id = plan.slice(at + 1)
  const was = kind === 'change' && experiments.find((experiment) => experiment.id === id)
  if (was) return { start: likeRun(was), like: '', was }
  const run = kind === 'run' && experiments.find((experiment) => experiment.id === id)
  if (run) return { start: likeRun(run), like: `like run ${run.number}` }
  const finding = kind === 'finding' && findings.find((finding) => finding.finding.id === id)
  if (finding) {
    return { start: likeFinding(finding.finding, hypotheses), like: 'as the finding suggests' }
  }
  const hypothesis = kind === 'hypothesis' && hypotheses.find((hypothesis) => hypothesis.id === id)
  if (hypothesis) {
    const known = findings.map((finding) => finding.finding)
    return { start: likeHypothesis(hypothesis, known), like: 'for the hypothesis' }
  }
  return { start: { ...EMPTY, hypothesis: hypotheses[0]?.id ?? '' }, like: '' }
}
