/** Line pictures, 16 px, drawn for this app; decorative: the control beside them has the name. */
import type { ReactNode } from 'react'

function icon(name: string, body: ReactNode) {
  const Icon = ({ size = 16 }: { readonly size?: number }) => (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {body}
    </svg>
  )
  Icon.displayName = `Icon(${name})`
  return Icon
}

export const OverviewIcon = icon(
  'overview',
  <path d="M2.5 3.5h11M2.5 7h6.5M2.5 10.5h11M2.5 13.5h4" />,
)
export const ArtifactsIcon = icon(
  'artifacts',
  <path d="M4 1.75h5.2L12.5 5v9.25H4zM9 1.75V5.2h3.5M6.2 8.2h4M6.2 11h4" />,
)
export const TimelineIcon = icon(
  'timeline',
  <path d="M1.75 4.5h3l1.5-2 2.2 3.5 1.8-2h4M1.75 11.5h2.6l1.4-2.2h5l1.2 2.2h2.3" />,
)
export const WaitsIcon = icon(
  'waits',
  <>
    <circle cx="3.4" cy="8" r="1.7" />
    <circle cx="12.6" cy="3.4" r="1.7" />
    <circle cx="12.6" cy="12.6" r="1.7" />
    <path d="M5.1 8h2.4c1.6 0 1-4.6 3.4-4.6M7.5 8c1.6 0 1 4.6 3.4 4.6" />
  </>,
)
export const TablesIcon = icon(
  'tables',
  <path d="M1.75 2.75h12.5v10.5H1.75zM1.75 6.2h12.5M1.75 9.7h12.5M6 2.75v10.5" />,
)
export const WidthIcon = icon(
  'width',
  <path d="M1.75 2v12M14.25 2v12M4 8h8M6.2 5.6 3.8 8l2.4 2.4M9.8 5.6 12.2 8l-2.4 2.4" />,
)
export const StacksIcon = icon(
  'stacks',
  <path d="M1.75 13.25h12.5M1.75 9.9h8.5M1.75 6.5h6M1.75 3.1h3.2" strokeWidth="2" />,
)
export const CompareIcon = icon(
  'compare',
  <path d="M2 2.75h4.5v10.5H2zM9.5 2.75H14v10.5H9.5zM4.2 6h0M11.7 10h0" />,
)
export const HypothesesIcon = icon(
  'hypotheses',
  <path d="M8 1.75v12.5M3 4h10M3 4 1.4 9h3.2zM13 4l-1.6 5h3.2zM5.5 14.25h5" />,
)
export const ExperimentsIcon = icon(
  'experiments',
  <path d="M6 1.75h4M6.7 1.75v4.5L2.9 13a.9.9 0 0 0 .8 1.3h8.6a.9.9 0 0 0 .8-1.3L9.3 6.25v-4.5M4.8 10h6.4" />,
)
export const ReportIcon = icon(
  'report',
  <path d="M3 1.75h10v12.5H3zM5.3 4.7h5.4M5.3 7.5h5.4M5.3 10.3h2.8" />,
)
export const PinIcon = icon('pin', <path d="M6 1.9h4M6.6 1.9v4.3L4.6 9h6.8l-2-2.8V1.9M8 9v5" />)
export const CloseIcon = icon('close', <path d="m3.5 3.5 9 9m0-9-9 9" />)
export const ChevronIcon = icon('chevron', <path d="m6 3.5 4.5 4.5L6 12.5" />)
export const DownIcon = icon('down', <path d="m3.5 6 4.5 4.5L12.5 6" />)
export const SearchIcon = icon(
  'search',
  <>
    <circle cx="7" cy="7" r="4.4" />
    <path d="m10.4 10.4 3.4 3.4" />
  </>,
)
export const PlusIcon = icon('plus', <path d="M8 2.75v10.5M2.75 8h10.5" />)
export const MoreIcon = icon('more', <path d="M3 8h.01M8 8h.01M13 8h.01" strokeWidth="2" />)
export const CopyIcon = icon('copy', <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />)
export const ThemeIcon = icon(
  'theme',
  <>
    <circle cx="8" cy="8" r="5.6" />
    <path d="M8 2.4a5.6 5.6 0 0 1 0 11.2z" fill="currentColor" stroke="none" />
  </>,
)
export const BellIcon = icon(
  'bell',
  <path d="M3 11.5h10c-1-1-1.5-2-1.5-4.5a3.5 3.5 0 0 0-7 0c0 2.5-.5 3.5-1.5 4.5zM6.7 13.8h2.6" />,
)
export const UserIcon = icon(
  'user',
  <>
    <circle cx="8" cy="5.2" r="2.7" />
    <path d="M2.8 14c.5-2.8 2.5-4.3 5.2-4.3s4.7 1.5 5.2 4.3" />
  </>,
)
export const ActivityIcon = icon('activity', <path d="M1.5 8.5h3l2-5.5 3 10 2-4.5h3" />)
export const RailIcon = icon('rail', <path d="M2 2.75h12v10.5H2zM6 2.75v10.5" />)
export const UploadIcon = icon(
  'upload',
  <path d="M8 10.5v-8M4.8 5.4 8 2.2l3.2 3.2M2.5 10.5v3h11v-3" />,
)
export const FolderIcon = icon('folder', <path d="M1.75 3.25h4.4l1.5 1.8h6.6v7.9H1.75z" />)
export const GapIcon = icon('gap', <path d="M8 1.9 14.6 13.6H1.4zM8 6.2v3.4M8 11.6v.1" />)
export const CheckIcon = icon('check', <path d="m2.75 8.5 3.5 3.5 7-8" />)
export const RefreshIcon = icon(
  'refresh',
  <path d="M13.3 8A5.3 5.3 0 1 1 11.6 4.1M13.3 1.9v3.4H9.9" />,
)
export const SampleIcon = icon(
  'sample',
  <path d="M2 5 8 1.9 14 5v6l-6 3.1L2 11zM2 5l6 3.1L14 5M8 8.1v6" />,
)
export const TerminalIcon = icon(
  'terminal',
  <path d="M1.75 2.75h12.5v10.5H1.75zM4.3 6l2.2 2-2.2 2M8 10.4h3.4" />,
)
