/** An author's mistake, told so that the author can mend it. Lines and columns count from 1. */
export type Problem = {
  severity: 'error' | 'warning'
  /** A stable snake_case name of the kind of mistake, such as `broken_link`. */
  code: string
  /** Relative to the project's root, with forward slashes. */
  file: string
  line: number
  column: number
  message: string
  hint: string
}

/** A page that could not be rendered: its place in the site says so to a reader. */
export type FailedPage = {
  path: string
  file: string
  line: number
  column: number
  message: string
  hint: string
}
