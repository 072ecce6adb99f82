/** Changes with their predictions and what was seen. */
import { EmptyState } from '@/ui/States'

export default function ExperimentsScreen() {
  return (
    <EmptyState title="No experiments yet">
      An experiment states what it predicts before it starts.
    </EmptyState>
  )
}
