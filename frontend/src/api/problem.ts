/** RFC 9457 problem documents as errors of the UI. */

export type FieldError = { readonly field: string; readonly message: string }

/** What the server (or the way to it) refused, with what to do where it says so. */
export class ApiProblem extends Error {
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly errors: readonly FieldError[]
  /** 409: the object as it is now, to be merged with the draft. */
  readonly current: unknown

  constructor(status: number, title: string, detail: string, body: Record<string, unknown> = {}) {
    super(detail || title)
    this.name = 'ApiProblem'
    this.status = status
    this.title = title
    this.detail = detail
    this.errors = Array.isArray(body['errors']) ? (body['errors'] as FieldError[]) : []
    this.current = body['current']
  }

  get isConflict() {
    return this.status === 409
  }
}

/** A problem from a response body that may or may not be a problem document. */
export function problemFrom(status: number, body: unknown): ApiProblem {
  if (typeof body === 'object' && body !== null) {
    const fields = body as Record<string, unknown>
    const title = typeof fields['title'] === 'string' ? fields['title'] : `HTTP ${status}`
    const detail = typeof fields['detail'] === 'string' ? fields['detail'] : ''
    return new ApiProblem(status, title, detail, fields)
  }
  return new ApiProblem(
    status,
    `The server answered ${status}`,
    'Its answer says no more. Try again; if it stays, look at the log of the server.',
  )
}

/** Anything thrown, as a problem that can be shown. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  if (error instanceof TypeError) {
    return new ApiProblem(
      0,
      'The server cannot be reached',
      'Nothing was lost. Check that Pileup is still running and that the network is up, then try again.',
    )
  }
  const said = error instanceof Error ? error.message : String(error)
  return new ApiProblem(0, 'A defect in the page', said)
}
