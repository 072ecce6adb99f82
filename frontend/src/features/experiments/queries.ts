/** Queries and writes of experiments and symptoms. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ifMatch, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { refresh } from '@/api/queries'
import type { components } from '@/api/schema'
import { formatCount } from '@/format'
import { offerUndo } from '@/ui/history/undo'
import type { Given } from '@/ui/controls/happened'

export type Experiment = components['schemas']['Experiment']
export type NewExperiment = components['schemas']['NewExperiment']
export type Observed = components['schemas']['Observed']
export type Finish = components['schemas']['Finish']
export type Symptom = components['schemas']['Symptom']
export type SymptomAnswer = components['schemas']['SymptomAnswer']
export type NewSymptom = components['schemas']['NewSymptom']
export type Measure = components['schemas']['Measure']
export type Sweep = components['schemas']['Sweep']
type PastedTable = components['schemas']['PastedTable']
type ImportedTable = components['schemas']['ImportedTable']
export type TablePreview = components['schemas']['TablePreview']
type TypedValue = components['schemas']['TypedValue']
type ValueToCompute = components['schemas']['ValueToCompute']

export const experimentsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'experiments'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/experiments', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

/** Query the result of a run, which the server computes from the attached files. */
export function observedQuery(id: string, experiment: Experiment) {
  const files = experiment.artifacts.map((artifact) => artifact.id)
  return queryOptions({
    queryKey: keys.of(id, 'experiments', experiment.id, 'observed', experiment.revision, files),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/experiments/{experiment_id}/observed', {
          params: { path: { experiment_id: experiment.id } },
        }),
      ),
    enabled: experiment.state === 'started' && files.length > 0,
    retry: false,
    staleTime: 60_000,
  })
}

export const useObserved = (id: string, experiment: Experiment) =>
  useQuery(observedQuery(id, experiment))

/** Query the symptoms added by users, with their result in the incident. */
export const symptomsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'experiments', 'symptoms'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/symptoms', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

/** Query the symptom results of one run. */
export const runSymptomsQuery = (
  id: string,
  experiment: Experiment,
  symptoms: readonly Symptom[],
) =>
  queryOptions({
    queryKey: keys.of(id, 'experiments', experiment.id, 'symptoms', {
      files: experiment.artifacts.map((artifact) => artifact.id),
      symptoms: symptoms.map((symptom) => [symptom.id, symptom.revision]),
    }),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/experiments/{experiment_id}/symptoms', {
          params: { path: { experiment_id: experiment.id } },
        }),
      ),
    enabled: symptoms.length > 0,
    retry: false,
    staleTime: 60_000,
  })

export const sweepsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'experiments', 'sweeps'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/sweeps', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

export function useSymptomWrites(id: string) {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: keys.of(id, 'experiments') })
  return {
    create: useMutation({
      mutationFn: (body: NewSymptom) =>
        unwrap(
          api.POST('/api/v1/incidents/{incident_id}/symptoms', {
            params: { path: { incident_id: id } },
            body,
          }),
        ),
      onSuccess,
    }),
    edit: useMutation({
      mutationFn: ({ was, body }: { was: Symptom; body: NewSymptom }) =>
        unwrap(
          api.PATCH('/api/v1/symptoms/{symptom_id}', {
            params: { path: { symptom_id: was.id }, header: ifMatch(was.revision) },
            body,
          }),
        ),
      onSuccess,
    }),
    answer: useMutation({
      mutationFn: (write: { symptom: string; experiment: string; holds: boolean | null }) =>
        unwrap(
          api.PUT('/api/v1/experiments/{experiment_id}/symptoms/{symptom_id}', {
            params: { path: { experiment_id: write.experiment, symptom_id: write.symptom } },
            body: { holds: write.holds },
          }),
        ),
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: (symptom: string) =>
        unwrap(
          api.DELETE('/api/v1/symptoms/{symptom_id}', {
            params: { path: { symptom_id: symptom } },
          }),
        ),
      onSuccess,
    }),
  }
}

export const findingsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'findings'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/findings', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

export const seriesNamesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'series', 'names'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/series', {
          params: { path: { incident_id: id } },
        }),
      ),
    select: (found) => found.map((item) => item.id),
  })

