/** Every address of the app. A screen is one line here and one folder under features/. */
import type { QueryClient } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import {
  createBrowserRouter,
  type LoaderFunctionArgs,
  Navigate,
  type RouteObject,
} from 'react-router'
import { incidentQuery, overviewQuery, sessionQuery } from '@/api/queries'
import { askAhead as askStacks } from '@/features/stacks/queries'
import { askAhead as askTimeline } from '@/features/timeline/model/firstQueries'
import { askAhead as askWaits } from '@/features/waits/queries'
import { IncidentLayout } from './IncidentLayout'
import { PlainLayout } from './PlainLayout'
import { NotFound, RouteError } from './RouteError'
import { SignedIn } from './SignedIn'
import { ViewLink } from './ViewLink'

type Loader = () => Promise<{ default: ComponentType }>

/** Loaded by the router, not below a Suspense: React would keep a fallback up for 300 ms. */
const screen = (load: Loader) => async () => {
  try {
    return { Component: (await load()).default }
  } catch (error) {
    // Thrown by the screen: of a rejected `lazy` the router shows its fallback, an empty page.
    return { Component: broken(error) }
  }
}

const broken = (error: unknown) => () => {
  throw error
}

/** Sends a screen's first questions off, for an incident and the query of an address. */
type Ask = (client: QueryClient, id: string, address: URLSearchParams) => void

const INCIDENT_SCREENS: readonly (readonly [path: string, load: Loader, ask?: Ask])[] = [
  ['overview', () => import('@/features/overview/OverviewScreen')],
  ['artifacts', () => import('@/features/artifacts/ArtifactsScreen')],
  ['artifacts/tables', () => import('@/features/artifacts/tables/ComparisonScreen')],
  ['timeline', () => import('@/features/timeline/TimelineScreen'), askTimeline],
  ['waits', () => import('@/features/waits/WaitsScreen'), askWaits],
  ['stacks', () => import('@/features/stacks/StacksScreen'), askStacks],
  ['tables', () => import('@/features/tables/TablesScreen')],
  ['compare', () => import('@/features/compare/CompareScreen')],
  ['hypotheses', () => import('@/features/hypotheses/HypothesesScreen')],
  ['experiments', () => import('@/features/experiments/ExperimentsScreen')],
  ['report', () => import('@/features/report/ReportScreen')],
  ['activity', () => import('@/features/activity/ActivityScreen')],
]

/** Asked when the route is come to, not awaited: what is on its way the screen shows by itself. */
const asking = (ask: (id: string, address: URLSearchParams) => void) => ({
  loader: ({ params, request }: LoaderFunctionArgs) => {
    ask(params['id'] ?? '', new URL(request.url).searchParams)
    return null
  },
  shouldRevalidate: () => false,
})

const routes = (client: QueryClient): RouteObject[] => [
  {
    errorElement: <RouteError />,
    hydrateFallbackElement: <></>,
    children: [
      { path: '/sign-in', lazy: screen(() => import('@/features/signin/SigninScreen')) },
      {
        element: <SignedIn />,
        children: [
          {
            element: <PlainLayout />,
            errorElement: <RouteError />,
            children: [
              {
                index: true,
                lazy: screen(() => import('@/features/incidents/IncidentsScreen')),
              },
              {
                path: '/settings',
                lazy: screen(() => import('@/features/settings/SettingsScreen')),
              },
              { path: '/v/:viewId', element: <ViewLink /> },
              { path: '*', element: <NotFound /> },
            ],
          },
          {
            path: '/incidents/:id',
            element: <IncidentLayout />,
            ...asking((id) => {
              void client.prefetchQuery(incidentQuery(id))
              void client.prefetchQuery(overviewQuery(id))
            }),
            children: [
              { index: true, element: <Navigate to="overview" replace /> },
              ...INCIDENT_SCREENS.map(([path, load, ask]) => ({
                path,
                lazy: screen(load),
                ...(ask && asking((id, address) => ask(client, id, address))),
                errorElement: <RouteError />,
              })),
            ],
          },
        ],
      },
    ],
  },
]

/** The router. What every screen of the address needs is asked for while its code is on its way. */
export function makeRouter(client: QueryClient) {
  void client.prefetchQuery(sessionQuery)
  return createBrowserRouter(routes(client))
}
