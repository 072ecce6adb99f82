/** Tokens and users. */
import { EmptyState } from '@/ui/States'

export default function SettingsScreen() {
  return <EmptyState title="Settings">Tokens and users.</EmptyState>
}