/** Delete the new runs of an import, and the values that it added to others. */
async function undoImport({ created_ids, added }: components['schemas']['Imported']) {
  for (const id of created_ids)
    await unwrap(
      api.DELETE('/api/v1/experiments/{experiment_id}', {
        params: { path: { experiment_id: id } },
      }),
    )
  for (const { experiment_id, measurement_id } of added)
    await unwrap(
      api.DELETE('/api/v1/experiments/{experiment_id}/measurements/{measurement_id}', {
        params: { path: { experiment_id, measurement_id } },
      }),
    )
}

export function useExperimentWrites(id: string) {
  const client = useQueryClient()
  const onSuccess = () => refresh(client, id, 'experiments')
  const path = (experiment: string) => ({ path: { experiment_id: experiment } })
  return {
    create: useMutation({
      mutationFn: (body: NewExperiment) =>
        unwrap(
          api.POST('/api/v1/incidents/{incident_id}/experiments', {
            params: { path: { incident_id: id } },
            body,
          }),
        ),
      onSuccess,
    }),
    change: useMutation({
      mutationFn: (write: { experiment: Experiment; change: Partial<NewExperiment> }) =>
        unwrap(
          api.PATCH('/api/v1/experiments/{experiment_id}', {
            params: { ...path(write.experiment.id), header: ifMatch(write.experiment.revision) },
            body: write.change as components['schemas']['ExperimentChange'],
          }),
        ),
      onSuccess,
    }),
    start: useMutation({
      mutationFn: ({ experiment, began }: { experiment: string; began: Given }) =>
        unwrap(
          api.POST('/api/v1/experiments/{experiment_id}/start', {
            params: path(experiment),
            body: { happened_at: began.at, happened_precision: began.precision },
          }),
        ),
      onSuccess,
    }),
    addValue: useMutation({
      mutationFn: ({ experiment, value }: { experiment: Experiment; value: TypedValue }) =>
        unwrap(
          api.POST('/api/v1/experiments/{experiment_id}/measurements', {
            params: { ...path(experiment.id), header: ifMatch(experiment.revision) },
            body: { values: [value] },
          }),
        ),
      onSuccess,
    }),
    computeValue: useMutation({
      mutationFn: ({ experiment, value }: { experiment: Experiment; value: ValueToCompute }) =>
        unwrap(
          api.POST('/api/v1/experiments/{experiment_id}/measurements/computed', {
            params: { ...path(experiment.id), header: ifMatch(experiment.revision) },
            body: value,
          }),
        ),
      onSuccess,
    }),
    removeValue: useMutation({
      mutationFn: ({ experiment, value }: { experiment: string; value: string }) =>
        unwrap(
          api.DELETE('/api/v1/experiments/{experiment_id}/measurements/{measurement_id}', {
            params: { path: { experiment_id: experiment, measurement_id: value } },
          }),
        ),
      onSuccess,
    }),
    restoreValue: useMutation({
      mutationFn: ({ experiment, value }: { experiment: string; value: string }) =>
        unwrap(
          api.POST('/api/v1/experiments/{experiment_id}/measurements/{measurement_id}/restore', {
            params: { path: { experiment_id: experiment, measurement_id: value } },
          }),
        ),
      onSuccess,
    }),
    preview: useMutation({
      mutationFn: (body: PastedTable) =>
        unwrap(
          api.POST('/api/v1/incidents/{incident_id}/experiments/table-preview', {
            params: { path: { incident_id: id } },
            body,
          }),
        ),
    }),
    importTable: useMutation({
      mutationFn: (body: ImportedTable) =>
        unwrap(
          api.POST('/api/v1/incidents/{incident_id}/experiments/table', {
            params: { path: { incident_id: id } },
            body,
          }),
        ),
      onSuccess: (done) => {
        const undo = () => undoImport(done).finally(onSuccess)
        offerUndo(`Imported ${formatCount(done.created + done.updated, 'run')}`, undo)
        return onSuccess()
      },
    }),
    finish: useMutation({
      mutationFn: (write: { experiment: string; body: Finish }) =>
        unwrap(
          api.POST('/api/v1/experiments/{experiment_id}/finish', {
            params: path(write.experiment),
            body: write.body,
          }),
        ),
      onSuccess,
    }),
    attach: useMutation({
      mutationFn: (write: { experiment: string; artifacts: string[] }) =>
        unwrap(
          api.PUT('/api/v1/experiments/{experiment_id}/artifacts', {
            params: path(write.experiment),
            body: { artifact_ids: write.artifacts },
          }),
        ),
      onSuccess,
    }),
  }
}
