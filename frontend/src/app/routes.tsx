/** Every address of the app. A screen is one line here and one folder under features/. */
import { type ComponentType, lazy, Suspense } from 'react'
import { createBrowserRouter, Navigate, type RouteObject } from 'react-router'
import { SkeletonRows } from '@/ui/States'
import { IncidentLayout } from './IncidentLayout'
import { PlainLayout } from './PlainLayout'
import { NotFound, RouteError } from './RouteError'
import { SignedIn } from './SignedIn'
import { ViewLink } from './ViewLink'

type Loader = () => Promise<{ default: ComponentType }>

function screen(load: Loader) {
  const Screen = lazy(load)
  return (
    <Suspense fallback={<SkeletonRows />}>
      <Screen />
    </Suspense>
  )
}

const INCIDENT_SCREENS: readonly (readonly [path: string, load: Loader])[] = [
  ['overview', () => import('@/features/overview/OverviewScreen')],
  ['artifacts', () => import('@/features/artifacts/ArtifactsScreen')],
  ['artifacts/tables', () => import('@/features/artifacts/ComparisonScreen')],
  ['timeline', () => import('@/features/timeline/TimelineScreen')],
  ['waits', () => import('@/features/waits/WaitsScreen')],
  ['stacks', () => import('@/features/stacks/StacksScreen')],
  ['tables', () => import('@/features/tables/TablesScreen')],
  ['compare', () => import('@/features/compare/CompareScreen')],
  ['hypotheses', () => import('@/features/hypotheses/HypothesesScreen')],
  ['experiments', () => import('@/features/experiments/ExperimentsScreen')],
  ['report', () => import('@/features/report/ReportScreen')],
  ['activity', () => import('@/features/activity/ActivityScreen')],
]

const routes: RouteObject[] = [
  {
    errorElement: <RouteError />,
    children: [
      { path: '/sign-in', element: screen(() => import('@/features/signin/SigninScreen')) },
      {
        element: <SignedIn />,
        children: [
          {
            element: <PlainLayout />,
            errorElement: <RouteError />,
            children: [
              {
                index: true,
                element: screen(() => import('@/features/incidents/IncidentsScreen')),
              },
              {
                path: '/settings',
                element: screen(() => import('@/features/settings/SettingsScreen')),
              },
              { path: '/v/:viewId', element: <ViewLink /> },
              { path: '*', element: <NotFound /> },
            ],
          },
          {
            path: '/incidents/:id',
            element: <IncidentLayout />,
            children: [
              { index: true, element: <Navigate to="overview" replace /> },
              ...INCIDENT_SCREENS.map(([path, load]) => ({
                path,
                element: screen(load),
                errorElement: <RouteError />,
              })),
            ],
          },
        ],
      },
    ],
  },
]

export function makeRouter() {
  // The screen of the address is fetched while the session is still being asked for.
  const [, here] = /^\/incidents\/[^/]+\/(.+)$/.exec(window.location.pathname) ?? []
  const load = INCIDENT_SCREENS.find(([path]) => path === here)?.[1]
  load?.().catch(() => undefined) // told where it is drawn
  return createBrowserRouter(routes)
}
