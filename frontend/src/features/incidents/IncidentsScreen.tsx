/** Every incident. */
import { EmptyState } from '@/ui/States'

export default function IncidentsScreen() {
  return <EmptyState title="No incidents yet">Make the first.</EmptyState>
}
