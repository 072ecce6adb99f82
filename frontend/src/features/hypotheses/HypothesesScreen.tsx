/** What the team believes, with the evidence for and against. */
import { EmptyState } from '@/ui/States'

export default function HypothesesScreen() {
  return (
    <EmptyState title="No hypotheses yet">
      Pin something as evidence in any view to begin one.
    </EmptyState>
  )
}
