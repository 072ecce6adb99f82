/** What happened, in one page. */
import { EmptyState } from '@/ui/States'

export default function OverviewScreen() {
  return <EmptyState title="Nothing analysed yet">Upload what was captured.</EmptyState>
}
