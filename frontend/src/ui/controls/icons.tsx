/**
 * The icons of the app by meaning: Lucide icons at 16 px. They are decorative: the surrounding control
 * has the accessible name.
 */
import {
  Activity,
  Bell,
  Check,
  ChevronDown,
  ChevronRight,
  ClipboardPaste,
  Columns2,
  Contrast,
  Copy,
  Ellipsis,
  FileText,
  FlaskConical,
  Folder,
  LayoutList,
  type LucideIcon,
  MoveHorizontal,
  NotebookText,
  Package,
  PanelLeft,
  Pin,
  Plus,
  Scale,
  SquareActivity,
  SquareTerminal,
  Table2,
  TextAlignStart,
  TriangleAlert,
  Upload,
  UserRound,
  Waypoints,
  X,
} from 'lucide-react'

/** 1.4 px wide at 16 px; Lucide draws on a grid of 24. */
const STROKE = (1.4 * 24) / 16

function icon(Drawing: LucideIcon) {
  const Icon = ({ size = 16 }: { readonly size?: number }) => (
    <Drawing size={size} strokeWidth={STROKE} aria-hidden="true" focusable="false" />
  )
  Icon.displayName = `Icon(${Drawing.displayName ?? ''})`
  return Icon
}

export const ActivityIcon = icon(Activity)
export const ArtifactsIcon = icon(FileText)
export const BellIcon = icon(Bell)
export const CheckIcon = icon(Check)
export const ChevronIcon = icon(ChevronRight)
export const CloseIcon = icon(X)
export const PasteIcon = icon(ClipboardPaste)
export const CompareIcon = icon(Columns2)
export const CopyIcon = icon(Copy)
export const DownIcon = icon(ChevronDown)
export const ExperimentsIcon = icon(FlaskConical)
export const FolderIcon = icon(Folder)
export const GapIcon = icon(TriangleAlert)
export const HypothesesIcon = icon(Scale)
export const MoreIcon = icon(Ellipsis)
export const OverviewIcon = icon(LayoutList)
export const PinIcon = icon(Pin)
export const PlusIcon = icon(Plus)
export const RailIcon = icon(PanelLeft)
export const ReportIcon = icon(NotebookText)
export const SampleIcon = icon(Package)
export const StacksIcon = icon(TextAlignStart)
export const TablesIcon = icon(Table2)
export const TerminalIcon = icon(SquareTerminal)
export const ThemeIcon = icon(Contrast)
export const TimelineIcon = icon(SquareActivity)
export const UploadIcon = icon(Upload)
export const UserIcon = icon(UserRound)
export const WaitsIcon = icon(Waypoints)
export const WidthIcon = icon(MoveHorizontal)
