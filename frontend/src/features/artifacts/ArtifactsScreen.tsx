/** What was uploaded. */
import { EmptyState } from '@/ui/States'

export default function ArtifactsScreen() {
  return <EmptyState title="No artifacts yet">Upload what was captured.</EmptyState>
}
