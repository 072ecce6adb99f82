/** The postmortem in sections. */
import { EmptyState } from '@/ui/States'

export default function ReportScreen() {
  return <EmptyState title="No report yet">Sections are filled from the case.</EmptyState>
}
