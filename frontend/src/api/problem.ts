/** RFC 9457 problem documents as errors of the UI. */

type FieldError = { readonly field: string; readonly message: string }

const UNREACHED = 0
const DEFECT = -1

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

  /** The server did not answer, or what stands before it says that it does not. */
  get isUnreached() {
    return this.status === UNREACHED || [502, 503, 504].includes(this.status)
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

/** A part of the app (its code or its styles) that could not be loaded. */
export const isMissingPart = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported|importing a module|module script|preload CSS/i.test(error.message)

/** Anything thrown, as a problem that can be shown. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  // What browsers say of a request that did not come; any other TypeError is a defect.
  const unanswered = error instanceof TypeError && /fetch|network|load failed/i.test(error.message)
  if (unanswered || isMissingPart(error)) {
    return new ApiProblem(
      UNREACHED,
      'The server cannot be reached',
      'Nothing was lost. Check that Pileup is still running and that the network is up. This page goes on by itself when the server answers again.',
    )
  }
  const name = error instanceof Error ? error.message : String(error)
  return new ApiProblem(DEFECT, 'A defect in the page', name)
}
