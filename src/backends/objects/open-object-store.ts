import { openDiskObjectStore } from './disk-object-store.ts'
import type { ObjectStore } from './object-store.ts'

/** Opens the store that an address names: `s3://bucket/prefix?endpoint=…` is S3, everything else a folder. */
export async function openObjectStore(settings: ObjectStoreSettings): Promise<ObjectStore> {
  if (!settings.address.startsWith('s3:')) {
    return openDiskObjectStore({ ...settings, folder: settings.address })
  }
  const { openS3ObjectStore } = await import('./s3-object-store.ts') // A machine without S3 never loads its client.
  return openS3ObjectStore(settings)
}

export interface ObjectStoreSettings {
  /** A folder, or `s3://bucket/prefix?endpoint=http://…&region=us-east-1&pathStyle=true`. */
  address: string
  /** The address under which this server is reached from outside; disk links begin with it. Asked for every link, because a port may be chosen late. */
  publicUrl(): string
  environment: Record<string, string | undefined>
  nowMs: number
}
