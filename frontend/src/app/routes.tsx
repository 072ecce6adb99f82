/** Every address of the app. A screen is one line here and one folder under features/. */
import type { QueryClient } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import {
  createBrowserRouter,
  type LoaderFunctionArgs,
  Navigate,
  type RouteObject,
} from 'react-router'
import { mayHaveSession } from '@/api/client'
import { incidentQuery, overviewQuery, sessionQuery } from '@/api/queries'
import OverviewScreen from '@/features/overview/OverviewScreen'
import { askAhead as askStacks } from '@/features/stacks/queries'
import { askAhead as askTimeline } from '@/features/timeline/model/firstQueries'
import { askAhead as askWaits } from '@/features/waits/queries'
import { IncidentLayout } from './IncidentLayout'
import { PlainLayout } from './PlainLayout'
import { NotFound, RouteError } from './RouteError'
import { SignedIn } from './SignedIn'
import { ViewLink } from './ViewLink'

type Loader = () => Promise<{ default: ComponentType }>

/** Load a screen in the router, not below a Suspense, where React would show a fallback for 300 ms. */
const screen = (load: Loader) => async () => {
  try {
    return { Component: (await load()).default }
  } catch (error) {
    // Thrown by the screen: for a rejected `lazy` the router shows an empty page.
    return { Component: broken(error) }
  }
}

const broken = (error: unknown) => () => {
  throw error
}

/** Start the first queries of a screen, for an incident and the query of an address. */
type Prefetch = (client: QueryClient, id: string, address: URLSearchParams) => void

const INCIDENT_SCREENS: readonly (readonly [path: string, load: Loader, prefetch?: Prefetch])[] = [
  // Part of the first download: links and lists lead here, and it needs no second round to the server.
  ['overview', () => Promise.resolve({ default: OverviewScreen })],
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

/** Build a route loader that starts queries without awaiting them; the screen shows their progress. */
const prefetching = (prefetch: (id: string, address: URLSearchParams) => void) => ({
  loader: ({ params, request }: LoaderFunctionArgs) => {
    if (mayHaveSession()) prefetch(params['id'] ?? '', new URL(request.url).searchParams)
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
      { path: '/guest', lazy: screen(() => import('@/features/signin/GuestScreen')) },
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
            ...prefetching((id) => {
              void client.prefetchQuery(incidentQuery(id))
              void client.prefetchQuery(overviewQuery(id))
            }),
            children: [
              { index: true, element: <Navigate to="overview" replace /> },
              ...INCIDENT_SCREENS.map(([path, load, prefetch]) => ({
                path,
                lazy: screen(load),
                ...(prefetch && prefetching((id, address) => prefetch(client, id, address))),
                errorElement: <RouteError />,
              })),
            ],
          },
        ],
      },
    ],
  },
]

/** Create the router; the data of a screen is fetched while its code loads. */
export function makeRouter(client: QueryClient) {
  void client.prefetchQuery(sessionQuery)
  return createBrowserRouter(routes(client))
}
