/** A bundle or an archive that is not what it says it is. The sentence names the file; the code is stable. */
export class BundleError extends Error {
  readonly code: BundleErrorCode
  /** The file in question, as its path inside the bundle or its name in the archive. */
  readonly path: string | undefined

  constructor(code: BundleErrorCode, message: string, path?: string) {
    super(message)
    this.name = 'BundleError'
    this.code = code
    this.path = path
  }
}

export type BundleErrorCode =
  | 'not_gzip'
  | 'corrupt_gzip'
  | 'truncated'
  | 'trailing_data'
  | 'bad_header'
  | 'bad_pax'
  | 'pax_conflict'
  | 'bad_name'
  | 'absolute_name'
  | 'parent_name'
  | 'link'
  | 'device'
  | 'sparse'
  | 'unknown_type'
  | 'special_mode'
  | 'duplicate'
  | 'collision'
  | 'too_many_files'
  | 'file_too_large'
  | 'total_too_large'
  | 'archive_too_large'
  | 'ratio_too_high'
  | 'seal_broken'
  | 'manifest_missing'
  | 'manifest_invalid'
  | 'file_missing'
  | 'file_extra'
  | 'file_changed'
  | 'target_not_empty'
  | 'key_invalid'
  | 'signature_invalid'
  | 'signature_wrong'
  | 'version_invalid'
  | 'version_missing'
  | 'version_too_old'
